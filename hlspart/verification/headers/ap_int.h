// Integers of any width up to 126 bits, for runs on a machine without the synthesis tool.
// Written from the descriptions of the types in UG1399 ("Arbitrary Precision Data Types Library"): widths of results,
// wrapping, ranges, bits. Results that would be wider than 126 bits keep the lowest 126.
#ifndef HLSPART_RUN_AP_INT_H
#define HLSPART_RUN_AP_INT_H

#include <cstdint>
#include <ostream>
#include <string>
#include <type_traits>

template <int W, bool S> struct ap_int_base;
template <int W> struct ap_int;
template <int W> struct ap_uint;
template <int W, bool S> struct ap_range_ref;
template <int W, bool S> struct ap_bit_ref;

namespace hlspart_run {

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;
constexpr int MOST = 126;

constexpr int least(int a, int b) { return a < b ? a : b; }
constexpr int most(int a, int b) { return a > b ? a : b; }
constexpr int capped(int w) { return w < 1 ? 1 : least(w, MOST); }

template <int W, bool S> constexpr wide wrapped(wide x) {
    return S ? wide(uwide(x) << (128 - W)) >> (128 - W) : wide((uwide(x) << (128 - W)) >> (128 - W));
}
constexpr wide mask(int bits) { return bits <= 0 ? 0 : wide((uwide(1) << bits) - 1); }

// What a type is to the operators: width, sign, value. Integers only; ap_fixed.h adds its own.
template <typename T, typename = void> struct number {
    static constexpr bool integer = false, own = false, given = false;
};
// -std=c++17, unlike gnu++17, has no word for 128 bits among the integral types.
template <typename T> constexpr bool is_wide() { return std::is_same<T, wide>::value || std::is_same<T, uwide>::value; }
template <typename T>
struct number<T, typename std::enable_if<std::is_integral<T>::value || std::is_enum<T>::value || is_wide<T>()>::type> {
    static constexpr bool integer = true, own = false, given = true;
    static constexpr int width = std::is_same<T, bool>::value ? 1 : int(8 * sizeof(T));
    static constexpr bool sign = std::is_enum<T>::value || std::is_signed<T>::value || std::is_same<T, wide>::value;
    static constexpr wide value(T x) { return wide(x); }
    static int length(T) { return width; }
};
template <typename T> struct number<T, typename std::enable_if<std::is_floating_point<T>::value>::type> {
    static constexpr bool integer = false, own = false, given = true;
    static constexpr wide value(T x) { return wide(x); }
};
template <int W, bool S> struct of_ap {
    static constexpr bool integer = true, own = true, given = true;
    static constexpr int width = W;
    static constexpr bool sign = S;
};
template <int W, bool S> struct number<ap_int_base<W, S>, void> : of_ap<W, S> {
    static constexpr wide value(const ap_int_base<W, S> &x) { return x.get(); }
    static int length(const ap_int_base<W, S> &) { return W; }
};
template <int W> struct number<ap_int<W>, void> : number<ap_int_base<W, true>, void> {};
template <int W> struct number<ap_uint<W>, void> : number<ap_int_base<W, false>, void> {};
template <int W, bool S> struct number<ap_range_ref<W, S>, void> : of_ap<W, false> {
    static wide value(const ap_range_ref<W, S> &x) { return x.get(); }
    static int length(const ap_range_ref<W, S> &x) { return x.length(); }
};
template <int W, bool S> struct number<ap_bit_ref<W, S>, void> : of_ap<1, false> {
    static wide value(const ap_bit_ref<W, S> &x) { return bool(x); }
    static int length(const ap_bit_ref<W, S> &) { return 1; }
};

template <typename A, typename B> struct both {
    typedef number<A> X;
    typedef number<B> Y;
    static constexpr bool apply = X::integer && Y::integer && (X::own || Y::own);
};
template <typename A, typename B, bool = both<A, B>::apply> struct results {};
template <typename A, typename B> struct results<A, B, true> {
    typedef number<A> X;
    typedef number<B> Y;
    static constexpr bool any = X::sign || Y::sign;
    static constexpr int joint = most(X::width + (Y::sign && !X::sign), Y::width + (X::sign && !Y::sign));
    typedef ap_int_base<capped(joint + 1), any> plus;
    typedef ap_int_base<capped(joint + 1), true> minus;
    typedef ap_int_base<capped(X::width + Y::width), any> product;
    typedef ap_int_base<capped(X::width + Y::sign), any> quotient;
    typedef ap_int_base<capped(least(X::width, Y::width + (!Y::sign && X::sign))), X::sign> rest;
    typedef ap_int_base<capped(joint), any> bits;
    typedef bool truth;
};

template <int W, bool S> struct plain {
    typedef typename std::conditional<
        (W <= 8), signed char,
        typename std::conditional<(W <= 16), short,
                                  typename std::conditional<(W <= 32), int, long long>::type>::type>::type signed_type;
    typedef typename std::conditional<S, signed_type, typename std::make_unsigned<signed_type>::type>::type type;
};

} // namespace hlspart_run

