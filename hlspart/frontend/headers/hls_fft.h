#ifndef HLSPART_HLS_FFT_H
#define HLSPART_HLS_FFT_H
/* the transform itself is not read */
#include <hls_stream.h>
#include <hls_x_complex.h>
#include <ap_fixed.h>
#endif
