# SPDX-License-Identifier: BSD-3-Clause
"""Five ways to say in one figure how much of an operation can be hidden behind computation, side by side because they
differ. All take times in one unit and give percent, 0 to 100. The measured times are those of bench/overlap/overlap.c.

    pure     the operation alone: start, wait
    compute  computation of about that length, as long as it took between start and wait (tests not counted)
    total    start, computation (with tests in it), wait
"""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

TOLERANCE = 1.02  # how much longer than the pure time still counts as hidden

Figures = dict[str, float | None]


def percent(share: float) -> float:
    return 100 * min(max(share, 0.0), 1.0)


def osu(pure: float, compute: float, total: float) -> float:
    """OSU micro-benchmarks: 100 - 100 (overall - compute + test) / pure, where their compute has the tests in it.
    What is not computation, as a share of the pure time: the tests count as communication."""
    return percent(1 - (total - compute) / pure)


def imb(pure: float, compute: float, total: float) -> float:
    """IMB-NBC: 100 (pure + compute - overlapped) / min(pure, compute). (Some builds divide by the greater one.)"""
    return percent((pure + compute - total) / min(pure, compute))


def polling_based(work: float, total: float) -> float:
    """Graham et al.'s CORE-Direct benchmarks: start, then slices of work and a test until it is complete; work over
    total."""
    return percent(work / total)


def cpu_availability(alone: float, under_way: float) -> float:
    """The time of a computation alone, over that of the same computation with operations under way all the time."""
    return percent(alone / under_way)


def wait_based(work: Sequence[float], total: Sequence[float]) -> float | None:
    """Graham et al.'s CORE-Direct benchmarks: start, compute W, wait. W grows until the total exceeds the pure time by
    2 %; that W over that total. An operation that hides nothing has 2 %, by this definition.

    `work` are the W that were tried (some of them 0: their median is the pure time), `total` their totals. A total
    cannot fall when W grows: what does is noise, and is evened out before the last W is looked for that fits, between
    two that were tried by interpolation. None if nothing shorter than half of the pure time was tried (a sleep
    cannot be that short).
    """
    pure = statistics.median(t for w, t in zip(work, total, strict=True) if w == 0)
    tried = sorted((w, t) for w, t in zip(work, total, strict=True) if w > 0)
    if tried[0][0] > pure / 2:
        return None
    limit = TOLERANCE * pure
    works = [0.0, *(w for w, _ in tried)]
    totals = never_falling([pure, *(t for _, t in tried)])
    last = max(i for i, t in enumerate(totals) if t <= limit)
    if last == len(works) - 1:
        return percent(works[last] / totals[last])
    share = (limit - totals[last]) / (totals[last + 1] - totals[last])
    return percent((works[last] + share * (works[last + 1] - works[last])) / limit)


def never_falling(values: Sequence[float]) -> list[float]:
    """Neighbours that fall are pooled, and stand for their median (pool adjacent violators, in the sense of least
    absolute deviations: a single disturbed value moves nothing)."""
    pools: list[list[float]] = []
    for value in values:
        pools.append([value])
        while len(pools) > 1 and statistics.median(pools[-2]) > statistics.median(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    return [statistics.median(pool) for pool in pools for _ in pool]


DEFINITIONS = ("wait_based", "polling_based", "osu", "imb", "cpu_availability")


def figures(record: Mapping[str, Any]) -> Figures:
    """All five of one record of bench/overlap; none where the operation is too short for the clock, and not those that
    need tests where it cannot be tested."""
    pure = record["pure_us"]
    times = (pure, record["compute_us"], record["total_us"])
    if min(times) <= 0:
        return dict.fromkeys(DEFINITIONS)
    # A slice longer than the operation: one of them is all there is, and its share says how long it was.
    polled = "slice_us" in record and record["slice_us"] <= pure / 2
    available = "availability_alone_us" in record
    return {
        "wait_based": wait_based(record["work_grid_us"], record["total_grid_us"]),
        "polling_based": polling_based(record["polling_work_us"], record["polling_total_us"]) if polled else None,
        "osu": osu(*times),
        "imb": imb(*times),
        "cpu_availability": cpu_availability(record["availability_alone_us"], record["availability_under_way_us"])
        if available
        else None,
    }
