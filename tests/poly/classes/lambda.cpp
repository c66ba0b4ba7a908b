void top(int in[32], int out[32], int k) {
  auto scale = [&](int x) { return x * k; };
  auto clip = [](int x) -> int { if (x > 255) return 255; return x; };
  for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
    out[i] = clip(scale(in[i]));
  }
}
