void top(const int in[16], int out[16]) {
  int tab[2][8];
  int sum[4];
  auto &lower = tab[0];
  auto &upper = tab[1];
  for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE II=1
    lower[i] = in[i];
    upper[7 - i] = in[i + 8];
  }
  for (int k = 0; k < 4; k++) {
    int at = 3 - k;
    auto &s = sum[at];
    s = 0;
    at = 7;
    for (int j = 0; j < 8; j++) {
#pragma HLS PIPELINE II=2
      const auto &row = tab[j % 2];
      s += row[at - k] + lower[j];
    }
  }
  for (int i = 0; i < 16; i++) {
    auto &from = sum;
    out[i] = from[i % 4];
  }
}
