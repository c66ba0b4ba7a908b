#include <complex>
typedef std::complex<float> cf;
void top(cf a[32], cf b[32], cf out[32]) {
  for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
    cf t = a[i] * b[i];
    out[i] = t + cf(1.0f, 0.0f) + std::conj(a[i]).real();
  }
}
