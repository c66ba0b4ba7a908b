#ifndef M
#define M 60
#endif
#ifndef N
#define N 75
#endif


void smith_waterman(const char p[M], const char q[N], int H[M + 1][N + 1])
{
    for (int i = 1; i <= M; i++)
        for (int j = 1; j <= N; j++) {
            int score = H[i - 1][j - 1] + (p[i - 1] == q[j - 1] ? 2 : -1);
            if (H[i - 1][j] - 1 > score)
                score = H[i - 1][j] - 1;
            if (H[i][j - 1] - 1 > score)
                score = H[i][j - 1] - 1;
            if (score < 0)
                score = 0;
            H[i][j] = score;
        }
}
