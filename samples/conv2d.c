/*
 * 3 x 3 convolution over an image tile held on chip. Nine pixels per output; with cyclic banks of 3
 * in both dimensions they lie in nine different memories, but which one is known only at run time:
 * a tool that cannot see this builds multiplexers. `hlspart rewrite` writes bank-centric code.
 */
#include <stdint.h>

#define ROWS 24
#define COLS 32

static const int8_t kernel[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};

void conv2d(const uint8_t image[ROWS][COLS], uint8_t smooth[ROWS - 2][COLS - 2])
{
    uint8_t tile[ROWS][COLS];
#pragma HLS ARRAY_PARTITION variable=tile type=cyclic factor=3 dim=1
#pragma HLS ARRAY_PARTITION variable=tile type=cyclic factor=3 dim=2

load_r:
    for (int r = 0; r < ROWS; r++) {
    load_c:
        for (int c = 0; c < COLS; c++) {
#pragma HLS PIPELINE II=1
            tile[r][c] = image[r][c];
        }
    }

conv_r:
    for (int r = 0; r < ROWS - 2; r++) {
    conv_c:
        for (int c = 0; c < COLS - 2; c++) {
#pragma HLS PIPELINE II=1
            int acc = 0;
        window_r:
            for (int m = 0; m < 3; m++) {
            window_c:
                for (int n = 0; n < 3; n++) {
                    acc += kernel[m][n] * tile[r + m][c + n];
                }
            }
            smooth[r][c] = (uint8_t)(acc >> 4);
        }
    }
}
