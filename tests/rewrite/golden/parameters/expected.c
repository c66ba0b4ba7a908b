void inner(int dst_0[4][4], int dst_1[4][4], const int src_0[4], const int src_1[4], int n);

static int pick(const int v_0[static 4], const int v_1[static 4]) { (void)v_1; return v_0[0] + v_0[1] + v_0[2]; }

/* two levels */
static void outer(int d_0[4][4], int d_1[4][4], int s_0[4], int s_1[4])
{
    inner(d_0, d_1, s_0, s_1, 3);
    d_0[0][0] += pick(s_0, s_1);
}

void inner(int dst_0[4][4], int dst_1[4][4], const int src_0[4], const int src_1[4], int n)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 8; j += 2)
            dst_0[i][j / 2] = src_0[j / 2] * n, dst_1[i][j / 2] = src_1[0];
}

int top(int x)
{
    int D_0[4][4] = {{1}, {3}}, D_1[4][4] = {{2}}, S_0[4], S_1[4];
// hlspart: D is D_0, D_1 (cyclic factor=2 dim=2)
#pragma HLS bind_storage variable=D_0 type=ram_2p
#pragma HLS bind_storage variable=D_1 type=ram_2p
// hlspart: S is S_0, S_1 (cyclic factor=2 dim=1)
    for (int k = 0; k < 8; k += 2) { S_0[k / 2] = x; S_1[k / 2] = k; }
    outer(D_0, D_1, S_0, S_1);
    return D_0[1][1] + D_1[3][3];
}
