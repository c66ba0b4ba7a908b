"""Inference: the least partition that lets pipelined loops reach their II, confirmed by the II check."""

from __future__ import annotations

from msgspec.structs import replace

from hlspart.banking.counting import BankModel
from hlspart.infer.emitted import Writer, settled
from hlspart.infer.hints import with_hints
from hlspart.infer.inference import Inference
from hlspart.infer.pareto import pareto
from hlspart.infer.size import is_large, unsearched
from hlspart.model.access import AccessAnalysis
from hlspart.model.inferred import InferResult
from hlspart.model.options import InferOptions
from hlspart.model.program import Program
from hlspart.model.results import IIResult, Validation
from hlspart.partition import validate
from hlspart.targets import Target

__all__ = [
    "Inference",
    "at_once",
    "demand",
    "emission",
    "emitted",
    "infer",
    "size",
]


def infer(
    program: Program,
    analysis: AccessAnalysis,
    validation: Validation,
    target: Target,
    options: InferOptions,
    writer: Writer,
    bank_model: BankModel = "static",
    known: IIResult | None = None,
) -> InferResult:
    """Partition every array that a pipelined loop touches (with none pipelined: an innermost loop).

    ``writer``: writes a proposal and reads it back; the II of proposals, those of ``options.pareto`` too, is that
    of their text, and none makes a loop or function slower. ``bank_model`` decides when a pragma serves:
    ``static`` as a real tool counts, ``ideal`` by true conflicts. ``known``: the prediction for the program as it
    is, where there is one.
    """

    def prepared(of: Program, opts: InferOptions) -> Inference:
        if of is program:
            return Inference(of, analysis, validation, target, opts, bank_model, known)
        return Inference(
            of,
            analysis,
            validate(of, analysis, bank_model, target.argument_storage),
            target,
            opts,
            bank_model,
        )

    if known is not None and (large := unsearched(known, options)) is not None:
        return large
    inference = prepared(program, options)
    if (large := unsearched(inference.first, options)) is not None:
        return large
    if options.pareto:
        return pareto(lambda opts: settled(prepared(program, opts), writer).result, options)
    proposal = settled(inference, writer)
    result = replace(proposal.result, work=inference.work)
    return (
        with_hints(inference, replace(proposal, result=result), lambda of: prepared(of, options))
        if options.hints
        else result
    )


def at_once(
    program: Program,
    analysis: AccessAnalysis,
    validation: Validation,
    target: Target,
    options: InferOptions,
    bank_model: BankModel,
    known: IIResult,
) -> InferResult | None:
    """The first proposal alone, confirmed; None where a directive would be refused, or the program is large."""
    if is_large(known):
        return None
    return Inference(program, analysis, validation, target, options, bank_model, known).at_once()
