"""The library: what the commands do, as calls. ``import hlspart`` gives these names; docs/api.md shows them at work.

A :class:`Kernel` is some files under some options. Its methods return answers: records with ``to_json()``, the
document that the command prints with ``--format json``, ``str()``, the text that it prints on a terminal, and a
table for notebooks. Nothing is written to a file, and nothing is changed in place.
"""

from __future__ import annotations

import os
import tempfile
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hlspart.inputs import InputError, display_path, open_pipeline
from hlspart.model.options import FrontendOptions, InferOptions, Options, RewriteOptions, TargetOptions
from hlspart.pipeline import Pipeline
from hlspart.programs import programs
from hlspart.render import notebook, shapes

if TYPE_CHECKING:
    from hlspart.layouts.layout import Layout
    from hlspart.lint import LintConfig
    from hlspart.model.access import Access, AccessAnalysis
    from hlspart.model.diagnostics import Diagnostic
    from hlspart.model.linting import LintReport
    from hlspart.model.program import Program, Variable
    from hlspart.model.results import ArrayResult, IIResult, InferredArray, InferredLoop, InferResult, LoopResult
    from hlspart.model.rewriting import GroupOutcome, RewriteResult
    from hlspart.model.verifying import VerifyResult
    from hlspart.targets import Target

__all__ = [
    "AccessAnswer", "Answer", "BankMap", "IIAnswer", "InferAnswer", "InputError", "Kernel", "LintAnswer",
    "RewriteAnswer", "VerifyAnswer", "bank_map", "open", "parse", "verify",
]  # fmt: skip

PathLike = str | os.PathLike[str]


def open(
    path: PathLike | Sequence[PathLike],
    *,
    top: str | None = None,
    target: str | None = None,
    part: str | None = None,
    clock_ns: float | None = None,
    uncertainty: str | None = None,
    flow: Literal["vivado", "vitis"] | None = None,
    defines: Sequence[str] = (),
    include_dirs: Sequence[PathLike] = (),
    directives: Sequence[PathLike] = (),
    language: Literal["c", "c++"] | None = None,
    bank_model: Literal["static", "ideal"] = "static",
    config: str | None = None,
) -> Kernel:
    """The kernel in some files; the parameters are the options of the commands.

    ``path``: C or C-like C++, an hls_config.cfg or a Tcl project, or several of these. ``target``: a tool such as
    "vitis-2022.2", or a profile of one's own, "acme.toml". ``clock_ns``: period. ``uncertainty``: "0.5ns" or "27%".
    ``defines``: "NAME" or "NAME=value". Raises :class:`InputError` for what cannot be read.
    """
    paths = [path] if isinstance(path, str | os.PathLike) else list(path)
    options = _options(top, target, part, clock_ns, uncertainty, flow, bank_model)
    front = FrontendOptions(
        defines=tuple(defines),
        include_dirs=tuple(display_path(os.fspath(p)) for p in include_dirs),
        directive_files=tuple(display_path(os.fspath(p)) for p in directives),
        language=language,
    )
    return _checked(open_pipeline([os.fspath(p) for p in paths], replace(options, frontend=front), config))


def parse(
    text: str,
    name: str = "kernel.c",
    *,
    top: str | None = None,
    target: str | None = None,
    part: str | None = None,
    clock_ns: float | None = None,
    bank_model: Literal["static", "ideal"] = "static",
) -> Kernel:
    """The kernel in ``text``, which stands in no file; ``name`` is what places in it are called."""
    from hlspart.reading import read_file

    def read(path: str) -> bytes:
        return text.encode("utf-8", "surrogateescape") if path == name else read_file(path)

    return _checked(Pipeline([name], _options(top, target, part, clock_ns, None, None, bank_model), read))


def _options(
    top: str | None,
    target: str | None,
    part: str | None,
    clock_ns: float | None,
    uncertainty: str | None,
    flow: Literal["vivado", "vitis"] | None,
    bank_model: Literal["static", "ideal"],
) -> Options:
    own = target is not None and target.endswith(".toml")
    return Options(
        target=TargetOptions(
            part=part,
            tool=None if own else target,
            clock_ns=clock_ns,
            uncertainty=uncertainty,
            flow=flow,
            target_file=target if own else None,
        ),
        top=top,
        bank_model=bank_model,
    )


