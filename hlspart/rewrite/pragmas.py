"""Edits on pragmas that name a rewritten array.

The ARRAY_PARTITION that was applied becomes a comment (split) or the ``complete`` partition of the
bank dimensions (bankdim); directives about the memory itself are repeated for every bank.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hlspart.model.directives import Directive
from hlspart.model.program import Function, Program, Variable
from hlspart.model.source import Origin, Span
from hlspart.rewrite.buffer import EditBuffer
from hlspart.rewrite.plan import GroupRefusal, Plan, dim_text

#: Directives that speak of one memory and can be said of each bank.
REPEATED = frozenset(
    ("bind_storage", "resource", "dependence", "interface", "stream", "stable", "reset", "latency", "array_stencil")
)


def refuse_pragmas(program: Program, plan: Plan) -> GroupRefusal | None:
    """Whether a directive on the group cannot be carried over to the banks."""
    for directive in _about(program, plan):
        if directive.kind == "array_partition" or directive.kind in REPEATED:
            continue
        if plan.style == "bankdim" and directive.kind in ("dependence", "allocation"):
            continue
        return GroupRefusal("pragma", f"{directive.kind.upper()} names the array", directive.at)
    return None


def _about(program: Program, plan: Plan) -> list[Directive]:
    members = set(plan.group.members)
    return [d for d in program.directives if d.dialect == "vitis" and d.usable and members & set(d.variables)]


def edit_pragmas(program: Program, plan: Plan, buffer: EditBuffer) -> GroupRefusal | None:
    """Edit every pragma line about the group; add the partition of bankdim where no pragma stood."""
    pragmas: dict[int, list[Directive]] = {}
    for directive in _about(program, plan):
        if directive.pragma is not None:
            pragmas.setdefault(directive.pragma, []).append(directive)
    placed: set[int] = set()
    for index, directives in pragmas.items():
        refusal = _edit_pragma(program, plan, index, directives, placed, buffer)
        if refusal is not None:
            return refusal
    if plan.style == "bankdim":
        for variable in _partition_owners(program, plan):
            if variable.id not in placed:
                lines = partition_lines(plan, plan.names[variable.id][0])
                refusal = _insert(program, plan, variable, lines, buffer)
                if refusal is not None:
                    return refusal
    elif plan.style == "crossbar" and not any(d.kind in ("bind_storage", "resource") for d in _about(program, plan)):
        kind = _storage(plan)
        for variable in _partition_owners(program, plan) if kind is not None else ():
            if variable.storage != "parameter" and not variable.const:
                lines = [f"#pragma HLS bind_storage variable={n} type={kind}" for n in plan.names[variable.id]]
                refusal = _insert(program, plan, variable, lines, buffer)
                if refusal is not None:
                    return refusal
    return None


def insert_partition(program: Program, plan: Plan, factor: int, buffer: EditBuffer) -> GroupRefusal | None:
    """Say the cyclic partition of a group that keeps its arrays, where no directive says it."""
    if any(d.kind == "array_partition" for d in _about(program, plan)):
        return None
    for variable in _partition_owners(program, plan):
        line = f"#pragma HLS ARRAY_PARTITION variable={variable.name} type=cyclic factor={factor} dim=1"
        refusal = _insert(program, plan, variable, [line], buffer)
        if refusal is not None:
            return refusal
    return None


def _storage(plan: Plan) -> str | None:
    """The memory whose ports serve the lanes of every region (UG1399, BIND_STORAGE).

    None: more than two, or ports serve more than lanes: accesses in place, and iterations that run at once.
    """
    if plan.multiplied or plan.movement.direct:
        return None
    reads = max((r.read_lanes for r in plan.movement.regions), default=0)
    writes = max((r.write_lanes for r in plan.movement.regions), default=0)
    if reads <= 1 and writes <= 1:
        return "ram_s2p"
    together = max((r.read_lanes + r.write_lanes for r in plan.movement.regions), default=0)
    return "ram_t2p" if together <= 2 else None


def _edit_pragma(
    program: Program, plan: Plan, index: int, directives: Sequence[Directive], placed: set[int], buffer: EditBuffer
) -> GroupRefusal | None:
    at = program.pragmas[index].at
    if not at.editable and program.pragmas[index].spelling == "#pragma":
        return GroupRefusal("macro", "a pragma on the array comes out of a macro", at)
    if at.kind == "mixed":
        return GroupRefusal("macro", "a pragma on the array comes out of a macro", at)
    if at.span.path not in program.given:
        reason = f"a pragma on the array stands in {at.span.path}, which is not given: give it, too"
        return GroupRefusal("header", reason, at)
    old = buffer.text(at.span)
    named = list(dict.fromkeys(v for d in directives for v in d.variables))
    mine = [v for v in named if v in plan.group.members]
    others = [v for v in named if v not in plan.group.members]
    if others:
        return GroupRefusal("pragma", "one pragma names several arrays of different groups", at)
    partition = directives[0].kind == "array_partition"
    if not partition:
        lines = []
        for variable in mine:
            for name in plan.names[variable]:
                line = renamed(old, program.variable(variable).name, name)
                if line is None:
                    return GroupRefusal("pragma", "a pragma on the array is spelled in a way that cannot be edited", at)
                lines.append(line)
        new = "\n".join(dict.fromkeys(lines))
    elif plan.style == "bankdim":
        wanted = [v for v in mine if v not in placed]
        placed.update(wanted)
        indent = _indent(program, at.span)
        positional = directives[0].option("type") is None
        lines = [line for v in wanted for line in partition_lines(plan, plan.names[v][0], positional)]
        comment = _comment(program, plan, mine, at.kind != "plain")
        new = f"\n{indent}".join(lines) if lines else comment
        if at.kind != "plain" and lines:
            return GroupRefusal("macro", "a pragma on the array comes out of a macro", at)
    else:  # the first of several pragmas gets the comment, the others leave an empty line
        variables = [v for v in mine if v not in placed]
        placed.update(variables)
        new = _comment(program, plan, variables, program.pragmas[index].spelling != "#pragma") if variables else ""
    buffer.replace(Origin(at.span), new + "\n" * max(0, old.count("\n") - new.count("\n")))
    return None


def _comment(program: Program, plan: Plan, variables: Sequence[int], inline: bool) -> str:
    notes = []
    for v in variables:
        names = plan.names[v]
        span = ", ".join(names) if len(names) < 3 else f"{names[0]} .. {names[-1]}"
        notes.append(f"{program.variable(v).name} is {span}")
    text = f"hlspart: {', '.join(notes)} ({_layout_text(plan)})"
    return f"/* {text} */" if inline else f"// {text}"


def _layout_text(plan: Plan) -> str:
    return dim_text(plan.dims) if plan.dims else f"{plan.layout.banks} banks"


def partition_lines(plan: Plan, name: str, positional: bool = False) -> list[str]:
    """The pragmas that make every bank dimension of a bankdim array a bank."""
    kind = "complete" if positional else "type=complete"
    heads = sum(d.is_split for d in plan.dims)
    if heads == len(plan.shapes[0]):
        return [f"#pragma HLS array_partition variable={name} {kind} dim=0"]
    return [f"#pragma HLS array_partition variable={name} {kind} dim={k + 1}" for k in range(heads)]


def renamed(text: str, old: str, new: str) -> str | None:
    """``text`` with the array's name as an option's value (or alone) replaced."""
    pattern = re.compile(rf"(\b(?:variable|port)\s*=\s*[\"']?){re.escape(old)}\b(?!\s*[\[(.])", re.I)
    result, count = pattern.subn(lambda m: m.group(1) + new, text)
    if count == 0:
        pattern = re.compile(rf"(\b(?:variable|port)\s+){re.escape(old)}\b", re.I)
        result, count = pattern.subn(lambda m: m.group(1) + new, text)
    return result if count == 1 else None


def _indent(program: Program, span: Span) -> str:
    source = program.sources[span.path]
    line, column = source.line_column(span.start)
    return "".join(c if c in " \t" else " " for c in source.line_text(line)[: column - 1])


def _partition_owners(program: Program, plan: Plan) -> list[Variable]:
    """The members whose memory it is: all but the parameters that a caller in the group fills."""
    fed = {edge.formal for edge in plan.group.edges}
    return [program.variable(v) for v in plan.group.members if v not in fed]


def _insert(
    program: Program, plan: Plan, variable: Variable, lines: list[str], buffer: EditBuffer
) -> GroupRefusal | None:
    """Write pragma lines about the new arrays where the old one is declared (or used, at file scope)."""
    if variable.function is not None:
        function = program.functions[variable.function]
        if variable.storage == "parameter":
            return _after(program, function.body.at.span.start + 1, function, lines, buffer)
        loop = program.loops.get(variable.scope or -1)
        if loop is not None and not loop.body.braces:
            return GroupRefusal("declaration", f"'{variable.name}' is declared in a loop's header", variable.at)
        if loop is not None:
            return _after(program, loop.body.at.span.start + 1, function, lines, buffer)
        statement = variable.declarations[0].statement.span
        return _after(program, statement.end, function, lines, buffer)
    for user in _users(program, plan)[:1]:
        return _after(program, user.body.at.span.start + 1, user, lines, buffer)
    return None


def _users(program: Program, plan: Plan) -> list[Function]:
    wanted = [d.function for d in _about(program, plan) if d.kind == "array_partition" and d.function]
    wanted += [r.loop.function for r in plan.movement.regions]
    return [program.functions[name] for name in wanted if name in program.functions]


def _after(
    program: Program, offset: int, function: Function, lines: list[str], buffer: EditBuffer
) -> GroupRefusal | None:
    """Insert pragma lines behind the text line that holds ``offset``, when the line ends there."""
    path = function.body.at.span.path
    if not function.body.at.editable:
        return GroupRefusal("macro", "the function's body comes out of a macro", function.body.at)
    source = program.sources[path]
    number = source.line_column(offset - 1)[0]
    line = source.line_span(number)
    rest = source.text[offset : line.end]
    statements = function.body.body if source.text[offset - 1] == "{" else ()
    own = source.line_text(source.line_column(statements[0].at.span.start)[0] if statements else number)
    indent = own[: len(own) - len(own.lstrip())]
    if re.fullmatch(r"\s*(?://.*|/\*(?:(?!\*/).)*\*/\s*)?", rest):
        buffer.insert(path, line.end, "".join(f"\n{indent}{text}" for text in lines))
    else:
        buffer.insert(path, offset, "".join(f"\n{indent}{text}" for text in lines) + "\n" + indent)
    return None
