/* Stand-in for tests, not the vendor's header. It models what is public about hls::gather: K elements of
   an array of cyclic partition K are read at once, and the caller promises K different banks; a broken
   promise traps here. */
#ifndef STANDIN_HLS_ARRAY_PARTITION_H
#define STANDIN_HLS_ARRAY_PARTITION_H
#include "hls_vector.h"

namespace hls {
template <typename T, std::size_t K> vector<T, K> gather(T *array, const vector<std::size_t, K> &at)
{
    bool busy[K] = {};
    vector<T, K> read;
    for (std::size_t k = 0; k < K; k++) {
        if (busy[at[k] % K])
            __builtin_trap();
        busy[at[k] % K] = true;
        read[k] = array[at[k]];
    }
    return read;
}
}
#endif
