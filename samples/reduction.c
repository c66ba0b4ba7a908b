/*
 * Dot product with eight partial sums: the unrolled loop reads eight elements of both vectors per
 * cycle, and the partial sums are independent, so no addition waits for the one before.
 */
#include <stdint.h>

#define LENGTH 256
#define LANES 8

int64_t reduction(const int32_t x[LENGTH], const int32_t y[LENGTH])
{
    int32_t a[LENGTH], b[LENGTH];
    int64_t partial[LANES];
#pragma HLS ARRAY_PARTITION variable=a type=cyclic factor=4
#pragma HLS ARRAY_PARTITION variable=b type=cyclic factor=4
#pragma HLS ARRAY_PARTITION variable=partial type=complete

load:
    for (int i = 0; i < LENGTH; i++) {
#pragma HLS PIPELINE II=1
        a[i] = x[i];
        b[i] = y[i];
    }

clear:
    for (int l = 0; l < LANES; l++) {
#pragma HLS UNROLL
        partial[l] = 0;
    }

dot:
    for (int i = 0; i < LENGTH; i += LANES) {
#pragma HLS PIPELINE II=1
    lanes:
        for (int l = 0; l < LANES; l++) {
            partial[l] += (int64_t)a[i + l] * b[i + l];
        }
    }

    int64_t sum = 0;
combine:
    for (int l = 0; l < LANES; l++) {
#pragma HLS UNROLL
        sum += partial[l];
    }
    return sum;
}
