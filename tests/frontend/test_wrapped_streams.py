"""Channels inside of classes, as libraries wrap them: constructors that name them, bases, specialisations."""

from __future__ import annotations

import pytest

from hlspart.model.options import Options
from hlspart.pipeline import Pipeline

LIBRARY = """#include <hls_stream.h>
namespace lib {
enum class Kind { Plain, Deep };
template <typename T, unsigned depth = 0, Kind = Kind::Plain> class Stream;
template <typename T>
class Stream<T, 0, Kind::Plain> {
 public:
  Stream() : Stream("unnamed") {
#pragma HLS INLINE
  }
  Stream(char const *const name) : Stream(name, 2, Kind::Plain) {
#pragma HLS INLINE
  }
 protected:
  Stream(char const *const name, unsigned const depth, Kind const kind) : stream_(name) {
#pragma HLS INLINE
  }
 public:
  Stream(Stream<T> const &) = delete;
  T Pop() { return Read(); }
  void Push(T const &x) { Write(x); }
  T Read() { return stream_.read(); }
  void Write(T const &x) { Write(x, 7); }
  void Write(T const &x, unsigned) { stream_.write(x); }
 protected:
  hls::stream<T> stream_;
};
template <typename T, unsigned depth, Kind kind>
class Stream : public Stream<T, 0, kind> {
 public:
  Stream() : Stream("unnamed") {}
  Stream(char const *const name) : Stream<T, 0, kind>(name, depth, kind) {
#pragma HLS STREAM variable=this->stream_ depth=depth
  }
};
}
"""
KERNEL = """
void produce(int const a[64], STREAM &s) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    s.PUSH(a[i] + 1);
  }
}
void consume(STREAM &s, int b[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    b[i] = s.POP() * 3;
  }
}
void top(int const a[64], int b[64]) {
#pragma HLS DATAFLOW
  STREAM s("pipe");
  produce(a, s);
  consume(s, b);
}
"""


def figures(text: str) -> tuple[list[object], list[object]]:
    """Loops, functions with their latency."""
    pipeline = Pipeline(["t.cpp"], Options(), read=lambda path: text.encode())
    loops = [(x.ii, x.depth, x.trip_count, x.latency) for x in pipeline.figures.loops]
    return loops, [(m.name, m.latency) for m in pipeline.figures.functions]


@pytest.mark.parametrize("of", ["lib::Stream<int>", "lib::Stream<int, 16>"])
def test_a_wrapped_channel_is_a_channel(of: str) -> None:
    wrapped = KERNEL.replace("STREAM", of).replace("PUSH", "Push").replace("POP", "Pop")
    plain = KERNEL.replace("STREAM", "hls::stream<int>").replace("PUSH", "write").replace("POP", "read")
    expected, modules = figures("#include <hls_stream.h>\n" + plain)
    loops, own = figures(LIBRARY + wrapped)
    assert loops == expected and len(loops) == 2
    assert [m for m in own if m in modules] == modules


def test_a_top_whose_argument_holds_a_channel() -> None:
    loops, _ = figures(
        LIBRARY
        + """void top(lib::Stream<int> &s, int b[64]) {
#pragma HLS INTERFACE axis port=s
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    b[i] = s.Pop();
  }
}
"""
    )
    assert [x[0] for x in loops] == [1]


POINTED = """#include <hls_stream.h>
void first(hls::stream<int> *s, int &v) {
#pragma HLS INLINE
  v = s->read();
}
void filter(hls::stream<int> *in, hls::stream<int> *out, hls::stream<int> *other) {
#pragma HLS PIPELINE II=1
  if (!in->empty()) {
    int x = (*in).read();
    if (x > 3) out->write(x); else *other << x;
  }
}
void gather(hls::stream<int> *a, int b[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    b[i] = a[0].read() + a[1].read();
  }
}
void top(hls::stream<int> *x, hls::stream<int> y[3], int b[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    int p, q, r;
    first(x, p); first(&y[1], q); first(y, r);
    b[i] = p + q + r;
  }
}
"""


