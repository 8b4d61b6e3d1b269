# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench dgemm`: how fast a matrix product is while a collective is under way, and what start and wait take
(Kandalla et al. 2012, section VI D and figure 9)."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import environment, installation, launch
from weft.bad_input import BadInput
from weft.bench import analysis, options
from weft.bench.analysis import Point, Record, grouped
from weft.bench.collectives import number_of_sizes
from weft.bench.contest import Contestant, Task, contestants
from weft.bench.measurement import Measurement, measures
from weft.chart import COLOURS, MARKERS, curve, figure
from weft.compare import Spread
from weft.console import err, out, say, table
from weft.units import parse_numbers, parse_sizes, show_size

KEYS = ("collective", "bytes", "ranks", "matrix")
LARGEST = 20000  # rows; three such matrices are 9.6 GB
MOST_ITERATIONS = 10000
SLOWEST_FLOPS = 5e8  # per second, of a core that can be called one: bounds how long a launch may take


@measures(pairs=5, milliseconds=500.0)
def run(
    sizes: Annotated[str, typer.Option(help="Rows of the matrices: 10,100,1000.")] = "10,30,100,300,1000,3000",
    collective: options.Collectives = "iallreduce",
    size: options.Sizes = "8",
    ranks: options.RankCounts = "2",
    mpi: options.Mpi = "openmpi",
    implementation: options.Implementations = "host,weft",
    *,
    measurement: Measurement,
) -> None:
    """Measure a matrix product between start and wait of a collective: throughput against the same product alone."""
    environment.check()
    orders = parse_numbers(sizes, "--sizes", 1)
    if max(orders) > LARGEST:
        raise BadInput(f"--sizes {max(orders)}: at most {LARGEST} rows.")
    if measurement.iterations is not None and measurement.iterations > MOST_ITERATIONS:
        raise BadInput(f"--iterations {measurement.iterations}: at most {MOST_ITERATIONS}.")
    names = options.overlapping_collectives(collective)
    blocks = parse_sizes(size)
    counts = parse_numbers(ranks, "--ranks", 1)
    who = contestants(mpi, implementation)
    check_built(who)
    cores = launch.physical_cores()
    if max(counts) > cores:
        err.print(f"More ranks than the {cores} cores: they share them, and so do their products.")
    per_size = number_of_sizes(names, blocks)
    common = {"collectives": names, "bytes": blocks} | measurement.length
    items = {f"{n} x {n}": n for n in orders}
    tasks = [
        Task(
            "dgemm",
            count,
            list(items),
            lambda _: per_size,
            lambda some: {"sizes": [items[one] for one in some]} | common,
            timeout=longest(
                orders, per_size, measurement.milliseconds, measurement.iterations, max(1.0, count / cores)
            ),
            # Read when OpenBLAS is loaded: without it threads are made that nobody wants.
            variables={"OPENBLAS_NUM_THREADS": "1"},
        )
        for count in counts
    ]
    contest = measurement.measure("Multiplying", tasks, who)
    summary = summarize(contest.records, measurement.pairs)
    measurement.finish(
        contest,
        "dgemm",
        summary,
        lambda: show(contest.records, implementation),
        lambda file: draw(contest.records, file),
    )


def check_built(who: Sequence[Contestant]) -> None:
    for one in who:
        if installation.application(f"bench_dgemm_{one.host.name}") is None:
            raise BadInput(
                f"bench/dgemm is not built for {one.host.title}: it needs OpenBLAS. Install it (Debian: "
                "libopenblas-dev) beside this MPI's headers, and run `make build`."
            )


def longest(
    orders: Sequence[int], per_size: int, milliseconds: float, iterations: int | None, crowding: float
) -> float:
    """Seconds after which a launch hangs rather than computes."""
    products = sum(2.0 * n**3 / SLOWEST_FLOPS for n in orders) * 2 * (iterations or 1)
    return 120 + per_size * crowding * (len(orders) * 4 * milliseconds / 1e3 + products)


def measured(records: Sequence[Record], value: str, better: Callable[..., str] = min) -> list[Point]:
    return analysis.points(records, KEYS, value, better)


def same(points: Sequence[Point], wanted: Point) -> Point:
    """The point of these that has the key of `wanted`; an empty one if there is none."""
    return next((point for point in points if point.key == wanted.key), Point(wanted.key))


def summarize(records: Sequence[Record], pairs: int) -> dict[str, Any]:
    """`ratio` is throughput under Weft over throughput under the host: above 1, Weft takes less from the product."""
    throughput = measured(records, "gflops", max)
    summary = analysis.summary(throughput, records, KEYS, pairs)
    figures = {name: measured(records, name) for name in ("overhead_microseconds", "dgemm_spread_microseconds")}
    figures |= {"gflops": throughput, "peak_gflops": measured(records, "peak_gflops", max)}
    for entry, point in zip(summary["points"], throughput, strict=True):
        for name, points in figures.items():
            for implementation in dict.fromkeys(who for who, _ in point.series):
                found = same(points, point).spread_of(implementation)
                entry[f"{implementation}_{name}"] = found.median if found else None
    return summary


