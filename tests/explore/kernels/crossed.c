/* Sums along different loops: whatever the order of the loops, the inner one carries one of them. */
void crossed(float A[24][20], float s[20], float q[24], float p[20], float r[24]) {
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 20; j++) {
            s[j] += r[i] * A[i][j];
            q[i] += A[i][j] * p[j];
        }
}

void symmetric(float alpha, float C[6][10], float A[6][6], float B[6][10]) {
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 10; j++) {
            float t = 0;
            for (int k = 0; k < i; k++) {
                C[k][j] += alpha * B[i][j] * A[i][k];
                t += B[k][j] * A[i][k];
            }
            C[i][j] = C[i][j] + alpha * t;
        }
}
