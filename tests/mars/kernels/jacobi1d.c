#ifndef T
#define T 40
#endif
#ifndef N
#define N 100
#endif

/* three-point average, one row per time step */
void jacobi1d(float A[T + 1][N])
{
    for (int t = 1; t <= T; t++)
        for (int i = 1; i < N - 1; i++)
            A[t][i] = (A[t - 1][i - 1] + A[t - 1][i] + A[t - 1][i + 1]) * 0.3333f;
}
