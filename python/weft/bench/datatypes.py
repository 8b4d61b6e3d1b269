# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench datatypes`: a derived datatype beside packing by hand, under the host MPI and under Weft."""

import itertools
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from weft import environment, virtual_hosts
from weft.bad_input import BadInput
from weft.bench import analysis, options
from weft.bench.analysis import Record
from weft.bench.contest import Task, contestants
from weft.bench.measurement import Measurement, measures
from weft.console import out, say, table
from weft.units import parse_numbers, parse_sizes, show_size

KEYS = ("collective", "bytes", "block", "ranks")
LARGEST = 1 << 30  # bytes of a vector
COLLECTIVES = ("ibcast", "ialltoall")
FIELDS = ("microseconds", "made_each_time_us", "by_hand_us", "of_by_hand")  # of the records, as the table shows them


@measures(pairs=5, milliseconds=100.0, without=(*virtual_hosts.FIELDS, "plot"))
def run(
    collective: Annotated[str, typer.Option(help="ibcast, ialltoall, or both.")] = "ibcast,ialltoall",
    size: Annotated[str, typer.Option("--bytes", help="Data of one vector, without its gaps.")] = "1M",
    block: Annotated[str, typer.Option("--blocks", help="Bytes of its blocks; gaps are as long.")] = "8,64,4K",
    ranks: options.RankCounts = "2",
    mpi: options.Mpi = "openmpi",
    implementation: options.Implementations = "host,weft",
    *,
    measurement: Measurement,
) -> None:
    """Measure collectives of vectors: as a datatype, as one that is made for each call, and packed by hand."""
    environment.check()
    names = options.chosen_words("--collective", collective, *COLLECTIVES)
    sizes, blocks = parse_sizes(size), parse_sizes(block, "--blocks")
    check_vectors(sizes, blocks)
    common = {"bytes": sizes, "blocks": blocks} | measurement.length
    tasks = [
        Task("datatypes", count, names, lambda _: len(sizes) * len(blocks), lambda some: {"collectives": some} | common)
        for count in parse_numbers(ranks, "--ranks", 1)
    ]
    contest = measurement.measure("Datatypes", tasks, contestants(mpi, implementation))
    summary = summarize(contest.records, implementation.split(","), measurement.pairs)
    measurement.finish(contest, "datatypes", summary, lambda: show(contest.records))


def check_vectors(sizes: Sequence[int], blocks: Sequence[int]) -> None:
    for block in blocks:
        if block == 0 or block % 8 != 0:
            raise BadInput(f"--blocks {show_size(block)}: blocks are whole doubles: multiples of 8.")
    for size, block in itertools.product(sizes, blocks):
        if size == 0 or size % block != 0:
            raise BadInput(f"--bytes {show_size(size)}: vectors are whole blocks: a multiple of {show_size(block)}.")
        if size > LARGEST:
            raise BadInput(f"--bytes {show_size(size)}: at most {show_size(LARGEST)}.")


def summarize(records: Sequence[Record], implementations: Sequence[str], pairs: int) -> dict[str, Any]:
    """`ratio` is that of the times with the datatype, Weft over host; weft_of_by_hand is that of the datatype over
    packing by hand, both under Weft, in its best host; ratio_made that of calls for each of which a datatype is
    made."""
    points = analysis.points(records, KEYS)
    summary = analysis.summary(points, records, KEYS, pairs)
    compared = analysis.points(records, KEYS, "of_by_hand")
    made = analysis.points(records, KEYS, "made_each_time_us")
    for entry, point, each_time in zip(summary["points"], compared, made, strict=True):
        entry |= analysis.spread_fields("ratio_made", each_time.ratio())
        for who in implementations:
            best = point.best(who)
            found = point.spread_of(who, best) if best else None
            entry |= analysis.spread_fields(f"{who.replace('-', '_')}_of_by_hand", found)
    return summary


def show(records: Sequence[Record]) -> None:
    points = {field: analysis.points(records, KEYS, field) for field in FIELDS}
    columns = ("datatype us", "made us", "by hand us", "of by hand", "ratio", "ratio made")
    for mpi in dict.fromkeys(record["mpi"] for record in records):
        shown = table(
            f"Vectors, {mpi}", "collective", "bytes", "block", "ranks", "who", *columns,
            right=("bytes", "block", "ranks", *columns),
        )  # fmt: skip
        for place, point in enumerate(points["microseconds"]):
            for who in dict.fromkeys(implementation for implementation, at in point.series if at == mpi):
                typed, made, hand, share = (points[field][place].spread_of(who, mpi) for field in FIELDS)
                ratios = [
                    str(points[field][place].ratio(who, mpi) or "") if who != "host" else ""
                    for field in ("microseconds", "made_each_time_us")
                ]
                shown.add_row(
                    point.key["collective"], show_size(point.key["bytes"]), show_size(point.key["block"]),
                    str(point.key["ranks"]), who, f"{typed.median:.2f}", f"{made.median:.2f}", f"{hand.median:.2f}",
                    str(share), *ratios,
                )  # fmt: skip
        out.print(shown)
    say("Times: maximum over ranks, medians over operations and launches; of by hand: the datatype's time over that")
    say("of packing, the same call and unpacking, under the same library; made: with a datatype that is made for the")
    say("call and freed behind it; ratio: Weft over host, [quartiles].")
