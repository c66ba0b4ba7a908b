"""Mutated sources, random bytes and nesting: a record for each, never an exception (more: tests/fuzz_frontend.py)."""

from __future__ import annotations

import random
import time

import pytest
from fuzz_inputs import generated, header

from hlspart.frontend import load
from hlspart.model import program as ir
from hlspart.model.options import FrontendOptions
from tests.amounts import amount


def check(loaded: ir.Program, text: str) -> None:
    """Every place lies in the text."""
    for function in loaded.functions.values():
        for stmt in ir.walk_statements(function.body):
            for expr in ir.expressions(stmt):
                for node in ir.walk(expr):
                    span = node.at.span
                    assert 0 <= span.start <= span.end <= len(loaded.sources[span.path].text), text
    for variable in loaded.variables:
        made = "<" in variable.name or variable.name.startswith("[")  # names that no source has
        if variable.at.kind == "plain" and not made:
            assert loaded.text(variable.at).replace("\\\n", "") == variable.name.rpartition("::")[2], text


def test_mutated_sources() -> None:
    rnd = random.Random(20240)
    loaded_count = errors = 0
    for _ in range(amount(80, 400)):
        name, text = generated(rnd)
        files = {name: text.encode("utf-8", "surrogateescape"), "x.h": header(rnd, name)}

        def read(path: str, files: dict[str, bytes] = files) -> bytes:
            if path not in files:
                raise FileNotFoundError(path)
            return files[path]

        try:
            loaded = load([name], FrontendOptions(), read)
        except Exception as fault:
            raise AssertionError(text) from fault
        error = loaded.units[0].error
        if error is None:
            loaded_count += 1
            check(loaded, text)
        else:
            errors += 1
            assert error.message and error.place.path.startswith((name, "x.h", "<"))
    assert loaded_count > amount(4, 40) and errors > amount(25, 170)


def test_a_constructor_that_the_text_ends_in() -> None:
    text = "class Filter {\n  const int gain;\npublic:\n  Filter(int g) : gain(g"
    for cut in range(len("class Filter {"), len(text) + 1):
        unit = load(["t.cpp"], FrontendOptions(), lambda _, end=cut: text[:end].encode()).units[0]  # type: ignore[misc]
        assert unit.error is not None


def test_a_class_of_a_header_that_the_text_ends_behind() -> None:
    text = b"#include <complex>\ntypedef std::complex<float>"
    assert load(["t.cpp"], FrontendOptions(), lambda _: text).units


@pytest.mark.parametrize(
    "text",
    [
        "#include <complex>\n.real((",
        "template <...> struct Shape {}; Shape<, > x;",
        "template<...>struct S{};S<,>",
        "class A { template <int N",
        "struct A { template <int N> (",
        "namespace a { int x; } namespace b { int x; struct S { S(x",
        "auto f() -> decltype()",
        "struct A { int g(); struct B { B(int x) : y(x) {} int y; }; B b[2",
    ],
)
def test_arguments_that_are_not_there(text: str) -> None:
    assert load(["t.cpp"], FrontendOptions(), lambda _: text.encode()).units


def test_a_long_declaration_of_constants_takes_time_in_its_length() -> None:
    def seconds(count: int) -> float:
        text = "const int " + ", ".join(f"a{k} = {k}" for k in range(count)) + ";\nint f() { return a3; }\n"
        started = time.process_time()
        assert len(load(["t.cpp"], FrontendOptions(), lambda _: text.encode()).variables) == count
        return time.process_time() - started

    seconds(10)
    assert seconds(4000) < 8 * seconds(1000)  # in its square: 16 times
