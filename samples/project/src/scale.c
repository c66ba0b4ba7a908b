/* Four lanes of a fixed-point scale. */
#include "taps.h"

void scale(const int in[BLOCK], int gain, int out[BLOCK])
{
    int a[BLOCK];
    int b[BLOCK];

load:
    for (int i = 0; i < BLOCK; i++) {
#pragma HLS PIPELINE II=1
        a[i] = in[i];
    }
scale:
    for (int i = 0; i < BLOCK; i++) {
#pragma HLS PIPELINE II=1
#pragma HLS UNROLL factor=4
        b[i] = (a[i] * gain) >> 8;
    }
store:
    for (int i = 0; i < BLOCK; i++) {
#pragma HLS PIPELINE II=1
        out[i] = b[i];
    }
}
