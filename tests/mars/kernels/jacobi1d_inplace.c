#ifndef T
#define T 30
#endif
#ifndef N
#define N 90
#endif

/* two arrays, swapped by a second statement */
void jacobi1d_inplace(float A[N], float B[N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            B[i] = 0.3333f * (A[i - 1] + A[i] + A[i + 1]);
        for (int i = 1; i < N - 1; i++)
            A[i] = B[i];
    }
}
