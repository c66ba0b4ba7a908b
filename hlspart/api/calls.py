"""Where a kernel comes from, and what takes two of them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec.structs import replace

from hlspart.api.answers import AdviceAnswer, VerifyAnswer
from hlspart.api.kernel import Kernel, RewriteAnswer, checked
from hlspart.inputs import InputError, display_path, open_pipeline
from hlspart.model.options import AdviceOptions, FrontendOptions, Options, TargetOptions
from hlspart.pipeline import Pipeline

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
    return checked(open_pipeline([os.fspath(p) for p in paths], replace(options, frontend=front), config))


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

    return checked(Pipeline([name], _options(top, target, part, clock_ns, None, None, bank_model), read))


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
    allow_reassoc: bool = False,
    extents: Mapping[str, int] | None = None,
    timeout: float = 20.0,
    ports: bool = False,
) -> VerifyAnswer:
    """Compile both kernels, run them on the same data and compare; needs a C compiler.

    ``new``: a kernel, or a rewrite, whose map says which bank holds which element. ``map``: the same for a kernel.
    ``vectors``: number of inputs (None: as many as run in ``seconds``). ``allow_reassoc``: floats may differ by what
    both kernels round, as sums in another order do. ``ports``: count the accesses per bank and iteration of ``new``.
    Each kernel is one file.
    """
    import tempfile

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
                ulp=ulp, reassoc=allow_reassoc, map=map, extents=extents or {}, timeout=timeout,
                beside=original.program.units[0].beside, ports=original.target if ports else None,
            ),
        )  # fmt: skip
    return VerifyAnswer(original.paths[0], new.paths[0], result)


def advise(
    kernel: Kernel,
    files: str | None = None,
    *,
    pareto: bool = False,
    allow_reassoc: bool = False,
    new_ports: bool = False,
) -> AdviceAnswer:
    """For each pipelined loop the ways that make it faster, each written, read back and priced, the one to take first.

    ``files``: how the commands of the answer name the kernel (None: its paths). ``pareto``: all ways that no other
    beats. ``allow_reassoc``: sums of floats may change their order; ``new_ports``: the top function its signature.
    """
    options = AdviceOptions(pareto, allow_reassoc, new_ports)
    named = shlex.join(kernel.paths) if files is None else files
    return AdviceAnswer(kernel.pipelines, kernel.paths, tuple(p.advise(options) for p in kernel.pipelines), named)


def _on_disk(kernel: Kernel, folder: Path) -> str:
    """The one file of a kernel as it stands, in a file."""
    if len(kernel.paths) != 1:
        raise InputError("verify compares kernels of one file", usage=True)
    ((path, text),) = kernel.texts.items()
    folder.mkdir()
    place = folder / (os.path.basename(path) if "." in os.path.basename(path) else "kernel.c")
    place.write_bytes(text.encode("utf-8", "surrogateescape"))
    return str(place)
