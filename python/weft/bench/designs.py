# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench designs`: the designs of the papers on offload, side by side, each run by the agents.

Figure 8 of Kandalla et al. 2012 (seed 1) for iallreduce: what starting it takes, what waiting for it, and both, by
recursive doubling and by reduce-bcast with several degrees, flat and two-level; and the same for the collectives of
CORE-Direct (seed 5), with how much of each is hidden behind computation.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import environment, installation
from weft.bad_input import BadInput
from weft.bench import analysis, options
from weft.bench.analysis import Record, cell, grouped, median
from weft.bench.contest import Contestant, collective_tasks
from weft.bench.measurement import Measurement, measures
from weft.bench.overlap import KEYS, note_if_crowded, overlap, start_for
from weft.bench.overlap_formulas import figures
from weft.chart import figure
from weft.console import out, say, table
from weft.units import parse_sizes, show_size

# By collective: what a design is called in the papers, and what it is here, as in WEFT_ALGORITHM.
FLAT = {
    "iallreduce": {
        "doubling": "recursive_k_ing:2",
        "red-bcast-2": "n_ary_tree:2",
        "red-bcast-3": "n_ary_tree:3",
        "red-bcast-4": "n_ary_tree:4",
        "k-nomial 4": "k_nomial:4",
    },
    "ibarrier": {"dissemination": "dissemination", "doubling": "recursive_k_ing:2", "k-ing 4": "recursive_k_ing:4"},
    "ibcast": {"k-nomial 2": "k_nomial:2", "k-nomial 4": "k_nomial:4", "scatter-allgather": "scatter_allgather"},
    "ialltoall": {"pairwise": "pairwise", "all at once": "scattered", "bruck": "bruck"},
    "iallgather": {"ring": "ring", "doubling": "recursive_doubling", "bruck": "bruck"},
    "igather": {"fan-in": "linear", "k-nomial 2": "k_nomial:2", "k-nomial 4": "k_nomial:4"},
    "iscatter": {"fan-out": "linear", "k-nomial 2": "k_nomial:2", "k-nomial 4": "k_nomial:4"},
}
# Where nodes have several ranks: one of each speaks for the others.
TWO_LEVEL = {
    "iallreduce": {"doubling, two-level": "hierarchical:2", "k-ing 4, two-level": "hierarchical:4"},
    "ibarrier": {"two-level": "hierarchical:2"},
    "ibcast": {"two-level": "hierarchical:2"},
    "ialltoall": {"two-level": "hierarchical"},
    "iallgather": {"two-level": "hierarchical"},
    "igather": {},
    "iscatter": {},
}
# The co-design paper of P3DFFT, section III.A.2: an adapter's lists have a bounded length. The end of one begins the
# next; or, as there, it wakes a thread, which does. By collective: a design from above, and what else is set for it.
SHORT_LISTS = {
    "ialltoall": {
        "pairwise, lists of 8": ("pairwise", {"WEFT_LIST_TASKS": "8"}),
        "pairwise, lists of 8, trigger thread": ("pairwise", {"WEFT_LIST_TASKS": "8", "WEFT_LIST_TRIGGER": "thread"}),
    },
}
PHASES = {"pure_start": "#f59e0b", "pure_wait": "#dc2626"}
COSTS = ("cpu_us", "agent_wakes", "trigger_wakes")


@measures(pairs=3, milliseconds=200.0)
def run(
    collective: Annotated[str, typer.Option(help=f"One of {', '.join(FLAT)}.")] = "iallreduce",
    size: options.Sizes = "8",
    ranks: Annotated[int, typer.Option("--ranks", "-n", min=2, help="How many ranks.")] = 2,
    mpi: options.Mpi = "openmpi",
    compute: options.Computation = "burn",
    *,
    measurement: Measurement,
) -> None:
    """Measure one collective by several designs, each run by the agents: what starting takes, what waiting, how much
    is hidden."""
    environment.check()
    options.check_word("--collective", collective, *FLAT)
    options.check_word("--compute", compute, "burn", "sleep")
    options.check_word("--mpi", mpi, *installation.NAMES)
    if measurement.hosts and ranks % measurement.hosts != 0:
        raise BadInput(f"--ranks {ranks} --hosts {measurement.hosts}: use as many ranks on each host.")
    sizes = parse_sizes(size)
    note_if_crowded([ranks], compute, measurement)
    host = installation.host(mpi)
    who = designs(collective, ranks, measurement.hosts or 1, host)
    common = {"compute": compute, "start": start_for(ranks, measurement)} | measurement.length
    tasks = collective_tasks("overlap", [ranks], [collective], sizes, lambda _: common)
    contest = measurement.measure("Comparing", tasks, who)
    for record in contest.records:
        record["overlap"] = figures(record)
    summary = summarize(contest.records, measurement.pairs)
    measurement.finish(
        contest, "designs", summary, lambda: show(contest.records), lambda file: draw(contest.records, file)
    )


