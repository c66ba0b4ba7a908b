// Fixed-point numbers of up to 126 bits, for runs on a machine without the synthesis tool.
// Written from the descriptions of the types in UG1399 ("Arbitrary Precision Fixed-Point Data Types"): widths of results,
// modes of quantization and overflow. Results that would be wider than 126 bits lose fraction bits.
#ifndef HLSPART_RUN_AP_FIXED_H
#define HLSPART_RUN_AP_FIXED_H

#include <cmath>

#include "ap_int.h"

enum ap_q_mode { AP_RND, AP_RND_ZERO, AP_RND_MIN_INF, AP_RND_INF, AP_RND_CONV, AP_TRN, AP_TRN_ZERO };
enum ap_o_mode { AP_SAT, AP_SAT_ZERO, AP_SAT_SYM, AP_WRAP, AP_WRAP_SM };

template <int W, int I, bool S, ap_q_mode Q = AP_TRN, ap_o_mode O = AP_WRAP> struct ap_fixed_base;
template <int W, int I, ap_q_mode Q = AP_TRN, ap_o_mode O = AP_WRAP, int N = 0> struct ap_fixed;
template <int W, int I, ap_q_mode Q = AP_TRN, ap_o_mode O = AP_WRAP, int N = 0> struct ap_ufixed;

namespace hlspart_run {

// The number `bits` / 2^`drop`, with one of the modes.
template <ap_q_mode Q> constexpr wide quantized(wide bits, int drop) {
    drop = least(drop, 126);
    wide floor = bits >> drop, rest = bits & mask(drop), half = wide(1) << (drop - 1);
    bool up = false;
    switch (Q) {
    case AP_TRN: break;
    case AP_TRN_ZERO: up = bits < 0 && rest != 0; break;
    case AP_RND: up = rest >= half; break;
    case AP_RND_MIN_INF: up = rest > half; break;
    case AP_RND_ZERO: up = rest > half || (rest == half && bits < 0); break;
    case AP_RND_INF: up = rest > half || (rest == half && bits >= 0); break;
    case AP_RND_CONV: up = rest > half || (rest == half && (floor & 1)); break;
    }
    return floor + up;
}
template <int W, bool S, ap_o_mode O> constexpr wide kept_in_range(wide x) {
    static_assert(O != AP_WRAP_SM, "AP_WRAP_SM cannot be run");
    wide high = mask(S ? W - 1 : W), low = S ? -high - 1 : 0;
    if (O == AP_SAT_SYM && S) low = -high;
    if (low <= x && x <= high) return x;
    if (O == AP_SAT || O == AP_SAT_SYM) return x < low ? low : high;
    return O == AP_SAT_ZERO ? 0 : wrapped<W, S>(x);
}

// What a type is to the operators of fixed-point numbers.
template <typename T, typename = void> struct fixed_number {
    static constexpr bool given = false, own = false;
};
template <typename T> struct fixed_number<T, typename std::enable_if<number<T>::integer>::type> {
    static constexpr bool given = true, own = false, sign = number<T>::sign;
    static constexpr int width = number<T>::width, whole = width;
    static constexpr wide bits(const T &x) { return number<T>::value(x); }
};
template <int W, int I, bool S, ap_q_mode Q, ap_o_mode O> struct fixed_number<ap_fixed_base<W, I, S, Q, O>, void> {
    static constexpr bool given = true, own = true, sign = S;
    static constexpr int width = W, whole = I;
    static constexpr wide bits(const ap_fixed_base<W, I, S, Q, O> &x) { return x.raw.get(); }
};
template <int W, int I, ap_q_mode Q, ap_o_mode O, int N>
struct fixed_number<ap_fixed<W, I, Q, O, N>, void> : fixed_number<ap_fixed_base<W, I, true, Q, O>, void> {};
template <int W, int I, ap_q_mode Q, ap_o_mode O, int N>
struct fixed_number<ap_ufixed<W, I, Q, O, N>, void> : fixed_number<ap_fixed_base<W, I, false, Q, O>, void> {};

// Integers made of fixed-point numbers lose the fraction.
template <int W, int I, bool S, ap_q_mode Q, ap_o_mode O> struct number<ap_fixed_base<W, I, S, Q, O>, void> {
    static constexpr bool integer = false, own = false, given = true;
    static constexpr wide value(const ap_fixed_base<W, I, S, Q, O> &x) {
        wide bits = x.raw.get();
        return W <= I ? wide(uwide(bits) << most(I - W, 0)) : quantized<AP_TRN_ZERO>(bits, most(W - I, 1));
    }
};
template <int W, int I, ap_q_mode Q, ap_o_mode O, int N>
struct number<ap_fixed<W, I, Q, O, N>, void> : number<ap_fixed_base<W, I, true, Q, O>, void> {};
template <int W, int I, ap_q_mode Q, ap_o_mode O, int N>
struct number<ap_ufixed<W, I, Q, O, N>, void> : number<ap_fixed_base<W, I, false, Q, O>, void> {};

template <int I, int F, bool S> using fixed_of = ap_fixed_base<least(I + F, MOST), I, S>;
template <typename A, typename B, bool = fixed_number<A>::given && fixed_number<B>::given &&
                                         (fixed_number<A>::own || fixed_number<B>::own)>
struct fixed_results {};
template <typename A, typename B> struct fixed_results<A, B, true> {
    typedef fixed_number<A> X;
    typedef fixed_number<B> Y;
    static constexpr int xf = X::width - X::whole, yf = Y::width - Y::whole, fraction = most(xf, yf);
    static constexpr bool any = X::sign || Y::sign;
    static constexpr int whole = most(X::whole + (Y::sign && !X::sign), Y::whole + (X::sign && !Y::sign));
    typedef fixed_of<whole + 1, fraction, any> plus;
    typedef fixed_of<whole + 1, fraction, true> minus;
    typedef fixed_of<whole, fraction, any> bits;
    typedef fixed_of<X::whole + Y::whole, xf + yf, any> product;
    typedef fixed_of<X::whole + yf + Y::sign, X::width + most(yf, 0) - X::whole - yf, any> quotient;
    typedef bool truth;
    static wide left(const A &a) { return wide(uwide(X::bits(a)) << (fraction - xf)); }
    static wide right(const B &b) { return wide(uwide(Y::bits(b)) << (fraction - yf)); }
};

} // namespace hlspart_run

