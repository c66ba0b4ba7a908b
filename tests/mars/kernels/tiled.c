#ifndef N
#define N 64
#endif

void scale(const float x[N][N], float y[N][N])
{
    for (int ii = 0; ii < N; ii += 8)
        for (int jj = 0; jj < N; jj += 16)
            for (int i = ii; i < ii + 8; i++)
                for (int j = jj; j < jj + 16; j++)
                    y[i][j] = x[i][j] + x[j][i];
}

void tiled(const float x[N + 2], float y[N])
{
    for (int ii = 0; ii < N; ii += 8)
        for (int i = ii; i < (ii + 8 < N ? ii + 8 : N); i++)
            y[i] = x[i] + x[i + 1] + x[i + 2];
}