def designs(collective: str, ranks: int, hosts: int, host: installation.Host) -> list[Contestant]:
    """The host MPI, and the designs. On one machine each rank is a node of its own, so that agents have what to do."""

    def contestant(name: str, algorithm: str, hierarchy: str, more: dict[str, str] | None = None) -> Contestant:
        words = f"{collective.removeprefix('i')}={algorithm}"
        variables = {"WEFT_DEVICE": "agent", "WEFT_ALGORITHM": words, "WEFT_HIERARCHY": hierarchy} | (more or {})
        if hosts == 1:
            variables |= {"WEFT_NODE": "0", "WEFT_WIRE_INTERFACE": "lo"}
        return Contestant(name, host, tuple(variables.items()))

    two_level = TWO_LEVEL[collective] if 1 < hosts < ranks else {}
    return [
        Contestant("host", host),
        *(contestant(name, algorithm, "flat") for name, algorithm in FLAT[collective].items()),
        *(
            contestant(name, FLAT[collective][of], "flat", more)
            for name, (of, more) in SHORT_LISTS.get(collective, {}).items()
        ),
        *(contestant(name, algorithm, "node") for name, algorithm in two_level.items()),
    ]


def summarize(records: Sequence[Record], pairs: int) -> dict[str, Any]:
    found = []
    for key, of_design in grouped(records, *KEYS, "implementation").items():
        times = {name: median(of_design, name) for name in ("pure_us", "pure_start_us", "pure_wait_us", *COSTS)}
        found.append(dict(zip((*KEYS, "design"), key, strict=True)) | times | {"overlap": overlap(of_design)})
    return {"designs": found, "pairs": pairs, "wrong_answers": analysis.wrong(records, KEYS)}


def show(records: Sequence[Record]) -> None:
    first = records[0]
    columns = ("start us", "wait us", "both us", "/ host", "hidden %", "OSU %", "CPU us", "wakes")
    if any(record["trigger_wakes"] for record in records):
        columns += ("of trigger",)
    title = f"Designs of {first['collective']} on {first['ranks']} ranks, run by agents; {first['mpi']}"
    shown = table(title, "bytes", "design", *columns, right=("bytes", *columns))
    for (size,), of_size in grouped(records, "bytes").items():
        by_design = grouped(of_size, "implementation")
        of_host = median(by_design.get(("host",), of_size), "pure_us")
        for (design,), mine in by_design.items():
            both, hidden = median(mine, "pure_us"), overlap(mine)
            times = [cell(median(mine, name)) for name in ("pure_start_us", "pure_wait_us")]
            shares = [cell(hidden["wait_based"], 0), cell(hidden["osu"], 0)]
            ratio = cell(both / of_host) if both is not None and of_host else ""
            costs = [cell(median(mine, name), 1) for name in COSTS]
            row = [show_size(size), design, *times, cell(both), ratio, *shares, *costs]
            shown.add_row(*row[: 2 + len(columns)])
    out.print(shown)
    if "hosts" not in first:
        say("One machine: the designs' messages go through the loop-back interface, the host's through memory.")
    say("Start, wait: without computation between them, on the slowest rank. Hidden: wait-based, with computation.")
    say("CPU, wakes: of all threads of a rank for one operation with computation, and how often agents wake up for it.")
    say(f"Medians over launches, alternating; load {records[-1]['load']}.")


def draw(records: Sequence[Record], file: Path) -> None:
    """A panel per size: a bar per design, of the times of start and wait."""
    panels = list(grouped(records, "bytes").items())

    def draw_panel(place: int, axis: Any) -> None:
        (size,), mine = panels[place]
        bars = grouped(mine, "implementation")
        for x, of_design in enumerate(bars.values()):
            bottom = 0.0
            for phase, colour in PHASES.items():
                height = median(of_design, f"{phase}_us")
                axis.bar(x, height, 0.8, bottom=bottom, color=colour, label=phase.removeprefix("pure_"))
                bottom += height
        axis.set_xticks(range(len(bars)), [name for (name,) in bars], rotation=45, ha="right")
        axis.set_title(f"{mine[0]['collective']}, {show_size(size)}, {mine[0]['ranks']} ranks", fontsize=10)
        axis.set_ylabel("us")

    figure(file, len(panels), "What starting an operation takes, and waiting for it, without computation", draw_panel)
