#include "hls_stream.h"
constexpr auto T = 4;
namespace lib {
enum class Storage { Any, Ram };
template <typename T, int depth = 0, Storage = Storage::Any> class Stream;
template <typename T> class Stream<T, 0, Storage::Any> {
public:
  Stream() : Stream("unnamed") {}
  Stream(char const *const name) : Stream(name, 2) {}
protected:
  Stream(char const *const, const int d) : s_() { depth_ = d; }
public:
  void Push(T const &v) { s_.write(v); }
  T Pop() { return s_.read(); }
protected:
  int depth_;
  hls::stream<T> s_;
};
template <typename T, int depth, Storage storage> class Stream : public Stream<T, 0, storage> {
public:
  Stream() : Stream("named") {}
  Stream(char const *const name) : Stream<T, 0, storage>(name, depth) {}
};
} // namespace lib
void forward(lib::Stream<int> &from, lib::Stream<int, 16> &to) {
  for (int t = 0; t < T; t++)
    for (int i = 0; i < 8; i++) {
#pragma HLS PIPELINE II=1
      to.Push(from.Pop() + t);
    }
}
void top(int in[32], int out[32]) {
  lib::Stream<int> a;
  lib::Stream<int, 16> b;
  for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
    a.Push(in[i]);
  }
  forward(a, b);
  for (int i = 0; i < 32; i++) {
#pragma HLS PIPELINE II=1
    out[i] = b.Pop();
  }
}
