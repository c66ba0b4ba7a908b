"""The C program around one version: reads inputs, calls the top function again and again, writes outputs.

Both versions move the same bytes in their own order of objects; which element is which is known
only to the Python side, so a driver is as simple as its signature.
"""

from __future__ import annotations

from collections.abc import Sequence

from hlspart.verify.interface import Interface, Object


def driver(source: str, interface: Interface, inputs: Sequence[Object], outputs: Sequence[Object], runs: int) -> str:
    """C text that includes the file ``source``; usage of the program: ``driver IN OUT``.

    IN holds the bytes of ``inputs``: globals, each behind a byte that says whether it is set, then
    parameters, which are read again before each run. OUT gets, per run, the return value and the bytes of ``outputs``.
    """
    parameters = [o for o in inputs if o.role == "parameter"]
    globals_ = [o for o in inputs if o.role == "global"]
    lines = [
        "#include <stdio.h>",
        "#define main hlspart_user_main",
        f'#include "{source}"',
        "#undef main",
        *(f"{o.element} {o.name}{_brackets(o.shape)};" for o in interface.globals if not o.defined),
        *(f"static {o.element} (*{_pointer(o)}){_brackets(o.shape)};" for o in interface.parameters),
        "static void hlspart_read(void *to, size_t size, size_t count, FILE *in)",
        '{ if (fread(to, size, count, in) != count) { fputs("hlspart: short input\\n", stderr); _Exit(3); } }',
        "static void hlspart_write(const void *from, size_t size, size_t count, FILE *out)",
        '{ if (fwrite(from, size, count, out) != count) { fputs("hlspart: short output\\n", stderr); _Exit(3); } }',
        "int main(int argc, char **argv)",
        "{",
        '    FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[argc - 1], "wb");',
        "    if (!in || !out) return 3;",
        *(
            f"    {_pointer(o)} = (__typeof__({_pointer(o)}))malloc(sizeof *{_pointer(o)});"
            for o in interface.parameters
        ),
        *(line for o in globals_ for line in ["    if (fgetc(in) == 1) {", *_move(o, "read", "in"), "    }"]),
        "    long parameters = ftell(in);",
        f"    for (int run = 0; run < {runs}; run++) {{",
        "        if (fseek(in, parameters, SEEK_SET)) return 3;",
        *(line for o in parameters for line in _move(o, "read", "in")),
        f"        {_call(interface)}",
        *(line for o in outputs for line in _move(o, "write", "out")),
        "    }",
        "    return fclose(out) ? 3 : 0;",
        "}",
    ]
    return "#include <stdlib.h>\n" + "\n".join(lines) + "\n"


def storage(item: Object) -> str:
    """C expression of an object; those behind parameters are on the heap, between AddressSanitizer's fences."""
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
        if item.passing == "value" or item.passing == "reference":
            arguments.append(storage(item))
        else:  # int, long, enum and their like have one layout but are distinct types
            arguments.append(f"(void *){storage(item)}")
    call = f"{interface.top}({', '.join(arguments)})"
    return f"__typeof__({call}) hlspart_result = {call};" if interface.result else f"{call};"


def _move(item: Object, verb: str, stream: str) -> list[str]:
    name = storage(item)
    if len(item.leaves) == 1 and not item.leaves[0].path:
        return [f"        hlspart_{verb}(&{name}, sizeof({item.element}), {item.count}, {stream});"]
    loops, index = "", ""
    for depth, size in enumerate(item.shape):
        loops += f"for (int i{depth} = 0; i{depth} < {size}; i{depth}++) "
        index += f"[i{depth}]"
    body = " ".join(
        f"hlspart_{verb}(&{name}{index}{leaf.path}, sizeof({name}{index}{leaf.path}), 1, {stream});"
        for leaf in item.leaves
    )
    return [f"        {loops}{{ {body} }}"]
