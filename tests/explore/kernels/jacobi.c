void jacobi(int A[66][66], int B[66][66]) {
    for (int i = 1; i < 65; i++)
        for (int j = 1; j < 65; j++)
            B[i][j] = (A[i][j] + A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 5;
}