template <int W, bool S> struct ap_bit_ref {
    ap_int_base<W, S> &word;
    int index;
    ap_bit_ref(ap_int_base<W, S> &w, int i) : word(w), index(i) {}
    ap_bit_ref(const ap_bit_ref &) = default;
    operator bool() const { return (word.get() >> index) & 1; }
    bool to_bool() const { return *this; }
    bool get() const { return *this; }
    int length() const { return 1; }
    ap_bit_ref &operator=(bool x) {
        word.put(x ? word.get() | hlspart_run::wide(hlspart_run::uwide(1) << index)
                   : word.get() & ~hlspart_run::wide(hlspart_run::uwide(1) << index));
        return *this;
    }
    ap_bit_ref &operator=(const ap_bit_ref &x) { return *this = bool(x); }
    template <typename T, typename = typename std::enable_if<hlspart_run::number<T>::own>::type>
    ap_bit_ref &operator=(const T &x) { return *this = bool(hlspart_run::number<T>::value(x) & 1); }
    bool operator~() const { return !bool(*this); }
};

template <int W, bool S> struct ap_range_ref {
    ap_int_base<W, S> &word;
    int high, low;
    ap_range_ref(ap_int_base<W, S> &w, int h, int l) : word(w), high(h), low(l) {}
    ap_range_ref(const ap_range_ref &) = default;
    int length() const { return high >= low ? high - low + 1 : low - high + 1; }
    hlspart_run::wide get() const {
        if (high >= low) return (word.get() >> low) & hlspart_run::mask(length());
        hlspart_run::wide turned = 0;
        for (int k = 0; k < length(); k++) turned = turned << 1 | ((word.get() >> (high + k)) & 1);
        return turned;
    }
    template <typename T, typename = typename std::enable_if<hlspart_run::number<T>::given>::type>
    ap_range_ref &operator=(const T &x) {
        hlspart_run::wide bits = hlspart_run::number<T>::value(x) & hlspart_run::mask(length());
        hlspart_run::wide keep = word.get() & ~hlspart_run::wide(hlspart_run::uwide(hlspart_run::mask(length())) << low);
        word.put(keep | hlspart_run::wide(hlspart_run::uwide(bits) << low));
        return *this;
    }
    ap_range_ref &operator=(const ap_range_ref &x) { return *this = ap_int_base<W, false>(x); }
    template <typename T> ap_range_ref &operator|=(const T &x) { return *this = *this | x; }
    template <typename T> ap_range_ref &operator&=(const T &x) { return *this = *this & x; }
    template <typename T> ap_range_ref &operator^=(const T &x) { return *this = *this ^ x; }
    operator typename hlspart_run::plain<W, false>::type() const { return get(); }
    int to_int() const { return int(get()); }
    unsigned to_uint() const { return unsigned(get()); }
    long long to_int64() const { return get(); }
    unsigned long long to_uint64() const { return get(); }
    double to_double() const { return double(get()); }
    bool or_reduce() const { return get() != 0; }
    bool and_reduce() const { return get() == hlspart_run::mask(length()); }
    bool xor_reduce() const { return ap_int_base<W, false>(*this).xor_reduce(); }
};

