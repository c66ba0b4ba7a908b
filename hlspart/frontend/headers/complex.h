#ifndef HLSPART_COMPLEX_H
#define HLSPART_COMPLEX_H
#define complex _Complex
#endif
