#define LAST(n) ((n) - 1)
void run(const int in[20], int out[20])
{
    int A[3][7];   // the delay line
#pragma HLS array_partition variable=A type=complete dim=1
    for (int i = 0; i < 20; i++)
        A[i % 3][i / 3] = in[i];
    for (int i = LAST(20); i >= 2; i--)
        out[i] = A[i % 3][i / 3] + A[(i - 2 /* two back */) % 3][(i - 2 /* two back */) / 3] - A[(LAST(i)) % 3][(LAST(i)) / 3];
}
