"""A kernel, and the answers from which one gets another kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field

from hlspart.api.answers import AccessAnswer, Answer, BankMap, IIAnswer, LintAnswer, bank_map
from hlspart.api.changes import Change, transformed
from hlspart.api.exploration import Explores
from hlspart.included import where_included
from hlspart.inputs import InputError
from hlspart.model.options import BufferOptions, InferOptions, RewriteOptions
from hlspart.pipeline import Pipeline
from hlspart.programs import programs
from hlspart.render import notebook, shapes

if TYPE_CHECKING:
    from hlspart.layouts.layout import Layout
    from hlspart.lint import LintConfig
    from hlspart.model.blocked import Kind, Propagation
    from hlspart.model.buffers import Buffer, Shared
    from hlspart.model.diagnostics import Diagnostic
    from hlspart.model.inferred import InferredArray, InferredLoop, InferResult
    from hlspart.model.program import Program, Variable
    from hlspart.model.rewriting import GroupOutcome, RewriteResult
    from hlspart.targets import Target


class InferAnswer(Answer, Struct, frozen=True):
    """The least partition that reaches the target II, with a proof where there is one."""

    of: Kernel
    results: tuple[tuple[Pipeline, InferResult], ...]  # of each program
    options: InferOptions

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
        """The kernel with the pragmas written into its text. Raises InputError where that cannot be written."""
        written = [p.annotated(r) for p, r in reversed(self.results)]
        for _, said in written:
            if said:
                raise InputError(str(said[0]), said)
        return self.of.with_texts({path: text for texts, _ in written for path, text in texts.items()})

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
        shown, options = self.of.paths if paths is None else paths, self.options
        parts = [(p, r, p.advice if options.usual else ()) for p, r in self.results]
        return shapes.joined([shapes.infer(p.program, p.analysis, r, shown, w, options) for p, r, w in parts], shown)

    def text(self, paths: Sequence[str] | None = None) -> str:
        """The text of ``hlspart infer``."""
        from hlspart.render import text

        return text.infer(self.to_json(paths))

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return notebook.infer(self.to_json())


class RewriteAnswer(Answer, Struct, frozen=True):
    """Banked C. ``outputs``: where a command writes each file ("-": standard output)."""

    of: Kernel
    results: tuple[RewriteResult, ...]  # of each program
    outputs: Mapping[str, str] = field(default_factory=dict)

    @property
    def texts(self) -> Mapping[str, str]:
        """The new text of each file."""
        return {path: text for result in self.results for path, text in result.files.items()}

    @property
    def outcomes(self) -> tuple[GroupOutcome, ...]:
        """What became of each group of arrays: rewritten, kept, or refused with a reason and a place."""
        return tuple(o for result in self.results for o in result.outcomes)

    @property
    def findings(self) -> bool:
        """Whether a group was refused, or nothing found to write for a loop that misses its target."""
        return any(result.findings for result in self.results)

    @property
    def map(self) -> dict[str, Any]:
        """``hlspart.map/1``: old line <-> new line, banks and parameters."""
        maps = [result.map_json() for result in self.results]
        return {**maps[0], **{key: [x for m in maps for x in m[key]] for key in ("files", "arrays")}}

    def kernel(self) -> Kernel:
        """The rewritten kernel."""
        return self.of.with_texts(self.texts)

    def to_json(self) -> dict[str, Any]:
        """``hlspart.rewrite/1``."""
        pairs = zip(self.of.pipelines, self.results, strict=True)
        shown = [shapes.rewrite(p.program, p.analysis, p.validation, r, self.outputs) for p, r in pairs]
        return shapes.joined(shown, self.of.paths)

    def __str__(self) -> str:
        from hlspart.render import text

        return text.rewrite(self.to_json())

    def _repr_html_(self) -> str:
        return notebook.rewrite(self.to_json())


class BuffersAnswer(Answer, Struct, frozen=True):
    """On-chip arrays that share memory, and C in which they do."""

    of: Kernel
    results: tuple[Shared, ...]  # of each program

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        """One record an array: lifetime, bytes, place, or why it shares with none."""
        return tuple(b for result in self.results for b in result.sharing.buffers)

    @property
    def texts(self) -> Mapping[str, str]:
        """The new text of each file."""
        return {path: text for result in self.results for path, text in result.files.items()}

    def kernel(self) -> Kernel:
        """The kernel whose arrays share memory."""
        return self.of.with_texts(self.texts)

    def to_json(self, paths: Sequence[str] | None = None) -> dict[str, Any]:
        """``hlspart.buffers/1``; ``paths``: of these files."""
        shown = self.of.paths if paths is None else paths
        pairs = zip(self.of.pipelines, self.results, strict=True)
        return shapes.joined([shapes.buffers(p.program, p.analysis, result, shown) for p, result in pairs], shown)

    def text(self, paths: Sequence[str] | None = None, steps: bool = False) -> str:
        """The text of ``hlspart buffers``; ``steps``: with the step table."""
        from hlspart.render import buffers

        return buffers.render(self.to_json(paths), steps)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return notebook.buffers(self.to_json())


class LayoutAnswer(Answer, Struct, frozen=True):
    """Layouts of the nests and arrays of one function. ``texts``: C that has them; None where it cannot be written."""

    of: Kernel
    result: Propagation
    texts: Mapping[str, str] | None

    def kernel(self) -> Kernel:
        """The kernel in its new layouts. Raises InputError where that cannot be written."""
        if self.texts is None:
            raise InputError("these layouts cannot be written")
        return self.of.with_texts(self.texts)

    def to_json(self) -> dict[str, Any]:
        """``hlspart.layout/1``."""
        p = self.of.pipeline
        tied = shapes.groups(p.program, p.analysis)
        return shapes.document("hlspart.layout/1", p.program, self.of.paths, lambda _: self.result.to_json(), tied)

    def __str__(self) -> str:
        from hlspart.render import layout

        return layout.render(self.to_json())

    def _repr_html_(self) -> str:
        return notebook.layout(self.to_json())


class Kernel(Explores, Struct, frozen=True, eq=False):
    """Some files under some options. Every answer is computed once.

    Files that do not use each other are :attr:`programs` of their own; a variable's number is one of its program.
    """

    pipeline: Pipeline  # all files as one program
    pipelines: tuple[Pipeline, ...]  # of each program

    @staticmethod
    def of(pipeline: Pipeline) -> Kernel:
        """The programs that the files of ``pipeline`` make up."""
        pipelines = programs(pipeline.paths, pipeline.options, pipeline.reader)
        parts = tuple(Pipeline(paths, pipeline.options, pipeline.reader) for paths in pipelines)
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
        return {u.path: u.source.text for p in self.pipelines for u in p.program.units if u.source is not None}

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What reading the files has found: headers that are not there, pragmas that cannot be read."""
        return tuple(d for p in self.pipelines for d in p.program.diagnostics)

    @property
    def accesses(self) -> AccessAnswer:
        """Every array access: affine map, domain, range, count."""
        from hlspart.accesses import through_rows

        apart = [p.apart for p in self.pipelines]
        return AccessAnswer(
            self.pipelines, self.paths, tuple(p for p, _ in apart), tuple(through_rows(p, a) for p, a in apart)
        )

    def ii(self) -> IIAnswer:
        """II, depth and latency of every loop, and what limits them."""
        return IIAnswer(read := tuple(map(where_included, self.pipelines)), self.paths, tuple(p.ii for p in read))

    def infer(
        self,
        target_ii: int | None = None,
        *,
        arrays: Sequence[str] = (),
        ports: int | None = None,
        max_banks: int | None = None,
        scheme: Literal["auto", "pragma", "any", "reuse"] = "auto",
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
        return InferAnswer(self, tuple((p, p.infer(options)) for p in self.pipelines), options)

    def rewrite(
        self,
        *,
        infer: bool = False,
        style: Literal[
            "auto", "split", "bankdim", "crossbar", "reuse", "interchange", "scalars", "dependences", "bundles"
        ] = "auto",
        dynamic: Literal["reject", "bankdim", "crossbar"] = "reject",
        split_top: bool = False,
        unroll: bool = False,
        clone: bool = False,
        split_struct: bool = False,
        dialect: Literal["c", "hls-library"] = "c",
        allow_reassoc: bool = False,
        scheme: Literal["auto", "any"] = "auto",
    ) -> RewriteAnswer:
        """C that behaves like the kernel, ``infer``: as found; ``allow_reassoc``: sums of floats in another order."""
        ways = (style, dynamic, infer, split_top, unroll, clone, split_struct, dialect, allow_reassoc)
        options = RewriteOptions(*ways, scheme=scheme)
        return self.rewrite_with(options)

    def rewrite_with(self, options: RewriteOptions) -> RewriteAnswer:
        """The same with a record of options."""
        results = tuple(p.rewrite(options) for p in self.pipelines)
        return RewriteAnswer(self, results, dict.fromkeys(self.texts, "-"))

    def buffers(self, granule: Literal["bram", "bytes"] = "bram", share: bool = True) -> BuffersAnswer:
        """On-chip arrays with disjoint lifetimes in shared memories; ``granule``: which memory counts first."""
        options = BufferOptions(granule, share)
        return BuffersAnswer(self, tuple(p.buffers(options) for p in self.pipelines))

    def layout(self, top: str, interface: Mapping[str, Kind] | None = None) -> LayoutAnswer:
        """Blocked layouts in the function ``top`` with the least conversions; ``interface``: of its arguments."""
        propagation, texts = self.pipeline.layout(top, interface or {})
        return LayoutAnswer(self, propagation, texts if isinstance(texts, dict) else None)

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

    def transform(self, change: Change) -> Kernel:
        """The kernel after a transformation such as :func:`unroll`. Raises :class:`InputError` where it is refused."""
        second = transformed(self.pipeline, change)
        return Kernel(second, (second,))

    def with_texts(self, texts: Mapping[str, str]) -> Kernel:
        """The same files and options, some files with another text. Raises :class:`InputError`."""
        return checked(self.pipeline.with_texts(texts))


def checked(pipeline: Pipeline) -> Kernel:
    """The kernel of a pipeline. Raises InputError for what the commands call unusable."""
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
    if top is not None and all(p.program.named(top) is None for p in kernel.pipelines):
        names = ", ".join(kernel.functions) or "none"
        raise InputError(f"no function {top!r} in the given files; they define {names}", usage=True)
    return kernel
