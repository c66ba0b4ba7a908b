#ifndef HLSPART_HLS_X_COMPLEX_H
#define HLSPART_HLS_X_COMPLEX_H
#include <complex>
#ifdef __cplusplus
namespace hls {
template <typename T> using x_complex = std::complex<T>;
}
#endif
#endif
