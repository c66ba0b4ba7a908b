"""What keeps the code a house: no cycles whatever, doors for packages, rooms of a size, names that are used once."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import syntax

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "hlspart"
MODULES = {
    ".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p
    for p in sorted(PACKAGE.rglob("*.py"))
    if not {"templates", "share"} & set(p.parts)
}
PACKAGES = {name for name, path in MODULES.items() if path.name == "__init__.py" and name.count(".") == 1}

MOST_LINES = 400
# longer modules, and why they are one
LONG = {
    "hlspart.frontend.declare": "declarators: one recursive grammar",
    "hlspart.frontend.express": "expressions: one match over the nodes of the parser",
    "hlspart.frontend.lower": "statements: one match over the nodes of the parser",
    "hlspart.frontend.parse": "the parser's input and its errors",
    "hlspart.infer.choice": "the choice for one demand and its relaxation",
    "hlspart.mars.codegen.emit": "the writer of one tile's code",
    "hlspart.mars.codegen.plan": "what one tile loads, computes and stores",
    "hlspart.mars.decompose": "one algorithm",
    "hlspart.pipeline": "the one story from paths to results",
    "hlspart.mars.layouts": "one algorithm",
    "hlspart.accesses.evaluate": "one interpreter: a case per expression",
    "hlspart.transform.inline": "one transformation",
    "hlspart.transform.members": "one transformation",
    "hlspart.sets.tiles": "one algorithm",
    "hlspart.render.shapes": "the JSON contract, one function per schema",
    "hlspart.rewrite.regions": "one planner",
    "hlspart.reports.reports": "the readers of three report formats",
    "hlspart.targets.target": "one question per fact of the profile",
    "hlspart.verification.ports": "one simulator",
}


MOST_OF_A_FUNCTION = 60  # lines of its body
# longer ones, and why they are one
LONG_FUNCTIONS = {
    "hlspart.accesses.counted._count_by": "one form of loop after the other",
    "hlspart.cli.explore.command": "an option a line, handed on",
    "hlspart.frontend.constants.value_of": "one match over expressions",
    "hlspart.frontend.cxx_collect._template": "one pass over the tokens of a template",
    "hlspart.frontend.cxx_members._function": "one pass over the tokens of a member function",
    "hlspart.lowering.values.value": "one match over expressions",
    "hlspart.partition.requests._evaluate": "one option of a directive after the other",
}


def tree(module: str) -> ast.Module:
    return syntax.tree(MODULES[module])


def nodes(module: str) -> tuple[ast.AST, ...]:
    return syntax.nodes(MODULES[module])


def imported(module: str) -> Iterator[tuple[str, str | None]]:
    """(module, name or None) of every import: in functions, and for types only, too."""
    for node in nodes(module):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield (whole, None) if whole in MODULES else (node.module or "", alias.name)


def package(module: str) -> str:
    return ".".join(module.split(".")[:2])


def exported(name: str) -> set[str]:
    """``__all__`` of a package."""
    for node in tree(name).body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return set(ast.literal_eval(node.value))
    return set()


def cycles(edges: list[tuple[str, str]]) -> list[list[str]]:
    graph: nx.DiGraph[str] = nx.DiGraph(edges)
    return sorted(sorted(c) for c in nx.strongly_connected_components(graph) if len(c) > 1)


def test_modules_import_each_other_in_no_circle_even_for_types_or_in_functions() -> None:
    edges = []
    for module in MODULES:
        for target, _ in imported(module):
            while target and target not in MODULES:
                target = target.rpartition(".")[0]
            if target.startswith("hlspart") and target != module:
                edges.append((module, target))
    assert len(edges) > 1500
    assert cycles(edges) == []
    assert cycles([*edges, ("hlspart.model.program", "hlspart.pipeline")]) != []


def test_packages_import_each_other_in_no_circle() -> None:
    edges = {
        (package(m), package(t))
        for m in MODULES
        for t, _ in imported(m)
        if t.startswith("hlspart.") and package(m) != "hlspart"
    }
    assert len(edges) > 100
    assert cycles([(a, b) for a, b in edges if a != b]) == []


def test_packages_are_entered_by_their_doors() -> None:
    """``__all__`` of a package: its functions, and the modules that others may import from."""
    wrong, seen, used = [], 0, defaultdict(set)
    for module in MODULES:
        for target, name in imported(module):
            door = package(target)
            if door not in PACKAGES or door == package(module):
                continue
            seen += 1
            entry = target.split(".")[2] if target.count(".") > 1 else name
            used[door].add(entry)
            if entry is not None and entry not in exported(door):
                wrong.append(f"{module} imports {target}{f'.{name}' if name else ''}: not in __all__ of {door}")
    assert wrong == []
    assert seen > 1000
    own = {p: {name for _, name in imported(p)} for p in PACKAGES}
    modules = {p: {n for n in exported(p) if f"{p}.{n}" in MODULES} - own[p] for p in PACKAGES}
    assert {p: names - used[p] for p, names in modules.items() if names - used[p]} == {}  # doors that nobody uses


def test_no_module_is_longer_than_one_reads_at_once() -> None:
    lengths = {name: len(path.read_text().splitlines()) for name, path in MODULES.items()}
    long = {name for name, lines in lengths.items() if lines > MOST_LINES}
    assert long - LONG.keys() == set(), f"more than {MOST_LINES} lines, and no reason in LONG"
    assert LONG.keys() - long == set(), "shorter by now"
    assert max(lengths.values()) <= 520


def test_functions_are_short() -> None:
    lengths = {}
    for module in MODULES:
        for node in nodes(module):
            if isinstance(node, ast.FunctionDef):
                first = node.body[ast.get_docstring(node) is not None :] or node.body
                name = f"{module}.{node.name}"
                lengths[name] = max(lengths.get(name, 0), (node.end_lineno or 0) - first[0].lineno + 1)
    long = {name for name, lines in lengths.items() if lines > MOST_OF_A_FUNCTION}
    assert len(lengths) > 4000
    assert long - LONG_FUNCTIONS.keys() == set(), (
        f"more than {MOST_OF_A_FUNCTION} lines, and no reason in LONG_FUNCTIONS"
    )
    assert LONG_FUNCTIONS.keys() - long == set(), "shorter by now"
    assert max(lengths.values()) <= 80


# children of expressions, a group for each kind of node that is rebuilt
CHILDREN = ({"left", "right"}, {"operand"}, {"test", "then", "other"}, {"indices"}, {"args"}, {"target", "value"})


def rebuilt(function: ast.FunctionDef) -> int:
    """How many kinds of expressions a function takes apart to build them with other children."""
    calls = [n for n in ast.walk(function) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    given = [{k.arg for k in n.keywords} for n in calls if isinstance(n.func, ast.Name) and n.func.id == "replace"]
    return sum(any(names & of for names in given) for of in CHILDREN)


def test_expressions_get_other_children_in_one_place() -> None:
    """``model/rebuild.py``; elsewhere a function may change one kind of node, or two, for a reason of its own."""
    kinds = {
        f"{module}.{node.name}": rebuilt(node)
        for module in MODULES
        if package(module) != "hlspart.model"
        for node in nodes(module)
        if isinstance(node, ast.FunctionDef)
    }
    assert {name: n for name, n in kinds.items() if n > 2} == {}
    assert sum(n > 0 for n in kinds.values()) > 5
    by_hand = ast.parse("def f(e):\n    replace(e, left=a)\n    replace(e, operand=a)\n    replace(e, args=a)").body[0]
    assert isinstance(by_hand, ast.FunctionDef) and rebuilt(by_hand) == 3


def test_class_names_are_used_once() -> None:
    places = defaultdict(list)
    for module in MODULES:
        for node in nodes(module):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module)
    assert len(places) > 250
    twice = {name for name, where in places.items() if len(where) > 1}
    assert twice == set(), "a name that another class has"


def test_an_inference_is_a_chain_of_records() -> None:
    """No part of it changes what another one knows: attributes are set where an object is made, and there alone."""
    changed, made = [], 0
    for module in (m for m in MODULES if package(m) == "hlspart.infer"):
        for method in (n for n in nodes(module) if isinstance(n, ast.FunctionDef)):
            for node in ast.walk(method):
                targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
                for target in (x for t in targets if t is not None for x in ast.walk(t)):
                    if isinstance(target, ast.Attribute) and isinstance(target.ctx, ast.Store):
                        if method.name == "__init__":
                            made += 1
                        else:
                            changed.append(f"{module}.{method.name}: {ast.unparse(target)}")
    assert changed == []
    assert made > 10


# words that only their author knew; docs/glossary.md has the field's
PRIVATE = {
    "hastened",
    "parted",
    "weighed",
    "unseen",
    "ported",
    "dealt",
    "behind_unrolling",
    "found",
    "told",
    "late",
    "beyond",
}


def test_names_are_the_terms_of_the_field() -> None:
    names: dict[str, str] = {}
    for module in MODULES:
        for node in nodes(module):
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.Name(id=name) | ast.arg(arg=name):
                    names[name.strip("_")] = module
                case ast.Attribute(attr=name):
                    names[name.strip("_")] = module
    assert len(names) > 4000
    private = {name for name in names if name in PRIVATE or PRIVATE & set(name.lower().split("_"))}
    assert {name: names[name] for name in private} == {}


# what a predicate begins with, beside verbs in the third person: `covers`, `may_wrap`, `boxes_meet`
ASKS = {"is", "are", "was", "has", "have", "had", "may", "can", "must", "do", "does", "did", "meet", "differ", "share"}


def reads_as_question(name: str) -> bool:
    words = name.strip("_").split("_")
    while len(words) > 1 and words[0] in ("only", "never", "always", "once", "all"):
        words = words[1:]
    verb = words[0].endswith("s") and not words[0].endswith("ss") and words[0] not in ("across", "always", "alias")
    return verb or any(word in ASKS for word in words)


def test_predicates_read_as_questions() -> None:
    """Functions and methods that say *whether*; properties and fields are adjectives as well: `loop.pipelined`."""
    wrong, seen = [], 0
    for module in MODULES:
        for node in nodes(module):
            if not isinstance(node, ast.FunctionDef) or node.returns is None or ast.unparse(node.returns) != "bool":
                continue
            if any("property" in ast.unparse(d) for d in node.decorator_list):
                continue
            if node.name.startswith("__") or not (ast.get_docstring(node) or "").startswith("Whether"):
                continue
            seen += 1
            if not reads_as_question(node.name):
                wrong.append(f"{module}.{node.name}")
    assert wrong == []
    assert seen > 400
    assert not reads_as_question("carried") and not reads_as_question("_same") and reads_as_question("_boxes_meet")
