/* Rows in two blocks, columns cyclic over four: bank = (i / 4) * 4 + j % 4, eight banks of 4 x 4. */
static int M_0[4][4], M_1[4][4], M_2[4][4] __attribute__((unused)), M_3[4][4] __attribute__((unused)), M_4[4][4], M_5[4][4] __attribute__((unused)), M_6[4][4], M_7[4][4];

void fill(int v)
{
// hlspart: M is M_0 .. M_7 (block factor=2 dim=1, cyclic factor=4 dim=2)

    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 16; j += 4) {
            M_0[i][j / 4] = v;      M_4[i][j / 4] = M_0[i][j / 4];
            M_1[i][j / 4] = v;  M_7[i][j / 4] = M_6[i][j / 4];
        }
}
