/* Sixteen elements over four cyclic banks: element 5 is element 1 of bank 1. */
int example(int x)
{
    int A[4][4] = {{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}};
#pragma HLS array_partition variable=A type=complete dim=1
    A[1][1] += x;
    return A[1][1];
}
