#define N 18
typedef short row_t[6];
static const int *p, T_0[5] = {1, 0, 5}, T_1[5] __attribute__((unused)) = {2}, T_2[4] = {3}, T_3[4] __attribute__((unused)) = {0, N * 2}, q = 3; // uneven: 5, 5, 4, 4
char word_0[3] = {'a', 'b', 'c'}, word_1[3] = {'d', 'e'};
extern int G_0, G_1, G_2, G_3, G_4, G_5, G_6, G_7;
int G_0, G_1, G_2, G_3, G_4, G_5, G_6, G_7;
int A_0; /* taken */

int use(int n)
{
// hlspart: T is T_0 .. T_3 (cyclic factor=4 dim=1)
// hlspart: word is word_0, word_1 (block factor=2 dim=1)
// hlspart: G is G_0 .. G_7 (complete dim=1)
    int A_bank0[3] = {n, n + 1, n + 2}, A_bank1[3] = {n + 3}, A_bank2[1] = {0} /* block of 3, 3, 1 */, sum = 0;
// hlspart: A is A_bank0 .. A_bank2 (block factor=3 dim=1)
    static short R_0[3], R_1[3];
// hlspart: R is R_0, R_1 (cyclic factor=2 dim=1)
    for (int i = 0; i < 3; i++) {
        A_bank0[i] += T_2[i] + T_0[i]; R_0[i] = A_bank0[i]; R_1[i]++;
        sum += A_bank0[i] + R_0[i] + word_0[0] + word_1[2] + G_3;
    }
    A_bank2[0] = A_bank1[0] + A_bank1[2];
    G_0 = sum;
    return A_bank2[0] + sum + A_0 + q + (p != 0);
}
