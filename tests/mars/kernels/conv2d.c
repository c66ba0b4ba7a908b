#ifndef CH
#define CH 3
#endif
#ifndef OUT
#define OUT 4
#endif
#ifndef H
#define H 20
#endif
#ifndef W
#define W 26
#endif

void conv2d(const short x[CH][H + 2][W + 2], const short w[OUT][CH][3][3], int y[OUT][H][W])
{
    for (int o = 0; o < OUT; o++)
        for (int r = 0; r < H; r++)
            for (int c = 0; c < W; c++)
                for (int k = 0; k < CH; k++)
                    for (int a = 0; a < 3; a++)
                        for (int b = 0; b < 3; b++)
                            y[o][r][c] += x[k][r + a][c + b] * w[o][k][a][b];
}
