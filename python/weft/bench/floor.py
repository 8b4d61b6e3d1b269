# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench floor`: what the hardware allows, and how well the clock measures."""

from collections.abc import Sequence
from typing import Any

from weft import environment, virtual_hosts
from weft.bad_input import BadInput
from weft.bench import options
from weft.bench.analysis import wrong
from weft.bench.contest import Task, contestants
from weft.bench.measurement import Measurement, measures
from weft.compare import Spread, spread
from weft.console import out, say, table
from weft.units import parse_sizes, show_size

DOUBLE = 8  # bytes
RINGS = [128 << 10, 4 << 20]  # bytes: shorter, and longer, than what a core's caches hold
MEANINGS = {
    "one_way": "one cache line from core to core",
    "exchange": "two ranks write a line and read the other's",
    "hand_over": "a core that one process yields to another",
    "copy": "a block that another core has just written",
    "reduce": "the same, added to doubles of one's own",
    "side_by_side": "two ranks leave a block for the other and take the other's; one begins where the other ends",
    "apart": "the same, 8 KiB apart",
    "ring": "1 MB through a ring of so many bytes, written where the other has just read",
    "streamed_ring": "the same, written past the caches",
    "spin": "error of measuring 200 ns, clock's cost subtracted",
}
OF_BLOCKS = {"copy", "reduce", "side_by_side", "apart"}  # measured for each of the sizes
OF_RINGS = {"ring", "streamed_ring"}


@measures(pairs=5, milliseconds=100.0, without=(*virtual_hosts.FIELDS, "iterations", "plot"))
def run(
    size: options.Sizes = "4K,64K,1M",
    mpi: options.Mpi = "openmpi",
    *,
    measurement: Measurement,
) -> None:
    """Measure what two cores can do at best: cache lines, copies, reductions; and the error of the clock."""
    environment.check()
    sizes = parse_sizes(size)
    if min(sizes) < DOUBLE:
        raise BadInput(f"--bytes {show_size(min(sizes))}: blocks of at least {DOUBLE} bytes are copied and added.")
    contest = measurement.measure("Measuring", [task(sizes, measurement.milliseconds)], contestants(mpi, "host"))
    summary = {"floors": summarize(contest.records), "wrong_answers": wrong(contest.records, ("item", "bytes"))}
    measurement.finish(contest, "floor", summary, lambda: show(contest.records))


def task(sizes: list[int], milliseconds: float, items: Sequence[str] = tuple(MEANINGS), once: bool = False) -> Task:
    """The task has two ranks of any MPI: the MPI is not what is measured."""
    return Task(
        "floor",
        2,
        items,
        lambda item: len(sizes) if item in OF_BLOCKS else len(RINGS) if item in OF_RINGS else 1,
        lambda some: {"items": some, "bytes": sizes, "rings": RINGS, "milliseconds": milliseconds},
        once=once,
    )


def floors_of(records: list[dict[str, Any]]) -> dict[tuple[str, int, str], Spread]:
    values: dict[tuple[str, int, str], list[float]] = {}
    for record in records:
        if record.get("right") is False:
            continue
        values.setdefault((record["item"], record["bytes"], record["unit"]), []).append(record["value"])
    return {key: spread(found) for key, found in values.items()}


def summarize(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"item": item, "bytes": size, "unit": unit, "value": value.median, "low": value.low, "high": value.high}
        for (item, size, unit), value in floors_of(records).items()
    ]


def show(records: list[dict[str, Any]]) -> None:
    shown = table("What the hardware allows", "floor", "bytes", "value", "unit", "what", right=("bytes", "value"))
    for (item, size, unit), value in floors_of(records).items():
        shown.add_row(item, show_size(size) if size else "", str(value), unit, MEANINGS[item])
    out.print(shown)
    say(f"Medians [quartiles] over launches; clock {records[0]['clock']}; load {records[-1]['load']}.")
