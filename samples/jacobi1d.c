/*
 * Jacobi relaxation of a rod, ping-pong between two buffers. Two points are computed per cycle
 * (UNROLL factor=2), so four neighbours are read: a cyclic partition by two gives each its port.
 */
#define STEPS 8
#define POINTS 64

void jacobi1d(float rod[POINTS])
{
    float now[POINTS], next[POINTS];
#pragma HLS ARRAY_PARTITION variable=now type=cyclic factor=2
#pragma HLS ARRAY_PARTITION variable=next type=cyclic factor=2
    int t, i;

load:
    for (i = 0; i < POINTS; i++) {
#pragma HLS PIPELINE II=1
        now[i] = rod[i];
        next[i] = rod[i];
    }

steps:
    for (t = 0; t < STEPS; t++) {
    forth:
        for (i = 1; i < POINTS - 1; i++) {
#pragma HLS PIPELINE II=1
#pragma HLS UNROLL factor=2
            next[i] = 0.25f * now[i - 1] + 0.5f * now[i] + 0.25f * now[i + 1];
        }
    back:
        for (i = 1; i < POINTS - 1; i++) {
#pragma HLS PIPELINE II=1
#pragma HLS UNROLL factor=2
            now[i] = 0.25f * next[i - 1] + 0.5f * next[i] + 0.25f * next[i + 1];
        }
    }

store:
    for (i = 0; i < POINTS; i++) {
#pragma HLS PIPELINE II=1
        rod[i] = now[i];
    }
}
