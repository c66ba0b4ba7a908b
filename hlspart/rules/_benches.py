"""Functions that run on a processor beside the hardware: a test bench, a host."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hlspart.model import program as c
from hlspart.model.code import once_per_code
from hlspart.rules._base import Facts
from hlspart.rules._interfaces import callers, interfaces
from hlspart.rules._uses import calls, nodes

HEAP = ("malloc", "calloc", "realloc", "new")
_FILES = "fopen freopen fread fgets fscanf fgetc getc scanf getchar gets tmpfile"
_CLOCKS = "time clock sleep usleep nanosleep gettimeofday clock_gettime system getenv"
_THREADS = "raise fork pthread_create pthread_join thrd_create thrd_join mtx_lock dlopen dlsym"
SYSTEM = frozenset(f"{_FILES} {_CLOCKS} {_THREADS}".split())
CALLING_BACK = frozenset(["qsort", "bsearch", "atexit", "signal"])
#: Bits that the tool counts by no operator of its own: UG1399 names __builtin_clz and __builtin_ctz alone.
COUNTING = frozenset(
    f"__builtin_{name}{size}" for name in ("popcount", "parity", "ffs", "clrsb") for size in ("", "l", "ll")
)
LEAVING = frozenset(["longjmp", "setjmp", "_setjmp"])
LIBRARY = frozenset(["rand", "srand", "rand_r", "random", "drand48", "lrand48"])
#: Those of the standard library that take memory as they grow.
GROWING = re.compile(
    r"\bstd\s*::\s*(vector|deque|list|forward_list|map|set|multimap|multiset|unordered_map|unordered_set|queue|stack"
    r"|priority_queue|string)\b"
)
#: Those of the standard library that only an operating system gives.
RUNNING = re.compile(
    r"\bstd\s*::\s*(j?thread|mutex|recursive_mutex|shared_mutex|condition_variable|future|promise|async|ifstream"
    r"|ofstream|fstream|random_device)\b"
)
_CALLS = SYSTEM | LIBRARY | frozenset([*HEAP, "free", *["printf", "puts", "fprintf", "putchar", "exit", "fclose"]])
_STREAMS = frozenset(("cout", "cerr", "std::cout", "std::cerr"))
_UNREAD = frozenset(("new", "delete", "vector", "ifstream", "ofstream", "fstream", "cout", "cerr"))


def hardware(program: c.Program) -> dict[str, None]:
    """Functions that directives are about, and those that they call."""
    about = (d.function for d in program.directives if d.dialect == "vitis" and d.usable and d.source == "pragma")
    functions = dict.fromkeys(sorted({f for f in about if f is not None and f in program.functions and f != "main"}))
    todo = list(functions)
    while todo:
        for call in calls(program)[todo.pop()]:
            name = (call.function or "").rpartition("::")[2]
            if name in program.functions and name not in functions:
                functions[name] = None
                todo.append(name)
    return functions


def entries(facts: Facts) -> frozenset[str]:
    """Functions that are synthesised as a top: called by none in the files, or by what makes no hardware alone."""
    called, benches = callers(facts.program), _on_processors(facts.program)
    functions = facts.program.functions
    # a function that is not read may be the one that calls them
    holes = [h for h in facts.program.holes if not any(f.at.span.holds(h.at) for f in functions.values())]
    handed = {name for hole in holes for name in hole.names}
    return frozenset(
        name
        for name in functions
        if name not in benches | handed and all(by in benches for by, _ in called.get(name, ()))
    )


def meant_as_tops(facts: Facts) -> frozenset[str | None]:
    """Functions with a mode for their control that nothing with an INTERFACE calls: what calls them is not built."""
    ports = {d.function for d, _ in interfaces(facts)}
    control = {d.function for d, mode in interfaces(facts) if mode and (d.option("port") or "").lower() == "return"}
    called = callers(facts.program)
    return frozenset(f for f in control if not any(name in ports for name, _ in called.get(f or "", ())))


def of_benches(facts: Facts) -> frozenset[str]:
    """Functions that make no hardware: ``main``, what it calls beside it, and what calls one that is meant as a top."""
    benches = set[str]()
    waiting = [name for name in meant_as_tops(facts) if name is not None]
    while waiting:
        more = {by for by, _ in callers(facts.program).get(waiting.pop(), ())} - benches
        benches |= more
        waiting += more
    return frozenset(benches | _on_processors(facts.program))


def functions_but_benches(facts: Facts) -> Iterator[tuple[str, c.Function]]:
    """Functions that are made hardware and read whole, by their names."""
    benches = of_benches(facts)
    return ((n, f) for n, f in facts.program.functions.items() if n not in benches and not f.open)


@once_per_code(2, lambda program: [d.function for d in program.directives])
def _on_processors(program: c.Program) -> frozenset[str]:
    """``main``, and what only it reaches where that does what hardware cannot, or calls a function with ports.

    So do others that call a function with ports and do what hardware cannot: a host's side of a kernel.
    """
    built = hardware(program)
    ports = {d.function for d in program.directives if d.kind == "interface" and d.dialect == "vitis" and d.usable}
    if not ports and "main" not in program.functions:
        return frozenset()
    callees = {n: {x.function for x in own if x.function} for n, own in calls(program).items()}
    hosts = {n for n, called in callees.items() if n not in built and called & ports and _is_of_host(program, n)}
    roots = (hosts | {"main"}) & callees.keys()
    reached, todo = {n: set[str]() for n in roots}, sorted(roots)
    while todo:
        name = todo.pop()
        reached[name] = callees[name]
        for other in sorted(reached[name]):
            if other in program.functions and other not in reached and other not in built:
                reached[other] = set()
                todo.append(other)
    of_host = {f for f, called in reached.items() if f in roots or called & ports or _is_of_host(program, f)}
    while more := {f for f, called in reached.items() if called & of_host} - of_host:
        of_host |= more
    return frozenset(of_host)


def _is_of_host(program: c.Program, name: str) -> bool:
    """Whether a function asks for what a processor has alone: files, a console, memory as it runs."""
    function = program.functions[name]
    for node in nodes(program)[name]:
        called = (node.function or "") if isinstance(node, c.Call) else ""
        if called.rpartition("::")[2] in _CALLS and not called.endswith("::new"):  # no constructor
            return True
        if isinstance(node, c.OpaqueExpr) and program.text(node.at) in _STREAMS:
            return True
    return any(h.names & _UNREAD for h in program.holes if function.at.span.holds(h.at))