def test_a_pointer_to_a_channel_is_a_reference() -> None:
    replaced = {
        "*s": "&s", "*in,": "&in,", "*out,": "&out,", "*other)": "&other)", "*a,": "a[2],", "*x": "&x", "->": ".",
        "(*in)": "in", "*other": "other", "&y[1]": "y[1]", "first(y,": "first(y[0],",
    }  # fmt: skip
    plain = POINTED
    for old, new in replaced.items():
        assert old in plain
        plain = plain.replace(old, new)
    loops, modules = figures(POINTED)
    assert (loops, modules) == figures(plain)
    assert [x[0] for x in loops] == [1, 1, 1]


def test_a_pointer_to_channels_that_moves_is_not_read_as_one() -> None:
    text = """#include <hls_stream.h>
void top(hls::stream<int> *a, int b[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    b[i] = (*a++).read();
  }
}
"""
    loops, _ = figures(text)
    assert [x[0] for x in loops] == [None]


def test_wires_of_tasks_are_no_channels() -> None:
    text = """#include <hls_directio.h>
void f(hls::ap_none<int> &in, hls::ap_none<int> &out, int a[64]) {
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    int x = in.read();
    a[i] = x + in.read();
    out.write(x);
  }
}
"""
    loops = Pipeline(["t.cpp"], Options(), lambda _: text.encode()).figures.loops
    assert [(x.pipelined, x.ii) for x in loops] == [(True, 1)]


CHOSEN = """#include <hls_stream.h>
enum class Memory { Plain, Block, Table, Register = 9 };
template <typename T, int D, Memory memory = Memory::Plain> class Fifo {
  hls::stream<T> data;
 public:
  Fifo() {
#pragma HLS STREAM variable=data depth=D
    if (memory == Memory::Block) {
#pragma HLS BIND_STORAGE variable=data type=FIFO impl=BRAM
    } else if (Memory::Table == memory)
#pragma HLS BIND_STORAGE variable=data type=FIFO impl=LUTRAM
      ;
    else if (memory != Memory::Plain && D > 8) {
#pragma HLS BIND_STORAGE variable=data type=FIFO impl=SRL
    }
  }
  void put(T x) { data.write(x); }
  T get() { return data.read(); }
};
void top(int in[64], int out[64]) {
  Fifo<int, 16, KIND> s;
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    s.put(in[i]);
    out[i] = s.get();
  }
}
"""


@pytest.mark.parametrize(
    ("kind", "bound"),
    [
        ("Memory::Plain", []),
        ("Memory::Block", ["bram"]),
        ("Memory::Table", ["lutram"]),
        ("Memory::Register", ["srl"]),
    ],
)
def test_directives_that_constants_of_a_template_choose(kind: str, bound: list[str]) -> None:
    text = CHOSEN.replace("KIND", kind)
    pipeline = Pipeline(["t.cpp"], Options(), read=lambda path: text.encode())
    program = pipeline.program
    read = [d for d in program.directives if all(p.code != "unread" for p in d.problems)]
    assert not program.holes and {p.code for d in read for p in d.problems} == {"struct-member"}
    assert [(d.option("impl") or "").lower() for d in read if d.kind == "bind_storage"] == bound
    assert [d.kind for d in program.directives].count("stream") == 1
    assert [x.ii for x in pipeline.figures.loops] == [1]


@pytest.mark.parametrize("many", [False, True])
def test_an_object_is_handed_to_a_reference_to_its_base(many: bool) -> None:
    """And an array of such objects to a pointer, as the base is all that they hold."""

    def loops(object_: str) -> list[object]:
        body = KERNEL.replace('STREAM s("pipe")', f"{object_} s[2]" if many else f'{object_} s("pipe")')
        body = body.replace("STREAM &s", "STREAM s[2]").replace("s.P", "s[1].P") if many else body
        text = LIBRARY + body.replace("STREAM", "lib::Stream<int>").replace("PUSH", "Push").replace("POP", "Pop")
        return figures(text)[0]

    own = loops("lib::Stream<int>")
    assert own == loops("lib::Stream<int, 8>") and [x[0] for x in own[:2]] == [1, 1]  # type: ignore[index]