template <int W, int I, bool S, ap_q_mode Q, ap_o_mode O> struct ap_fixed_base {
    typedef hlspart_run::wide wide;
    static constexpr int width = W, iwidth = I;
    static constexpr bool sign_flag = S;
    ap_int_base<W, S> raw;

    ap_fixed_base() = default;
    ap_fixed_base(const ap_fixed_base &) = default;
    ap_fixed_base &operator=(const ap_fixed_base &) = default;
    template <typename T, typename std::enable_if<hlspart_run::fixed_number<T>::given, int>::type = 0>
    constexpr ap_fixed_base(const T &x)
        : raw(nearest(hlspart_run::fixed_number<T>::bits(x), hlspart_run::fixed_number<T>::width - hlspart_run::fixed_number<T>::whole)) {}
    template <typename T, typename std::enable_if<std::is_floating_point<T>::value, int>::type = 0>
    constexpr ap_fixed_base(T x) : raw(nearest(double(x))) {}
    // the number bits / 2^fraction
    void put(wide bits, int fraction) { raw = nearest(bits, fraction); }

    double to_double() const { return std::ldexp(double(raw.get()), I - W); }
    float to_float() const { return float(to_double()); }
    wide whole() const { return hlspart_run::number<ap_fixed_base>::value(*this); }
    int to_int() const { return int(whole()); }
    unsigned to_uint() const { return unsigned(whole()); }
    long long to_int64() const { return (long long)(whole()); }
    unsigned long long to_uint64() const { return (unsigned long long)(whole()); }
    template <typename T, typename std::enable_if<std::is_integral<T>::value, int>::type = 0> operator T() const {
        return std::is_same<T, bool>::value ? T(raw.get() != 0) : T(whole());
    }
    template <typename T, typename std::enable_if<std::is_floating_point<T>::value, int>::type = 0>
    operator T() const {
        return T(to_double());
    }

    int length() const { return W; }
    bool is_neg() const { return S && raw.get() < 0; }
    bool is_zero() const { return raw.get() == 0; }
    bool overflow_flag() const { return false; }
    auto range(int high, int low) { return raw.range(high, low); }
    auto range(int high, int low) const { return raw.range(high, low); }
    auto range() { return raw.range(W - 1, 0); }
    auto range() const { return raw.range(W - 1, 0); }
    auto operator()(int high, int low) { return raw.range(high, low); }
    auto operator()(int high, int low) const { return raw.range(high, low); }
    auto operator[](int k) { return raw[k]; }
    auto operator[](int k) const { return raw[k]; }

    ap_fixed_base operator+() const { return *this; }
    auto operator-() const {
        hlspart_run::fixed_of<I + 1, W - I, true> x;
        x.raw = -raw.get();
        return x;
    }
    ap_fixed_base operator~() const {
        ap_fixed_base x;
        x.raw = ~raw.get();
        return x;
    }
    bool operator!() const { return raw.get() == 0; }
    ap_fixed_base &operator++() { return *this += 1; }
    ap_fixed_base &operator--() { return *this -= 1; }
    ap_fixed_base operator++(int) { ap_fixed_base old(*this); ++*this; return old; }
    ap_fixed_base operator--(int) { ap_fixed_base old(*this); --*this; return old; }
    ap_fixed_base operator<<(int n) const { return shifted(n); }
    ap_fixed_base operator>>(int n) const { return shifted(-n); }
    ap_fixed_base &operator<<=(int n) { return *this = shifted(n); }
    ap_fixed_base &operator>>=(int n) { return *this = shifted(-n); }
    template <typename T> ap_fixed_base &operator+=(const T &x) { return *this = ap_fixed_base(*this + x); }
    template <typename T> ap_fixed_base &operator-=(const T &x) { return *this = ap_fixed_base(*this - x); }
    template <typename T> ap_fixed_base &operator*=(const T &x) { return *this = ap_fixed_base(*this * x); }
    template <typename T> ap_fixed_base &operator/=(const T &x) { return *this = ap_fixed_base(*this / x); }
    template <typename T> ap_fixed_base &operator&=(const T &x) { return *this = ap_fixed_base(*this & x); }
    template <typename T> ap_fixed_base &operator|=(const T &x) { return *this = ap_fixed_base(*this | x); }
    template <typename T> ap_fixed_base &operator^=(const T &x) { return *this = ap_fixed_base(*this ^ x); }

  private:
    // constant expressions, so that a table of thousands of numbers is data and no code
    static constexpr wide nearest(wide bits, int fraction) {
        int drop = bits == 0 ? 0 : fraction - (W - I);
        if (drop > 0) bits = hlspart_run::quantized<Q>(bits, drop);
        else if (drop < -64 && O == AP_WRAP) bits = drop < -126 ? 0 : wide(hlspart_run::uwide(bits) << -drop);
        else bits = wide(hlspart_run::uwide(bits) << hlspart_run::least(-drop, 64));
        return hlspart_run::kept_in_range<W, S, O>(bits);
    }
    static constexpr wide nearest(double x) {
        int exponent = x == 0 ? 0 : __builtin_ilogb(x);
        return nearest(wide(__builtin_ldexp(x, 52 - exponent)), 52 - exponent); // 53 bits, exactly
    }
    ap_fixed_base shifted(int n) const {
        ap_fixed_base x;
        x.raw = hlspart_run::shifted(raw, n);
        return x;
    }
};

