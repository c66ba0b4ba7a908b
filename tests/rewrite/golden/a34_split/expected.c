/* Sixteen elements over four cyclic banks: element 5 is element 1 of bank 1. */
int example(int x)
{
    int A_0[4] = {0, 4, 8, 12}, A_1[4] = {1, 5, 9, 13}, A_2[4] = {2, 6, 10, 14}, A_3[4] = {3, 7, 11, 15}; (void)A_0; (void)A_2; (void)A_3;
// hlspart: A is A_0 .. A_3 (cyclic factor=4 dim=1)
    A_1[1] += x;
    return A_1[1];
}
