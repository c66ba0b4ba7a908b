// Words of AXI4-Stream ports with their side channels, for runs on a machine without the synthesis tool.
#ifndef HLSPART_RUN_AP_AXI_SDATA_H
#define HLSPART_RUN_AP_AXI_SDATA_H

#include "ap_int.h"

namespace hlspart_run {
template <int BITS> using side = ap_uint<(BITS > 0 ? BITS : 1)>;
template <typename T, bool = number<T>::own> struct bytes { static constexpr int count = sizeof(T); };
template <typename T> struct bytes<T, true> { static constexpr int count = (number<T>::width + 7) / 8; };
} // namespace hlspart_run

namespace hls {
template <typename T, std::size_t U = 0, std::size_t I = 0, std::size_t D = 0> struct axis {
    T data;
    hlspart_run::side<hlspart_run::bytes<T>::count> keep, strb;
    hlspart_run::side<U> user;
    ap_uint<1> last;
    hlspart_run::side<I> id;
    hlspart_run::side<D> dest;
};
} // namespace hls

template <int B, int U, int I, int D> using ap_axis = hls::axis<ap_int<B>, U, I, D>;
template <int B, int U, int I, int D> using ap_axiu = hls::axis<ap_uint<B>, U, I, D>;
template <int B, int U = 0, int I = 0, int D = 0> using qdma_axis = hls::axis<ap_uint<B>, U, I, D>;

#endif
