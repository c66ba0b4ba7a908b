/*
 * Matrix product C = A * B on 16-bit data. The dot product is unrolled under a pipelined loop over
 * the columns, so a whole row of A and a whole column of B are wanted in every cycle: A needs its
 * columns apart (dim=2) and B its rows (dim=1).
 */
#include <stdint.h>

#define SIZE 16

void matmul(const int16_t in_a[SIZE][SIZE], const int16_t in_b[SIZE][SIZE], int32_t out[SIZE][SIZE])
{
    int16_t a[SIZE][SIZE];
    int16_t b[SIZE][SIZE];
#pragma HLS ARRAY_PARTITION variable=a type=cyclic factor=8 dim=2
#pragma HLS ARRAY_PARTITION variable=b type=cyclic factor=8 dim=1

load_rows:
    for (int i = 0; i < SIZE; i++) {
    load_columns:
        for (int j = 0; j < SIZE; j++) {
#pragma HLS PIPELINE II=1
            a[i][j] = in_a[i][j];
            b[i][j] = in_b[i][j];
        }
    }

rows:
    for (int i = 0; i < SIZE; i++) {
    columns:
        for (int j = 0; j < SIZE; j++) {
#pragma HLS PIPELINE II=1
            int32_t acc = 0;
        dot:
            for (int k = 0; k < SIZE; k++) {
                acc += a[i][k] * b[k][j];
            }
            out[i][j] = acc;
        }
    }
}
