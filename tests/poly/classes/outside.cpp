template <int N> class Line {
  int data[N];
public:
  void put(int x);
  int get(int i) const;
};
template <int N> void Line<N>::put(int x) {
  for (int i = N - 1; i > 0; i--) {
#pragma HLS UNROLL
    data[i] = data[i - 1];
  }
  data[0] = x;
}
template <int N> int Line<N>::get(int i) const { return data[i]; }
class Count { int n; public: void tick(); int now(); };
void Count::tick() { n = n + 1; }
int Count::now() { return n; }
void top(int in[32], int out[32]) {
  Line<4> l;
  static Count c;
  for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
    l.put(in[i]);
    c.tick();
    out[i] = l.get(3) + c.now();
  }
}
