struct Acc {
  int sum;
  void clear() { sum = 0; }
  void add(int x) { sum += x; }
};
class Pair {
public:
  Acc even, odd;
  void clear() { even.clear(); odd.clear(); }
  void add(int i, int x) { if (i & 1) odd.add(x); else even.add(x); }
  int total() const { return even.sum + odd.sum; }
};
void top(int in[64], int *out) {
  Pair p;
  p.clear();
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE II=1
    p.add(i, in[i]);
  }
  *out = p.total();
}
