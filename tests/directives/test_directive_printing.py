"""Parse of print is the identity, for every form and every directive of the table."""

from __future__ import annotations

from pathlib import Path

from directive_helpers import one, program_of
from hypothesis import given, settings
from hypothesis import strategies as st

from hlspart.frontend.directives import KINDS, normalised, print_directive
from hlspart.frontend.directives.kinds import DirectiveKind, OptionKind
from hlspart.model.directives import Directive

KERNEL = """\
void f(int A[64][32], int B[8]) {{
  int t[16];
  L: for (int i = 0; i < 8; i++) {{
{loop}
    t[i] = B[i];
  }}
{function}
  A[0][0] = t[0];
}}
"""


@st.composite
def pragmas(draw: st.DrawFn) -> tuple[str, str]:
    """(kind, a valid pragma)."""
    kind = KINDS[draw(st.sampled_from(sorted(KINDS)))]
    words = []
    for name, option in kind.options.items():
        if option.required or draw(st.booleans()):
            words.append(draw(_option(kind, name, option)))
    order = draw(st.permutations(words))
    spelling = draw(st.sampled_from([str.lower, str.upper]))
    return kind.name, " ".join(("#pragma HLS", spelling(kind.name), *order))


def _option(kind: DirectiveKind, name: str, option: OptionKind) -> st.SearchStrategy[str]:
    match option.form:
        case "flag":
            return st.just(name)
        case "int":
            return st.integers(1, 2).map(lambda n: f"{name}={n}")
        case "name":
            return st.sampled_from(["t", "A", "B"]).map(lambda v: f"{name}={v}")
        case "choice":
            unique = [w for w in option.words if kind.word_option(w) == name]
            given_ = st.sampled_from(option.words).map(lambda w: f"{name}={w}")
            return st.one_of(given_, st.sampled_from(unique)) if unique else given_
        case _:
            return st.sampled_from(["ram_1p", "mul", "gmem"]).map(lambda w: f"{name}={w}")


def _meaning(d: Directive) -> tuple[object, ...]:
    return (
        d.kind,
        normalised(d.options, d.kind),
        dict(d.values),
        d.function,
        d.loop is None,
        set(d.variables),
        d.modelled,
    )


@settings(derandomize=True, max_examples=100, deadline=None)
@given(pragmas(), st.booleans())
def test_parse_of_print_is_the_identity(pragma: tuple[str, str], in_loop: bool) -> None:
    kind, line = pragma
    in_loop = KINDS[kind].place == "loop" or (KINDS[kind].place == "region" and in_loop)
    source = KERNEL.format(loop=line if in_loop else "", function="" if in_loop else line)
    program = program_of(source)
    directive = one(program)
    assert [p for p in directive.problems if p.fatal] == [], line
    again = print_directive(directive, program)
    reread = program_of(KERNEL.format(loop=again if in_loop else "", function="" if in_loop else again))
    assert _meaning(one(reread)) == _meaning(directive)
    for form, name in (("cfg", "d.cfg"), ("tcl", "d.tcl")):
        text = print_directive(directive, program, form) + "\n"
        outside = program_of({"k.c": KERNEL.format(loop="", function=""), name: text}, name)
        assert _meaning(one(outside)) == _meaning(directive), text


def test_forms_of_a_partition() -> None:
    line = "#pragma HLS ARRAY_PARTITION variable=A cyclic factor=2*2 dim=2"
    program = program_of(KERNEL.format(loop="", function=line))
    directive = one(program)
    assert print_directive(directive, program) == "#pragma HLS array_partition variable=A cyclic factor=2*2 dim=2"
    assert print_directive(directive, program, "cfg") == "syn.directive.array_partition=f A type=cyclic factor=4 dim=2"
    assert (
        print_directive(directive, program, "tcl")
        == 'set_directive_array_partition -type cyclic -factor 4 -dim 2 "f" A'
    )
    assert (
        print_directive(directive, program, "smarthls")
        == "#pragma HLS memory partition argument(A) type(cyclic) dim(2) factor(4)"
    )


def test_documented_kinds() -> None:
    """docs/validation.md lists the directives that are modelled, and those that are not."""
    page = (Path(__file__).resolve().parents[2] / "docs/validation.md").read_text()
    for mark, wanted in (("modelled", True), ("unmodelled", False)):
        listed = page.split(f"<!-- {mark} -->\n", 1)[1].split("\n\n", 1)[0]
        assert listed.replace("\n", " ").split(", ") == sorted(k for k, v in KINDS.items() if v.modelled == wanted)
