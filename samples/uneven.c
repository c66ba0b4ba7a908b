/*
 * Sizes that no factor divides: 50 samples in 4 banks, 7 channels in blocks of 2. Cyclic banks hold
 * 13, 13, 12 and 12 samples; blocks of 2 channels leave one channel for the last bank.
 */
#include <stdint.h>

#define SAMPLES 50
#define CHANNELS 7

void uneven(const int16_t in[CHANNELS][SAMPLES], int32_t peak[CHANNELS])
{
    int16_t hold[CHANNELS][SAMPLES];
#pragma HLS ARRAY_PARTITION variable=hold type=block factor=4 dim=1
#pragma HLS ARRAY_PARTITION variable=hold type=cyclic factor=4 dim=2

load_channel:
    for (int c = 0; c < CHANNELS; c++) {
    load_sample:
        for (int s = 0; s < SAMPLES; s++) {
#pragma HLS PIPELINE II=1
            hold[c][s] = in[c][s];
        }
    }

channel:
    for (int c = 0; c < CHANNELS; c++) {
        int32_t best = 0;
    sample:
        for (int s = 0; s < SAMPLES - 1; s++) {
#pragma HLS PIPELINE II=1
            int32_t step = hold[c][s + 1] - hold[c][s];
            if (step < 0) {
                step = -step;
            }
            if (step > best) {
                best = step;
            }
        }
        peak[c] = best;
    }
}
