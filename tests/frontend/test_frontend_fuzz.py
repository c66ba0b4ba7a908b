"""Mutated sources, random bytes and nesting: a record for each, never an exception (more: tests/fuzz_frontend.py)."""

from __future__ import annotations

import random
import time

import pytest
from fuzz_inputs import generated, header

from hlspart.frontend import cxx_cursor, load
from hlspart.frontend.cxx_collect import matching_angle
from hlspart.frontend.cxx_cursor import Cursor
from hlspart.frontend.tokens import Token
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


def test_angles_that_nothing_closes_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0

    def counted(tokens: list[Token], opening: int) -> int | None:
        nonlocal looked
        looked += 1
        return matching_angle(tokens, opening)

    monkeypatch.setattr(cxx_cursor, "matching_angle", counted)
    load(["t.cpp"], FrontendOptions(), lambda _: b"int f(int a) { return " + b"a < " * 3000 + b"a; }\n")
    assert looked < 10


def test_angles_are_closed_as_by_a_search_from_each() -> None:
    """Random tokens, some of them merged on the way, as a unit's are."""
    rnd = random.Random(311)
    closed = 0
    for _ in range(amount(200, 2000)):
        words = rnd.choices(
            ["a", "<", ">", ">>", "(", ")", "int", ",", "b"], [9, 9, 3, 1, 1, 1, 3, 2, 3], k=rnd.randrange(2, 60)
        )
        tokens = [Token("id" if word.isalpha() else "op", word, "t.cpp", 0, 0, True) for word in words]
        cursor, plain = Cursor(tokens), Cursor(tokens)
        while cursor.at < len(tokens):
            if cursor.text(1) == "<":
                end = cursor.closing_angle(cursor.at + 1)
                assert end == matching_angle(plain.tokens, cursor.at + 1), words
                closed += end is not None
                if end is not None and rnd.random() < 0.5:
                    for each in (cursor, plain):
                        each.tokens[cursor.at : end + 1] = [each.tokens[cursor.at]]
            cursor.at += 1
    assert closed > amount(100, 1000)


def test_classes_that_nothing_closes_end_at_once() -> None:
    start = time.process_time()
    error = load(["t.cpp"], FrontendOptions(), lambda _: b"void f() {" + b"struct s{" * 20_000).units[0].error
    assert error is not None and error.rule in ("HLP002", "HLP004") and error.place.line == 1
    assert time.process_time() - start < 5
