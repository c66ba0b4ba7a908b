/* Matrix product: every element of c is independent of the others. Try `hlspart expand samples/gemm.c --loop ROWS,COLS --pe 4x4`. */
#define N 32

void gemm(const int a[N][N], const int b[N][N], int c[N][N])
{
ROWS:
    for (int i = 0; i < N; i++) {
    COLS:
        for (int j = 0; j < N; j++) {
            int sum = 0;
        DOT:
            for (int k = 0; k < N; k++) {
#pragma HLS PIPELINE
                sum += a[i][k] * b[k][j];
            }
            c[i][j] = sum;
        }
    }
}
