void layer(int in[16][16][4], int scale[4], int shift[4], int x[16][16][4], int f[8][4][3][3], int y[8][14][14],
           int out[14][14][8]) {
    for (int h = 0; h < 16; h++)
        for (int w = 0; w < 16; w++)
            for (int c = 0; c < 4; c++)
                x[h][w][c] = in[h][w][c] * scale[c] + shift[c];
    for (int o = 0; o < 8; o++)
        for (int h = 0; h < 14; h++)
            for (int w = 0; w < 14; w++) {
                int sum = 0;
                for (int c = 0; c < 4; c++)
                    for (int a = 0; a < 3; a++)
                        for (int b = 0; b < 3; b++)
                            sum += x[h + a][w + b][c] * f[o][c][a][b];
                y[o][h][w] = sum;
            }
    for (int h = 0; h < 14; h++)
        for (int w = 0; w < 14; w++)
            for (int c = 0; c < 8; c++)
                out[h][w][c] = y[c][h][w] > 0 ? y[c][h][w] : 0;
}
