# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench overlap`: the anatomy of non-blocking operations with computation in them, and how much of them that
computation hides, by five definitions."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import environment, launch
from weft.bench import analysis, options
from weft.bench.analysis import Point, Record, cell, grouped, median
from weft.bench.contest import collective_tasks, contestants
from weft.bench.measurement import Measurement, measures
from weft.bench.overlap_formulas import DEFINITIONS, Figures, figures
from weft.chart import figure
from weft.console import err, out, say, table
from weft.units import parse_numbers, parse_size, parse_sizes, show_size

KEYS = ("collective", "bytes", "ranks")
PHASES = {"start": "#f59e0b", "compute": "#d1d5db", "test": "#8b5cf6", "wait": "#dc2626"}


@measures(pairs=5, milliseconds=200.0)
def run(
    collective: options.Collectives = "iallreduce",
    size: options.Sizes = "8",
    ranks: options.RankCounts = "2",
    mpi: options.Mpi = "openmpi",
    implementation: options.Implementations = "host,weft",
    compute: options.Computation = "burn",
    test_every: Annotated[
        str | None, typer.Option(metavar="BYTES", help="One MPI_Test per so many bytes sent and received; else none.")
    ] = None,
    buffers: options.Buffers = "rotating",
    *,
    measurement: Measurement,
) -> None:
    """Measure how much computation fits beside non-blocking collectives, under the host MPI and under Weft."""
    environment.check()
    names = options.overlapping_collectives(collective)
    options.check_word("--compute", compute, "burn", "sleep")
    options.check_word("--buffers", buffers, "hot", "rotating")
    sizes = parse_sizes(size)
    counts = parse_numbers(ranks, "--ranks", 2)
    who = contestants(mpi, implementation)
    note_if_crowded(counts, compute, measurement)
    common = {
        "compute": compute, "buffers": buffers,
        "test-every": parse_size(test_every, "--test-every") if test_every else 0,
    } | measurement.length  # fmt: skip
    tasks = collective_tasks(
        "overlap", counts, names, sizes, lambda count: common | {"start": start_for(count, measurement)}
    )
    contest = measurement.measure("Overlapping", tasks, who)
    for record in contest.records:
        record["overlap"] = figures(record)
    summary = summarize(contest.records, implementation.split(","), measurement.pairs)
    measurement.finish(
        contest, "overlap", summary, lambda: show(contest.records), lambda file: draw(contest.records, file)
    )


def start_for(ranks: int, measurement: Measurement) -> str:
    """How operations start: ranks that sleep until an agreed time do not need a core each."""
    if measurement.takes_long:
        return "window"
    return "none" if ranks > launch.physical_cores() else "barrier"


def note_if_crowded(ranks: Sequence[int], compute: str, measurement: Measurement) -> None:
    cores = launch.physical_cores()
    if max(ranks) <= cores:
        return
    if start_for(max(ranks), measurement) == "none":
        err.print(f"More ranks than the {cores} cores: no synchronised start, means of loops there.")
    if compute == "burn":
        err.print("Their computations take turns on the cores; --compute sleep stands for a core of each rank's own.")


def overlap(records: Sequence[Record]) -> Figures:
    """Each definition's median; None where it says nothing."""
    found = [record["overlap"] for record in records]
    return {name: median(found, name) for name in DEFINITIONS}


def summarize(records: Sequence[Record], implementations: Sequence[str], pairs: int) -> dict[str, Any]:
    """`ratio` is that of the totals, Weft over host. Overlap is in percent per definition, the medians over pairs; with
    several MPIs of the one whose total is shortest, with several points over all of them."""
    points = analysis.points(records, KEYS, "total_us")
    summary = analysis.summary(points, records, KEYS, pairs)
    launches = grouped(records, *KEYS, "implementation", "mpi")
    for implementation in implementations:
        name = f"overlap_{implementation.replace('-', '_')}"
        of_best = [records_on_best(launches, point, implementation) for point in points]
        summary[name] = overlap(sum(of_best, []))
        for entry, found in zip(summary["points"], of_best, strict=True):
            entry[name] = overlap(found)
    for name in ("compute", "test_every"):
        summary |= {name: records[0][name]} if records else {}
    return summary | (points[0].key if len(points) == 1 else {})


