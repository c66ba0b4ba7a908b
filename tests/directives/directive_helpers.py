"""Loading of kernels given as text."""

from __future__ import annotations

from hlspart.frontend import load
from hlspart.model.directives import Directive
from hlspart.model.options import FrontendOptions
from hlspart.model.program import Program


def program_of(files: dict[str, str] | str, *directive_files: str, defines: tuple[str, ...] = ()) -> Program:
    """The program of some texts; a plain text is ``k.c``. Directive files are among ``files``."""
    texts = {"k.c": files} if isinstance(files, str) else files

    def read(path: str) -> bytes:
        if path not in texts:
            raise FileNotFoundError(2, "No such file", path)
        return texts[path].encode()

    sources = [p for p in texts if p.endswith((".c", ".cpp"))]
    program = load(sources, FrontendOptions(defines=defines, directive_files=directive_files), read)
    assert all(unit.error is None for unit in program.units), [u.error for u in program.units]
    return program


def one(program: Program) -> Directive:
    """The only directive."""
    assert len(program.directives) == 1, program.directives
    return program.directives[0]