template <int W, int I, ap_q_mode Q, ap_o_mode O, int N> struct ap_fixed : ap_fixed_base<W, I, true, Q, O> {
    typedef ap_fixed_base<W, I, true, Q, O> Base;
    ap_fixed() = default;
    template <typename T, typename = typename std::enable_if<hlspart_run::fixed_number<T>::given || std::is_floating_point<T>::value>::type>
    constexpr ap_fixed(const T &x) : Base(x) {}
};
template <int W, int I, ap_q_mode Q, ap_o_mode O, int N> struct ap_ufixed : ap_fixed_base<W, I, false, Q, O> {
    typedef ap_fixed_base<W, I, false, Q, O> Base;
    ap_ufixed() = default;
    template <typename T, typename = typename std::enable_if<hlspart_run::fixed_number<T>::given || std::is_floating_point<T>::value>::type>
    constexpr ap_ufixed(const T &x) : Base(x) {}
};

#define HLSPART_FIXED(op, kind)                                                                           \
    template <typename A, typename B, typename = typename hlspart_run::fixed_results<A, B>::kind>                      \
    typename hlspart_run::fixed_results<A, B>::kind operator op(const A &a, const B &b) {                              \
        typedef hlspart_run::fixed_results<A, B> R;                                                                    \
        typename R::kind x;                                                                                            \
        x.put(R::left(a) op R::right(b), R::fraction);                                                                 \
        return x;                                                                                                      \
    }
