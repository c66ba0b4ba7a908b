enum class Mode : int { Add = 0, Sub = 1 };
void top(int a[32], int b[32], int out[32], Mode m) {
  int x = 0;
  for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
    auto y = m == Mode::Add ? a[i] + b[i] : a[i] - b[i];
    decltype(x) z = y;
    out[i] = z;
  }
}
