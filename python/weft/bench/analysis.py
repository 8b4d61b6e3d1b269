# SPDX-License-Identifier: BSD-3-Clause
"""From records to ratios. A point is what was measured (collective, bytes, ranks, …); its figure under one
contestant and one pair of launches is one value; a ratio is taken within a pair."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from weft import compare
from weft.compare import Spread

Record = dict[str, Any]
Series = dict[int, float]  # pair -> value


@dataclass
class Point:
    """One point under every contestant."""

    key: dict[str, Any]
    series: dict[tuple[str, str], Series] = field(default_factory=dict)  # (implementation, MPI) -> series
    methods: set[str] = field(default_factory=set)
    better: Callable[..., str] = min  # max where the figure is a throughput

    def of(self, implementation: str) -> dict[str, Series]:
        return {mpi: series for (name, mpi), series in self.series.items() if name == implementation}

    def best(self, implementation: str) -> tuple[str, Series] | None:
        """On the MPI where it is fastest."""
        candidates = self.of(implementation)
        if not candidates:
            return None
        mpi = self.better(candidates, key=lambda name: compare.spread(list(candidates[name].values())).median)
        return mpi, candidates[mpi]

    def ratio(self, implementation: str = "weft", mpi: str | None = None) -> Spread | None:
        """Over the host MPI; None where a pair is not complete. Without `mpi`: the best of each."""
        values = list(self.ratios(implementation, mpi).values())
        return compare.spread(values) if values else None

    def ratios(self, implementation: str = "weft", mpi: str | None = None) -> Series:
        if mpi is None:
            ours, theirs = self.best(implementation), self.best("host")
            over, under = (ours[1] if ours else {}), (theirs[1] if theirs else {})
        else:
            over, under = self.series.get((implementation, mpi), {}), self.series.get(("host", mpi), {})
        return {pair: over[pair] / under[pair] for pair in over if pair in under and under[pair] > 0}


def points(
    records: Iterable[Record],
    keys: Sequence[str],
    value: str = "microseconds",
    better: Callable[..., str] = min,
) -> list[Point]:
    """In the order of the records. A wrong answer's time is worth nothing and is left out."""
    found: dict[tuple[Any, ...], Point] = {}
    for record in records:
        if record.get("right") is False or record.get(value) is None:
            continue
        key = {name: record[name] for name in keys if name in record}
        point = found.setdefault(tuple(key.items()), Point(key, better=better))
        point.series.setdefault((record["implementation"], record["mpi"]), {})[record["pair"]] = record[value]
    return list(found.values())


def wrong(records: Iterable[Record], keys: Sequence[str]) -> list[str]:
    """What gave wrong answers, each once."""
    seen = {}
    for record in records:
        if record.get("right") is False:
            what = " ".join(f"{name} {record[name]}" for name in keys if name in record)
            seen[f"{what} ({record['implementation']}, {record['mpi']})"] = None
    return list(seen)


def overall(of_points: Sequence[Point], implementation: str = "weft") -> Spread | None:
    """The geometric mean over points, pair by pair; only pairs in which every point was measured."""
    ratios = [ratios for ratios in (point.ratios(implementation) for point in of_points) if ratios]
    if not ratios:
        return None
    common = set.intersection(*(set(series) for series in ratios))
    means = [math.exp(sum(math.log(series[pair]) for series in ratios) / len(ratios)) for pair in sorted(common)]
    return compare.spread(means) if means else None


def summary(of_points: Sequence[Point], implementation: str = "weft") -> dict[str, Any]:
    """The fields that every last line has, and one entry per point."""
    whole = overall(of_points, implementation)
    return spread_fields("ratio", whole) | {
        "points": [point.key | spread_fields("ratio", point.ratio(implementation)) for point in of_points]
    }


def spread_fields(name: str, spread: Spread | None) -> dict[str, float | None]:
    return {
        name: spread.median if spread else None,
        f"{name}_low": spread.low if spread else None,
        f"{name}_high": spread.high if spread else None,
    }