def _checked(pipeline: Pipeline) -> Kernel:
    """Raises InputError for what the commands call unusable."""
    from hlspart.targets import TargetError

    try:
        _ = pipeline.target
    except TargetError as error:
        raise InputError(str(error)) from None
    kernel, top = Kernel.of(pipeline), pipeline.options.top
    units = (unit for p in kernel.pipelines for unit in p.program.units)
    broken = tuple(unit.error for unit in units if unit.error is not None)
    if broken:
        raise InputError(str(broken[0]), broken)
    if top is not None and top not in kernel.functions:
        names = ", ".join(kernel.functions) or "none"
        raise InputError(f"no function {top!r} in the given files; they define {names}", usage=True)
    return kernel


class Answer:
    """What a call found, in the forms that a command prints."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The document that the command prints with ``--format json``."""

    @abstractmethod
    def __str__(self) -> str:
        """The text that the command prints."""

    @abstractmethod
    def _repr_html_(self) -> str:
        """A table for notebooks."""


@dataclass(frozen=True, repr=False)
class AccessAnswer(Answer, Sequence["Access"]):
    """Every array access of a kernel: a sequence of :class:`hlspart.model.access.Access`."""

    of: Kernel
    analyses: tuple[AccessAnalysis, ...]  # of each program

    @cached_property
    def accesses(self) -> tuple[Access, ...]:
        """The records, program after program."""
        return tuple(a for analysis in self.analyses for a in analysis.accesses)

    def __len__(self) -> int:
        return len(self.accesses)

    def __getitem__(self, index: Any) -> Any:
        return self.accesses[index]

    def to_json(self, paths: Sequence[str] | None = None) -> dict[str, Any]:
        """``hlspart.accesses/1``; ``paths``: of these files."""
        shown = self.of.paths if paths is None else paths
        found = zip(self.of.pipelines, self.analyses, strict=True)
        return shapes.joined([shapes.accesses(p.program, analysis, shown) for p, analysis in found], shown)

    def text(self, paths: Sequence[str] | None = None) -> str:
        """The text of ``hlspart accesses``."""
        from hlspart.render import text

        return text.accesses(self.to_json(paths))

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return notebook.accesses(self.to_json())


@dataclass(frozen=True, repr=False)
class IIAnswer(Answer):
    """The II, depth and latency of every loop, and the memory of every array."""

    of: Kernel
    results: tuple[IIResult, ...]  # of each program

    @property
    def loops(self) -> tuple[LoopResult, ...]:
        """One record a loop, with what limits it."""
        return tuple(x for result in self.results for x in result.loops)

    @property
    def arrays(self) -> tuple[ArrayResult, ...]:
        """One record an array."""
        return tuple(x for result in self.results for x in result.arrays)

    def loop(self, name: str) -> LoopResult:
        """The loop of this label or name, or ``function/name``. Raises KeyError."""
        for item in self.loops:
            if name in (item.name, f"{item.function}/{item.name}", *item.flattened):
                return item
        raise KeyError(f"no loop {name!r}; loops are {', '.join(x.name for x in self.loops) or 'none'}")

    def to_json(self, paths: Sequence[str] | None = None) -> dict[str, Any]:
        """``hlspart.ii/1``; ``paths``: of these files."""
        shown = self.of.paths if paths is None else paths
        found = zip(self.of.pipelines, self.results, strict=True)
        return shapes.joined([shapes.ii(p.program, p.analysis, result, shown) for p, result in found], shown)

    def text(self, paths: Sequence[str] | None = None) -> str:
        """The text of ``hlspart ii``."""
        from hlspart.render import ii

        return ii.text(self.to_json(paths))

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return notebook.ii(self.to_json())


