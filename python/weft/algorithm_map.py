# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithm, radix and depth is fastest where: every one of the catalog that can do a call, simulated on a
machine for some numbers of ranks and bytes, beside what the planner chooses there.

    cells = [compete(Question("allreduce", ranks, bytes, "large"), ranks_per_node=16) for …]
    cells[0].fastest.label, cells[0].times_slower

The planner's rule is asked with the topology of full nodes, as `weft explain --topology` does, under the settings of
the environment (WEFT_NODE_MEMORY, WEFT_ROUND_TRIP, thresholds), and knows nothing else of the simulated machine.
"""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.bad_input import BadInput
from weft.core import _core, make_call, make_hierarchy, make_topology, polite
from weft.simulation import Collective, blocking, simulate, takes_no_time
from weft.units import show_size

if TYPE_CHECKING:
    from weft import _core as core_types

RADICES = (2, 4, 8)
# The collectives whose blocks are all of one size.
COLLECTIVES = (
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "allgather",
    "alltoall",
    "gather",
    "scatter",
    "reduce_scatter_block",
    "scan",
)
MOST_MESSAGES = 4_000_000  # of one schedule, in all; what has more is left out: it takes seconds


@dataclass(frozen=True)
class Question:
    collective: str
    ranks: int
    bytes: int
    machine: str


@dataclass(frozen=True)
class Entry:
    """What takes part: an algorithm with its options."""

    algorithm: str
    hierarchy: str | None
    radix: int | None


@dataclass(frozen=True)
class Result:
    label: str
    us: float


@dataclass(frozen=True)
class Cell:
    question: Question
    results: tuple[Result, ...]  # by time
    planned: Result
    ranks_per_node: int
    left_out: tuple[str, ...]  # algorithms that send too many messages to be simulated in passing

    @property
    def fastest(self) -> Result:
        return self.results[0]

    @property
    def times_slower(self) -> float:
        return self.planned.us / self.fastest.us

    @property
    def record(self) -> dict[str, Any]:
        return {
            "ranks": self.question.ranks,
            "bytes": self.question.bytes,
            "fastest": self.fastest.label,
            "us": self.fastest.us,
            "planned": self.planned.label,
            "planned_us": self.planned.us,
            "times_slower": self.times_slower,
            "all": {one.label: one.us for one in self.results},
            "left_out": list(self.left_out),
        }


def topology_text(ranks: int, ranks_per_node: int, sockets: int) -> str | None:
    """Full nodes; none if every rank has one of its own."""
    if ranks_per_node == 1:
        return None
    if ranks % ranks_per_node or ranks_per_node % sockets:
        raise BadInput(f"{ranks} ranks, {ranks_per_node} on a node with {sockets} sockets: choose multiples.")
    inner = f"socket:{sockets} core:{ranks_per_node // sockets}" if sockets > 1 else f"core:{ranks_per_node}"
    return f"node:{ranks // ranks_per_node} {inner}"


def depths(nodes: int, ranks_per_node: int, sockets: int) -> tuple[str, ...]:
    """The hierarchies that the places have."""
    if ranks_per_node == 1:
        return ()
    if sockets == 1:
        return ("node",) if nodes > 1 else ()
    return ("node", "socket+node") if nodes > 1 else ("socket",)


def entries(question: Question, ranks_per_node: int, sockets: int) -> list[Entry]:
    call = make_call(question.collective, question.ranks, question.bytes)
    nodes = question.ranks // ranks_per_node
    made = []
    for card in _core.catalog():
        name = card["name"]
        if card["collective"] != question.collective or not _core.is_eligible(call, name):
            continue
        if card["within_node"] and (nodes > 1 or ranks_per_node == 1):
            continue
        levels: Sequence[str | None] = (None,)
        if card["follows_hierarchy"]:
            levels = depths(nodes, ranks_per_node, sockets)
        radices = RADICES if "radix" in card["options"] else (None,)
        made += [Entry(name, level, radix) for level in levels for radix in radices if (radix or 2) <= question.ranks]
    return made


def too_many_messages(question: Question, entry: Entry, topology: "core_types.Topology | None") -> bool:
    call = make_call(question.collective, question.ranks, question.bytes)
    hierarchy = make_hierarchy(topology, entry.hierarchy)
    with polite():
        cost = _core.cost(call, entry.algorithm, radix=entry.radix or 2, hierarchy=hierarchy)
    return cost["messages"] * (1 if entry.hierarchy else question.ranks) > MOST_MESSAGES


def time_of(question: Question, topology: str | None, entry: Entry | None) -> Result:
    """Without an entry: of the planner's choice."""
    options: dict[str, int | str] = {}
    if entry is not None and entry.radix is not None:
        options["radix"] = entry.radix
    operation = Collective(
        collective=question.collective,
        ranks=question.ranks,
        bytes=question.bytes,
        algorithm=entry.algorithm if entry else None,
        hierarchy=entry.hierarchy if entry else None,
        options=options,
    )
    done = simulate([operation], blocking(), machine=question.machine, topology=topology, details=False)
    return Result(done.names[0], done.finish_ns / 1000)


