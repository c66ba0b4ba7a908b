/*
 * Inference-time batch normalisation, y = scale * x + shift per channel. The channels are unrolled by
 * four; the parameters sit in small tables that are read at the same place, so they need the same split.
 */
#define CHANNELS 16
#define WIDTH 32

void batchnorm(float x[WIDTH][CHANNELS], const float scale[CHANNELS], const float shift[CHANNELS])
{
    float s[CHANNELS], b[CHANNELS], line[CHANNELS];
#pragma HLS ARRAY_PARTITION variable=s type=cyclic factor=4
#pragma HLS ARRAY_PARTITION variable=b type=cyclic factor=4
#pragma HLS ARRAY_PARTITION variable=line type=cyclic factor=4

parameters:
    for (int c = 0; c < CHANNELS; c++) {
#pragma HLS PIPELINE II=1
        s[c] = scale[c];
        b[c] = shift[c];
    }

pixels:
    for (int w = 0; w < WIDTH; w++) {
    fetch:
        for (int c = 0; c < CHANNELS; c++) {
#pragma HLS PIPELINE II=1
            line[c] = x[w][c];
        }
    normalise:
        for (int c = 0; c < CHANNELS; c++) {
#pragma HLS PIPELINE II=1
#pragma HLS UNROLL factor=4
            line[c] = s[c] * line[c] + b[c];
        }
    put:
        for (int c = 0; c < CHANNELS; c++) {
#pragma HLS PIPELINE II=1
            x[w][c] = line[c];
        }
    }
}
