class Pe {
  int acc;
public:
  void reset() { acc = 0; }
  void mac(int a, int b) { acc += a * b; }
  int value() { return acc; }
};
void top(int a[32][4], int b[32], int out[4]) {
  Pe pe[4];
#pragma HLS ARRAY_PARTITION variable=pe complete
  for (int k = 0; k < 4; k++) {
#pragma HLS UNROLL
    pe[k].reset();
  }
  for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=2
    for (int k = 0; k < 4; k++) {
#pragma HLS UNROLL
      pe[k].mac(a[i][k], b[i]);
    }
  }
  for (int k = 0; k < 4; k++) {
#pragma HLS PIPELINE II=1
    out[k] = pe[k].value();
  }
}