def records_on_best(launches: dict[tuple[Any, ...], list[Record]], point: Point, implementation: str) -> list[Record]:
    best = point.best(implementation)
    return launches[(*point.key.values(), implementation, best)] if best else []


def show(records: Sequence[Record]) -> None:
    first = records[0]
    tests = f"one MPI_Test per {show_size(first['test_every'])} bytes" if first["test_every"] else "no tests"
    points = analysis.points(records, KEYS, "total_us")
    for mpi in dict.fromkeys(record["mpi"] for record in records):
        mine = [record for record in records if record["mpi"] == mpi]
        show_anatomy(mine, points, f"Anatomy, {mpi}: {first['compute']}, {tests}")
        show_figures(mine, f"Overlap in percent, {mpi}: {first['compute']}, {tests}")
    say(f"Medians over launches, alternating; ratio of totals [quartiles]; load {records[-1]['load']}.")
    say("CPU: of all threads of a rank for one operation, beside the computation.")
    if any(value is None for r in records for value in r["overlap"].values()):
        say("-: the computation cannot be made short enough beside this operation for the figure to mean anything.")


def show_anatomy(records: Sequence[Record], points: Sequence[Point], title: str) -> None:
    fields = ("pure", *PHASES, "total", "cpu")
    columns = [f"{'CPU' if name == 'cpu' else name} us" for name in fields]
    shown = table(title, "collective", "bytes", "ranks", "who", *columns, "ratio",
                  right=("bytes", "ranks", *columns, "ratio"))  # fmt: skip
    for (name, size, ranks), of_point in grouped(records, *KEYS).items():
        point = next(point for point in points if tuple(point.key.values()) == (name, size, ranks))
        for (who,), mine in grouped(of_point, "implementation").items():
            ratio = point.ratio(who, mine[0]["mpi"]) if who != "host" else None
            cells = [cell(median(mine, f"{field}_us")) for field in fields]
            shown.add_row(name, show_size(size), str(ranks), who, *cells, str(ratio) if ratio else "")
    out.print(shown)


def show_figures(records: Sequence[Record], title: str) -> None:
    columns = [
        name.replace("_", " ").replace("osu", "OSU").replace("imb", "IMB").replace("cpu", "CPU") for name in DEFINITIONS
    ]
    shown = table(title, "collective", "bytes", "ranks", "who", *columns, right=("bytes", "ranks", *columns))
    for (name, size, ranks), of_point in grouped(records, *KEYS).items():
        for (who,), mine in grouped(of_point, "implementation").items():
            cells = [cell(value, 0) for value in overlap(mine).values()]
            shown.add_row(name, show_size(size), str(ranks), who, *cells)
    out.print(shown)


def draw(records: Sequence[Record], file: Path) -> None:
    """One panel per collective, ranks and MPI: the anatomy as stacked bars, against the host's pure time (1: all of
    the operation is hidden; 2: none), with the wait-based overlap above."""
    panels = list(grouped(records, "collective", "ranks", "mpi").items())
    if not panels:
        return

    def draw_panel(place: int, axis: Any) -> None:
        (collective, ranks, mpi), mine = panels[place]
        bars = grouped(mine, "bytes", "implementation")
        order = sorted(bars, key=lambda bar: bar[0])
        for x, (size, who) in enumerate(order):
            pure = median(bars.get((size, "host"), bars[size, who]), "pure_us")
            bottom = 0.0
            for phase, colour in PHASES.items():
                height = median(bars[size, who], f"{phase}_us") / pure
                axis.bar(x, height, 0.8, bottom=bottom, color=colour, label=phase)
                bottom += height
            hidden = overlap(bars[size, who])["wait_based"]
            axis.annotate("-" if hidden is None else f"{hidden:.0f} %", (x, bottom), ha="center", va="bottom", size=8)
        axis.axhline(1, color="#111827", linewidth=0.8, linestyle="--")
        axis.set_xticks(range(len(order)), [f"{show_size(size)} {who}" for size, who in order], rotation=45, ha="right")
        axis.set_title(f"{collective}, {ranks} ranks, {mpi}", fontsize=10)
        axis.set_ylabel("total / the host's pure time")
        axis.margins(y=0.12)

    figure(file, len(panels), "Anatomy of an operation with computation in it; above: wait-based overlap", draw_panel)
