class Base {
protected:
  int buf[16];
public:
  void put(int i, int x) { buf[i] = x; }
};
class Sum : public Base {
  int total;
public:
  void clear() { total = 0; }
  void take(int i) { total += buf[i]; }
  int get() { return total; }
};
void top(int in[16], int *out) {
  Sum s;
  s.clear();
  for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
    s.put(i, in[i]);
  }
  for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE II=1
    s.take(i);
  }
  *out = s.get();
}
