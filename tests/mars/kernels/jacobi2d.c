#ifndef T
#define T 12
#endif
#ifndef N
#define N 30
#endif

void jacobi2d(float A[T + 1][N][N])
{
    for (int t = 1; t <= T; t++)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                A[t][i][j] = 0.2f * (A[t - 1][i][j] + A[t - 1][i][j - 1] + A[t - 1][i][j + 1]
                                     + A[t - 1][i - 1][j] + A[t - 1][i + 1][j]);
}
