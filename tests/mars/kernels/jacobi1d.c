#define T 40
#define N 100

/* three-point average, one row per time step */
void jacobi1d(float A[T + 1][N])
{
    for (int t = 1; t <= T; t++)
        for (int i = 1; i < N - 1; i++)
            A[t][i] = (A[t - 1][i - 1] + A[t - 1][i] + A[t - 1][i + 1]) * 0.3333f;
}
