# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench guidelines`: what a user may expect of any MPI: that a special collective is no slower than what it
could be made of (performance guidelines: Träff, Gropp, Thakur, IEEE TPDS 21(5), 2010)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from weft import environment
from weft.bench import options
from weft.bench.analysis import Point, Series, points, wrong
from weft.bench.collectives import has_sizes
from weft.bench.contest import Task, collective_tasks, contestants
from weft.bench.measurement import Measurement, measures
from weft.compare import Spread, spread
from weft.console import out, say, table
from weft.units import parse_numbers, parse_sizes, show_size

Term = tuple[str, int]  # a collective and the size of its block

SIZE_TOLERANCE = 1.05  # a smaller block may take so many times as long as the next larger
SPLIT_TOLERANCE = 1.2  # start and wait over the blocking form
KINDS = (
    "barrier",
    "bcast",
    "gather",
    "scatter",
    "allgather",
    "alltoall",
    "reduce",
    "allreduce",
    "reduce_scatter_block",
)


@dataclass(frozen=True)
class Guideline:
    """The sum of the left times is at most `tolerance` times the sum of the right ones."""

    text: str
    left: tuple[Term, ...]
    right: tuple[Term, ...]
    tolerance: float = 1.0


def composed(n: int, ranks: int) -> Iterator[Guideline]:
    """Guidelines for blocks of `n` bytes; parts of a whole are n / ranks, wholes of parts n * ranks."""
    part, whole = max(1, n // ranks), n * ranks
    yield Guideline("allreduce <= reduce + bcast", (("allreduce", n),), (("reduce", n), ("bcast", n)))
    yield Guideline("reduce <= allreduce", (("reduce", n),), (("allreduce", n),))
    yield Guideline("bcast <= scatter + allgather", (("bcast", n),), (("scatter", part), ("allgather", part)))
    yield Guideline("gather <= allgather", (("gather", n),), (("allgather", n),))
    yield Guideline("allgather <= gather + bcast", (("allgather", n),), (("gather", n), ("bcast", whole)))
    yield Guideline(
        "allreduce <= reduce_scatter_block + allgather",
        (("allreduce", n),),
        (("reduce_scatter_block", part), ("allgather", part)),
    )


def all_guidelines(sizes: Sequence[int], ranks: int) -> list[Guideline]:
    found = [Guideline("barrier <= allreduce of 1 byte", (("barrier", 0),), (("allreduce", 1),))]
    found += [guideline for n in (1, *sizes) for guideline in composed(n, ranks)]
    for kind in KINDS:
        steps = sizes if has_sizes(kind) else []
        found += [
            Guideline(f"{kind} grows with its size", ((kind, small),), ((kind, large),), SIZE_TOLERANCE)
            for small, large in zip(steps, steps[1:], strict=False)
        ]
        found += [
            Guideline(f"i{kind} + wait <= 1.2 {kind}", ((f"i{kind}", n),), ((kind, n),), SPLIT_TOLERANCE)
            for n in (sizes if has_sizes(kind) else [0])
        ]
    return found


@dataclass(frozen=True)
class Judgement:
    """One guideline under one contestant: left over right, per launch."""

    guideline: Guideline
    ranks: int
    implementation: str
    mpi: str
    ratio: Spread

    @property
    def violated(self) -> bool:
        """Three quarters of the launches say so: noise does not."""
        return self.ratio.low > self.guideline.tolerance

    def as_record(self) -> dict[str, Any]:
        return {
            "guideline": self.guideline.text, "left": self.guideline.left, "right": self.guideline.right,
            "tolerance": self.guideline.tolerance, "ranks": self.ranks, "implementation": self.implementation,
            "mpi": self.mpi, "ratio": self.ratio.median, "ratio_low": self.ratio.low, "ratio_high": self.ratio.high,
        }  # fmt: skip


def judge(guidelines: Sequence[Guideline], measured: Sequence[Point], ranks: int) -> Iterator[Judgement]:
    """Every guideline whose terms were all measured, under every contestant."""
    times = {(p.key["collective"], p.key["bytes"]): p.series for p in measured if p.key["ranks"] == ranks}
    for who in dict.fromkeys(who for series in times.values() for who in series):
        for guideline in guidelines:
            sides = [
                total([times.get(term, {}).get(who, {}) for term in side]) for side in (guideline.left, guideline.right)
            ]
            common = sorted(sides[0].keys() & sides[1].keys())
            if common:
                ratio = spread([sides[0][pair] / sides[1][pair] for pair in common])
                yield Judgement(guideline, ranks, *who, ratio)


def total(terms: Sequence[Series]) -> Series:
    """The sum in every launch that has all of them."""
    common = set.intersection(*(set(term) for term in terms))
    return {pair: sum(term[pair] for term in terms) for pair in common}


@measures(pairs=5, milliseconds=20.0, without=("iterations", "plot"))
def run(
    size: options.Sizes = "8,1K,64K",
    ranks: options.RankCounts = "2",
    mpi: options.Mpi = "openmpi",
    implementation: options.Implementations = "host,weft",
    *,
    measurement: Measurement,
) -> None:
    """List where a collective is slower than what it could be made of, under the host MPI and under Weft."""
    environment.check()
    sizes = parse_sizes(size)
    counts = parse_numbers(ranks, "--ranks", 1)
    who = contestants(mpi, implementation)
    method = options.note_if_crowded(counts, "single")
    rules = {count: all_guidelines(sizes, count) for count in counts}
    tasks = [
        task for count in counts for task in tasks_for(rules[count], count, method(count), measurement.milliseconds)
    ]
    contest = measurement.measure("Measuring", tasks, who)
    measured = points(contest.records, ("collective", "bytes", "ranks"))
    judgements = [judgement for count in counts for judgement in judge(rules[count], measured, count)]
    violations = [judgement for judgement in judgements if judgement.violated]
    summary = {
        "checked": len(judgements),
        "violations": [violation.as_record() for violation in violations],
        "wrong_answers": wrong(contest.records, ("collective", "bytes", "ranks")),
    }
    measurement.finish(contest, "guidelines", summary, lambda: show(judgements, contest.records))


def tasks_for(guidelines: Sequence[Guideline], ranks: int, method: str, milliseconds: float) -> list[Task]:
    """One launch for the collectives that are measured at the same sizes."""
    sizes: dict[str, set[int]] = {}
    for guideline in guidelines:
        for collective, n in (*guideline.left, *guideline.right):
            sizes.setdefault(collective, set()).add(n)
    groups: dict[tuple[int, ...], list[str]] = {}
    for collective, some in sizes.items():
        groups.setdefault(tuple(sorted(some)), []).append(collective)

    common = {"method": method, "milliseconds": milliseconds}
    return [
        task
        for some, names in groups.items()
        for task in collective_tasks("latency", [ranks], names, some, lambda _: common)
    ]


def show(judgements: list[Judgement], records: list[dict[str, Any]]) -> None:
    columns = ("guideline", "bytes", "ranks", "who", "left / right", "at most")
    shown = table("Violated guidelines", *columns, right=("bytes", "ranks", "left / right", "at most"))
    violations = [judgement for judgement in judgements if judgement.violated]
    for violation in sorted(violations, key=lambda v: -v.ratio.median / v.guideline.tolerance):
        shown.add_row(
            violation.guideline.text, show_size(violation.guideline.left[0][1]), str(violation.ranks),
            f"{violation.implementation}, {violation.mpi}", str(violation.ratio), str(violation.guideline.tolerance),
        )  # fmt: skip
    if violations:
        out.print(shown)
    for who in dict.fromkeys((judgement.implementation, judgement.mpi) for judgement in judgements):
        mine = [judgement for judgement in judgements if (judgement.implementation, judgement.mpi) == who]
        broken = sum(judgement.violated for judgement in mine)
        say(f"{', '.join(who)}: {broken} of {len(mine)} guidelines are violated.")
    say(f"Violated: in three quarters of the launches or more. Load {records[-1]['load']}.")
