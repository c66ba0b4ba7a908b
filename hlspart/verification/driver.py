"""The C program around one version: reads vectors, calls the top function again and again, writes outputs.

Both versions move the same bytes in their own order of objects; which element is which is known
only to the Python side, so a driver is as simple as its signature.
"""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.verification.data import size
from hlspart.verification.interface import Interface, Object, ScalarField, left

_RUNTIME = """#define HLSPART_TEXT_(x) #x
#define HLSPART_TEXT(x) HLSPART_TEXT_(x)
#define HLSPART_SYSTEM(name) __asm__(HLSPART_TEXT(__USER_LABEL_PREFIX__) name)
#ifdef __cplusplus
extern "C" {
#endif
extern int hlspart_open(const char *, int, ...) HLSPART_SYSTEM("open");
extern long hlspart_sysread(int, void *, __SIZE_TYPE__) HLSPART_SYSTEM("read");
extern long hlspart_syswrite(int, const void *, __SIZE_TYPE__) HLSPART_SYSTEM("write");
extern long hlspart_seek(int, long, int) HLSPART_SYSTEM("lseek");
extern void *hlspart_map(void *, __SIZE_TYPE__, int, int, int, long) HLSPART_SYSTEM("mmap");
extern void __asan_poison_memory_region(const volatile void *, __SIZE_TYPE__);
extern void hlspart_exit(int) HLSPART_SYSTEM("_exit");
extern int hlspart_fork(void) HLSPART_SYSTEM("fork");
extern int hlspart_wait(int, int *, int) HLSPART_SYSTEM("waitpid");
extern int hlspart_duplicate(int, int) HLSPART_SYSTEM("dup2");
extern int hlspart_timer(int, const long *, long *) HLSPART_SYSTEM("setitimer");
extern int hlspart_round(int) HLSPART_SYSTEM("fesetround");
#ifdef __cplusplus
}
#endif
static void *hlspart_fenced(__SIZE_TYPE__ size) /* between fences far wider than AddressSanitizer's own */
{
    /* Around them, what no int reaches beyond is nobody's: an access there faults, whatever else lies in memory. */
    const __SIZE_TYPE__ whole = size + (1 << 20), far = (__SIZE_TYPE__)1 << (sizeof far > 4 ? 36 : 16);
    char *at = (char *)hlspart_map(0, whole + 2 * far, 0, 0x4022, -1, 0); /* none; private, anonymous, not reserved */
    /* read and write; there (0x10), where such a range was to be had */
    at = (char *)hlspart_map(at == (char *)-1 ? 0 : at + far, whole, 3, at == (char *)-1 ? 0x22 : 0x32, -1, 0);
    if (at == (char *)-1) hlspart_exit(3);
    __asan_poison_memory_region(at, 1 << 19);
    __asan_poison_memory_region(at + (1 << 19) + size, 1 << 19);
    return at + (1 << 19);
}
static void hlspart_read(void *to, __SIZE_TYPE__ size, int file)
{
    for (long got; size; size -= got, to = (char *)to + got)
        if ((got = hlspart_sysread(file, to, size)) <= 0) hlspart_exit(3);
}
static void hlspart_write(const void *from, __SIZE_TYPE__ size, int file)
{
    for (long put; size; size -= put, from = (const char *)from + put)
        if ((put = hlspart_syswrite(file, from, size)) <= 0) hlspart_exit(3);
}
"""
_LOOP = """    long count, limit, whole, bytes;
    hlspart_read(&count, 8, in);
    hlspart_read(&limit, 8, in);
    hlspart_read(&whole, 8, in);
    for (long k = 0; k < count; k++) {
        int status = 0, child = -1;
        hlspart_read(&bytes, 8, in);
        const long next = hlspart_seek(in, 0, 1) + bytes, at = hlspart_seek(out, 0, 1);
        hlspart_seek(out, at + 4, 0);
        if (count > 1 && (child = hlspart_fork()) == 0) hlspart_duplicate(hlspart_open("/dev/null", 1), 2);
        if (child <= 0) {
            const long busy[4] = {0, 0, limit / 1000000, limit % 1000000}, asleep[4] = {0, 0, whole, 0};
            hlspart_timer(2, busy, 0); /* of processor time, whatever else the machine does: SIGPROF */
            hlspart_timer(0, asleep, 0);
            hlspart_vector(in, out);
        }
        if (child == 0) hlspart_exit(0);
        for (int k = 0; child > 0 && k < 64 && hlspart_wait(child, &status, 0) < 0; k++) { }
        hlspart_seek(out, at, 0);
        hlspart_write(&status, 4, out);
        if ((status & 127) == 27 || (status & 127) == 14) break; /* SIGPROF, SIGALRM: one time-out is enough */
        hlspart_seek(out, at + 4 + record, 0);
        hlspart_seek(in, next, 0);
    }
    return 0;
"""
ROUNDED = ("-frounding-math", "-DHLSPART_DIRECTION")  # flags of a program that can be told how to round
_WRITE_NEW = 0o1101  # O_WRONLY | O_CREAT | O_TRUNC on Linux


