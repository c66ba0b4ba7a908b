/*
 * 16-tap FIR filter with a delay line in a static array. One sample per call; the taps are unrolled,
 * so every element of the delay line is read and written in the same cycle: it has to be registers.
 */
#include <stdint.h>

#define TAPS 16

static const int16_t coefficient[TAPS] = {
    -12, -31, 8, 97, 161, 40, -283, 1890, 1890, -283, 40, 161, 97, 8, -31, -12,
};

void fir(int16_t sample, int32_t *result)
{
    static int16_t delay[TAPS];
#pragma HLS ARRAY_PARTITION variable=delay type=complete
#pragma HLS PIPELINE II=1
    int32_t acc = 0;
    int i;

taps:
    for (i = TAPS - 1; i > 0; i--) {
        delay[i] = delay[i - 1];
        acc += delay[i] * coefficient[i];
    }
    delay[0] = sample;
    acc += sample * coefficient[0];
    *result = acc >> 4;
}
