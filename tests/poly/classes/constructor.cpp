class Filter {
  const int gain;
  int state;
public:
  Filter(int g, int s = 0) : gain(g), state(s) {}
  int step(int x) { state = (state + x) >> 1; return state * gain; }
};
void top(int in[50], int out[50]) {
  Filter f(3);
  for (int i = 0; i < 50; i++) {
#pragma HLS PIPELINE II=1
    out[i] = f.step(in[i]);
  }
}
