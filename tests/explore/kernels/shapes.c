#define M 7
#define N 11
#define K 13
typedef int word;

void scaled(int A[M][K], word B[K][N], int C[M][N], int alpha, int beta) {
    int i, j, k;
    for (i = 0; i < M; i++)
        for (j = 0; j < N; j++) {
            C[i][j] *= beta;
            for (k = 0; k < K; ++k)
                C[i][j] += alpha * A[i][k] * B[k][j]; /* the order of sums is free */
        }
}

void strided(int x[9][23], int f[2][3][3], int y[2][4][11]) {
    for (int o = 0; o < 2; o++)
        for (int h = 0; h < 4; h++)
            for (int w = 0; w < 11; w++) {
                int sum = 1;
                for (int a = 0; a < 3; a++)
                    for (int b = 0; b < 3; b++)
                        sum += x[2 * h + a][2 * w + b] * f[o][a][b];
                y[o][h][w] = sum;
            }
}

void reversed(int a[37], int b[40], int c[80]) {
again:
    for (int i = 1; i < 38; i++)
        c[2 * i] = a[37 - i] + b[i - 1] * b[i];
}

void both(int A[7][11], int s[11], int q[7], int p[11], int r[7]) {
    for (int i = 0; i < 11; i++)
        s[i] = 0;
    for (int i = 0; i < 7; i++) {
        q[i] = 0;
        const int ri = r[i];
        for (int j = 0; j < 11; j++) {
            s[j] = s[j] + ri * A[i][j];
            q[i] += A[i][j] * p[j];
        }
    }
}

void guarded(int A[13][17], int B[13][17]) {
    for (int i = 0; i < 13; i++)
        for (int j = 0; j < 17; j += 2)
            if (i >= 1 && j > 2)
                B[i][j] = A[i - 1][j - 3];
}

void rows(int *A, int B[7]) {
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 11; j++)
            B[i] += A[i * 11 + j];
}

void floats(float A[5][7], float B[7][3], float C[5][3]) {
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 3; j++) {
            float sum = 0.5f;
            for (int k = 0; k < 7; k++)
                sum += A[i][k] * B[k][j];
            C[i][j] = sum;
        }
}

void square(int A[7][5], int C[7][7]) {
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++)
            for (int k = 0; k < 5; k++)
                C[i][j] += A[i][k] * A[j][k];
}

/* One call of each, so that one comparison sees them all. */
void all(int A[M][K], word B[K][N], int C[M][N], int alpha, int beta, int x[9][23], int f[2][3][3], int y[2][4][11],
         int a[37], int b[40], int c[80], int A1[7][11], int s[11], int q[7], int p[11], int r[7], int A2[13][17],
         int B2[13][17], int A3[77], int B3[7], float A4[5][7], float B4[7][3], float C4[5][3], int A5[7][5], int C5[7][7]) {
    scaled(A, B, C, alpha, beta);
    strided(x, f, y);
    reversed(a, b, c);
    both(A1, s, q, p, r);
    guarded(A2, B2);
    rows(A3, B3);
    square(A5, C5);
    floats(A4, B4, C4);
}
