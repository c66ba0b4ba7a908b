#include "hls_stream.h"
template <typename T, int D> class Stream {
  hls::stream<T> s_;
public:
  T Pop() {
#pragma HLS INLINE
    return s_.read();
  }
  void Push(T const &x) {
#pragma HLS INLINE
    s_.write(x);
  }
};
void load(int in[64], Stream<int, 4> &s) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    s.Push(in[i]);
  }
}
void store(Stream<int, 4> &s, int out[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    out[i] = s.Pop() + 1;
  }
}
void top(int in[64], int out[64]) {
#pragma HLS INTERFACE m_axi port=in bundle=a depth=64
#pragma HLS INTERFACE m_axi port=out bundle=b depth=64
#pragma HLS DATAFLOW
  Stream<int, 4> s;
  load(in, s);
  store(s, out);
}
