struct Complex {
  int re, im;
  Complex() : re(0), im(0) {}
  Complex(int r, int i) : re(r), im(i) {}
  Complex operator+(const Complex &o) const { return Complex(re + o.re, im + o.im); }
  Complex operator*(const Complex &o) const { return Complex(re * o.re - im * o.im, re * o.im + im * o.re); }
};
inline bool operator==(const Complex &a, const Complex &b) { return a.re == b.re && a.im == b.im; }
void top(Complex a[32], Complex b[32], Complex out[32]) {
  for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
    Complex t = a[i] + b[i];
    out[i] = t * b[i];
  }
}