HLSPART_FIXED(+, plus)
HLSPART_FIXED(-, minus)
HLSPART_FIXED(&, bits)
HLSPART_FIXED(|, bits)
HLSPART_FIXED(^, bits)
#undef HLSPART_FIXED
template <typename A, typename B, typename = typename hlspart_run::fixed_results<A, B>::product>
typename hlspart_run::fixed_results<A, B>::product operator*(const A &a, const B &b) {
    typedef hlspart_run::fixed_results<A, B> R;
    typename R::product x;
    x.put(hlspart_run::wide(hlspart_run::uwide(R::X::bits(a)) * hlspart_run::uwide(R::Y::bits(b))), R::xf + R::yf);
    return x;
}
template <typename A, typename B, typename = typename hlspart_run::fixed_results<A, B>::quotient>
typename hlspart_run::fixed_results<A, B>::quotient operator/(const A &a, const B &b) {
    typedef hlspart_run::fixed_results<A, B> R;
    typename R::quotient x;
    constexpr int up = hlspart_run::most(R::yf, 0);
    x.put(hlspart_run::wide(hlspart_run::uwide(R::X::bits(a)) << up) / R::Y::bits(b), R::xf + up - R::yf);
    return x;
}
#define HLSPART_FIXED(op)                                                                                              \
    template <typename A, typename B, typename = typename hlspart_run::fixed_results<A, B>::truth>                     \
    bool operator op(const A &a, const B &b) {                                                                         \
        typedef hlspart_run::fixed_results<A, B> R;                                                                    \
        return R::left(a) op R::right(b);                                                                              \
    }
HLSPART_FIXED(==)
HLSPART_FIXED(!=)
HLSPART_FIXED(<)
HLSPART_FIXED(>)
HLSPART_FIXED(<=)
HLSPART_FIXED(>=)
#undef HLSPART_FIXED

// Fixed-point numbers beside floating point are numbers of that type.
#define HLSPART_FIXED(op, result)                                                                                      \
    template <int W, int I, bool S, ap_q_mode Q, ap_o_mode O, typename F,                                              \
              typename = typename std::enable_if<std::is_floating_point<F>::value>::type>                              \
    result operator op(const ap_fixed_base<W, I, S, Q, O> &a, F b) { return F(a.to_double()) op b; }                   \
    template <int W, int I, bool S, ap_q_mode Q, ap_o_mode O, typename F,                                              \
              typename = typename std::enable_if<std::is_floating_point<F>::value>::type>                              \
    result operator op(F a, const ap_fixed_base<W, I, S, Q, O> &b) { return a op F(b.to_double()); }
HLSPART_FIXED(+, F)
HLSPART_FIXED(-, F)
HLSPART_FIXED(*, F)
HLSPART_FIXED(/, F)
HLSPART_FIXED(==, bool)
HLSPART_FIXED(!=, bool)
HLSPART_FIXED(<, bool)
HLSPART_FIXED(>, bool)
HLSPART_FIXED(<=, bool)
HLSPART_FIXED(>=, bool)
#undef HLSPART_FIXED

template <int W, int I, bool S, ap_q_mode Q, ap_o_mode O>
std::ostream &operator<<(std::ostream &out, const ap_fixed_base<W, I, S, Q, O> &x) {
    return out << x.to_double();
}

#endif