@dataclass(frozen=True, repr=False)
class InferAnswer(Answer):
    """The least partition that reaches the target II, with a proof where there is one."""

    of: Kernel
    results: tuple[tuple[Pipeline, InferResult], ...]  # of each program

    @property
    def arrays(self) -> tuple[InferredArray, ...]:
        """One record an array group: banks, pragmas, lower bound, reason."""
        return tuple(x for _, result in self.results for x in result.arrays)

    @property
    def loops(self) -> tuple[InferredLoop, ...]:
        """One record a loop: II before and after."""
        return tuple(x for _, result in self.results for x in result.loops)

    @property
    def pragmas(self) -> tuple[str, ...]:
        """The directives of the arrays, as lines."""
        return tuple(line for array in self.arrays for line in array.pragmas)

    def kernel(self) -> Kernel:
        """The kernel with the pragmas written into its text."""
        from hlspart.infer import emission

        texts: dict[str, str] = {}
        for pipeline, result in self.results:
            texts = {**emission.pragma_texts(pipeline.program, result), **texts}
        return self.of.with_texts(texts)

    def layout(self, array: str) -> Layout | None:
        """The layout that was found for an array; None where it stays whole. Raises KeyError for an unknown name."""
        from hlspart.partition import chosen_layout

        for pipeline, result in self.results:
            for item in result.arrays:
                if array in (item.name, f"{item.function}.{item.name}"):
                    return chosen_layout(pipeline.program, item)
        raise KeyError(f"no array {array!r}; arrays are {', '.join(x.name for x in self.arrays) or 'none'}")

    def bank_map(self, array: str) -> BankMap:
        """Which element lies in which bank. Raises KeyError for an array that is not partitioned."""
        layout = self.layout(array)
        if layout is None:
            raise KeyError(f"{array!r} is not partitioned")
        return bank_map(array, layout, "as inferred")

    def to_json(self, paths: Sequence[str] | None = None) -> dict[str, Any]:
        """``hlspart.infer/1``; ``paths``: of these files."""
        shown = self.of.paths if paths is None else paths
        return shapes.joined([shapes.infer(p.program, p.analysis, r, shown) for p, r in self.results], shown)

    def text(self, paths: Sequence[str] | None = None) -> str:
        """The text of ``hlspart infer``."""
        from hlspart.render import text

        return text.infer(self.to_json(paths))

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return notebook.infer(self.to_json())


@dataclass(frozen=True, repr=False)
class RewriteAnswer(Answer):
    """Banked C. ``outputs``: where a command writes each file ("-": standard output)."""

    of: Kernel
    result: RewriteResult
    outputs: Mapping[str, str] = field(default_factory=dict)

    @property
    def texts(self) -> Mapping[str, str]:
        """The new text of each file."""
        return self.result.files

    @property
    def outcomes(self) -> tuple[GroupOutcome, ...]:
        """What became of each group of arrays: rewritten, kept, or refused with a reason and a place."""
        return self.result.outcomes

    @property
    def map(self) -> dict[str, Any]:
        """``hlspart.map/1``: old line <-> new line, banks and parameters."""
        return self.result.map_json()

    def kernel(self) -> Kernel:
        """The rewritten kernel."""
        return self.of.with_texts(self.texts)

    def to_json(self) -> dict[str, Any]:
        """``hlspart.rewrite/1``."""
        p = self.of.pipeline
        return shapes.rewrite(p.program, p.analysis, p.validation, self.result, self.outputs)

    def __str__(self) -> str:
        from hlspart.render import text

        return text.rewrite(self.to_json())

    def _repr_html_(self) -> str:
        return notebook.rewrite(self.to_json())


@dataclass(frozen=True, repr=False)
class LintAnswer(Answer, Sequence["Diagnostic"]):
    """The findings of the lint rules: a sequence of :class:`hlspart.model.diagnostics.Diagnostic`."""

    report: LintReport

    def __len__(self) -> int:
        return len(self.report.diagnostics)

    def __getitem__(self, index: Any) -> Any:
        return self.report.diagnostics[index]

    def to_json(self) -> dict[str, Any]:
        """``hlspart.lint/1``."""
        from hlspart.render.lint import contract

        return contract.shape(self.report)

    def __str__(self) -> str:
        from hlspart.render.lint import text

        return text.render(self.report)

    def _repr_html_(self) -> str:
        return notebook.lint(self.to_json())


@dataclass(frozen=True, repr=False)
class VerifyAnswer(Answer):
    """Two kernels on the same data: equal, or the first difference. True where they are equal."""

    original: str
    new: str
    result: VerifyResult

    def __bool__(self) -> bool:
        return self.result.status == "equal"

    def to_json(self) -> dict[str, Any]:
        """``hlspart.verify/1``."""
        return shapes.verify(self.original, self.new, self.result)

    def __str__(self) -> str:
        from hlspart.render import text

        return text.verify(self.original, self.new, self.result)

    def _repr_html_(self) -> str:
        return notebook.verify(self.to_json())


@dataclass(frozen=True)
class BankMap:
    """Which element lies in which bank: ``rows`` are the last two dimensions, the leading indices at 0.

    One dimension is cut into rows (``wrapped``); large arrays show a corner. ``note`` says so.
    """

    array: str
    banks: int
    rows: tuple[tuple[int, ...], ...]
    note: str
    wrapped: bool = False

    def to_json(self) -> dict[str, Any]:
        """The same as a dictionary."""
        return {"array": self.array, "banks": self.banks, "rows": [list(r) for r in self.rows], "note": self.note}

    def _repr_html_(self) -> str:
        from hlspart.render import svg

        return svg.bank_map(self.rows, self.note, self.wrapped)


_LARGEST = 128  # rows and columns of a bank map; beyond that, one corner is shown


