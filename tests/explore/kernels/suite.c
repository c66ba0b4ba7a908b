/* Kernels in the forms and sizes of published accelerators: PolyBench (medium sizes), MachSuite, a layer of a network
   and an attention head. Each function is a top of its own. */
#include <math.h>

void gemm(float A[200][240], float B[240][220], float C[200][220], float alpha, float beta) {
    for (int i = 0; i < 200; i++)
        for (int j = 0; j < 220; j++) {
            C[i][j] *= beta;
            for (int k = 0; k < 240; k++)
                C[i][j] += alpha * A[i][k] * B[k][j];
        }
}

void two_mm(float A[180][210], float B[210][190], float C[190][220], float D[180][220], float T[180][190], float alpha,
            float beta) {
    for (int i = 0; i < 180; i++)
        for (int j = 0; j < 190; j++) {
            T[i][j] = 0;
            for (int k = 0; k < 210; k++)
                T[i][j] += alpha * A[i][k] * B[k][j];
        }
    for (int i = 0; i < 180; i++)
        for (int j = 0; j < 220; j++) {
            D[i][j] *= beta;
            for (int k = 0; k < 190; k++)
                D[i][j] += T[i][k] * C[k][j];
        }
}

void three_mm(float A[180][200], float B[200][190], float C[190][220], float D[220][210], float E[180][190],
              float F[190][210], float G[180][210]) {
    for (int i = 0; i < 180; i++)
        for (int j = 0; j < 190; j++) {
            E[i][j] = 0;
            for (int k = 0; k < 200; k++)
                E[i][j] += A[i][k] * B[k][j];
        }
    for (int i = 0; i < 190; i++)
        for (int j = 0; j < 210; j++) {
            F[i][j] = 0;
            for (int k = 0; k < 220; k++)
                F[i][j] += C[i][k] * D[k][j];
        }
    for (int i = 0; i < 180; i++)
        for (int j = 0; j < 210; j++) {
            G[i][j] = 0;
            for (int k = 0; k < 190; k++)
                G[i][j] += E[i][k] * F[k][j];
        }
}

void atax(float A[390][410], float x[410], float y[410], float tmp[390]) {
    for (int i = 0; i < 390; i++) {
        tmp[i] = 0;
        for (int j = 0; j < 410; j++)
            tmp[i] += A[i][j] * x[j];
    }
    for (int j = 0; j < 410; j++)
        y[j] = 0;
    for (int i = 0; i < 390; i++)
        for (int j = 0; j < 410; j++)
            y[j] += A[i][j] * tmp[i];
}

void bicg(float A[410][390], float s[390], float q[410], float p[390], float r[410]) {
    for (int j = 0; j < 390; j++)
        s[j] = 0;
    for (int i = 0; i < 410; i++)
        for (int j = 0; j < 390; j++)
            s[j] += r[i] * A[i][j];
    for (int i = 0; i < 410; i++) {
        q[i] = 0;
        for (int j = 0; j < 390; j++)
            q[i] += A[i][j] * p[j];
    }
}

void mvt(float A[400][400], float x1[400], float x2[400], float y1[400], float y2[400]) {
    for (int i = 0; i < 400; i++)
        for (int j = 0; j < 400; j++)
            x1[i] += A[i][j] * y1[j];
    for (int i = 0; i < 400; i++)
        for (int j = 0; j < 400; j++)
            x2[i] += A[j][i] * y2[j];
}

/* The whole square: the triangle of syrk has bounds that are no constants. */
void syrk(float A[240][200], float C[240][240], float alpha, float beta) {
    for (int i = 0; i < 240; i++)
        for (int j = 0; j < 240; j++) {
            C[i][j] *= beta;
            for (int k = 0; k < 200; k++)
                C[i][j] += alpha * A[i][k] * A[j][k];
        }
}

void conv2d(float in[64][34][34], float f[64][64][3][3], float out[64][32][32]) {
    for (int o = 0; o < 64; o++)
        for (int h = 0; h < 32; h++)
            for (int w = 0; w < 32; w++) {
                out[o][h][w] = 0;
                for (int c = 0; c < 64; c++)
                    for (int a = 0; a < 3; a++)
                        for (int b = 0; b < 3; b++)
                            out[o][h][w] += in[c][h + a][w + b] * f[o][c][a][b];
            }
}

void jacobi_2d(float A[250][250], float B[250][250]) {
    for (int i = 1; i < 249; i++)
        for (int j = 1; j < 249; j++)
            B[i][j] = 0.2f * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i + 1][j] + A[i - 1][j]);
    for (int i = 1; i < 249; i++)
        for (int j = 1; j < 249; j++)
            A[i][j] = 0.2f * (B[i][j] + B[i][j - 1] + B[i][j + 1] + B[i + 1][j] + B[i - 1][j]);
}

void layer(float in[16][34][34], float scale[16], float shift[16], float x[16][34][34], float f[32][16][3][3],
           float y[32][32][32], float out[32][32][32]) {
    for (int c = 0; c < 16; c++)
        for (int h = 0; h < 34; h++)
            for (int w = 0; w < 34; w++)
                x[c][h][w] = in[c][h][w] * scale[c] + shift[c];
    for (int o = 0; o < 32; o++)
        for (int h = 0; h < 32; h++)
            for (int w = 0; w < 32; w++) {
                y[o][h][w] = 0;
                for (int c = 0; c < 16; c++)
                    for (int a = 0; a < 3; a++)
                        for (int b = 0; b < 3; b++)
                            y[o][h][w] += x[c][h + a][w + b] * f[o][c][a][b];
            }
    for (int o = 0; o < 32; o++)
        for (int h = 0; h < 32; h++)
            for (int w = 0; w < 32; w++)
                out[o][h][w] = y[o][h][w] > 0 ? y[o][h][w] : 0;
}

void attention(float Q[64][64], float K[64][64], float V[64][64], float S[64][64], float P[64][64], float sum[64],
               float out[64][64]) {
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) {
            S[i][j] = 0;
            for (int d = 0; d < 64; d++)
                S[i][j] += Q[i][d] * K[j][d];
        }
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++)
            P[i][j] = expf(S[i][j] * 0.125f);
    for (int i = 0; i < 64; i++) {
        sum[i] = 0;
        for (int j = 0; j < 64; j++)
            sum[i] += P[i][j];
    }
    for (int i = 0; i < 64; i++)
        for (int d = 0; d < 64; d++) {
            out[i][d] = 0;
            for (int j = 0; j < 64; j++)
                out[i][d] += P[i][j] / sum[i] * V[j][d];
        }
}

void stencil3d(int in[16][32][32], int out[16][32][32], int c0, int c1) {
    for (int i = 1; i < 15; i++)
        for (int j = 1; j < 31; j++)
            for (int k = 1; k < 31; k++) {
                int sum = in[i + 1][j][k] + in[i - 1][j][k] + in[i][j + 1][k] + in[i][j - 1][k] + in[i][j][k + 1] +
                          in[i][j][k - 1];
                out[i][j][k] = c0 * in[i][j][k] + c1 * sum;
            }
}

void gemm_64(double A[64][64], double B[64][64], double C[64][64]) {
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++) {
            double sum = 0;
            for (int k = 0; k < 64; k++)
                sum += A[i][k] * B[k][j];
            C[i][j] = sum;
        }
}
