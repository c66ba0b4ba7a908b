/*
 * A signal at twice its rate, smoothed: two stores in one iteration, three loads in another.
 *
 * Newer tools copy a memory for its loads by themselves, but a copied memory has one port for stores.
 */
#include <stdint.h>

#define N 128

void upsample(const int32_t in[N + 1], int32_t out[2 * N - 2])
{
    int32_t mem[2 * N];

TWICE:
    for (int i = 0; i < N; i++) {
#pragma HLS PIPELINE II=1
        mem[2 * i] = in[i];
        mem[2 * i + 1] = (in[i] + in[i + 1]) / 2;
    }

SMOOTH:
    for (int i = 0; i < 2 * N - 2; i++) {
#pragma HLS PIPELINE II=1
        out[i] = mem[i] + 2 * mem[i + 1] + mem[i + 2]; /* three loads, two ports */
    }
}
