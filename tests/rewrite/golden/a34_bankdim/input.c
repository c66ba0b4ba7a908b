/* Sixteen elements over four cyclic banks: element 5 is element 1 of bank 1. */
int example(int x)
{
    int A[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#pragma HLS array_partition variable=A type=cyclic factor=4 dim=1
    A[5] += x;
    return A[5];
}
