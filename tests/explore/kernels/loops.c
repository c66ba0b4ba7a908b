/* Nests in the bodies of loops, and loops whose bounds other iterators say. */
#define N 11
#define M 7

/* the lower triangle; counters from outside of the loops */
void below(int A[N][M], int C[N][N], int alpha, int beta) {
    int i, j, k;
    for (i = 0; i < N; i++) {
        for (j = 0; j <= i; j++) {
            C[i][j] *= beta;
            for (k = 0; k < M; k++)
                C[i][j] += alpha * A[i][k] * A[j][k];
        }
    }
}

/* a sum of terms above the diagonal, none in the last row */
void above(int A[N][N], int B[N][M], int C[N][M], int alpha) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            int sum = 3;
            for (int k = i + 1; k < N; k++)
                sum += A[k][i] * B[k][j];
            C[i][j] = alpha * sum;
        }
}

/* rows that are read lie below the one that is written */
void in_place(int A[N][N], int B[N][M], int alpha) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            for (int k = i + 1; k < N; k++)
                B[i][j] += A[k][i] * B[k][j];
            B[i][j] = alpha * B[i][j];
        }
}

/* the steps of an elimination: a column, then what is right of it and below */
void eliminate(int A[N][N]) {
    for (int k = 0; k < N; k++) {
        for (int i = k + 1; i < N; i++)
            A[i][k] = A[i][k] * 3 - A[k][k];
        for (int i = k + 1; i < N; i++)
            for (int j = k + 1; j < N; j++)
                A[i][j] -= A[i][k] * A[k][j];
    }
}

/* both ends move, every second value, a band of a matrix */
void banded(int A[N][3 * N], int x[3 * N], int y[N]) {
    for (unsigned i = 0; i < N; i++) {
        y[i] = 1;
        for (unsigned j = i; j < 2 * i + 5; j++)
            y[i] += A[i][j] * x[j];
    }
    for (int i = 0; i < N; i++)
        for (int j = 1; 2 * i + 3 > j; j += 2)
            A[i][j] = x[j] - i;
}

/* as many terms wherever a row begins, two loops deep */
void moving(int x[40], int w[8], int y[N]) {
    int i, j, c;
    for (i = 0; i < N; i++) {
        y[i] = 0;
        for (j = i + 2; j < i + 7; j++)
            for (c = j; c < j + 2; c++)
                y[i] += x[c + i] * w[c - j] - j;
    }
}

/* nests without iterations at first; with the loop around, tiles of the box reach beyond the arrays */
void skewed(int A[3][9], int B[9]) {
    for (int t = 0; t < 3; t++) {
        for (int i = 0; i < t; i += 2)
            for (int j = t + 1; j < 8; j++) {
                A[i][j] = i;
                for (int k = 0; k < 5; k++)
                    A[i][j] += B[k] + B[j];
            }
        for (int j = 0; j < 9 - t; j++)
            B[t + j] += A[2 - t][j];
    }
}

/* three nests in two loops: their places move with the loops around */
void rows(int A[3][5][M], int C4[M][M], int sum[M]) {
    for (int r = 0; r < 3; r++)
        for (int q = 0; q < 5; q++) {
            for (int p = 0; p < M; p++) {
                sum[p] = 0;
                for (int s = 0; s < M; s++)
                    sum[p] += A[r][4 - q][s] * C4[s][p];
            }
            for (int p = 0; p < M; p++)
                A[r][4 - q][p] = sum[p] + r;
        }
}

/* a stencil, there and back, in steps of time */
void steps(int A[N][13], int B[N][13]) {
    for (int t = 0; t < 3; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < 12; j++)
                B[i][j] = A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1] - t;
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < 12; j++)
                A[i][j] = B[i][j];
    }
}

void all(int L[N][M], int C[N][N], int A[N][N], int B[N][M], int D[N][M], int E[N][3 * N], int x[3 * N], int y[N],
         int R[3][5][M], int C4[M][M], int sum[M], int S[N][13], int T[N][13], int F[N][N], int u[40],
         int w[8], int z[N], int G[3][9], int H[9]) {
    below(L, C, 2, 3);
    above(A, B, D, 2);
    in_place(A, B, 3);
    eliminate(F);
    banded(E, x, y);
    rows(R, C4, sum);
    steps(S, T);
    moving(u, w, z);
    skewed(G, H);
}