def compete(question: Question, *, ranks_per_node: int = 1, sockets: int = 1) -> Cell:
    """All that can do it, from the fastest; with what the planner chooses, whose options may be nobody else's."""
    text = topology_text(question.ranks, ranks_per_node, sockets)
    topology = make_topology(text, question.ranks) if text else None
    results, left_out = [], []
    for entry in entries(question, ranks_per_node, sockets):
        if too_many_messages(question, entry, topology):
            left_out.append(entry.algorithm)
            continue
        try:
            results.append(time_of(question, text, entry))
        except BadInput:  # a hierarchy, or a node's memory, that it does not fit into
            left_out.append(entry.algorithm)
    planned = time_of(question, text, None)
    ordered = sorted([planned, *results], key=lambda one: one.us)
    if ordered[0].us == 0:
        raise takes_no_time(ordered[0].label, question.machine)
    unique = {one.label: one for one in reversed(ordered)}
    by_time = tuple(sorted(unique.values(), key=lambda one: one.us))
    return Cell(question, by_time, planned, ranks_per_node, tuple(dict.fromkeys(left_out)))


def geometric_mean(cells: Sequence[Cell]) -> float:
    return math.exp(sum(math.log(cell.times_slower) for cell in cells) / len(cells))


def worst(cells: Sequence[Cell]) -> Cell:
    return max(cells, key=lambda cell: cell.times_slower)


def loss(collective: str, cells: Sequence[Cell]) -> dict[str, Any]:
    """What the planner's choices lose in these cells."""
    slowest = worst(cells)
    return {
        "collective": collective,
        "cells": len(cells),
        "mean_times_slower": geometric_mean(cells),
        "worst_times_slower": slowest.times_slower,
        "worst": {"ranks_per_node": slowest.ranks_per_node, **slowest.record},
    }


def short(label: str) -> str:
    """recursive_k_ing radix=4 -> recursive k-ing 4; without fragment sizes and leaders."""
    words = [word for word in label.split() if not word.startswith(("fragment=", "leader=", "window="))]
    return " ".join(word.removeprefix("radix=") for word in words).replace("k_ing", "k-ing").replace("_", " ")


def draw(cells: Sequence[Cell], file: Path, title: str) -> None:
    """A field of ranks x bytes: the colour is the fastest algorithm's, the number how much slower the planner's is."""
    from weft import chart

    plt = chart.load()
    ranks = sorted({cell.question.ranks for cell in cells})
    sizes = sorted({cell.question.bytes for cell in cells})
    names = sorted({cell.fastest.label.split()[0] for cell in cells})
    width = max(3 + 1.5 * len(sizes), 5.5)  # inches
    heading = [title, "the fastest, and how many times as long the planner's choice takes"]
    lines = [line for part in heading for line in textwrap.wrap(part, int(12 * width))]
    height = 1.5 + 0.17 * len(lines) + 0.7 * len(ranks)
    figure, axes = plt.subplots(figsize=(width, height), layout="constrained")
    colours = plt.get_cmap("Pastel1" if len(names) <= 9 else "tab20")
    for cell in cells:
        x, y = sizes.index(cell.question.bytes), ranks.index(cell.question.ranks)
        colour = colours(names.index(cell.fastest.label.split()[0]))
        axes.add_patch(plt.Rectangle((x - 0.5, y - 0.5), 1, 1, color=colour, linewidth=0))
        text = textwrap.fill(short(cell.fastest.label), 15)
        weight = "bold" if cell.times_slower > 1.25 else "normal"
        axes.text(x, y, f"{text}\n{cell.times_slower:.2f}", ha="center", va="center", fontsize=7, fontweight=weight)
    axes.set_xlim(-0.5, len(sizes) - 0.5)
    axes.set_ylim(-0.5, len(ranks) - 0.5)
    axes.set_xticks(range(len(sizes)), [show_size(size) for size in sizes])
    axes.set_yticks(range(len(ranks)), [f"{one:,}" for one in ranks])
    axes.set_xlabel("bytes")
    axes.set_ylabel("ranks")
    figure.suptitle("\n".join(lines), fontsize=10)
    axes.tick_params(length=0)
    chart.save(figure, file, "--plot")