def show(records: Sequence[Record], implementations: str) -> None:
    names = implementations.split(",")
    for mine in grouped(records, "collective", "bytes", "ranks", "mpi").values():
        show_throughput(mine, names)
        show_overhead(mine, names)
    say(f"Medians [quartiles] over launches, alternating; {records[0]['blas']}; load {records[-1]['load']}.")
    say("DGEMM: the product's own us on the fastest rank, and how much longer it took on the slowest.")
    if len({record["mpi"] for record in records}) > 1:
        options.show_best(measured(records, "gflops", max), lambda key: f"n {key['matrix']}, {about(key)}")


def about(key: Record) -> str:
    return f"{key['collective']}, {show_size(key['bytes'])} bytes, {key['ranks']} ranks"


def show_throughput(records: Sequence[Record], names: Sequence[str]) -> None:
    """A table of throughputs, of one collective, size, number of ranks and MPI: figure 9 a."""
    others = analysis.compared_with_host(names)
    mpi = records[0]["mpi"]
    columns = ["n", "alone", *names, *(f"{name}/host" for name in others)]
    shown = table(f"GFLOP/s of the slowest rank: {about(records[0])}, {mpi}", *columns, right=tuple(columns))
    alone = measured(records, "peak_gflops", max)
    for point in measured(records, "gflops", max):
        peak = next((found for name in names if (found := same(alone, point).spread_of(name, mpi))), None)
        shown.add_row(
            str(point.key["matrix"]), f"{peak.median:.2f}" if peak else "-",
            *(str(point.spread_of(name, mpi) or "-") for name in names),
            *(str(point.ratio(name, mpi) or "-") for name in others),
        )  # fmt: skip
    out.print(shown)


def show_overhead(records: Sequence[Record], names: Sequence[str]) -> None:
    """A table of the communication's overhead, of one collective, size, number of ranks and MPI: figure 9 b."""
    mpi = records[0]["mpi"]
    columns = ["n", *names, *(f"DGEMM, {name}" for name in names)]
    shown = table(f"us in start + wait: {about(records[0])}, {mpi}", *columns, right=tuple(columns))
    fastest, slowest = (measured(records, f"dgemm_{which}_microseconds") for which in ("fastest", "slowest"))
    for point in measured(records, "overhead_microseconds"):
        ends = [[same(which, point).spread_of(name, mpi) for which in (fastest, slowest)] for name in names]
        shown.add_row(
            str(point.key["matrix"]), *(str(point.spread_of(name, mpi) or "-") for name in names),
            *(longer_on_the_slowest(low, high) for low, high in ends),
        )  # fmt: skip
    out.print(shown)


def longer_on_the_slowest(fastest: Spread | None, slowest: Spread | None) -> str:
    if fastest is None or slowest is None or fastest.median <= 0:
        return "-"
    return f"{fastest.median:.1f} +{100 * (slowest.median / fastest.median - 1):.0f} %"


def draw(records: Sequence[Record], file: Path) -> None:
    """Figures 9 a and b side by side, a row for each collective, size and number of ranks."""
    rows = list(grouped(records, "collective", "bytes", "ranks").values())
    if not rows:
        return

    def fill(place: int, axis: Any) -> None:
        mine = rows[place // 2]
        what = about(mine[0])
        orders = sorted({record["matrix"] for record in mine})
        axis.set_xscale("log")
        axis.set_xticks(orders, [str(n) for n in orders])
        axis.minorticks_off()
        axis.set_xlabel("n, of n x n matrices")
        if place % 2 == 0:
            draw_contestants(axis, measured(mine, "gflops", max))
            draw_contestants(axis, measured(mine, "peak_gflops", max), ":", "the product alone")
            axis.set_title(f"Throughput: {what}", fontsize=10)
            axis.set_ylabel("GFLOP/s of the slowest rank")
        else:
            draw_contestants(axis, measured(mine, "overhead_microseconds"))
            draw_contestants(
                axis, measured(mine, "dgemm_spread_microseconds"), "--", "slowest - fastest rank's product"
            )
            axis.set_title(f"Start + wait: {what}", fontsize=10)
            axis.set_ylabel("us")
            axis.set_yscale("log")

    figure(file, 2 * len(rows), "A matrix product with a collective under it", fill, columns=2)


def draw_contestants(axis: Any, points: Sequence[Point], linestyle: str = "-", meaning: str = "") -> None:
    """A curve for each; `meaning` explains a style that all of them share."""
    seen = list(dict.fromkeys(who for point in points for who in point.series))
    mpis = list(dict.fromkeys(mpi for _, mpi in seen))
    for implementation, mpi in seen:
        known = [(p.key["matrix"], found) for p in points if (found := p.spread_of(implementation, mpi))]
        label = "" if meaning else f"{implementation}, {mpi}"
        curve(
            axis, [n for n, _ in known], [s for _, s in known], color=COLOURS[implementation], linestyle=linestyle,
            marker=MARKERS[mpis.index(mpi) % len(MARKERS)], label=label,
        )  # fmt: skip
    if meaning:
        axis.plot([], [], color="black", linestyle=linestyle, label=meaning)
