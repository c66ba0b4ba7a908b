#ifndef HLSPART_HLS_DSP_BUILTINS_H
#define HLSPART_HLS_DSP_BUILTINS_H
/* what a block of each kind computes; how many states its registers take is left open, so it only delays */
#include <ap_int.h>
#include <complex>
#ifdef __cplusplus
namespace hls {
namespace dsp48e1 {
typedef ap_int<25> A_t;
typedef ap_int<18> B_t;
typedef ap_int<48> C_t;
typedef ap_int<25> D_t;
static const int64_t REG_A1 = 1, REG_A2 = 2, REG_B1 = 4, REG_B2 = 8, REG_D = 16, REG_AD = 32, REG_C = 64;
static const int64_t REG_M = 128, REG_P = 256, BALANCED_PIPELINE = 512, FULL_PIPELINE = 1024;
struct R_t {
  A_t acout;
  B_t bcout;
  C_t pcout;
};
template <int64_t flags> C_t mul_add(A_t a, B_t b, C_t c) {
#pragma HLS LATENCY min=1
  return a * b + c;
}
template <int64_t flags> C_t add_mul_add(D_t d, A_t a, B_t b, C_t c) {
#pragma HLS LATENCY min=1
  return (a + d) * b + c;
}
template <int64_t flags> class cascade {
public:
  R_t mul_add(A_t a, B_t b, C_t c) {
#pragma HLS LATENCY min=1
    R_t r;
    r.acout = a;
    r.bcout = b;
    r.pcout = a * b + c;
    return r;
  }
};
} // namespace dsp48e1
} // namespace hls
namespace hls {
namespace dsp48e2 {
typedef ap_int<27> A_t;
typedef ap_int<18> B_t;
typedef ap_int<48> C_t;
typedef ap_int<27> D_t;
static const int64_t REG_A1 = 1, REG_A2 = 2, REG_B1 = 4, REG_B2 = 8, REG_D = 16, REG_AD = 32, REG_C = 64;
static const int64_t REG_M = 128, REG_P = 256, BALANCED_PIPELINE = 512, FULL_PIPELINE = 1024;
struct R_t {
  A_t acout;
  B_t bcout;
  C_t pcout;
};
template <int64_t flags> C_t mul_add(A_t a, B_t b, C_t c) {
#pragma HLS LATENCY min=1
  return a * b + c;
}
template <int64_t flags> C_t add_mul_add(D_t d, A_t a, B_t b, C_t c) {
#pragma HLS LATENCY min=1
  return (a + d) * b + c;
}
template <int64_t flags> class cascade {
public:
  R_t mul_add(A_t a, B_t b, C_t c) {
#pragma HLS LATENCY min=1
    R_t r;
    r.acout = a;
    r.bcout = b;
    r.pcout = a * b + c;
    return r;
  }
};
} // namespace dsp48e2
} // namespace hls
namespace hls {
namespace dsp58 {
typedef ap_int<27> A_t;
typedef ap_int<24> B_t;
typedef ap_int<58> C_t;
typedef ap_int<27> D_t;
static const int64_t REG_A1 = 1, REG_A2 = 2, REG_B1 = 4, REG_B2 = 8, REG_D = 16, REG_AD = 32, REG_C = 64;
static const int64_t REG_M = 128, REG_P = 256, BALANCED_PIPELINE = 512, FULL_PIPELINE = 1024;
struct R_t {
  A_t acout;
  B_t bcout;
  C_t pcout;
};
template <int64_t flags> C_t mul_add(A_t a, B_t b, C_t c) {
#pragma HLS LATENCY min=1
  return a * b + c;
}
template <int64_t flags> C_t add_mul_add(D_t d, A_t a, B_t b, C_t c) {
#pragma HLS LATENCY min=1
  return (a + d) * b + c;
}
template <int64_t flags> class cascade {
public:
  R_t mul_add(A_t a, B_t b, C_t c) {
#pragma HLS LATENCY min=1
    R_t r;
    r.acout = a;
    r.bcout = b;
    r.pcout = a * b + c;
    return r;
  }
};
} // namespace dsp58
} // namespace hls
namespace hls {
namespace dspcplx {
typedef std::complex<ap_int<18> > A_t;
typedef std::complex<ap_int<18> > B_t;
typedef std::complex<ap_int<58> > C_t;
static const int64_t REG_A1 = 1, REG_A2 = 2, REG_B1 = 4, REG_B2 = 8, REG_D = 16, REG_AD = 32, REG_C = 64;
static const int64_t REG_M = 128, REG_P = 256, BALANCED_PIPELINE = 512, FULL_PIPELINE = 1024;
struct R_t {
  A_t acout;
  B_t bcout;
  C_t pcout;
};
template <int64_t flags> C_t mul_add(A_t a, B_t b, C_t c) {
#pragma HLS LATENCY min=1
  C_t p;
  p.real(a.real() * b.real() - a.imag() * b.imag() + c.real());
  p.imag(a.real() * b.imag() + a.imag() * b.real() + c.imag());
  return p;
}
template <int64_t flags> class cascade {
public:
  R_t mul_add(A_t a, B_t b, C_t c) {
#pragma HLS LATENCY min=1
    R_t r;
    C_t p;
    p.real(a.real() * b.real() - a.imag() * b.imag() + c.real());
    p.imag(a.real() * b.imag() + a.imag() * b.real() + c.imag());
    r.acout = a;
    r.bcout = b;
    r.pcout = p;
    return r;
  }
};
} // namespace dspcplx
} // namespace hls
#endif
#endif
