# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench communicators`: what it costs to make and free communicators, and what one that is alive takes."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from weft import environment, virtual_hosts
from weft.bench import analysis, options
from weft.bench.analysis import Record, cell, median
from weft.bench.contest import Task, contestants
from weft.bench.measurement import Measurement, measures
from weft.console import out, say, table
from weft.units import parse_numbers

KEYS = ("constructor", "ranks")
CONSTRUCTORS = ("split", "split_halves", "dup")


@measures(pairs=10, milliseconds=100.0, without=(*virtual_hosts.FIELDS, "plot"))
def run(
    constructor: Annotated[
        str,
        typer.Option(
            help="Some of split (one part), split_halves (two parts) and dup, separated by commas.",
        ),
    ] = "split,split_halves,dup",
    ranks: options.RankCounts = "2",
    mpi: options.Mpi = "openmpi",
    implementation: options.Implementations = "host,weft",
    live: Annotated[int, typer.Option(min=1, max=2000, help="Communicators alive while memory is looked at.")] = 100,
    *,
    measurement: Measurement,
) -> None:
    """Measure how long MPI_Comm_split and MPI_Comm_dup take, with the freeing, and how much memory they cost."""
    environment.check()
    names = options.chosen_words("--constructor", constructor, *CONSTRUCTORS)
    common = {"live": live} | measurement.length
    tasks = [
        Task("communicators", count, names, lambda _: 1, lambda some: {"constructors": some} | common)
        for count in parse_numbers(ranks, "--ranks", 1)
    ]
    contest = measurement.measure("Making communicators", tasks, contestants(mpi, implementation))
    points = analysis.points(contest.records, KEYS)
    summary = analysis.summary(points, contest.records, KEYS, measurement.pairs)
    for entry in summary["points"]:
        entry["memory"] = {
            implementation: {
                "private_bytes": median(mine, "private_bytes"),
                "shared_bytes": median(mine, "shared_bytes"),
            }
            for implementation, mine in by_implementation(contest.records, entry).items()
        }
    measurement.finish(contest, "communicators", summary, lambda: show(contest.records, implementation.split(",")))


def by_implementation(records: Sequence[Record], point: dict[str, Any]) -> dict[str, list[Record]]:
    mine = [record for record in records if all(record[key] == point[key] for key in KEYS)]
    return {name: of for (name,), of in analysis.grouped(mine, "implementation").items()}


def show(records: Sequence[Record], implementations: Sequence[str]) -> None:
    columns = ("make+free us", "make us", "private KiB", "shared KiB", "ratio")
    for mpi in dict.fromkeys(record["mpi"] for record in records):
        shown = table(f"Communicators, {mpi}", "constructor", "ranks", "who", *columns, right=("ranks", *columns))
        for point in analysis.points(records, KEYS):
            here = [record for record in records if record["mpi"] == mpi]
            for who, mine in by_implementation(here, point.key).items():
                ratio = point.ratio(who, mpi) if who in analysis.compared_with_host(implementations) else None
                shown.add_row(
                    point.key["constructor"], str(point.key["ranks"]), who, cell(median(mine, "microseconds")),
                    cell(median(mine, "make_us")), kib(median(mine, "private_bytes")),
                    kib(median(mine, "shared_bytes")), str(ratio or ""),
                )  # fmt: skip
        out.print(shown)
    say("Times: maximum over ranks, medians over cycles and launches; ratios within pairs of launches, median")
    say("[quartiles]. Memory for each communicator alive: private per process, shared for all of its ranks together.")


def kib(size: float | None) -> str:
    return cell(None if size is None else size / 1024, 1)
