"""C text that logs every array access and every iteration of chosen loops, by insertions only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from hlspart.model.access import AccessAnalysis
from hlspart.model.program import (
    ArrayRef,
    Expr,
    Loop,
    Program,
    Stmt,
    expressions,
    walk,
    walk_statements,
)
from hlspart.model.source import Edit, Span, apply_edits
from hlspart.verification.interface import Incomparable

ACCESS, ENTER, ITERATION, EXIT = range(4)

# One record: (event << 32 | id, address of the array, byte offset in it); after LIMIT records the rest is dropped.
_LOGGER = """#ifdef __cplusplus
extern "C" {
#endif
extern int hlspart_log_open(const char *, int, ...) __asm__("open");
extern long hlspart_log_write(int, const void *, __SIZE_TYPE__) __asm__("write");
#ifdef __cplusplus
}
#endif
static long long hlspart_log_data[3 * 4096];
static long hlspart_log_used, hlspart_log_total;
static int hlspart_log_file = -1;
__attribute__((destructor)) static void hlspart_log_flush(void)
{
    if (hlspart_log_file < 0) hlspart_log_file = hlspart_log_open("%(path)s", 01101, 0600);
    if (hlspart_log_used) hlspart_log_write(hlspart_log_file, hlspart_log_data, hlspart_log_used * 8);
    hlspart_log_used = 0;
}
static void hlspart_log(long long event, long long id, const volatile void *base, const volatile void *at)
{
    if (hlspart_log_total++ >= %(limit)d) return;
    if (hlspart_log_used == 3 * 4096) hlspart_log_flush();
    hlspart_log_data[hlspart_log_used++] = event << 32 | id;
    hlspart_log_data[hlspart_log_used++] = (long long)base;
    hlspart_log_data[hlspart_log_used++] = (const volatile char *)at - (const volatile char *)base;
}
static void *hlspart_log_at(long long id, const volatile void *base, const volatile void *at)
{
    hlspart_log(0, id, base, at);
    return (void *)at;
}
#define HLSPART_AT(id, base, ...) \\
    (*(__typeof__(__VA_ARGS__) *)hlspart_log_at(id, (const volatile void *)(base), &(__VA_ARGS__)))
#define HLSPART_LOOP(event, id) hlspart_log(event, id, 0, 0)
"""


class Watched(Struct, frozen=True):
    """A pipelined loop: iterations are those of ``innermost``, an entry is one run of ``outermost``."""

    innermost: Loop
    outermost: Loop


def instrumented(program: Program, analysis: AccessAnalysis, watched: Sequence[Watched], log: str, limit: int) -> str:
    """The text of the only source file, logging to ``log``. Raises Incomparable where text cannot be edited."""
    path = program.units[0].path
    wanted = {a.ref for a in analysis.accesses}
    edits = [edit for item in watched for edit in _loop_edits(item, path)]  # a body may begin with a reference
    for function in program.functions.values():
        for node in _references(program, function.body):
            if node.id in wanted and node.at.span.path == path:
                if not node.at.editable:
                    raise Incomparable(f"'{program.text(node.at)}' cannot be instrumented")
                base = program.variable(node.variable).name
                edits.append(
                    Edit(Span(path, node.at.span.start, node.at.span.start), f"HLSPART_AT({node.id}, {base}, ")
                )
                edits.append(Edit(Span(path, node.at.span.end, node.at.span.end), ")"))
    text = apply_edits(program.sources[path], edits)
    return _LOGGER % {"path": log, "limit": limit} + text


def parents(program: Program) -> Mapping[int, Loop]:
    """Innermost enclosing loop of each loop, by id."""
    around: dict[int, Loop] = {}
    for outer in program.loops.values():
        for stmt in walk_statements(outer.body):
            if isinstance(stmt, Loop):
                known = around.get(stmt.id)
                if known is None or _size(outer) < _size(known):
                    around[stmt.id] = outer
    return around


def _size(loop: Loop) -> int:
    return loop.at.span.end - loop.at.span.start


def _references(program: Program, body: Stmt) -> Iterator[ArrayRef]:
    """Every array reference of a body, initial values of its variables included."""
    for stmt in walk_statements(body):
        roots: list[Expr] = list(expressions(stmt))
        declared = getattr(stmt, "variables", ())
        roots += [init for v in declared if (init := program.variable(v).init) is not None]
        for root in roots:
            yield from (node for node in walk(root) if isinstance(node, ArrayRef))


def _loop_edits(item: Watched, path: str) -> list[Edit]:
    inner, outer = item.innermost, item.outermost
    if inner.kind != "for" or outer.kind != "for":
        raise Incomparable(f"the loop {inner.name} is no for loop")
    start = outer.header.span.start
    body = inner.body.at.span
    mark = f" HLSPART_LOOP({ITERATION}, {inner.id}); "
    opening = [Edit(Span(path, start, start), f"{{ HLSPART_LOOP({ENTER}, {inner.id}); ")]
    closing = [Edit(Span(path, outer.at.span.end, outer.at.span.end), f" HLSPART_LOOP({EXIT}, {inner.id}); }}")]
    if inner.body.braces:
        return [*opening, Edit(Span(path, body.start + 1, body.start + 1), mark), *closing]
    return [
        *opening,
        Edit(Span(path, body.start, body.start), "{" + mark),
        Edit(Span(path, body.end, body.end), "}"),
        *closing,
    ]