def bank_map(array: str, layout: Layout, which: str) -> BankMap:
    """The bank map of a layout; ``which`` ends the name of the array in the note."""
    shape = layout.shape
    lead = len(shape) - 2
    note = f"{array}{''.join(f'[{s}]' for s in shape)} {which}: {layout.banks} banks"
    if lead < 0:
        columns = min(32 if shape[0] <= 1024 else 64, shape[0])
        shown = min(shape[0], columns * columns)
        banks = [layout.bank((x,)) for x in range(shown)]
        pieces = tuple(tuple(banks[k : k + columns]) for k in range(0, shown, columns))
        note += f", the first {shown} elements" if shown < shape[0] else ""
        return BankMap(array, layout.banks, pieces, note, True)
    rows, columns = shape[-2:]
    part = min(rows, _LARGEST), min(columns, _LARGEST)
    cells = tuple(tuple(layout.bank((*([0] * lead), y, x)) for x in range(part[1])) for y in range(part[0]))
    if part != (rows, columns):
        note += f", the first {part[0]} x {part[1]} elements"
    if lead > 0:
        note += ", leading indices 0"
    return BankMap(array, layout.banks, cells, note)


@dataclass(frozen=True, eq=False)
class Kernel:
    """Some files under some options. Every answer is computed once.

    Files that do not use each other are programs of their own, see :attr:`programs`; a variable's number in a record
    is one of its program.
    """

    pipeline: Pipeline  # all files as one program
    pipelines: tuple[Pipeline, ...]  # of each program

    @staticmethod
    def of(pipeline: Pipeline) -> Kernel:
        """The programs that the files of ``pipeline`` make up."""
        found = programs(pipeline.paths, pipeline.options, pipeline.reader)
        parts = tuple(Pipeline(paths, pipeline.options, pipeline.reader) for paths in found)
        return Kernel(pipeline, parts if len(parts) > 1 else (pipeline,))

    def __repr__(self) -> str:
        return f"<Kernel {', '.join(self.paths)}>"

    @property
    def programs(self) -> tuple[Kernel, ...]:
        """Each program as a kernel."""
        return tuple(Kernel(p, (p,)) for p in self.pipelines)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, as they are named in every answer."""
        return self.pipeline.paths

    @property
    def program(self) -> Program:
        """The files as records, see hlspart/model/program.py."""
        return self.pipeline.program

    @property
    def target(self) -> Target:
        """Tool, device and clock that are predicted for."""
        return self.pipeline.target

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions."""
        return tuple(name for p in self.pipelines for name in p.program.functions)

    @property
    def arrays(self) -> tuple[Variable, ...]:
        """The arrays."""
        return tuple(v for p in self.pipelines for v in p.program.arrays())

    @property
    def texts(self) -> Mapping[str, str]:
        """The text of each file."""
        units = (u for p in self.pipelines for u in p.program.units)
        return {u.path: u.source.text for u in units if u.source is not None}

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What reading the files has found: headers that are not there, pragmas that cannot be read."""
        return tuple(d for p in self.pipelines for d in p.program.diagnostics)

    @property
    def accesses(self) -> AccessAnswer:
        """Every array access: affine map, domain, range, count."""
        from hlspart.poly import through_rows

        return AccessAnswer(self, tuple(through_rows(p.program, p.analysis) for p in self.pipelines))

    def ii(self) -> IIAnswer:
        """II, depth and latency of every loop, and what limits them."""
        return IIAnswer(self, tuple(p.ii for p in self.pipelines))

    def infer(
        self,
        target_ii: int | None = None,
        *,
        arrays: Sequence[str] = (),
        ports: int | None = None,
        max_banks: int | None = None,
        scheme: Literal["auto", "pragma", "any"] = "auto",
        objective: Literal["banks", "bram", "lut"] = "banks",
        pow2: bool = False,
        keep: bool = False,
        effort: int = 1,
    ) -> InferAnswer:
        """The least partition with which every loop reaches ``target_ii`` (None: its own target, else 1).

        ``arrays``: names of those to look at (none: all). Raises :class:`InputError` for a name that no array has.
        """
        return self.infer_with(
            InferOptions(
                target_ii=target_ii, ports=ports, arrays=tuple(arrays), scheme=scheme, max_banks=max_banks,
                pow2=pow2, keep=keep, effort=effort, objective=objective, hints=True,
            )
        )  # fmt: skip

    def infer_with(self, options: InferOptions) -> InferAnswer:
        """The same with a record of options."""
        known = {v.name for v in self.arrays}
        for name in options.arrays:
            if name not in known:
                names = ", ".join(sorted(known)) or "none"
                raise InputError(f"no array {name!r}; arrays are {names}", usage=True)
        return InferAnswer(self, tuple((p, p.infer(options)) for p in self.pipelines))

    def rewrite(
        self,
        *,
        infer: bool = False,
        style: Literal["auto", "split", "bankdim", "crossbar"] = "auto",
        dynamic: Literal["reject", "bankdim", "crossbar"] = "reject",
        split_top: bool = False,
        unroll: bool = False,
        clone: bool = False,
        split_struct: bool = False,
        dialect: Literal["c", "hls-library"] = "c",
    ) -> RewriteAnswer:
        """Banked C that behaves like the kernel; ``infer``: with the partitions that are found."""
        options = RewriteOptions(style, dynamic, infer, split_top, unroll, clone, split_struct, dialect)
        return self.rewrite_with(options)

    def rewrite_with(self, options: RewriteOptions) -> RewriteAnswer:
        """The same with a record of options."""
        result = self.pipeline.rewrite(options)
        return RewriteAnswer(self, result, {p: "-" for p in result.files if p in self.program.sources})

    def lint(self, config: LintConfig | None = None) -> LintAnswer:
        """The findings of the lint rules about the pragmas and what they achieve."""
        from hlspart.lint.engine import merged

        reports = [p.lint(config) for p in self.pipelines]
        return LintAnswer(reports[0] if len(reports) == 1 else merged(self.paths, reports))

    def bank_map(self, array: str, function: str | None = None) -> BankMap:
        """Which element lies in which bank with the partitions of the text. Raises KeyError."""
        from hlspart.partition import layout_of

        for p in self.pipelines:
            for variable in p.program.arrays():
                if variable.name == array and function in (None, variable.function):
                    layout = layout_of(p.validation, p.analysis, p.program, variable.id)
                    if layout is None:
                        raise KeyError(f"the extents of {array!r} are not known")
                    return bank_map(array, layout, "as written")
        raise KeyError(f"no array {array!r}; arrays are {', '.join(v.name for v in self.arrays) or 'none'}")

    def with_texts(self, texts: Mapping[str, str]) -> Kernel:
        """The same files and options, some files with another text. Raises :class:`InputError`."""
        return _checked(self.pipeline.with_texts(texts))


def verify(
    original: Kernel,
    new: Kernel | RewriteAnswer,
    *,
    map: Mapping[str, Any] | None = None,
    seed: int = 1,
    vectors: int | None = None,
    seconds: float = 4.0,
    value_range: tuple[float, float] | None = None,
    ulp: int = 0,
    extents: Mapping[str, int] | None = None,
    timeout: float = 20.0,
    ports: bool = False,
) -> VerifyAnswer:
    """Compile both kernels, run them on the same data and compare; needs a C compiler.

    ``new``: a kernel, or a rewrite, whose map says which bank holds which element. ``map``: the same for a kernel.
    ``vectors``: number of inputs (None: as many as run in ``seconds``). ``ports``: count the accesses per bank and
    iteration of ``new``. Each kernel is one file.
    """
    from hlspart.verification import VerifyOptions
    from hlspart.verification import verify as compare

    if isinstance(new, RewriteAnswer):
        map, new = new.map if map is None else map, new.kernel()
    options = original.pipeline.options
    with tempfile.TemporaryDirectory(prefix="hlspart-") as folder:
        first, second = (_on_disk(kernel, Path(folder) / str(k)) for k, kernel in enumerate((original, new)))
        beside = tuple(os.path.dirname(p) or "." for k in (original, new) for p in k.paths)
        front = replace(options.frontend, include_dirs=(*dict.fromkeys(beside), *options.frontend.include_dirs))
        result = compare(
            first,
            second,
            VerifyOptions(
                top=options.top, frontend=front, seed=seed, vectors=vectors, seconds=seconds, value_range=value_range,
                ulp=ulp, map=map,
                extents=extents or {}, timeout=timeout, ports=original.target if ports else None,
            ),
        )  # fmt: skip
    return VerifyAnswer(original.paths[0], new.paths[0], result)


def _on_disk(kernel: Kernel, folder: Path) -> str:
    """The one file of a kernel as it stands, in a file."""
    if len(kernel.paths) != 1:
        raise InputError("verify compares kernels of one file", usage=True)
    ((path, text),) = kernel.texts.items()
    folder.mkdir()
    place = folder / (os.path.basename(path) if "." in os.path.basename(path) else "kernel.c")
    place.write_bytes(text.encode("utf-8", "surrogateescape"))
    return str(place)
