#ifndef HLSPART_HLS_STREAM_H
#define HLSPART_HLS_STREAM_H
/* what it declares is known to the C++ reader itself */
#endif
