struct Vec {
  int x, y;
  void add(const Vec &o) { x += o.x; y += o.y; }
  int dot(Vec o) const { return x * o.x + y * o.y; }
};
Vec make(int a, int b) { Vec v; v.x = a; v.y = b; return v; }
void top(int a[32], int b[32], int out[32]) {
  Vec acc = make(0, 0);
  for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=2
    Vec t = make(a[i], b[i]);
    acc.add(t);
    Vec u = acc;
    out[i] = u.dot(t);
  }
}
