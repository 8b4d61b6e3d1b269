# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench skew`: what the punctual ranks lose when others come late to a collective, blocking and non-blocking."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import environment, launch
from weft.bad_input import BadInput
from weft.bench import analysis, options
from weft.bench.analysis import Record
from weft.bench.contest import collective_tasks, contestants
from weft.bench.measurement import Measurement, measures
from weft.chart import COLOURS, MARKERS, curve, figure
from weft.compare import spread
from weft.console import err, out, say, table
from weft.units import parse_durations, parse_numbers, parse_sizes, show_size

KEYS = ("collective", "bytes", "ranks", "by_us")


@measures(pairs=5, milliseconds=200.0)
def run(
    collective: options.Collectives = "allreduce,iallreduce",
    size: options.Sizes = "8",
    ranks: options.RankCounts = "2",
    mpi: options.Mpi = "openmpi",
    implementation: options.Implementations = "host,weft",
    late: Annotated[
        str, typer.Option(metavar="one|random", help="Who is late: --rank, or every rank by a random part of --by.")
    ] = "one",
    rank: Annotated[int, typer.Option(min=0, help="The late one. Roots are rank 0.")] = 0,
    by: Annotated[str, typer.Option(metavar="10us,1ms", help="How late.")] = "10us,100us,1ms",
    seed: Annotated[int, typer.Option(min=0, help="Of `random`: the same sequence under every MPI.")] = 1,
    compute: Annotated[
        str, typer.Option(metavar="burn|sleep", help="How the late are late, and what is computed meanwhile.")
    ] = "burn",
    *,
    measurement: Measurement,
) -> None:
    """Let ranks come late to collectives, and measure what the others lose under the host MPI and under Weft."""
    environment.check()
    names = options.chosen_collectives(collective)
    sizes = parse_sizes(size)
    counts = parse_numbers(ranks, "--ranks", 2)
    delays = parse_durations(by, "--by")
    check(late, rank, delays, counts)
    options.check_word("--compute", compute, "burn", "sleep")
    who = contestants(mpi, implementation)
    cores = launch.physical_cores()
    if max(counts) > cores:
        err.print(f"More ranks than the {cores} cores: they also come late by waiting for one another's cores.")
    common = {
        "by": [round(1000 * us) for us in delays], "late": late, "rank": rank, "seed": seed, "compute": compute,
    } | measurement.length  # fmt: skip
    tasks = collective_tasks("skew", counts, names, sizes, lambda _: common, points_per_size=len(delays))
    contest = measurement.measure("Being late", tasks, who)
    summary = summarize(contest.records, implementation.split(","), measurement.pairs)
    measurement.finish(
        contest, "skew", summary, lambda: show(contest.records), lambda file: draw(contest.records, file)
    )


def check(late: str, rank: int, delays: Sequence[float], counts: Sequence[int]) -> None:
    options.check_word("--late", late, "one", "random")
    if late == "one" and rank >= min(counts):
        raise BadInput(f"--rank {rank}: of {min(counts)} ranks the last is rank {min(counts) - 1}.")
    if delays[0] < 0.001:
        raise BadInput(f"--by {delays[0]}us: the shortest is 1ns.")


def summarize(records: Sequence[Record], implementations: Sequence[str], pairs: int) -> dict[str, Any]:
    """`ratio` is that of the time in the collective while somebody is late, Weft over host; lost_… is what of it is
    lost, in microseconds, the mean of the punctual ranks."""
    points, lost = (analysis.points(records, KEYS, value) for value in ("with_us", "lost_us"))
    summary = analysis.summary(points, records, KEYS, pairs)
    for entry, point, losing in zip(summary["points"], points, lost, strict=True):
        for implementation in implementations:
            best = point.best(implementation)
            found = losing.spread_of(implementation, best) if best else None
            entry |= analysis.spread_fields(f"lost_{implementation.replace('-', '_')}_us", found)
    return summary | (summary["points"][0] if len(points) == 1 else {})


def show(records: Sequence[Record]) -> None:
    first = records[0]
    late = "every rank at random" if first["late"] == "random" else f"rank {first['late_rank']}"
    fields = {
        "nobody late us": "without_us",
        "somebody us": "with_us",
        "lost us": "lost_us",
        "most lost us": "most_lost_us",
    }
    points = {field: analysis.points(records, KEYS, field) for field in fields.values()}
    for mpi in dict.fromkeys(record["mpi"] for record in records):
        shown = table(
            f"Time in the collective, {mpi}; late: {late}, {first['compute']}", "collective", "bytes", "ranks",
            "late by", "who", *fields, "lost", "ratio", right=("bytes", "ranks", "late by", *fields, "lost", "ratio"),
        )  # fmt: skip
        for place, point in enumerate(points["with_us"]):
            for who in dict.fromkeys(implementation for implementation, at in point.series if at == mpi):
                medians = {field: points[field][place].spread_of(who, mpi).median for field in fields.values()}
                ratio = point.ratio(who, mpi) if who != "host" else None
                shown.add_row(
                    point.key["collective"], show_size(point.key["bytes"]), str(point.key["ranks"]),
                    show_duration(point.key["by_us"]), who, *(f"{value:.2f}" for value in medians.values()),
                    f"{round(100 * medians['lost_us'] / point.key['by_us'])} %", str(ratio) if ratio else "",
                )  # fmt: skip
        out.print(shown)
    say(f"Medians over launches, alternating; ratio with somebody late [quartiles]; load {records[-1]['load']}.")
    say("Lost: the difference, the mean of the punctual ranks, in percent of the delay; most: of one of them.")


def show_duration(us: float) -> str:
    return f"{us / 1000:g} ms" if us >= 1000 else f"{us:g} us"


def draw(records: Sequence[Record], file: Path) -> None:
    """One panel per collective, size and ranks: what is lost, in percent of the delay, over the delay."""
    points = analysis.points(records, KEYS, "lost_us")
    panels = list(dict.fromkeys(tuple(point.key[name] for name in KEYS[:3]) for point in points))
    if not panels:
        return

    def draw_panel(place: int, axis: Any) -> None:
        mine = [point for point in points if tuple(point.key[name] for name in KEYS[:3]) == panels[place]]
        mpis = list(dict.fromkeys(mpi for point in mine for _, mpi in point.series))
        for who, mpi in dict.fromkeys(key for point in mine for key in point.series):
            known = [(point.key["by_us"], point.series[who, mpi]) for point in mine if (who, mpi) in point.series]
            shares = [spread([100 * lost / by for lost in series.values()]) for by, series in known]
            marker = MARKERS[mpis.index(mpi) % len(MARKERS)]
            curve(axis, [by for by, _ in known], shares, color=COLOURS[who], marker=marker, label=f"{who}, {mpi}")
        collective, size, ranks = panels[place]
        axis.axhline(100, color="#111827", linewidth=0.8, linestyle="--")
        axis.set_title(f"{collective}, {show_size(size)} bytes, {ranks} ranks", fontsize=10)
        axis.set_xscale("log")
        axis.set_xlabel("late by, us")
        axis.set_ylabel("lost, % of that")

    figure(file, len(panels), "What the punctual ranks lose when others are late", draw_panel)
