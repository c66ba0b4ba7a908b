#ifndef HLSPART_TAPA_H
#define HLSPART_TAPA_H
/* streams of TAPA are FIFOs as those of HLS; memories (mmap) have ports that no directive says: they are not read */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <stdio.h>
namespace tapa {
template <typename T> using istream = hls::stream<T>;
template <typename T> using ostream = hls::stream<T>;
template <typename T, int N> using istreams = hls::stream<T>[N];
template <typename T, int N> using ostreams = hls::stream<T>[N];
template <typename T> struct async_mmap {
  hls::stream<int64_t> read_addr;
  hls::stream<T> read_data;
  hls::stream<int64_t> write_addr;
  hls::stream<T> write_data;
  hls::stream<uint8_t> write_resp;
};
template <typename T, int N> struct vec_t {
  T data[N];
  T &operator[](int i) { return data[i]; }
  const T &operator[](int i) const { return data[i]; }
};
}
#endif
