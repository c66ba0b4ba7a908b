template <typename T, int N> class ShiftReg {
  T data[N];
public:
  ShiftReg() {
#pragma HLS ARRAY_PARTITION variable=data complete
  }
  T shift(T x) {
#pragma HLS INLINE
    T last = data[N - 1];
    for (int i = N - 1; i > 0; i--) {
#pragma HLS UNROLL
      data[i] = data[i - 1];
    }
    data[0] = x;
    return last;
  }
  T get(int i) { return data[i]; }
};
static int step(ShiftReg<int, 8> &r, int x) {
#pragma HLS INLINE
  int y = r.shift(x);
  return y + r.get(3);
}
void top(int in[100], int out[100]) {
  ShiftReg<int, 8> r;
  for (int i = 0; i < 100; i++) {
#pragma HLS PIPELINE II=1
    out[i] = step(r, in[i]);
  }
}
