// Streams as queues, for runs on a machine without the synthesis tool.
#ifndef HLSPART_RUN_HLS_STREAM_H
#define HLSPART_RUN_HLS_STREAM_H

#include <cstddef>
#include <deque>

namespace hls {

template <typename T, int DEPTH = 0> class stream {
    std::deque<T> words;

  public:
    typedef T value_type;
    stream() {}
    stream(const char *) {}
    stream(const stream &) = delete;
    stream &operator=(const stream &) = delete;

    bool empty() const { return words.empty(); }
    bool full() const { return false; }
    std::size_t size() const { return words.size(); }
    bool read_nb(T &x) {
        if (words.empty()) return false;
        x = words.front();
        words.pop_front();
        return true;
    }
    // as the tool's simulation: an empty stream gives a word of zeros
    T read() {
        T x = T();
        read_nb(x);
        return x;
    }
    void read(T &x) { x = read(); }
    void write(const T &x) { words.push_back(x); }
    bool write_nb(const T &x) {
        write(x);
        return true;
    }
    void operator>>(T &x) { read(x); }
    void operator<<(const T &x) { write(x); }
    void set_name(const char *) {}
};

} // namespace hls
#endif
