void top(const int in[16], int out[16]) {
  int tab[16];
  for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
    tab[i] = in[i] * 2;
  }
  int s = 0;
  for (int x : tab) {
#pragma HLS PIPELINE II=1
    s += x;
  }
  for (auto &x : tab) {
#pragma HLS PIPELINE II=1
    x = x + s;
  }
  for (int i = 0; i < 16; i++) out[i] = tab[i];
}
