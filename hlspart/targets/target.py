"""One target: a tool version, a device and a clock, ready to be asked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from hlspart.model.memories import MemoryRule
from hlspart.model.ports import Ports
from hlspart.targets.operators import SAME, likely_states, tiles, wide_states

REGISTERS = "registers"


class OperatorTime(Struct, frozen=True):
    """Timing of one operation.

    ``states``: control states it occupies (its latency + 1). ``in_ns``/``out_ns``: combinational
    time it needs in its first and last state (equal for an operation of one state).
    ``shared``: the tool lets several operations of one kind share a unit when II > 1.
    ``measured``: the figure was read off a synthesis report at this period, else estimated.
    ``delay_known``: its delay in a state was read off a schedule, else estimated.
    ``least``/``most``: fewest and most states that reports allow; 0: ``states``.
    ``by_invariant``: states of a division in a loop by what no iteration changes, where they are others.
    """

    states: int
    in_ns: float
    out_ns: float
    shared: bool
    measured: bool
    dsp: int = 0
    delay_known: bool = False
    least: int = 0
    most: int = 0
    by_invariant: int = 0


class Resources(Struct, frozen=True):
    """What a part holds; None where the part is not listed."""

    bram18k: int | None = None
    uram: int | None = None
    dsp: int | None = None
    lut: int | None = None
    ff: int | None = None


class Target(Struct, frozen=True, dict=True):
    """A tool version for a device at a clock. Times in ns, sizes in elements or bits as named.

    ``notes`` are sentences to print with every result (a fallback, an unlisted clock).
    """

    tool: str
    vendor: str
    part: str
    family: str
    clock_ns: float
    uncertainty_ns: float
    flow: Literal["vivado", "vitis"]
    resources: Resources
    notes: tuple[str, ...]
    profile: Mapping[str, Any]
    operators: Mapping[str, Mapping[str, Any]]
    shapes: tuple[tuple[int, int], ...]
    ultra: tuple[int, int, bool]  # of one UltraRAM: bits, words, and whether it takes initial values

    @property
    def kernels(self) -> bool:
        """Whether the flow makes kernels, which a host starts through registers."""
        return self.flow == "vitis"

    @property
    def effective_ns(self) -> float:
        """What of a period the scheduler may fill: the clock minus its uncertainty."""
        return self.clock_ns - self.uncertainty_ns

    # -------------------------------------------------------------------------- directives

    @property
    def partition_directive(self) -> bool:
        """Whether the tool knows ARRAY_PARTITION."""
        return bool(self.profile["directives"]["partition"])

    @property
    def bare_types(self) -> bool:
        """Whether ARRAY_PARTITION and ARRAY_RESHAPE take their type as a bare word only."""
        return bool(self.profile["directives"]["bare_types"])

    @property
    def control_bundle(self) -> str:
        """The bundle of s_axilite ports that name none."""
        return str(self.profile["directives"]["control_bundle"])

    @property
    def deprecated(self) -> frozenset[str]:
        """Directives, options of them and headers that the tool has no longer, or calls deprecated."""
        return frozenset(self.profile["directives"]["deprecated"])

    # --------------------------------------------------------------------------- memories

    def ports(self, storage: str) -> Ports:
        """Accesses per bank and cycle of a storage kind; an unknown kind is taken as a dual-port memory."""
        limits = self.profile["ports"].get(storage, self.profile["ports"]["auto"])
        return Ports(limits.get("reads"), limits.get("writes"), limits.get("total"))

    def port_names(self, storage: str) -> int | None:
        """Number of ports of one bank, for reports; None without a limit."""
        p = self.ports(storage)
        if p.total is not None:
            return p.total
        return None if p.reads is None or p.writes is None else p.reads + p.writes

    def load_states(self, storage: str, words: int = 0) -> int:
        """States of a load, the last of which delivers the data; ``words``: those of one bank."""
        table = self.profile["memory"]
        states = int(table["load"].get(storage, table["load"]["auto"]))
        deep = states > 1 and 0 < int(table["deep_words"]) < words
        return max(states, int(table["deep_load_states"])) if deep else states

    def bus_states(self, latency: int | None) -> tuple[int, int]:
        """States of a request and of a response at an m_axi port; ``latency``: that of INTERFACE, None without."""
        bus = self.profile["axi"]
        waits = max(0, (bus["latency"][self.flow] if latency is None else latency) - 1)
        return int(bus["request_states"]) + waits, int(bus["response_states"]) + waits

    @property
    def takes_variables(self) -> bool:
        """Whether options of directives may name variables, of which the constant that they hold counts."""
        return bool(self.profile["directives"]["variables"])

    def bursts(self, copy: bool) -> bool:
        """Whether reports show which plain loops, or those of a ``copy``, have their m_axi requests ahead of them."""
        return bool(self.profile["axi"]["copy_bursts" if copy else "bursts"])

    @property
    def plain_bursts(self) -> bool:
        """Whether a loop that is no nest makes a burst of a port that an iteration accesses once."""
        return bool(self.profile["axi"]["plain_bursts"])

    @property
    def modules_share_units(self) -> bool:
        """Whether operators of pipelined loops may stand outside of their modules, shared, with a state more."""
        return bool(self.profile["pipeline"]["modules_share_units"])

    @property
    def widest_port(self) -> int:
        """Bits to which the tool may widen an m_axi port by itself (UG1399, config_interface); 0: it does not."""
        return 512 if self.profile["axi"]["widens"][self.flow] else 0

    @property
    def requests_of_sole_loops(self) -> str:
        """Where the requests of a burst stand whose loop is all of its function: "inside", "outside", "possibly"."""
        return str(self.profile["axi"]["requests_of_sole_loops"])

    @property
    def requests_inside(self) -> bool:
        """Whether reports show which m_axi accesses make requests of their own in each iteration."""
        return bool(self.profile["axi"]["requests_inside"])

    @property
    def port_per_bank(self) -> bool:
        """Whether reports show a port for each bank of an m_axi array that a directive partitions."""
        return bool(self.profile["axi"]["port_per_bank"])

    @property
    def stores_alone(self) -> bool:
        """Whether a memory of two ports may take no other access beside a store."""
        return bool(self.profile["memory"]["stores_alone"])

    @property
    def store_states(self) -> int:
        """States of a store."""
        return int(self.profile["memory"]["store_states"])

    @property
    def axis_write_states(self) -> int:
        """States of a write at an axis port, by a function and not by a loop that is a module of its own."""
        return int(self.profile["memory"]["axis_write_states"])

    def memory_ns(self, what: Literal["mux", "select"]) -> float:
        """Delay of choosing among banks, of keeping an outer loop's value."""
        return float(self.profile["memory"][f"{what}_ns"])

    @property
    def _delays(self) -> Mapping[str, Any]:
        delays = self.profile["memory_delay"]
        figures: Mapping[str, Any] = delays.get(self.family) or delays[self.profile["default_family"]]
        return figures

    @property
    def scalar_ns(self) -> float:
        """Delay of writing a variable of the source that iterations hand on, in a loop that is a module."""
        return float(self._delays["scalar"])

    def stream_ns(self, storage: str) -> float:
        """Delay of reading or writing a stream: "fifo" or "axis"."""
        return float(self._delays["fifo"]) if storage == "fifo" else 0.0

    def access_ns(self, depth: int, bits: int) -> float:
        """Delay of a memory of ``depth`` words of ``bits`` in the states where address and data are handed over."""
        delays = self._delays
        if depth * bits <= int(self.profile["storage"]["lutram_bits"]):
            return float(delays["lutram"])
        if self.memories.is_uram(depth, bits):
            return float(delays["uram"])
        wide = bits > int(self.profile["storage"]["uram_deep_bits"])
        return float(delays["uram_deep" if self.resources.uram and depth > self.ultra[1] and wide else "bram"])

    def default_storage(self, role: Literal["local", "const", "interface"]) -> str:
        """Storage of an array that no directive binds."""
        key = f"interface_{self.flow}" if role == "interface" else role
        return str(self.profile["storage"][key])

    @property
    def argument_storage(self) -> str:
        """Storage of an array of a top function that no directive binds."""
        return self.default_storage("interface")

    @property
    def complete_threshold(self) -> int:
        """Local arrays with fewer elements become registers by themselves."""
        return int(self.profile["partition"]["complete_threshold"])

    @property
    def constant_index_threshold(self) -> int:
        """Local arrays of at most so many elements, indexed by constants only, become registers; 0: any size."""
        return int(self.profile["partition"]["constant_index_threshold"])

    @property
    def partitions_for(self) -> Literal["nothing", "pragmas", "unbound", "all"]:
        """Loops for whose II the tool may partition local arrays by itself.

        "pragmas": those with a directive, "unbound": all, but no array whose memory a directive binds.
        """
        value = self.profile["partition"]["throughput_driven"]
        return value if value in ("pragmas", "unbound", "all") else "nothing"

    @property
    def replicated_ports(self) -> int:
        """Ports of a local memory that the tool copies for its reads by itself; 0: it never does."""
        return int(self.profile["storage"]["replicated_ports"])

    @property
    def unaided(self) -> Target:
        """The target whose tool copies no memory and splits no array unasked: nothing to rely on for a promise."""
        storage = {**self.profile["storage"], "replicated_ports": 0}
        partition = {**self.profile["partition"], "throughput_driven": "nothing"}
        return replace(self, profile={**self.profile, "storage": storage, "partition": partition})

    @property
    def block_rule(self) -> Literal["ceil", "floor"]:
        """How the tool splits an extent that its block factor does not divide."""
        return "floor" if self.profile["partition"]["block"] == "floor" else "ceil"

    @cached_property
    def memories(self) -> MemoryRule:
        """What on-chip memories are built of."""
        storage = self.profile["storage"]
        ultra = int(storage["uram_bits"]) if self.resources.uram else None
        return MemoryRule(self.shapes, int(storage["lutram_bits"]), ultra, self.ultra[1])

    def uram(self, depth: int, bits: int) -> int:
        """UltraRAM blocks of one memory."""
        width, words, _ = self.ultra
        return math.ceil(bits / width) * math.ceil(depth / words) if depth > 0 and bits > 0 else 0

    # ------------------------------------------------------------------------- pipelining

    @property
    def auto_pipeline(self) -> int:
        """Trip count from which innermost loops are pipelined by the tool itself; 0: never."""
        return int(self.profile["pipeline"]["auto_threshold"])

    @property
    def flatten_over(self) -> str:
        """Statements before the inner loop ("nothing", "loads", "any") over which a nest is flattened all the same."""
        return str(self.profile["pipeline"]["flatten_over"])

    @property
    def bind_interface(self) -> bool:
        """Whether BIND_STORAGE and RESOURCE choose the memory of an argument of the top function."""
        return bool(self.profile["pipeline"]["bind_interface"])

    @property
    def share_delay(self) -> int:
        """Most states by which sharing units may lengthen a loop with a recurrence before a unit is added."""
        return int(self.profile["pipeline"]["share_delay"])

    @property
    def alias_gap(self) -> int:
        """States from a store to a later load of the same bank that may or may not be the same element."""
        return int(self.profile["pipeline"]["alias_gap"])

    @property
    def arguments_alias(self) -> bool:
        """Whether arguments may be one array to the tool: none of their accesses leaves a loop that stores to one."""
        return bool(self.profile["pipeline"]["arguments_alias"])

    @property
    def arguments_apart(self) -> bool:
        """Whether structures that are arguments become a port for every member, as variables do, or one word."""
        return bool(self.profile["pipeline"]["arguments_apart"])

    @property
    def arguments_packed(self) -> bool:
        """Whether structures that are arguments, and do not become ports apart, are one word."""
        return bool(self.profile["pipeline"]["arguments_packed"][self.flow])

    @property
    def sums_wait(self) -> bool:
        """Whether a carried sum is handed on in the state behind the last of its operator, however short that is."""
        return bool(self.profile["pipeline"]["sums_wait"])

    @property
    def exclusive_arms(self) -> bool:
        """Whether accesses in opposite arms of a branch share a port (``exclusive_static`` of counting)."""
        return bool(self.profile["pipeline"]["exclusive_arms"])

    @property
    def outlined_loops(self) -> bool:
        """Whether a pipelined loop becomes a module of its own, which takes outer addresses as plain values."""
        return bool(self.profile["pipeline"]["outlined_loops"])

    @property
    def reciprocals(self) -> bool:
        """Whether integers are divided by constants with products instead of dividers."""
        return bool(self.profile["pipeline"]["reciprocals"])

    @property
    def block_sums(self) -> bool:
        """Whether DSP blocks make the sums behind their products, in states of their own."""
        return bool(self.profile["pipeline"]["block_sums"] and self.block_ns)

    @property
    def block_presums(self) -> bool:
        """Whether DSP blocks make sums ahead of their products."""
        return bool(self.profile["pipeline"]["block_presums"] and self.block_ns)

    @property
    def block_products(self) -> bool:
        """Whether a product in a DSP block takes all of its stages, without a sum too."""
        return bool(self.profile["pipeline"]["block_products"] and self.block_ns)

    @property
    def block_ns(self) -> Mapping[str, float]:
        """Delays inside of a DSP block: a stage of its "product", its "sum", the "presum" ahead; empty: not known."""
        delays = self.profile["block_delay"]
        figures: Mapping[str, float] = delays.get(self.family) or delays.get(self.profile["default_family"]) or {}
        return figures

    @property
    def multiplier(self) -> tuple[int, int]:
        """Widths of the operands of the multiplier of a DSP block, the narrower first; 0 where they are not known."""
        narrow, wide = sorted(int(w) for w in self.operators["mul"].get("tile", (0, 0)))
        return narrow, wide

    def fits_multiplier(self, operands: tuple[int, int] | None, bits: int) -> bool:
        """Whether one DSP block makes a product of ``bits`` of signed ``operands``, narrow ones included."""
        low, high = sorted(operands or (bits, bits))
        narrow, wide = self.multiplier
        return low <= narrow and high <= wide

    @property
    def fabric_adders(self) -> bool:
        """Whether recurrences that miss the II that a directive names get adders without DSP blocks, if quicker."""
        return bool(self.profile["pipeline"]["fabric_adders"])

    @property
    def handing_ns(self) -> float:
        """Delay of handing on a sum, chosen by a condition, in the last state of its operator; inf: a state later."""
        return self.scalar_ns if self.profile["pipeline"]["resets_in_time"] else math.inf

    @property
    def forwards_stores(self) -> str:
        """When a load of what the iteration before stored is a register: "never", "preset" or "always"."""
        return str(self.profile["pipeline"]["forwards_stores"])

    @property
    def rotates_sums(self) -> bool:
        """Whether an element that is set ahead of a loop and then added to is a register."""
        return bool(self.profile["pipeline"]["rotates_sums"])

    @property
    def bypasses_stores(self) -> bool:
        """Whether a load that may meet the store of the iteration before is a selection behind it."""
        return bool(self.profile["pipeline"]["bypasses_stores"])

    @property
    def trusts_distances(self) -> bool:
        """Whether a distance of bound memories, or behind selections, that is not known is taken for none."""
        return bool(self.profile["pipeline"]["trusts_distances"])

    @property
    def distances_tell_banks(self) -> str:
        """Whether ("no", "possibly", "yes") constant distances keep accesses in banks of their own, by a remainder."""
        return str(self.profile["partition"]["distances_tell_banks"])

    @property
    def unrelated_rows(self) -> bool:
        """Whether rows, and iterators that bounds relate, are without relation to each other."""
        return bool(self.profile["pipeline"]["unrelated_rows"])

    @property
    def resumes_sums(self) -> bool:
        """Whether a sum in memory that the inner loop of a flattened nest goes on with is a register there."""
        return bool(self.profile["pipeline"]["resumes_sums"])

    @property
    def keeps_resumed_nests(self) -> bool:
        """Whether a nest whose inner loop goes on with a sum of the outer one is not flattened."""
        return bool(self.profile["pipeline"]["keeps_resumed_nests"])

    @property
    def keeps_chained_nests(self) -> bool:
        """Whether a nest whose inner iterations hand on an element is not flattened."""
        return bool(self.profile["pipeline"]["keeps_chained_nests"])

    @property
    def index_bits(self) -> int:
        """Width of most iterators and addresses."""
        return int(self.profile["pipeline"]["index_bits"])

    def invariant_loads(self, argument: bool) -> str:
        """What loads do whose element stays only since the tool has unrolled a loop by itself; of arguments or not."""
        return str(self.profile["pipeline"]["invariant_loads"][not argument])  # "leave", "stay", "unknown"

    @property
    def unsafe_math(self) -> bool:
        """Whether floating-point expressions may be regrouped (config_compile -unsafe_math_optimizations)."""
        return bool(self.profile["pipeline"].get("unsafe_math", False))

    # -------------------------------------------------------------------------- operators

    def operator(
        self, op: str, bits: int, impl: str | None = None, operands: tuple[int, int] | None = None
    ) -> OperatorTime | None:
        """Timing of ``op`` at ``bits``; None when the profile has no entry.

        ``op``: add (also sub), logic, cmp, shift, select, mul, div (also rem) on integers; fadd,
        fmul, fdiv, fsqrt, fexp, fcmp and their ``d`` forms; itof, itod, ftoi, fext. ``impl``: "nodsp".
        ``operands``: signed widths of the operands of an integer product, else both are of ``bits``.
        """
        key = op, bits, impl, operands
        if key not in self._operators:
            time = self._operator(*key)
            if time is not None and time.states == 1:  # its first state is its last
                whole = max(time.in_ns, time.out_ns)
                time = replace(time, in_ns=whole, out_ns=whole)
            self._operators[key] = time
        return self._operators[key]

    @cached_property
    def _operators(self) -> dict[tuple[str, int, str | None, tuple[int, int] | None], OperatorTime | None]:
        """What is known of operators by now."""
        return {}

    def _operator(self, op: str, bits: int, impl: str | None, operands: tuple[int, int] | None) -> OperatorTime | None:
        entry = self.operators.get(f"{op}.{impl}" if impl else op) or self.operators.get(op)
        if entry is None:
            return None
        if "points" in entry:
            return self._from_points(entry)
        if "latency" in entry:  # of a data sheet, at any clock
            whole = min(float(entry.get("delay_ns", self.effective_ns)), self.effective_ns)
            sharing = bool(self.profile["pipeline"]["share_floating_point"])
            return OperatorTime(int(entry["latency"]) + 1, whole, whole, sharing, True, int(entry.get("dsp", 0)))
        if "width_states" in entry:
            ns, sure = float(entry["stage_ns"]), entry["source"] == "reports"
            return OperatorTime(bits + int(entry["width_states"]), ns, ns, False, sure)
        delay = float(entry["delay_ns"]) + float(entry.get("per_bit_ns", 0)) * bits
        wide, dsp = max(operands or (bits,)), int(entry.get("dsp", 0))
        if "tile" in entry and impl is None:
            dsp = tiles(operands or (bits, bits), bits, entry, int(self.profile["estimates"]["product_rest"]))
        if wide <= int(entry.get("narrow_bits", 0)):
            delay = float(entry["narrow_ns"])
        if "wide_bits" in entry and wide > int(entry["wide_bits"]):
            least, states, most = wide_states(entry, wide, self.effective_ns, self.profile["estimates"])
            sure = "wide" in entry and least == most
            return OperatorTime(states, 2.0, self.effective_ns, False, sure, dsp, least=least, most=most)
        least = states = most = max(1, math.ceil(delay / self.effective_ns))
        if "steps" in entry and "foreign" not in entry and wide > int(entry["narrow_bits"]):
            least, states, most = likely_states(
                {"points": entry["steps"], "fits": entry["fits"]}, self.effective_ns, self.profile["estimates"]
            )
        part = min(delay / states, self.effective_ns)
        sure = least == most and entry["source"] == "reports"
        return OperatorTime(states, part, part, False, sure, dsp, least=least, most=most)

    def _from_points(self, entry: Mapping[str, Any]) -> OperatorTime:
        period, estimates = self.effective_ns, self.profile["estimates"]
        least, states, most = likely_states(entry, period, estimates)
        sharing = bool(self.profile["pipeline"]["share_floating_point"])
        if "delay_ns" in entry:
            whole = float(entry["delay_ns"])
            return OperatorTime(states, whole, whole, False, False, int(entry["dsp"]))
        near = [(p, ns) for p, s, *ns in entry["points"] if ns and s == states and abs(p - period) < 0.8]
        delay = min((ns for _, ns in sorted(near) if ns[0] <= period + SAME), default=None)
        other = {int(s) for p, s in entry.get("by_invariant", ()) if abs(p - period) <= SAME}
        return OperatorTime(
            states,
            min(float(entry["in_ns"]), float(estimates["first_share"]) * period) if delay is None else float(delay[0]),
            min(float(entry["out_ns"]), float(estimates["last_share"]) * period) if delay is None else float(delay[-1]),
            sharing,
            least == most and entry["source"] == "reports",
            int(entry["dsp"]),
            delay is not None,
            least,
            most,
            max(other, default=0),
        )
