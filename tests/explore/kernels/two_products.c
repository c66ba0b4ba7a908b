void two_products(int A[24][32], int B[32][28], int C[28][30], int T[24][28], int D[24][30]) {
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 28; j++) {
            T[i][j] = 0;
            for (int k = 0; k < 32; k++)
                T[i][j] += A[i][k] * B[k][j];
        }
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 30; j++)
            for (int k = 0; k < 28; k++)
                D[i][j] += T[i][k] * C[k][j];
}
