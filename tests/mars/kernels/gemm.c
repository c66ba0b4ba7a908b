#ifndef NI
#define NI 40
#endif
#ifndef NJ
#define NJ 60
#endif
#ifndef NK
#define NK 60
#endif

void gemm(float alpha, float C[NI][NJ], const float A[NI][NK], const float B[NK][NJ])
{
    for (int i = 0; i < NI; i++)
        for (int k = 0; k < NK; k++)
            for (int j = 0; j < NJ; j++)
                C[i][j] += alpha * A[i][k] * B[k][j];
}
