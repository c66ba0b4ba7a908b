void scale(int in[32], int out[32])
{
    int A[32];
#pragma HLS array_partition variable=A type=cyclic factor=2
    for (int i = 0; i < 32; i++) A[i] = in[i];
    for (int i = 0; i < 32; i += 2) {
#pragma HLS pipeline II=1
        out[i] = A[i] + A[i + 1];
    }
}
