# SPDX-License-Identifier: BSD-3-Clause
"""From times of messages to the parameters of LogGOPS, and to the text by which the simulator knows a machine.

As in Hoefler, Lichei, Rehm 2007, of whose PRTT(n, d, s) bench/logp takes medians; all lines are in s - 1 bytes:

    one way(s)  = PRTT(1, 0, s) / 2                                  L + o_s + o_r where the line begins
    gap(s)      = (PRTT(n, 0, s) - PRTT(1, 0, s)) / (n - 1)          g + (s - 1) G
    send(s)     = (PRTT(n, d, s) - PRTT(1, 0, s)) / (n - 1) - d      o_s + (s - 1) O_s
    receive(s)  = of a message that is there                         o_r + (s - 1) O_r

Where a switch forwards messages between virtual hosts, on the ranks' cores, its processor time per message is measured,
and those of the calls: o has nothing of the switch in it, and L is what then is left of one way.

    forward(s)  = the switch's, over PRTT(1, 0, s)                   forward + (s - 1) forward_byte

Eager messages and those that wait for their receiver have lines of their own. A machine has one G: that of the longer
ones, which bytes are most of. Its O is what then is missing to the eager ones' way, as far as processors spend it.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from weft import compare

Points = Mapping[int, float]  # bytes -> ns

LEAST_SIZES = 2  # for a line
LOOKS = 50  # of Weft's waits (src/mpi/host/progress.hpp), until they give their core away
UNITS = {
    "cores": "is",
    "G": "ns_per_byte",
    "O": "ns_per_byte",
    "forward_byte": "ns_per_byte",
    "c": "ns_per_byte",
    "gamma": "ns_per_byte",
    "S": "bytes",
}
# What is said where the simulator's times of one message are compared with the measured ones.
EAGER, LONG = "eager", "long"


@dataclass(frozen=True)
class Line:
    """at_first + (bytes - 1) * per_byte, in ns."""

    at_first: float
    per_byte: float
    residual: float  # the root of the mean square of the relative errors
    clamped: tuple[str, ...] = ()  # what would have been negative: "at_first", "per_byte"

    def at(self, size: int) -> float:
        return self.at_first + (size - 1) * self.per_byte


def fit(points: Points) -> Line | None:
    """The line with the least squares of the relative errors: sizes go over six orders of magnitude, and where absolute
    errors count, the first byte of a short message counts for nothing. Neither of its parts is negative. None where
    there are too few points above 0, without which there is no relative error."""
    known = {size - 1: ns for size, ns in points.items() if ns > 0 and math.isfinite(ns)}
    if len(known) < LEAST_SIZES:
        return None
    # Both sides divided by the time: 1 = a u + b v, with u = 1 / ns and v = bytes / ns.
    u, v = [1 / ns for ns in known.values()], [size / ns for size, ns in known.items()]
    uu, uv, vv = (sum(x * y for x, y in zip(*pair, strict=True)) for pair in ((u, u), (u, v), (v, v)))
    determinant = uu * vv - uv * uv
    a, b = sum(u) / uu, 0.0  # without any slope
    if determinant > 1e-12 * uu * vv:
        a, b = (sum(u) * vv - sum(v) * uv) / determinant, (sum(v) * uu - sum(u) * uv) / determinant
    clamped = tuple(name for name, value in (("at_first", a), ("per_byte", b)) if value < 0)
    if a < 0:
        a, b = 0.0, sum(v) / vv
    elif b < 0:
        a, b = sum(u) / uu, 0.0
    residual = math.sqrt(sum((a * x + b * y - 1) ** 2 for x, y in zip(u, v, strict=True)) / len(known))
    return Line(a, b, residual, clamped)


@dataclass(frozen=True)
class Times:
    """Of messages between two ranks, in ns by bytes; `send`, `call` and `receive` of eager ones only."""

    one_way: Points
    gap: Points
    send: Points = field(default_factory=dict)
    call: Points = field(default_factory=dict)
    receive: Points = field(default_factory=dict)
    forward: Points = field(default_factory=dict)  # processor time; of others than a switch nothing is known,
    own_send: Points = field(default_factory=dict)  # and then nothing of these
    own_receive: Points = field(default_factory=dict)
    crowd: Points = field(default_factory=dict)  # by ranks: forward where each sends to each other one at once
    look: Points = field(default_factory=dict)  # between hosts, by ranks: an MPI_Test that finds nothing
    eager: int | None = None  # bytes; None: all that were measured

    def part(self, points: Points, eager: bool) -> Points:
        return {size: ns for size, ns in points.items() if (self.eager is None or size <= self.eager) == eager}


@dataclass(frozen=True)
class Memory:
    """Of a node: a line from core to core in ns, ns per byte for copying, and for adding doubles, and ns until a core
    has gone from one process to another, where both may be on it."""

    line: float
    copy: float
    reduce: float
    hand_over: float | None = None


@dataclass
class Parameters:
    """Times in ns, per byte in ns, S in bytes. o and O are those of a machine, where sender and receiver have the same;
    g and G as well, G_eager is what the eager messages' gaps say."""

    L: float
    o_s: float
    o_r: float
    O_s: float
    O_r: float
    g: float
    G: float
    G_eager: float
    O: float  # noqa: E741
    S: int | None
    residuals: dict[str, float]  # of each line
    errors: dict[str, float]  # of a machine with these, in single messages: the median of |its time / measured - 1|
    notes: list[str]
    memory: Memory | None = None
    forward: float | None = None
    forward_byte: float | None = None
    forward_wake: float = 0.0  # beside `forward`, for a message that finds the switch idle
    spin: float | None = None
    spin_rank: float = 0.0

    @property
    def o(self) -> float:
        return (self.o_s + self.o_r) / 2

    def one_way(self, size: int) -> float:
        """As the simulator has it, where the receiver waits already; what is longer than S asks before."""
        forward, rest = (self.forward or 0.0) + self.forward_wake, size - 1
        way = 2 * (self.o + rest * self.O) + self.L + max(rest * self.G, forward + rest * (self.forward_byte or 0.0))
        return way if self.S is None or size <= self.S else way + 2 * (2 * self.o + self.L + forward)

    def values(self) -> dict[str, float]:
        """By the names that the simulator has for them, for one level."""
        found: dict[str, float] = {"L": self.L, "o": self.o, "g": self.g, "G": self.G, "O": self.O}
        if self.forward is not None and self.forward_byte is not None:
            found |= {"forward": self.forward, "forward_byte": self.forward_byte}
            found |= {"forward_wake": self.forward_wake} if self.forward_wake else {}
        if self.spin is not None:
            found |= {"spin": self.spin} | ({"spin_rank": self.spin_rank} if self.spin_rank else {})
        if self.memory:
            found |= {"l": self.memory.line, "c": self.memory.copy, "gamma": self.memory.reduce}
        return found | ({"S": self.S} if self.S is not None else {})


