# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench overhead`: the CPU time that collectives take from a rank's computation, what it is spent on, and how it
grows with ranks and size."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import environment, launch
from weft.bench import analysis, options
from weft.bench.analysis import Point, Record, cell, grouped, median
from weft.bench.contest import collective_tasks, contestants
from weft.bench.measurement import Measurement, measures
from weft.chart import COLOURS, figure
from weft.console import err, out, say, table
from weft.units import parse_numbers, parse_sizes, show_size

KEYS = ("collective", "bytes", "ranks")
CALLS = ("start", "test", "wait", "first_start", "repeated_start")
# What Weft says that the time inside it is spent on; what is left of the CPU time is the host's.
PARTS = {
    "planning": "#f59e0b",
    "copies": "#10b981",
    "reductions": "#dc2626",
    "posting": "#2563eb",
    "testing": "#8b5cf6",
    "rest": "#67e8f9",
}


@measures(pairs=5, milliseconds=200.0)
def run(
    collective: options.Collectives = "iallreduce",
    size: options.Sizes = "8",
    ranks: options.RankCounts = "2",
    mpi: options.Mpi = "openmpi",
    implementation: options.Implementations = "host,weft",
    compute: Annotated[
        str | None,
        typer.Option(
            metavar="burn|sleep",
            help="Between start and wait: CPU time, or time away from MPI without a core. By default the latter where "
            "ranks outnumber the cores.",
        ),
    ] = None,
    tests: Annotated[int, typer.Option(min=0, max=1000, help="Calls of MPI_Test within the computation.")] = 4,
    buffers: options.Buffers = "rotating",
    *,
    measurement: Measurement,
) -> None:
    """Measure the CPU time of collectives beside enough computation, under the host MPI and under Weft."""
    environment.check()
    names = options.chosen_collectives(collective)
    options.check_word("--buffers", buffers, "hot", "rotating")
    sizes = parse_sizes(size)
    counts = parse_numbers(ranks, "--ranks", 1)
    who = contestants(mpi, implementation)
    compute_for = computation(compute, counts)
    common = {"tests": tests, "buffers": buffers} | measurement.length
    tasks = collective_tasks("overhead", counts, names, sizes, lambda count: common | {"compute": compute_for(count)})
    contest = measurement.measure("Measuring", tasks, who)
    for record in contest.records:
        record["host_us"] = host_us(record)
    summary = summarize(contest.records, implementation.split(","), measurement.pairs)
    measurement.finish(
        contest, "overhead", summary, lambda: show(contest.records), lambda file: draw(contest.records, file)
    )


def computation(compute: str | None, counts: Sequence[int]) -> Callable[[int], str]:
    """The kind for a number of ranks."""
    cores = launch.physical_cores()
    if compute is not None:
        options.check_word("--compute", compute, "burn", "sleep")
    crowded = max(counts) > cores
    if crowded and compute is None:
        err.print(f"More ranks than the {cores} cores: there ranks sleep instead of computing, so that a core is free")
        err.print("for who has something to do. CPU time means the same.")
    if crowded and compute == "burn":
        err.print(f"More ranks than the {cores} cores: to poll for a rank without a core is CPU time, and counts.")
    return lambda count: compute or ("sleep" if count > cores else "burn")


def host_us(record: Record) -> float | None:
    """What the host spends beside Weft: the CPU time that no part accounts for. Parts are measured in operations of
    their own, so that they may come to a little more than the whole. None where nobody tells the parts."""
    if not record.get("executed_by_weft"):
        return None
    return max(0.0, record["cpu_us"] - sum(record[f"{part}_us"] for part in PARTS))


def measurable(records: Sequence[Record]) -> list[Record]:
    """Those whose CPU time stands out from that of the computation by itself."""
    return [record for record in records if record["cpu_us"] > 0]


def summarize(records: Sequence[Record], implementations: Sequence[str], pairs: int) -> dict[str, Any]:
    """`ratio` is that of the CPU times, Weft over host."""
    points = analysis.points(measurable(records), KEYS, "cpu_us")
    summary = analysis.summary(points, records, KEYS, pairs)
    for entry, point in zip(summary["points"], points, strict=True):
        for implementation in implementations:
            found = point.spread_of(implementation)
            entry[f"cpu_us_{implementation.replace('-', '_')}"] = found.median if found else None
    return summary | (summary["points"][0] if len(points) == 1 else {})


