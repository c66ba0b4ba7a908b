template <int N> struct Tree {
  template <typename T> static T reduce(const T x[N]) {
    T s = 0;
    for (int i = 0; i < N; i++) {
#pragma HLS UNROLL
      s += x[i];
    }
    return s;
  }
};
void top(int in[32][4], int out[32]) {
#pragma HLS ARRAY_PARTITION variable=in complete dim=2
  for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
    out[i] = Tree<4>::reduce<int>(in[i]);
  }
}