template <int W, bool S> struct ap_int_base {
    static_assert(W >= 1 && W <= hlspart_run::MOST, "integers of 1 to 126 bits can be run");
    typedef hlspart_run::wide wide;
    static constexpr int width = W;
    static constexpr bool sign_flag = S;

  private:
    // as many bytes as the number needs
    typename std::conditional<(W <= 8), int8_t,
                              typename std::conditional<(W <= 16), int16_t,
                                                        typename std::conditional<(W <= 32), int32_t,
                                                                                  typename std::conditional<(W <= 64), int64_t, wide>::type>::type>::type>::type word;

  public:
    constexpr wide get() const { return hlspart_run::wrapped<W, S>(word); }
    void put(wide x) { word = decltype(word)(x); }

    ap_int_base() = default;
    ap_int_base(const ap_int_base &) = default;
    ap_int_base &operator=(const ap_int_base &) = default;
    template <typename T, typename = typename std::enable_if<hlspart_run::number<T>::given>::type>
    constexpr ap_int_base(const T &x) : word(decltype(word)(hlspart_run::number<T>::value(x))) {} // tables: no code
    ap_int_base(const char *text, int radix = 10) {
        std::string t(text);
        bool minus = !t.empty() && t[0] == '-';
        size_t at = minus;
        if (t.compare(at, 2, "0x") == 0) radix = 16, at += 2;
        else if (t.compare(at, 2, "0b") == 0) radix = 2, at += 2;
        else if (t.compare(at, 2, "0o") == 0) radix = 8, at += 2;
        hlspart_run::uwide x = 0;
        for (; at < t.size(); at++)
            x = x * radix + (t[at] <= '9' ? t[at] - '0' : (t[at] | 32) - 'a' + 10);
        put(minus ? -wide(x) : wide(x));
    }

    operator typename hlspart_run::plain<W, S>::type() const {
        return (typename hlspart_run::plain<W, S>::type)(get());
    }
    bool to_bool() const { return get() != 0; }
    signed char to_char() const { return (signed char)(get()); }
    unsigned char to_uchar() const { return (unsigned char)(get()); }
    short to_short() const { return short(get()); }
    unsigned short to_ushort() const { return (unsigned short)(get()); }
    int to_int() const { return int(get()); }
    unsigned to_uint() const { return unsigned(get()); }
    long to_long() const { return long(get()); }
    unsigned long to_ulong() const { return (unsigned long)(get()); }
    long long to_int64() const { return (long long)(get()); }
    unsigned long long to_uint64() const { return (unsigned long long)(get()); }
    float to_float() const { return float(get()); }
    double to_double() const { return double(get()); }
    std::string to_string(int radix = 2) const {
        hlspart_run::uwide x = hlspart_run::uwide(get()) & hlspart_run::uwide(hlspart_run::mask(W));
        std::string text;
        do {
            text.insert(text.begin(), "0123456789abcdef"[int(x % radix)]);
            x /= radix;
        } while (x);
        return text;
    }

    int length() const { return W; }
    bool iszero() const { return get() == 0; }
    bool is_zero() const { return get() == 0; }
    bool sign() const { return S && get() < 0; }
    ap_range_ref<W, S> range(int high, int low) { return ap_range_ref<W, S>(*this, high, low); }
    ap_range_ref<W, S> range() { return range(W - 1, 0); }
    ap_range_ref<W, S> operator()(int high, int low) { return range(high, low); }
    ap_range_ref<W, S> range(int high, int low) const { return const_cast<ap_int_base *>(this)->range(high, low); }
    ap_range_ref<W, S> operator()(int high, int low) const { return range(high, low); }
    ap_bit_ref<W, S> operator[](int k) { return ap_bit_ref<W, S>(*this, k); }
    bool operator[](int k) const { return (get() >> k) & 1; }
    ap_bit_ref<W, S> bit(int k) { return (*this)[k]; }
    bool bit(int k) const { return (*this)[k]; }
    bool get_bit(int k) const { return (get() >> k) & 1; }
    bool test(int k) const { return get_bit(k); }
    void set_bit(int k, bool x) { (*this)[k] = x; }
    void set(int k) { (*this)[k] = true; }
    void set(int k, bool x) { (*this)[k] = x; }
    void clear(int k) { (*this)[k] = false; }
    void invert(int k) { (*this)[k] = !test(k); }
    void b_not() { put(~get()); }
    bool or_reduce() const { return get() != 0; }
    bool nor_reduce() const { return get() == 0; }
    bool and_reduce() const { return (get() & hlspart_run::mask(W)) == hlspart_run::mask(W); }
    bool nand_reduce() const { return !and_reduce(); }
    bool xor_reduce() const {
        bool odd = false;
        for (int k = 0; k < W; k++) odd ^= test(k);
        return odd;
    }
    bool xnor_reduce() const { return !xor_reduce(); }
    ap_int_base &reverse() {
        wide turned = 0;
        for (int k = 0; k < W; k++) turned = turned << 1 | test(k);
        put(turned);
        return *this;
    }
    void lrotate(int n) { n %= W; hlspart_run::uwide x = get() & hlspart_run::mask(W); put(wide(x << n | x >> (W - n))); }
    void rrotate(int n) { lrotate(W - n % W); }
    int countLeadingZeros() const {
        int n = 0;
        while (n < W && !test(W - 1 - n)) n++;
        return n;
    }
    template <int V, bool R> ap_int_base<hlspart_run::capped(W + V), false> concat(const ap_int_base<V, R> &x) const {
        return wide(hlspart_run::uwide(get() & hlspart_run::mask(W)) << V | hlspart_run::uwide(x.get() & hlspart_run::mask(V)));
    }

    ap_int_base operator+() const { return *this; }
    ap_int_base<hlspart_run::capped(W + 1), true> operator-() const { return -get(); }
    ap_int_base operator~() const { return ~get(); }
    bool operator!() const { return get() == 0; }
    ap_int_base &operator++() { put(get() + 1); return *this; }
    ap_int_base &operator--() { put(get() - 1); return *this; }
    ap_int_base operator++(int) { ap_int_base old(*this); ++*this; return old; }
    ap_int_base operator--(int) { ap_int_base old(*this); --*this; return old; }
    template <typename T> ap_int_base &operator+=(const T &x) { return *this = ap_int_base(*this + x); }
    template <typename T> ap_int_base &operator-=(const T &x) { return *this = ap_int_base(*this - x); }
    template <typename T> ap_int_base &operator*=(const T &x) { return *this = ap_int_base(*this * x); }
    template <typename T> ap_int_base &operator/=(const T &x) { return *this = ap_int_base(*this / x); }
    template <typename T> ap_int_base &operator%=(const T &x) { return *this = ap_int_base(*this % x); }
    template <typename T> ap_int_base &operator&=(const T &x) { return *this = ap_int_base(*this & x); }
    template <typename T> ap_int_base &operator|=(const T &x) { return *this = ap_int_base(*this | x); }
    template <typename T> ap_int_base &operator^=(const T &x) { return *this = ap_int_base(*this ^ x); }
    template <typename T> ap_int_base &operator<<=(const T &x) { return *this = ap_int_base(*this << x); }
    template <typename T> ap_int_base &operator>>=(const T &x) { return *this = ap_int_base(*this >> x); }
};

