/*
 * Histogram of 8-bit pixels. The bin is data, so no partition of bin[] is ever conflict-free and no
 * tool can say which bank an access meets: hlspart says why instead of promising a figure.
 */
#include <stdint.h>

#define PIXELS 256
#define BINS 64

void histogram(const uint8_t pixel[PIXELS], uint16_t count[BINS])
{
    uint16_t bin[BINS];

clear:
    for (int b = 0; b < BINS; b++) {
#pragma HLS PIPELINE II=1
        bin[b] = 0;
    }

scan:
    for (int i = 0; i < PIXELS; i++) {
#pragma HLS PIPELINE II=1
        bin[pixel[i] >> 2]++;
    }

copy:
    for (int b = 0; b < BINS; b++) {
#pragma HLS PIPELINE II=1
        count[b] = bin[b];
    }
}
