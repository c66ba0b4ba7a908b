#include "hls_stream.h"
class Writer {
  int buffer[4];
  int n = 0;
  const int step;
  hls::stream<int> &output;
public:
  explicit Writer(hls::stream<int> &output, int k) : step(k + 1), output(output) {
#pragma HLS ARRAY_PARTITION variable=buffer complete
  }
  void put(int v) {
    buffer[n] = v * step;
    n++;
    if (n == 4) flush();
  }
  void flush() {
    output.write(buffer[0] + buffer[1] + buffer[2] + buffer[3]);
    n = 0;
  }
};
void pack(int in[64], hls::stream<int> &s) {
  Writer w(s, 2);
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    w.put(in[i]);
  }
}
void unpack(hls::stream<int> &s, int out[16]) {
  for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
    out[i] = s.read();
  }
}
void top(int in[64], int out[16]) {
#pragma HLS DATAFLOW
  hls::stream<int> s;
  pack(in, s);
  unpack(s, out);
}
