// Vectors of the tool's library, element by element, for runs on a machine without the synthesis tool.
#ifndef HLSPART_RUN_HLS_VECTOR_H
#define HLSPART_RUN_HLS_VECTOR_H

#include <array>
#include <cstddef>
#include <initializer_list>

namespace hls {

template <typename T, std::size_t N> class vector {
    std::array<T, N> items;

  public:
    vector() = default;
    vector(const T &x) { items.fill(x); }
    vector(const std::array<T, N> &x) : items(x) {}
    vector(std::initializer_list<T> list) {
        std::size_t k = 0;
        for (const T &x : list) items[k++] = x;
    }
    T &operator[](std::size_t k) { return items[k]; }
    const T &operator[](std::size_t k) const { return items[k]; }
    std::size_t size() const { return N; }
    typename std::array<T, N>::iterator begin() { return items.begin(); }
    typename std::array<T, N>::iterator end() { return items.end(); }
    T reduce_add() const {
        T sum = items[0];
        for (std::size_t k = 1; k < N; k++) sum = sum + items[k];
        return sum;
    }
    T reduce_mult() const {
        T product = items[0];
        for (std::size_t k = 1; k < N; k++) product = product * items[k];
        return product;
    }
#define HLSPART_ELEMENTS(op)                                                                                           \
    vector &operator op##=(const vector &x) {                                                                          \
        for (std::size_t k = 0; k < N; k++) items[k] = items[k] op x.items[k];                                         \
        return *this;                                                                                                  \
    }                                                                                                                  \
    friend vector operator op(vector a, const vector &b) { return a op##= b; }
    HLSPART_ELEMENTS(+)
    HLSPART_ELEMENTS(-)
    HLSPART_ELEMENTS(*)
    HLSPART_ELEMENTS(/)
    HLSPART_ELEMENTS(&)
    HLSPART_ELEMENTS(|)
    HLSPART_ELEMENTS(^)
#undef HLSPART_ELEMENTS
    vector operator-() const {
        vector x;
        for (std::size_t k = 0; k < N; k++) x.items[k] = -items[k];
        return x;
    }
    friend bool operator==(const vector &a, const vector &b) { return a.items == b.items; }
    friend bool operator!=(const vector &a, const vector &b) { return a.items != b.items; }
};

} // namespace hls
#endif
