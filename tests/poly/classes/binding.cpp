struct P { int lo; int hi; };
static P both(int x) { P p; p.lo = x & 15; p.hi = x >> 4; return p; }
void top(int in[32], int out[32]) {
  for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
    auto [lo, hi] = both(in[i]);
    out[i] = lo + hi;
  }
}