template <int W> struct ap_int : ap_int_base<W, true> {
    typedef ap_int_base<W, true> Base;
    ap_int() = default;
    template <typename T, typename = typename std::enable_if<hlspart_run::number<T>::given>::type>
    constexpr ap_int(const T &x) : Base(x) {}
    ap_int(const char *text, int radix = 10) : Base(text, radix) {}
};

template <int W> struct ap_uint : ap_int_base<W, false> {
    typedef ap_int_base<W, false> Base;
    ap_uint() = default;
    template <typename T, typename = typename std::enable_if<hlspart_run::number<T>::given>::type>
    constexpr ap_uint(const T &x) : Base(x) {}
    ap_uint(const char *text, int radix = 10) : Base(text, radix) {}
};

#define HLSPART_BINARY(op, kind, as)                                                                                   \
    template <typename A, typename B, typename = typename hlspart_run::results<A, B>::kind>                            \
    typename hlspart_run::results<A, B>::kind operator op(const A &a, const B &b) {                                    \
        return hlspart_run::wide(hlspart_run::as(hlspart_run::number<A>::value(a)) op hlspart_run::as(hlspart_run::number<B>::value(b))); \
    }
HLSPART_BINARY(+, plus, wide)
HLSPART_BINARY(-, minus, wide)
HLSPART_BINARY(*, product, uwide) // may wrap around
HLSPART_BINARY(/, quotient, wide)
HLSPART_BINARY(%, rest, wide)
HLSPART_BINARY(&, bits, wide)
HLSPART_BINARY(|, bits, wide)
HLSPART_BINARY(^, bits, wide)
HLSPART_BINARY(==, truth, wide)
HLSPART_BINARY(!=, truth, wide)
HLSPART_BINARY(<, truth, wide)
HLSPART_BINARY(>, truth, wide)
HLSPART_BINARY(<=, truth, wide)
HLSPART_BINARY(>=, truth, wide)
#undef HLSPART_BINARY

// Integers of this header beside floating point are numbers of that type.
#define HLSPART_FLOATING(op, result)                                                                                   \
    template <int W, bool S, typename F, typename = typename std::enable_if<std::is_floating_point<F>::value>::type>   \
    result operator op(const ap_int_base<W, S> &a, F b) { return F(a.to_double()) op b; }                              \
    template <int W, bool S, typename F, typename = typename std::enable_if<std::is_floating_point<F>::value>::type>   \
    result operator op(F a, const ap_int_base<W, S> &b) { return a op F(b.to_double()); }
HLSPART_FLOATING(+, F)
HLSPART_FLOATING(-, F)
HLSPART_FLOATING(*, F)
HLSPART_FLOATING(/, F)
HLSPART_FLOATING(==, bool)
HLSPART_FLOATING(!=, bool)
HLSPART_FLOATING(<, bool)
HLSPART_FLOATING(>, bool)
HLSPART_FLOATING(<=, bool)
HLSPART_FLOATING(>=, bool)
#undef HLSPART_FLOATING