def number(value: float) -> str:
    """To the picosecond, as simulated time is; without an exponent."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def parameters(times: Times) -> Parameters | None:
    """None where too little was measured. What cannot be is said in the notes, and 0 in its place."""
    notes: list[str] = []
    short, long = times.part(times.one_way, True), times.part(times.one_way, False)
    way, gap = fit(short), fit(times.part(times.gap, True))
    long_way, long_gap = fit(long), fit(times.part(times.gap, False))
    forward, long_forward = fit(times.part(times.forward, True)), fit(times.part(times.forward, False))
    receive, send = fit(times.receive), sending(times, notes)
    if forward:
        receive, send = fit(times.own_receive), fit(times.own_send)
    if way is None or gap is None or receive is None or send is None:
        return None
    lines = {"one_way": way, "gap": gap, "send": send, "receive": receive, "long_one_way": long_way,
             "long_gap": long_gap, "forward": forward, "long_forward": long_forward}  # fmt: skip
    for name, points in (("gap", times.gap), ("receive", times.receive)):
        if left_out := [size for size, ns in points.items() if ns <= 0]:
            notes.append(
                f"{name}: not above 0 at {left_out[0]} bytes, and so at {len(left_out)} sizes, which are left out"
            )
    for name, line in lines.items():
        for part in line.clamped if line else ():
            which = "first byte" if part == "at_first" else "further byte"
            notes.append(f"{name.replace('_', ' ')}: a {which} would take less than nothing; it takes 0 ns here")
    forwarded = forward.at_first if forward else 0.0
    # A message alone wakes the switch; of many at once most find it at work.
    most = max(times.crowd, default=2)
    wake = max(forwarded - times.crowd[most], 0.0) if most > 2 else 0.0
    least = way.at_first - send.at_first - receive.at_first - forwarded
    if least < 0:
        notes.append(f"L would be {least:.0f} ns: o_s and o_r are all of the way and more; it is 0 here")
    per_byte = (long_gap or gap).per_byte
    forward_byte = (long_forward or forward).per_byte if forward else None
    # A byte goes through the adapter while it is forwarded.
    on_the_way = max(per_byte, forward_byte or 0.0)
    spent = (send.per_byte + receive.per_byte) / 2
    found = Parameters(
        L=max(least, 0.0), o_s=send.at_first, o_r=receive.at_first, O_s=send.per_byte, O_r=receive.per_byte,
        g=max(gap.at_first - forwarded, 0.0), G=per_byte, G_eager=gap.per_byte,
        O=min(max((way.per_byte - on_the_way) / 2, 0.0), spent), S=times.eager,
        forward=forwarded - wake if forward else None, forward_wake=wake, forward_byte=forward_byte,
        **spinning(times.look),
        residuals={name: line.residual for name, line in lines.items() if line},
        errors={}, notes=notes,
    )  # fmt: skip
    for name, part in ((EAGER, short), (LONG, long)):
        if part:
            found.errors[name] = median_error({size: found.one_way(size) for size in part}, part)
    return found


def spinning(looks: Points) -> dict[str, float]:
    """How long a rank looks before it gives its core away: at a connection to each other rank, as far as is known."""
    if not looks:
        return {}
    fewest, most = min(looks), max(looks)
    each = max((looks[most] - looks[fewest]) / (most - fewest), 0.0) if most > fewest else 0.0
    return {"spin": LOOKS * max(looks[fewest] - fewest * each, 0.0), "spin_rank": LOOKS * each}


def sending(times: Times, notes: list[str]) -> Line | None:
    """By PRTT; where round trips vary by more than the calls take, by what the clock says of the calls."""
    impossible = [size for size, ns in times.send.items() if ns <= 0]
    line = fit(times.send)
    if line is not None and not impossible and line.at_first > 0:
        return line
    if times.send:
        why = f"negative at {impossible[0]} bytes" if impossible else "0 for the first byte"
        notes.append(f"o_s by round trips is {why}: here it is the time of the calls of MPI_Isend")
    return fit(times.call)


def median_error(predicted: Mapping[int, float], measured: Mapping[int, float]) -> float:
    return compare.spread([abs(predicted[key] / measured[key] - 1) for key in measured]).median


def values_of_machine(levels: Mapping[str, Parameters], cores: int) -> dict[str, dict[str, float]]:
    """By level and name; `levels` from far to near. The farthest is all there is between the others' parts, at whatever
    distance: a machine calls it network. All ranks share the cores: virtual hosts are on one machine."""
    found = {("network" if n == 0 else name): level.values() for n, (name, level) in enumerate(levels.items())}
    memory = next((level.memory for level in levels.values() if level.memory), None)
    for values in found.values():
        values["cores"] = cores
        if memory and memory.hand_over is not None:
            values["switch"] = memory.hand_over
        break  # they stand with the farthest level
    return found


def machine_text(levels: Mapping[str, Parameters], cores: int) -> str:
    """What the simulator reads (src/executor/simulator/machine.hpp)."""
    texts = [
        ("" if name == "network" else f"{name}:") + ",".join(f"{key}={number(value)}" for key, value in values.items())
        for name, values in values_of_machine(levels, cores).items()
    ]
    return f"loggops:{';'.join(texts)}" if texts else ""


def machine_file(levels: Mapping[str, Parameters], title: str, source: str, cores: int) -> str:
    """The same as a machine file (python/weft/machine_file.py), each number with its source."""
    lines = ['name = "measured"', f"title = {json.dumps(title)}"]
    for name, values in values_of_machine(levels, cores).items():
        lines += ["", f"[{name}]"]
        for key, value in values.items():
            unit = UNITS.get(key, "ns")
            lines.append(f"{key} = {{ {unit} = {number(value)}, source = {json.dumps(source)} }}")
    return "\n".join(lines) + "\n"
