void chain(int in[8][12], int scale[12], int s[8]) {
    int a[8][12], b[8][12];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 12; j++)
            a[i][j] = in[i][j];
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 12; j++)
            b[i][j] = a[i][j] * scale[j] + 3;
    for (int i = 0; i < 8; i++) {
        int t = 0;
        for (int j = 0; j < 12; j++)
            t += b[i][j];
        s[i] = t;
    }
}
