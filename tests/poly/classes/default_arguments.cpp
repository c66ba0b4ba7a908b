template <int N, typename T = int> struct Taps {
  T c[N];
  Taps() {
#pragma HLS ARRAY_PARTITION variable=c complete
  }
  void load(int at, T v = 1) { c[at] = v; }
  T dot(const T x[N]) const {
    T s = 0;
    for (int i = 0; i < N; i++) {
#pragma HLS UNROLL
      s += c[i] * x[i];
    }
    return s;
  }
};
void top(int in[32][4], int out[32]) {
#pragma HLS ARRAY_PARTITION variable=in complete dim=2
  Taps<4> t;
  for (int k = 0; k < 4; k++) {
#pragma HLS PIPELINE II=1
    t.load(k, k + 1);
  }
  for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
    out[i] = t.dot(in[i]);
  }
}
