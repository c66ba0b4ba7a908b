void inner(int dst[2][4][4], const int src[2][4], int n);

static int pick(const int v[static 2][4]) { return v[0][0] + v[0][1] + v[0][2]; }

/* two levels */
static void outer(int d[2][4][4], int s[2][4])
{
    inner(d, s, 3);
    d[0][0][0] += pick(s);
}

void inner(int dst[2][4][4], const int src[2][4], int n)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 8; j += 2)
            dst[0][i][j / 2] = src[0][j / 2] * n, dst[1][i][j / 2] = src[1][0];
}

int top(int x)
{
    int D[2][4][4] = {{{1}, {3}}, {{2}}}, S[2][4];
#pragma HLS array_partition variable=D type=complete dim=1
#pragma HLS bind_storage variable=D type=ram_2p
#pragma HLS array_partition variable=S type=complete dim=1
    for (int k = 0; k < 8; k += 2) { S[0][k / 2] = x; S[1][k / 2] = k; }
    outer(D, S);
    return D[0][1][1] + D[1][3][3];
}