def cells_of(records: Sequence[Record], fields: Sequence[str]) -> list[str]:
    return [cell(median(records, f"{field}_us")) for field in fields]


def show(records: Sequence[Record]) -> None:
    points = analysis.points(measurable(records), KEYS, "cpu_us")
    for mpi in dict.fromkeys(record["mpi"] for record in records):
        mine = [record for record in records if record["mpi"] == mpi]
        kinds = ", ".join(dict.fromkeys(record["compute"] for record in mine))
        show_cost(mine, points, f"CPU time of an operation beside computation ({kinds}), us, {mpi}")
        names = ("start", "tests", "wait", "first start", "repeated")
        show_medians(mine, f"Time inside the calls, us, {mpi}", dict(zip(names, CALLS, strict=True)))
        told = [record for record in mine if record["host_us"] is not None]
        if told:
            title = f"What the CPU time under Weft is spent on, us, {mpi}"
            show_medians(told, title, {name: name for name in (*PARTS, "host")})
            say("The parts come from operations of their own; that they are told apart adds a little to each.")
    say(f"Medians over launches, alternating; means over ranks; ratio of CPU times [quartiles]; load "
        f"{records[-1]['load']}.")  # fmt: skip


def show_cost(records: Sequence[Record], points: Sequence[Point], title: str) -> None:
    columns = ("CPU", "busiest", "in one go", "its CPU", "ratio")
    fields = ("cpu", "cpu_greatest", "in_one_go", "in_one_go_cpu")
    shown = table(title, "collective", "bytes", "ranks", "who", *columns, right=("bytes", "ranks", *columns))
    for (name, size, ranks), of_point in grouped(records, *KEYS).items():
        point = next((point for point in points if tuple(point.key.values()) == (name, size, ranks)), None)
        for (who,), mine in grouped(of_point, "implementation").items():
            ratio = point.ratio(who, mine[0]["mpi"]) if point and who != "host" else None
            cells = cells_of(mine, fields)
            shown.add_row(name, show_size(size), str(ranks), who, *cells, str(ratio) if ratio else "")
    out.print(shown)


def show_medians(records: Sequence[Record], title: str, fields: dict[str, str]) -> None:
    """`fields`: column -> field of the records."""
    shown = table(title, "collective", "bytes", "ranks", "who", *fields, right=("bytes", "ranks", *fields))
    for (name, size, ranks, who), mine in grouped(records, *KEYS, "implementation").items():
        shown.add_row(name, show_size(size), str(ranks), who, *cells_of(mine, fields.values()))
    out.print(shown)


def draw(records: Sequence[Record], file: Path) -> None:
    """Stacked bars over ranks and sizes, one panel per collective and MPI: the host grey, Weft's parts below its own
    share of grey."""
    panels = list(grouped(records, "collective", "mpi").items())
    if not panels:
        return

    def draw_panel(place: int, axis: Any) -> None:
        (collective, mpi), mine = panels[place]
        bars = grouped(mine, "bytes", "ranks", "implementation")
        order = sorted(bars, key=lambda bar: bar[:2])
        for x, bar in enumerate(order):
            bottom = 0.0
            for part, colour in PARTS.items() if median(bars[bar], "host_us") is not None else ():
                height = median(bars[bar], f"{part}_us") or 0.0
                axis.bar(x, height, 0.8, bottom=bottom, color=colour, label=part)
                bottom += height
            whole = median(bars[bar], "cpu_us") or 0.0
            axis.bar(x, max(0.0, whole - bottom), 0.8, bottom=bottom, color=COLOURS["host"], label="host")
        names = [f"{show_size(size)}, {ranks} ranks, {who}" for size, ranks, who in order]
        axis.set_xticks(range(len(order)), names, rotation=45, ha="right", size=8)
        axis.set_title(f"{collective}, {mpi}", fontsize=10)
        axis.set_ylabel("CPU us of one operation")

    figure(file, len(panels), "CPU time of an operation beside computation, and what it is spent on", draw_panel)
