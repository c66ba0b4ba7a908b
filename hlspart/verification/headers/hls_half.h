// Floating point of 16 bits (IEEE 754 binary16), rounded to nearest even, for runs on a machine without the tool.
// Sums, products and quotients of two such numbers are exact enough in `float` that one more rounding is the right one.
#ifndef HLSPART_RUN_HLS_HALF_H
#define HLSPART_RUN_HLS_HALF_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <type_traits>

class half {
    uint16_t bits;

    static uint16_t packed(float x) {
        uint32_t f;
        std::memcpy(&f, &x, 4);
        uint32_t sign = f >> 16 & 0x8000, rest = f & 0x7fffffff;
        if (rest >= 0x7f800000) return uint16_t(sign | 0x7c00 | (rest > 0x7f800000 ? 0x200 : 0)); // infinite, NaN
        if (rest >= 0x477ff000) return uint16_t(sign | 0x7c00);                                   // too large
        if (rest < 0x33000000) return uint16_t(sign);                                             // too small
        int exponent = int(rest >> 23) - 112;
        uint32_t part = (rest & 0x7fffff) | 0x800000;
        int drop = exponent > 0 ? 13 : 14 - exponent;
        uint32_t kept = part >> drop, lost = part & ((1u << drop) - 1), middle = 1u << (drop - 1);
        kept += lost > middle || (lost == middle && (kept & 1));
        return uint16_t(sign | (exponent > 0 ? (uint32_t(exponent - 1) << 10) + kept : kept));
    }

  public:
    half() = default;
    half(const half &) = default;
    half &operator=(const half &) = default;
    template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>
    half(T x) : bits(packed(float(x))) {}
    operator float() const {
        int exponent = bits >> 10 & 31, part = bits & 1023;
        float x = exponent == 31 ? (part ? NAN : INFINITY)
                                 : std::ldexp(float(exponent ? part | 1024 : part), (exponent ? exponent : 1) - 25);
        return bits & 0x8000 ? -x : x;
    }
    half operator-() const { return half(-float(*this)); }
    half &operator+=(half x) { return *this = half(float(*this) + float(x)); }
    half &operator-=(half x) { return *this = half(float(*this) - float(x)); }
    half &operator*=(half x) { return *this = half(float(*this) * float(x)); }
    half &operator/=(half x) { return *this = half(float(*this) / float(x)); }
    friend half operator+(half a, half b) { return a += b; }
    friend half operator-(half a, half b) { return a -= b; }
    friend half operator*(half a, half b) { return a *= b; }
    friend half operator/(half a, half b) { return a /= b; }
    friend bool operator==(half a, half b) { return float(a) == float(b); }
    friend bool operator!=(half a, half b) { return float(a) != float(b); }
    friend bool operator<(half a, half b) { return float(a) < float(b); }
    friend bool operator>(half a, half b) { return float(a) > float(b); }
    friend bool operator<=(half a, half b) { return float(a) <= float(b); }
    friend bool operator>=(half a, half b) { return float(a) >= float(b); }
    friend std::ostream &operator<<(std::ostream &out, half x) { return out << float(x); }
};

// With another number the result is a half where that is an integer, else of the other type.
#define HLSPART_HALF(op)                                                                                               \
    template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>                      \
    auto operator op(half a, T b)                                                                                      \
        ->typename std::conditional<std::is_integral<T>::value, half, T>::type {                                       \
        return typename std::conditional<std::is_integral<T>::value, half, T>::type(a) op                              \
            typename std::conditional<std::is_integral<T>::value, half, T>::type(b);                                   \
    }                                                                                                                  \
    template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>                      \
    auto operator op(T a, half b)                                                                                      \
        ->typename std::conditional<std::is_integral<T>::value, half, T>::type {                                       \
        return typename std::conditional<std::is_integral<T>::value, half, T>::type(a) op                              \
            typename std::conditional<std::is_integral<T>::value, half, T>::type(b);                                   \
    }
HLSPART_HALF(+)
HLSPART_HALF(-)
HLSPART_HALF(*)
HLSPART_HALF(/)
#undef HLSPART_HALF
#define HLSPART_HALF(op)                                                                                               \
    template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>                      \
    bool operator op(half a, T b) { return float(a) op b; }                                                            \
    template <typename T, typename = typename std::enable_if<std::is_arithmetic<T>::value>::type>                      \
    bool operator op(T a, half b) { return a op float(b); }
HLSPART_HALF(==)
HLSPART_HALF(!=)
HLSPART_HALF(<)
HLSPART_HALF(>)
HLSPART_HALF(<=)
HLSPART_HALF(>=)
#undef HLSPART_HALF

#endif
