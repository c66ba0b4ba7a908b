#define N 18
typedef short row_t[6];
static const int *p, T[N] = {1, 2, 3, [7] = N * 2, 5}, q = 3; // uneven: 5, 5, 4, 4
char word[] = "abcde";
extern int G[8];
int G[8];
int A_0; /* taken */

int use(int n)
{
#pragma HLS array_partition variable=T type=cyclic factor=4
#pragma HLS ARRAY_PARTITION variable=word block factor=2 dim=1
#pragma HLS array_partition variable = G type=complete
    int A[7] /* block of 3, 3, 1 */ = {n, n + 1, n + 2, n + 3}, sum = 0;
#pragma HLS array_partition variable=A type=block factor=3
    static row_t R;
#pragma HLS array_partition variable=R type=cyclic factor=2
    for (int i = 0; i < 3; i++) {
        A[i] += T[4 * i + 2] + T[4*i]; R[2*i] = A[i]; R[2*i + 1]++;
        sum += A[i] + R[2 * i] + word[0] + word[5] + G[3];
    }
    A[6] = A[3] + A[5];
    G[0] = sum;
    return A[6] + sum + A_0 + q + (p != 0);
}