_DIRECTION = """#ifdef HLSPART_DIRECTION /* 1: down, 2: up */
#if defined __x86_64__ || defined __i386__
    if (argc > 3) hlspart_round(argv[3][0] == '1' ? 0x400 : 0x800);
#elif defined __aarch64__
    if (argc > 3) hlspart_round(argv[3][0] == '1' ? 0x800000 : 0x400000);
#else
#error how this processor rounds is not known
#endif
#endif"""


def driver(source: str, interface: Interface, inputs: Sequence[Object], outputs: Sequence[Object], runs: int) -> str:
    """C text that includes the file ``source``; usage of the program: ``driver IN OUT [DIRECTION]``.

    With :data:`ROUNDED` among the compiler's flags, DIRECTION 1 rounds floating-point numbers down and 2 up.

    No header is included, so nothing can clash with the user's names. IN begins with the number of vectors, the
    microseconds of processor time that each may take, and the seconds by the clock, all of 8 bytes. A vector is its
    size in 8 bytes, then those of ``inputs``: globals, each behind a byte that says whether it is set, then parameters,
    which are read again before each run. OUT gets a record per vector: how its process ended (4 bytes, as waitpid
    tells) and per run the return value and the bytes of ``outputs``. Each of several vectors has a process of its own,
    which says nothing; the first that takes too long is the last.
    """
    parameters = [o for o in inputs if o.role == "parameter"]
    globals_ = [o for o in inputs if o.role == "global"]
    lines = [
        "#define main hlspart_user_main",
        f'#include "{source}"',
        "#undef main",
        *(f"{o.element} {o.name}{_brackets(o.shape)};" for o in interface.globals if not o.defined),
        *(f"namespace {name} {{" for name in interface.namespace),
        *(
            f"typedef decltype((({o.element} *)0)->read()) {_word(o)};"
            if o.passing == "stream"
            else f"typedef {o.element} {_word(o)};"
            for o in interface.parameters
        ),
        *(f"static {_word(o)} (*{_pointer(o)}){_brackets(o.shape)};" for o in interface.parameters),
        "static void hlspart_vector(int in, int out)",
        "{",
        "    char given;",
        *(
            line
            for o in globals_
            for line in ["    hlspart_read(&given, 1, in);", "    if (given) {", *_move(o, "read", "in"), "    }"]
        ),
        "    long parameters = hlspart_seek(in, 0, 1);",
        f"    for (int run = 0; run < {runs}; run++) {{",
        "        hlspart_seek(in, parameters, 0);",
        *(line for o in parameters for line in _move(o, "read", "in")),
        *(line for o in interface.parameters if o.passing == "stream" for line in _filled(o)),
        f"        {_call(interface)}",
        *(line for o in interface.parameters if o.passing == "stream" for line in _emptied(o)),
        *(line for o in outputs for line in _move(o, "write", "out")),
        "    }",
        "}",
        *("}" for _ in interface.namespace),
        "int main(int argc, char **argv)",
        "{",
        f"    using namespace {'::'.join(interface.namespace)};" if interface.namespace else "",
        f"    int in = hlspart_open(argv[1], 0), out = hlspart_open(argv[2], {_WRITE_NEW}, 0600);",
        "    if (argc < 3 || in < 0 || out < 0) return 3;",
        _DIRECTION,
        *(
            f"    {_pointer(o)} = (__typeof__({_pointer(o)}))hlspart_fenced(sizeof *{_pointer(o)});"
            for o in interface.parameters
        ),
        f"    const long record = {sum(map(size, outputs)) * runs};",
        _LOOP + "}",
    ]
    return _RUNTIME + "\n".join(lines) + "\n"


