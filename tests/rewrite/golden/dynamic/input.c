#define LAST(n) ((n) - 1)
void run(const int in[20], int out[20])
{
    int A[20];   // the delay line
#pragma HLS array_partition variable=A type=cyclic factor=3
    for (int i = 0; i < 20; i++)
        A[i] = in[i];
    for (int i = LAST(20); i >= 2; i--)
        out[i] = A[i] + A[i - 2 /* two back */] - A[LAST(i)];
}
