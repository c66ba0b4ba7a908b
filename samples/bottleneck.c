/*
 * Sliding sum of three neighbours: the classic memory-port bottleneck.
 *
 * Each iteration of SUM_LOOP loads three elements of mem, but a block RAM has two ports, so the
 * loop asked to start every cycle can start only every second one.
 */
#include <stdint.h>

#define N 128

void bottleneck(const int32_t in[N], int32_t *total)
{
    int32_t mem[N];

LOAD_LOOP:
    for (int i = 0; i < N; i++) {
#pragma HLS PIPELINE II=1
        mem[i] = in[i];
    }

    int32_t sum = 0;
SUM_LOOP:
    for (int i = 2; i < N; i++) {
#pragma HLS PIPELINE II=1
        sum += mem[i] + mem[i - 1] + mem[i - 2]; /* three loads, two ports */
    }
    *total = sum;
}
