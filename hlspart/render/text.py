"""What people read on a terminal, made from the same shapes as the JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hlspart.model.inferred import UNSEARCHED
from hlspart.model.printable import in_lines
from hlspart.render import verdict, ways
from hlspart.render.screen import paint, typed
from hlspart.render.table import Marked, table

if TYPE_CHECKING:
    from hlspart.model.verifying import Tried, VerifyResult

Shape = Mapping[str, Any]


def extent(bounds: Shape) -> str:
    """``16``, ``4..16``, ``4..?``."""
    low, high = bounds["min"], bounds["max"]
    if low == high:
        return "?" if low is None else str(low)
    return f"{'?' if low is None else low}..{'?' if high is None else high}"


def dims(sizes: list[int | None]) -> str:
    """``[8][?]``."""
    return "".join(f"[{'?' if s is None else s}]" for s in sizes)


def assignment(values: Mapping[str, int]) -> str:
    """``i = 2, j = 0``."""
    return ", ".join(f"{k} = {v}" for k, v in values.items())


def lines_of(lines: list[int]) -> str:
    """``line 3`` or ``lines 3, 5``."""
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"


# ----------------------------------------------------------------------------------- accesses


def accesses(shape: Shape) -> str:
    """Arrays, then one line per access."""
    out = []
    for file in in_lines(shape["files"]):
        if "error" in file:
            out.append(broken(file))
            continue
        out.append(f"{file['path']}: {len(file['arrays'])} arrays, {len(file['accesses'])} accesses\n")
        if file["arrays"]:
            out.append(
                table(
                    ("array", "in", "kind", "line", "extents", "bits"),
                    [
                        (a["name"], a["function"] or "-", a["kind"], a["line"], dims(a["dims"]), a["element_bits"])
                        for a in file["arrays"]
                    ],
                )
            )
        if file["accesses"]:
            out.append("\n")
            out.append(
                table(
                    ("line:col", "access", "function", "loops", "index", "range", "count"),
                    [_access_row(a) for a in file["accesses"]],
                )
            )
    return "".join(out)


def _access_row(access: Shape) -> tuple[object, ...]:
    index = access["map"] if access["affine"] else f"not affine: {access['reason']}"
    reach = "?" if access["range"] is None else " ".join(f"{_q(lo)}..{_q(hi)}" for lo, hi in access["range"])
    return (
        f"{access['line']}:{access['column']}",
        f"{access['kind']} {access['array']}",
        access["function"],
        "/".join(access["loops"]) or "-",
        index,
        reach,
        access["count"],
    )


def _q(value: int | None) -> str:
    return "?" if value is None else str(value)


def broken(file: Shape) -> str:
    """A file that could not be read."""
    return f"{file['path']}: not analysed: line {file['line']}: {file['error']}\n"


# ----------------------------------------------------------------------------------------- ii


def loop_title(loop: Shape) -> str:
    """``function/name``."""
    return f"{loop['function']}/{loop['name']}"


def limit_text(limit: Shape) -> str:
    """A limit in a few words."""
    if limit["kind"] == "recurrence":
        return f"recurrence on {limit['variable']}, {lines_of(limit['lines'])}"
    if limit["kind"] == "memory-port":
        return f"{limit['array']} bank {limit['bank']}: {limit['accesses']} accesses, {limit['ports']} ports"
    return str(limit["text"] or limit["kind"])


def partition_text(parts: list[Shape]) -> str:
    """``cyclic 2 dim 1 (pragma)``."""
    return ", ".join(f"{_dim(p)} ({p['origin']})" for p in parts) or "-"


# -------------------------------------------------------------------------------------- infer


def infer(shape: Shape) -> str:
    """What to write above each array, and what each loop gains."""
    out = []
    for file in in_lines(shape["files"]):
        if "error" in file:
            out.append(broken(file))
            continue
        head = f"{file['path']}: {verdict.inferred(file['loops'])}"
        out.append(paint(head, verdict.inferred_mark(file["loops"], "after") if file["loops"] else "") + "\n")
        for array in file["arrays"]:
            out.append(_inferred(array))
        if not file["arrays"]:
            unsearched = any((x["cause"] or "").startswith(UNSEARCHED) for x in file["loops"])
            out.append(f"  no array {'was looked at' if unsearched else 'needs a partition'}\n")
        if file["loops"]:
            out.append("\n")
            out.append(
                table(
                    ("loop", "target", "II before", "II after", "cause"),
                    [
                        (loop_title(x), x["target_ii"] or "-", _ii(x, "before"), _ii(x, "after"), x["cause"] or "")
                        for x in file["loops"]
                    ],
                )
            )
        out += [f"  {loop_title(x)}: {x['hint']}\n" for x in file["loops"] if x["hint"]]
        out += [f"  {line}\n" for x in file["loops"] for line in ways.lines(x, loop_title(x))]
        if file.get("pareto"):
            out.append("\n")
            out.append(table(("II", "banks", "BRAM18K", "partitions"), [_point(p) for p in file["pareto"]]))
    return "".join(out) + _after_infer([f for f in in_lines(shape["files"]) if "error" not in f])


def _after_infer(files: list[Shape]) -> str:
    """How to get what was found into the text."""
    _, options = typed()
    step = ways.next_step([x for f in files for x in f["loops"]], [f["path"] for f in files])
    arrays = [a for f in files for a in f["arrays"]]
    if step:
        return step
    if any(a["needs_rewrite"] for a in arrays):
        where = f"-o {ways.new_name(files[0]['path'])}" if len(files) == 1 else "--out-dir DIR"
        # ``rewrite`` infers by itself, without the options of this command
        return "" if options else verdict.command("rewrite", f"--infer {where}", "C in which the banks are written out")
    if any(a["pragmas"] for a in arrays) and any(verdict.gains(x) for f in files for x in f["loops"]):
        return verdict.command("infer", f"{options} --emit diff".strip(), "the pragmas as a patch")
    return ""


def _ii(loop: Shape, when: str) -> object:
    """The II of a loop, or what it lies between."""
    bounds = loop[f"bounds_{when}"]
    text = "..".join(map(str, bounds)) if bounds is not None else loop[f"ii_{when}"]
    return Marked(text, verdict.inferred_mark([loop], when))


def _point(point: Shape) -> tuple[object, ...]:
    parts = ", ".join(f"{a['name']} {a['kind']} {a['banks']}" for a in point["arrays"]) or "none"
    return point["ii"], point["banks"], point["bram18k"], parts


def _inferred(array: Shape) -> str:
    where = f"{array['function']}/" if array["function"] else ""
    if array["absolute"]:
        proof = "minimal over any mapping"
    elif array["proved_minimal"]:
        proof = f"minimal among {array['space']}"
    else:
        proof = "not proved minimal"
    head = f"  {where}{array['name']} (line {array['line']}): "
    if array["kind"] == "none" and array["banks"] == 1:
        needless = "needs no partition" if array["proved_minimal"] or not array["reason"] else ""
        return head + ": ".join(x for x in (needless, array["reason"]) if x) + "\n"
    if array["kind"] == "reuse":
        return f"{head}a reuse buffer: hlspart rewrite --style reuse writes it\n    {array['reason']}\n"
    what = ", ".join(_dim(p) for p in array["partition"]) or array["kind"]
    if array["mapping"] is not None:
        what = mapping_text(array["kind"], array["mapping"])
    text = f"{head}{what}: {array['banks']} banks, {proof}\n"
    text += "".join(f"    {p}\n" for p in array["pragmas"])
    if array["selection_luts"]:
        rule = " by a rule of thumb: hlspart ii counts those of the text written" if array["needs_rewrite"] else ""
        text += f"    about {array['selection_luts']} LUTs choose among banks{rule}\n"
    if array["needs_rewrite"]:
        writes = f": {array['command']} writes it" if array["command"] else ", banks that the text selects do"
        text += f"    no pragma alone achieves this{writes}\n"
    if array["reason"]:
        text += f"    {array['reason']}\n"
    return text


def mapping_text(kind: str, mapping: Shape) -> str:
    """Which bank an element (x0, x1, ..) is in: ``bank (x0 + 2 x1) mod 5``."""
    if mapping.get("table") is not None:
        classes = [f"{_linear(a)} mod {n}" for a, n in zip(mapping["alphas"], mapping["moduli"], strict=True)]
        of = f"{', '.join(classes)} of element ({_element(mapping['alphas'][0])})"
        return f"table of {len(mapping['table'])} classes: {of}"
    if mapping.get("alpha") is None:
        rows = mapping.get("hnf")
        return kind if rows is None else f"{kind}, one bank shared by elements that differ by sums of {rows}"
    form = _linear(mapping["alpha"], mapping.get("block") or 1)
    return f"bank {form} mod {mapping['modulus']} of element ({_element(mapping['alpha'])})"


def _linear(alpha: Sequence[int], block: int = 1) -> str:
    terms = [
        f"{'' if a == 1 else f'{a} '}{f'x{k}' if block == 1 else f'(x{k} div {block})'}"
        for k, a in enumerate(alpha)
        if a
    ]
    form = " + ".join(terms) or "0"
    return f"({form})" if len(terms) > 1 else form


def _element(alpha: Sequence[int]) -> str:
    return ", ".join(f"x{k}" for k in range(len(alpha)))


def _dim(part: Shape) -> str:
    factor = "" if part["type"] == "complete" else f" {part['factor']}"
    return f"{part['type']}{factor} dim {part['dim']}"


# ------------------------------------------------------------------------------------- verify


def verify(original: str, new: str, result: VerifyResult) -> str:
    """One line, and what was left out."""
    words = {"equal": "", "different": "DIFFERENT: ", "incomparable": "cannot compare: "}  # "equal on 500 vectors .."
    mark = {"equal": "good", "different": "bad", "incomparable": "doubtful"}[result.status]
    out = paint(f"{original} and {new}: {words[result.status]}{result.message}", mark) + "\n"
    out += "" if result.tried is None else _tried(result.tried)
    for read in result.uninitialised:
        what = f"{read.variable} (line {read.line})" if read.variable else "memory"
        out += f"  outputs depend on what {what} holds before it has a value; it was the same in both\n"
    if result.own_headers:
        out += f"  the compiler found no {', '.join(result.own_headers)}: run with hlspart's own\n"
    out += "".join(f"  not compared: {reason}\n" for reason in result.skipped)
    if result.ports:
        header = ("loop", "array", "banks", "busiest", "reads", "writes", "cycles", "predicted", "iterations")
        rows = [
            (
                f"{p.function}/{p.loop}",
                p.array,
                p.banks,
                p.bank,
                p.reads,
                p.writes,
                p.interval,
                p.predicted,
                p.iterations,
            )
            for p in result.ports
        ]
        out += table(header, rows)
    return out


def _tried(tried: Tried) -> str:
    """What the data were, and what could not be tried."""
    parts = []
    if tried.integers is not None:
        parts.append("integers {:d} to {:d}".format(*map(int, tried.integers)))
    if tried.floats is not None:
        parts.append("floating-point numbers {:.6g} to {:.6g}".format(*tried.floats))
    if tried.known:
        parts.append(f"{tried.constants} of {tried.known} constants at and around those of the sources")
    out = f"  tried: {', '.join(parts)}\n" if parts else ""
    if tried.faults:
        out += f"  left out: {_vectors(tried.faults)} on which the original faults, the first with: {tried.first}\n"
    if tried.timeouts:
        out += f"  left out: {_vectors(tried.timeouts)} on which the original runs too long\n"
    return out


def _vectors(number: int) -> str:
    return f"{number} vector{'s' * (number != 1)}"


# ------------------------------------------------------------------------------------ rewrite


def rewrite(shape: Shape) -> str:
    """What became of each group of arrays."""
    out = []
    for file in in_lines(shape["files"]):
        if "error" in file:
            out.append(broken(file))
            continue
        state = "rewritten" if file["changed"] else "unchanged"
        out.append(f"{file['path']}: {state}{' -> ' + file['output'] if file['output'] not in (None, '-') else ''}\n")
        for item in file["outcomes"]:
            style = f" ({item['style']})" if item["style"] else ""
            reason = f": {item['reason']}" if item["reason"] else ""
            out.append(f"  {', '.join(item['arrays'])}: {item['status']}{style}{reason}\n")
        out += [_crossbar(item) for item in file["crossbars"]]
    return "".join(out)


def _crossbar(item: Shape) -> str:
    """What bank-centric code costs: sites per bank, multiplexers."""
    where = f"  {item['function']}:{item['line']} {item['array']}: "
    if item["in_place"]:
        return f"{where}stays in place, {item['banks']} inputs: {item['in_place']}\n"
    inputs, levels = item["multiplexer_inputs"], item["lut_levels"]
    return (
        f"{where}{item['accesses']} accesses in {item['loads_per_bank']} loads and {item['stores_per_bank']} stores"
        f" per bank and iteration; multiplexer inputs: address {inputs['address']}, value {inputs['value']},"
        f" store {inputs['store']}; about {levels['before']} + {levels['behind']} LUTs in a row,"
        f" {item['luts']} in all\n"
    )
