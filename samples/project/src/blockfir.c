/* Block FIR: the taps are unrolled, so eight samples and eight coefficients are read in every cycle. */
#include "taps.h"

void blockfir(const int in[BLOCK + TAPS], const int weight[TAPS], int out[BLOCK])
{
    int line[BLOCK + TAPS];
    int w[TAPS];

load:
    for (int i = 0; i < BLOCK + TAPS; i++) {
#pragma HLS PIPELINE II=1
        line[i] = in[i];
    }
weights:
    for (int t = 0; t < TAPS; t++) {
#pragma HLS PIPELINE II=1
        w[t] = weight[t];
    }

outputs:
    for (int i = 0; i < BLOCK; i++) {
#pragma HLS PIPELINE II=4
        int acc = 0;
    taps:
        for (int t = 0; t < TAPS; t++) {
            acc += line[i + t] * w[t];
        }
        out[i] = acc;
    }
}