namespace hlspart_run {
template <int W, bool S> ap_int_base<W, S> shifted(const ap_int_base<W, S> &a, wide left) {
    if (left >= W) return ap_int_base<W, S>(0);
    if (left >= 0) return ap_int_base<W, S>(wide(uwide(a.get()) << int(left)));
    return ap_int_base<W, S>(a.get() >> (-left > 126 ? 126 : int(-left)));
}
template <typename A> using itself = ap_int_base<number<A>::width, number<A>::sign>;
} // namespace hlspart_run
template <typename A, typename B,
          typename = typename std::enable_if<hlspart_run::both<A, B>::apply && hlspart_run::number<A>::own>::type>
hlspart_run::itself<A> operator<<(const A &a, const B &b) {
    return hlspart_run::shifted(hlspart_run::itself<A>(a), hlspart_run::number<B>::value(b));
}
template <typename A, typename B,
          typename = typename std::enable_if<hlspart_run::both<A, B>::apply && hlspart_run::number<A>::own>::type>
hlspart_run::itself<A> operator>>(const A &a, const B &b) {
    return hlspart_run::shifted(hlspart_run::itself<A>(a), -hlspart_run::number<B>::value(b));
}
template <typename A, int W, bool S, typename = typename std::enable_if<std::is_integral<A>::value>::type>
auto operator<<(A a, const ap_int_base<W, S> &b) -> decltype(a << 1) { return a << int(b.get()); }
template <typename A, int W, bool S, typename = typename std::enable_if<std::is_integral<A>::value>::type>
auto operator>>(A a, const ap_int_base<W, S> &b) -> decltype(a >> 1) { return a >> int(b.get()); }

// (a, b): the bits of both in a row, which can be set together.
template <typename A, typename B> struct ap_concat_ref {
    A a;
    B b;
    int length() const { return hlspart_run::number<typename std::decay<A>::type>::length(a) + hlspart_run::number<typename std::decay<B>::type>::length(b); }
    hlspart_run::wide get() const {
        typedef hlspart_run::number<typename std::decay<A>::type> X;
        typedef hlspart_run::number<typename std::decay<B>::type> Y;
        return hlspart_run::wide(hlspart_run::uwide(X::value(a) & hlspart_run::mask(X::length(a))) << Y::length(b)) | (Y::value(b) & hlspart_run::mask(Y::length(b)));
    }
    template <typename T> ap_concat_ref &operator=(const T &x) {
        hlspart_run::wide bits = hlspart_run::number<T>::value(x);
        int right = hlspart_run::number<typename std::decay<B>::type>::length(b);
        b = ap_int_base<hlspart_run::MOST, false>(bits & hlspart_run::mask(right));
        a = ap_int_base<hlspart_run::MOST, false>((bits >> right) & hlspart_run::mask(length() - right));
        return *this;
    }
};
namespace hlspart_run {
template <typename A, typename B> struct number<ap_concat_ref<A, B>, void>
    : of_ap<capped(number<typename std::decay<A>::type>::width + number<typename std::decay<B>::type>::width), false> {
    static wide value(const ap_concat_ref<A, B> &x) { return x.get(); }
    static int length(const ap_concat_ref<A, B> &x) { return x.length(); }
};
// words are named, ranges and bits stand for themselves
template <typename T> struct kept { typedef T type; };
template <int W, bool S> struct kept<ap_int_base<W, S>> { typedef ap_int_base<W, S> &type; };
template <int W> struct kept<ap_int<W>> { typedef ap_int<W> &type; };
template <int W> struct kept<ap_uint<W>> { typedef ap_uint<W> &type; };
} // namespace hlspart_run
template <typename A, typename B,
          typename = typename std::enable_if<hlspart_run::number<A>::own && hlspart_run::number<B>::own>::type>
ap_concat_ref<typename hlspart_run::kept<A>::type, typename hlspart_run::kept<B>::type> operator,(const A &a, const B &b) {
    return {const_cast<A &>(a), const_cast<B &>(b)};
}

template <int W, bool S> std::ostream &operator<<(std::ostream &out, const ap_int_base<W, S> &x) {
    hlspart_run::wide v = x.get();
    if (v < 0) out << '-', v = -v;
    std::string digits;
    do {
        digits.insert(digits.begin(), char('0' + int(v % 10)));
        v /= 10;
    } while (v);
    return out << digits;
}
template <int W, bool S> std::ostream &operator<<(std::ostream &out, const ap_range_ref<W, S> &x) {
    return out << ap_int_base<W, false>(x);
}

#endif
