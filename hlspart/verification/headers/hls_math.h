// The mathematical functions of the tool's library by those of C++, for runs on a machine without the synthesis tool.
#ifndef HLSPART_RUN_HLS_MATH_H
#define HLSPART_RUN_HLS_MATH_H

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "hls_half.h"

namespace hls {
using std::abs; using std::acos; using std::acosh; using std::asin; using std::asinh; using std::atan; using std::atan2;
using std::atanh; using std::cbrt; using std::ceil; using std::copysign; using std::cos; using std::cosh; using std::erf;
using std::exp; using std::exp2; using std::expm1; using std::fabs; using std::fdim; using std::floor; using std::fma;
using std::fmax; using std::fmin; using std::fmod; using std::frexp; using std::hypot; using std::isfinite;
using std::isinf; using std::isnan; using std::ldexp; using std::log; using std::log10; using std::log1p; using std::log2;
using std::max; using std::min; using std::pow; using std::rint; using std::round; using std::signbit; using std::sin;
using std::sinh; using std::sqrt; using std::tan; using std::tanh; using std::trunc;
using ::acosf; using ::asinf; using ::atanf; using ::atan2f; using ::ceilf; using ::cosf; using ::coshf; using ::expf;
using ::fabsf; using ::floorf; using ::fmaxf; using ::fminf; using ::fmodf; using ::logf; using ::log10f; using ::log2f;
using ::powf; using ::roundf; using ::sinf; using ::sinhf; using ::sqrtf; using ::tanf; using ::tanhf; using ::truncf;
template <typename T> T recip(T x) { return T(1) / x; }
template <typename T> T rsqrt(T x) { return T(1) / std::sqrt(x); }
inline float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
// of fixed-point numbers, through a double: the same in both of the versions that are compared
#define HLSPART_RUN_FIXED(f) \
  template <typename T, decltype(T::iwidth) = 0> T f(const T &x) { return T(std::f(x.to_double())); }
HLSPART_RUN_FIXED(sqrt) HLSPART_RUN_FIXED(exp) HLSPART_RUN_FIXED(log) HLSPART_RUN_FIXED(sin) HLSPART_RUN_FIXED(cos)
HLSPART_RUN_FIXED(tan) HLSPART_RUN_FIXED(atan) HLSPART_RUN_FIXED(tanh) HLSPART_RUN_FIXED(sinh) HLSPART_RUN_FIXED(cosh)
HLSPART_RUN_FIXED(floor) HLSPART_RUN_FIXED(ceil) HLSPART_RUN_FIXED(round) HLSPART_RUN_FIXED(fabs) HLSPART_RUN_FIXED(abs)
#undef HLSPART_RUN_FIXED
} // namespace hls

#endif
