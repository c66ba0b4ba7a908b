void inner(int dst[4][8], const int src[], int n);

static int pick(const int v[static 8]) { return v[0] + v[2] + v[4]; }

/* two levels */
static void outer(int d[4][8], int s[8])
{
    inner(d, s, 3);
    d[0][0] += pick(s);
}

void inner(int dst[4][8], const int src[], int n)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 8; j += 2)
            dst[i][j] = src[j] * n, dst[i][j + 1] = src[1];
}

int top(int x)
{
    int D[4][8] = {{1, 2}, {3}}, S[8];
#pragma HLS array_partition variable=D type=cyclic factor=2 dim=2
#pragma HLS bind_storage variable=D type=ram_2p
#pragma HLS array_partition variable=S type=cyclic factor=2
    for (int k = 0; k < 8; k += 2) { S[k] = x; S[k + 1] = k; }
    outer(D, S);
    return D[1][2] + D[3][7];
}
