"""Groups that no way of writing serves: what their declarations and uses say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

from hlspart.frontend.hidden import hidden_uses
from hlspart.model.access import ArrayGroup
from hlspart.model.program import ArrayRef, ArrayType, Call, Function, Program, Variable, places
from hlspart.model.source import Origin
from hlspart.rewrite.plan import GroupRefusal
from hlspart.rewrite.uses import Use, Uses
from hlspart.semantics.effects import is_quiet

#: What takes values, also where it takes them by reference.
_LIBRARY = re.compile(r"(?:std|hls)\s*::\s*(?!(?:swap|exchange|tie|c?ref|move|forward|addressof)\b)|(?:max|min|abs)\b")


class Refusals(Struct, frozen=True, dict=True):
    """Asked of each variable of a group; None where nothing speaks against it."""

    program: Program
    uses: Uses

    @cached_property
    def hidden(self) -> Mapping[int, Origin]:
        """Arrays that text of another configuration names."""
        return hidden_uses(self.program)

    def of_declaration(self, variable: Variable) -> GroupRefusal | None:
        """Why the declarations of a variable cannot be changed."""
        given = self.program.given
        if variable.extern and variable.storage != "parameter":
            return GroupRefusal("extern", f"'{variable.name}' is defined in a file that is not given", variable.at)
        for declarator in variable.declarations:
            path = declarator.declarator.span.path
            if path not in given:
                return GroupRefusal("header", elsewhere(variable, path), declarator.name)
        if (refusal := member(variable)) is not None:
            return refusal
        if "::" in variable.name:  # its declaration says the last part alone
            return GroupRefusal("namespace", f"'{variable.name}' has a name that two namespaces declare", variable.at)
        function = self.program.functions.get(variable.function or "")
        if function is not None and function.name_at.kind != "plain" and variable.storage == "parameter":
            text = f"'{variable.name}' is a parameter of {function.name}, whose text stands for several functions"
            return GroupRefusal("template", text, variable.at)
        if variable.volatile:
            return GroupRefusal("volatile", f"'{variable.name}' is volatile", variable.at)
        instances = self.uses.instances.get(variable.function or "", 0)
        if instances > 1 or (instances and variable.reference):  # whose extents the template's arguments may come from
            return GroupRefusal(
                "template", f"'{variable.name}' is declared in the template {variable.function}", variable.at
            )
        if not isinstance(variable.type, ArrayType) and variable.storage != "parameter":
            return GroupRefusal("pointer", f"'{variable.name}' is a pointer", variable.at)
        return None

    def of_uses(self, group: ArrayGroup, variable: Variable) -> GroupRefusal | None:
        """Why a use of a variable cannot be changed."""
        reasons = {
            "row": ("partial-subscript", "a row of the array is handed on"),
            "address": ("address-taken", "its address is taken"),
            "whole": ("address-taken", "the array is used as a pointer"),
        }
        if variable.id in self.hidden:
            reason = f"'{variable.name}' is also named in text that #if leaves out, which would not fit the new code"
            return GroupRefusal("inactive", reason, self.hidden[variable.id])
        for hole in self.program.holes:  # a call there is not rewritten
            if variable.storage == "parameter" and (variable.function or "").partition("<")[0] in hole.names:
                reason = f"'{variable.function}' is also named in text that is not read"
                return GroupRefusal("opaque", reason, Origin(hole.at))
        whole = self.program.functions[variable.function].at.span if variable.function is not None else None
        for span in self.uses.unknown.get(variable.name, ()):
            if whole is None or (whole.path == span.path and whole.start <= span.start < whole.end):
                reason = f"what is done with '{variable.name}' here is not analysed"
                return GroupRefusal("opaque", reason, Origin(span))
        given = self.program.given
        for use in self.uses.by_variable.get(variable.id, ()):
            if self.uses.instances.get(use.function or "", 0) > 1:
                return GroupRefusal(
                    "template", f"{use.function} is one of several instances of a template", use.node.at
                )
            name = use.node.name if isinstance(use.node, ArrayRef) else use.node.at
            if name.editable and self.program.text(name) != variable.name:
                return GroupRefusal("namespace", f"'{variable.name}' is named with its namespace", use.node.at)
            if use.node.at.span.path not in given:
                reason = f"'{variable.name}' is used in {use.node.at.span.path}, which is not given: give it, too"
                return GroupRefusal("header", reason, use.node.at)
            if use.kind in reasons:
                code, reason = reasons[use.kind]
                return GroupRefusal(code, f"'{variable.name}': {reason}", use.node.at)
            at = use.node.at
            if at.kind in ("macro", "mixed"):
                return GroupRefusal(
                    "macro", f"'{variable.name}' is used inside the macro {at.macro or ''}".rstrip(), at
                )
            if use.kind == "argument":
                call = use.call
                assert call is not None
                formal = _formal(self.program, call, use.position or 0)
                if formal is None or formal not in group.members:
                    return GroupRefusal(
                        "extern-callee", f"'{variable.name}' is handed to {call.function or 'a pointer'}", call.at
                    )
            if use.kind == "element" and len(shared := _meanings(self.uses, use)) > 1:
                other = self.program.variable(next(iter(shared - {variable.id}))).name
                return GroupRefusal("macro", f"one macro argument means '{variable.name}' and '{other}'", use.node.at)
        return None

    def of_lent_elements(self, group: ArrayGroup) -> GroupRefusal | None:
        """An element that a call may take by C++ reference: the value that was loaded is another object."""
        for call, _ in self.uses.calls:
            if not self.program.is_cxx(call.at.span.path) or is_quiet(call.function or ""):
                continue
            callee = self.program.functions.get(call.function or "")
            if callee is not None:
                taken = "&" in self.program.text(callee.signature)
            else:
                taken = _LIBRARY.match(self.program.text(call.callee)) is None
            for arg in call.args if taken else ():
                if any(ref.variable in group.members for ref in places(arg)):
                    name = self.program.text(call.callee)
                    return GroupRefusal(
                        "reference", f"{name} may keep or change the element through a reference", arg.at
                    )
        return None


def member(variable: Variable) -> GroupRefusal | None:
    """Refusal of an array that is a member of an object, whose declaration is that of a class."""
    if "." not in variable.name:
        return None
    return GroupRefusal("struct-member", f"'{variable.name}' is declared in a class", variable.at)


def elsewhere(variable: Variable, path: str) -> str:
    """The words for a declaration outside of the given files."""
    return f"'{variable.name}' is declared in {path}, which is not given: give it, too"


def _meanings(uses: Uses, use: Use) -> frozenset[int]:
    span = (use.node.name if isinstance(use.node, ArrayRef) else use.node.at).span
    return uses.shared_spans[span.path, span.start, span.end]


def _formal(program: Program, call: Call, position: int) -> int | None:
    """The parameter that argument ``position`` of ``call`` becomes."""
    function: Function | None = program.functions.get(call.function or "")
    if function is None or position >= len(function.params):
        return None
    return function.params[position]
