template <class X, class Y> void mirrored(const X &x, Y &y) {
  int kept[8];
  for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE II=1
    kept[i] = x[i] + x[7 - i];
  }
  for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE II=1
    y[i] = kept[i];
  }
}
struct Filler {
  template <class X> void fill(X &&x, int by) const {
    for (int i = 0; i < 8; i++) x[i] = i * by;
  }
};
void top(const int in[16], int out[16]) {
  int h[8];
  int m[2][8];
  Filler f;
  f.fill(h, 1);
  f.fill(m[1], 2);
  mirrored(h, m[0]);
  mirrored(m[1], h);
  for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE II=1
    out[i] = h[i] + m[0][i] + in[i];
  }
}
