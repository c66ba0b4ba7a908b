#ifndef HLSPART_HLS_DIRECTIO_H
#define HLSPART_HLS_DIRECTIO_H
/* wires to and from a module, for tasks (UG1399, hls::directio): the value that is there, not a channel */
namespace hls {
template <typename T> struct ap_none {
  T wire;
  T read() { return wire; }
  void read(T &to) { to = wire; }
  void write(const T &from) { wire = from; }
  operator T() { return wire; }
};
}
#endif
