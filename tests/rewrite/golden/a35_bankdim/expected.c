/* Rows in two blocks, columns cyclic over four: bank = (i / 4) * 4 + j % 4, eight banks of 4 x 4. */
static int M[2][4][4][4];

void fill(int v)
{
#pragma HLS array_partition variable=M type=complete dim=1
#pragma HLS array_partition variable=M type=complete dim=2
// hlspart: M is M (block factor=2 dim=1, cyclic factor=4 dim=2)
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 16; j += 4) {
            M[0][0][i][j / 4] = v;      M[1][0][i][j / 4] = M[0][0][i][j / 4];
            M[0][1][i][j / 4] = v;  M[1][3][i][j / 4] = M[1][2][i][j / 4];
        }
}
