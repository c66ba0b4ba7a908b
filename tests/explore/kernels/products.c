/* Products of the sizes that published accelerators were built for. */
void gemm(float A[200][240], float B[240][220], float C[200][220], float alpha, float beta) {
    for (int i = 0; i < 200; i++)
        for (int j = 0; j < 220; j++) {
            C[i][j] *= beta;
            for (int k = 0; k < 240; k++)
                C[i][j] += alpha * A[i][k] * B[k][j];
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
