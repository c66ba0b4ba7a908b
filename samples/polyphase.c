/*
 * Decimating filter bank in several functions: the buffer is partitioned where it is declared, and
 * every function it is handed to follows. Four phases are filtered per cycle.
 */
#include <stdint.h>

#define LENGTH 128
#define PHASES 4

static void window(int32_t data[LENGTH], const int16_t weight[LENGTH])
{
window:
    for (int i = 0; i < LENGTH; i += PHASES) {
#pragma HLS PIPELINE II=1
    lanes:
        for (int p = 0; p < PHASES; p++) {
            data[i + p] = (data[i + p] * weight[i + p]) >> 8;
        }
    }
}

static int32_t energy(const int32_t data[LENGTH])
{
    int32_t sum = 0;
energy:
    for (int i = 0; i < LENGTH; i += PHASES) {
#pragma HLS PIPELINE II=1
    lanes:
        for (int p = 0; p < PHASES; p++) {
            sum += data[i + p] >> 4;
        }
    }
    return sum;
}

int32_t polyphase(const int32_t in[LENGTH], const int16_t weight[LENGTH], int32_t out[LENGTH / PHASES])
{
    int32_t buffer[LENGTH];
    int16_t local[LENGTH];
#pragma HLS ARRAY_PARTITION variable=buffer type=cyclic factor=4
#pragma HLS ARRAY_PARTITION variable=local type=cyclic factor=4

load:
    for (int i = 0; i < LENGTH; i++) {
#pragma HLS PIPELINE II=1
        buffer[i] = in[i];
        local[i] = weight[i];
    }
    window(buffer, local);

fold:
    for (int i = 0; i < LENGTH / PHASES; i++) {
#pragma HLS PIPELINE II=1
        out[i] = buffer[PHASES * i] + buffer[PHASES * i + 1] + buffer[PHASES * i + 2] + buffer[PHASES * i + 3];
    }
    return energy(buffer);
}
