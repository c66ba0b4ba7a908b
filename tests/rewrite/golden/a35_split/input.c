/* Rows in two blocks, columns cyclic over four: bank = (i / 4) * 4 + j % 4, eight banks of 4 x 4. */
static int M[8][16];

void fill(int v)
{
#pragma HLS array_partition variable=M type=block factor=2 dim=1
#pragma HLS array_partition variable=M type=cyclic factor=4 dim=2
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 16; j += 4) {
            M[i][j] = v;      M[i + 4][j] = M[i][j];
            M[i][j + 1] = v;  M[i + 4][j + 3] = M[4 + i][j + 2];
        }
}