def storage(item: Object) -> str:
    """C expression of an object; those behind parameters have memory of their own."""
    if item.role == "global":
        return "hlspart_result" if item.name == "return value" else item.name
    return f"(*{_pointer(item)})"


def _pointer(item: Object) -> str:
    return f"hlspart_{item.position}_{item.name}"


def _brackets(shape: tuple[int, ...]) -> str:
    return "".join(f"[{s}]" for s in shape)


def _call(interface: Interface) -> str:
    arguments = []
    for item in interface.parameters:
        if item.passing == "stream":
            arguments.append("&" * item.pointed + _stream(item))
        elif item.passing in ("value", "reference") or interface.language == "c++":
            arguments.append(storage(item))
        else:  # in C, long and long long have one layout but are distinct types
            arguments.append(f"(void *){storage(item)}")
    call = f"{interface.top}({', '.join(arguments)})"
    return f"__typeof__({call}) hlspart_result = {call};" if interface.result else f"{call};"


def _stream(item: Object) -> str:
    return f"{_pointer(item)}_stream"


def _word(item: Object) -> str:
    """The type of an element, of a stream that of its words."""
    return f"{_pointer(item)}_word"


def _filled(item: Object) -> list[str]:
    """A stream with its words."""
    fill = f" for (auto &word : *{_pointer(item)}) {_stream(item)}.write(word);" if item.filled else ""
    return [f"        {item.element} {_stream(item)};{fill}"]


def _emptied(item: Object) -> list[str]:
    """Its words after the run, zeros behind them, and how many there are."""
    words, count = f"*{_pointer(item)}", left(item)
    return [
        f"        for (auto &word : {words}) word = {_word(item)}();",
        f"        for ({count} = 0; !{_stream(item)}.empty(); {count}++) {{",
        f"            auto word = {_stream(item)}.read();",
        f"            if ({count} < {item.shape[0]}) ({words})[{count}] = word;",
        "        }",
    ]


def _move(item: Object, verb: str, stream: str) -> list[str]:
    name = storage(item)
    if len(item.leaves) == 1 and not item.leaves[0].path and item.leaves[0].bits is None:
        return [f"        hlspart_{verb}((void *)&{name}, sizeof({name}), {stream});"]
    loops, index = "", ""
    for depth, extent in enumerate(item.shape):
        loops += f"for (int i{depth} = 0; i{depth} < {extent}; i{depth}++) "
        index += f"[i{depth}]"
    body = " ".join(_scalar(f"{name}{index}{leaf.path}", leaf, verb, stream) for leaf in item.leaves)
    return [f"        {loops}{{ {body} }}"]


def _scalar(name: str, leaf: ScalarField, verb: str, stream: str) -> str:
    if leaf.bits is None:
        return f"hlspart_{verb}((void *)&{name}, sizeof({name}), {stream});"
    kind = "long long" if leaf.code == "q" else "unsigned long long"
    if leaf.raw:
        bits = f"{name}.range({(leaf.bits or 1) - 1}, 0)"
        if verb == "read":
            return f"{{ {kind} hlspart_value; hlspart_read(&hlspart_value, 8, {stream}); {bits} = hlspart_value; }}"
        return f"{{ {kind} hlspart_value = {bits}.to_uint64(); hlspart_write(&hlspart_value, 8, {stream}); }}"
    if verb == "read":
        return f"{{ {kind} hlspart_value; hlspart_read(&hlspart_value, 8, {stream}); {name} = hlspart_value; }}"
    return f"{{ {kind} hlspart_value = ({kind}){name}; hlspart_write(&hlspart_value, 8, {stream}); }}"
