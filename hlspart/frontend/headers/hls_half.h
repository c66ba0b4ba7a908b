#ifndef HLSPART_HLS_HALF_H
#define HLSPART_HLS_HALF_H
#endif
