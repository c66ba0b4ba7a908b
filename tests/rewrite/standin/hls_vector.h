/* Stand-in for tests, not the vendor's header: as much of a vector as generated code uses. */
#ifndef STANDIN_HLS_VECTOR_H
#define STANDIN_HLS_VECTOR_H
#include <cstddef>
#include <initializer_list>

namespace hls {
template <typename T, std::size_t N> class vector {
    T lane[N];

public:
    vector() : lane() {}
    vector(std::initializer_list<T> values) : lane()
    {
        if (values.size() != N)
            __builtin_trap(); /* every lane is given */
        std::size_t k = 0;
        for (const T &value : values)
            lane[k++] = value;
    }
    T &operator[](std::size_t k) { return lane[k]; }
    const T &operator[](std::size_t k) const { return lane[k]; }
};
}
#endif
