template <int W, int H = 1> struct Tile {
  int value[H][W];
  auto &operator()(int x, int y = 0) { return value[y][x]; }
  int sum(int from, int to = W) {
    int s = 0;
    for (int i = from; i < to; i++)
      s += value[0][i];
    return s;
  }
  int sum(Tile &other, int scale = 2) { return scale * other.value[0][0]; }
  auto &row(int y) { return value[y]; }
};
void top(int A[64], int B[64]) {
  Tile<4> t;
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    for (int k = 0; k < 4; k++)
      t(k) = A[i] + k;
    B[i] = t(0) + t(3, 0) + t.sum(1) + t.sum(t) + t.row(0)[2];
  }
}
