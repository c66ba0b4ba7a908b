void relax(int A[30])
{
    int B[30];
#pragma HLS array_partition variable=B type=cyclic factor=3
    for (int i = 0; i < 30; i++) B[i] = A[i];
    for (int i = 1; i < 29; i++) {
#pragma HLS pipeline II=1
        if (A[i] > 0)
            B[i] += B[i - 1] + B[i + 1];
    }
    for (int i = 0; i < 30; i++) {
#pragma HLS pipeline II=1
        B[i]++;
    }
    for (int i = 0; i < 30; i++) A[i] = B[i];
}
