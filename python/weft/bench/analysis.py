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
RIVAL = "intel"  # Intel MPI, by itself: the same whatever MPI the others are on


@dataclass
class Point:
    """One point under every contestant."""

    key: dict[str, Any]
    series: dict[tuple[str, str], Series] = field(default_factory=dict)  # (implementation, MPI) -> series
    better: Callable[..., str] = min  # max where the figure is a throughput

    def best(self, implementation: str) -> str | None:
        """The MPI on which it is fastest; None if it was measured on none."""
        mpis = [mpi for name, mpi in self.series if name == implementation]
        return self.better(mpis, key=lambda mpi: self.spread_of(implementation, mpi).median, default=None)

    def of(self, implementation: str, mpi: str | None = None) -> Series:
        """The series of an implementation on an MPI (without `mpi`: on its best one); empty if it was not measured."""
        return self.series.get((implementation, mpi or self.best(implementation)), {})

    def spread_of(self, implementation: str, mpi: str | None = None) -> Spread | None:
        values = list(self.of(implementation, mpi).values())
        return compare.spread(values) if values else None

    def ratio(self, implementation: str = "weft", mpi: str | None = None, to: str = "host") -> Spread | None:
        """The ratio to the host MPI; None where a pair is not complete. Without `mpi`: the best of each."""
        values = list(self.ratios(implementation, mpi, to).values())
        return compare.spread(values) if values else None

    def ratios(self, implementation: str = "weft", mpi: str | None = None, to: str = "host") -> Series:
        over, under = self.of(implementation, mpi), self.of(to, None if to == RIVAL else mpi)
        return {pair: over[pair] / under[pair] for pair in over if pair in under and under[pair] > 0}


def points(
    records: Iterable[Record],
    keys: Sequence[str],
    value: str = "microseconds",
    better: Callable[..., str] = min,
) -> list[Point]:
    """All points, in the order of the records. A wrong answer's time is worth nothing and is left out."""
    found: dict[tuple[Any, ...], Point] = {}
    for record in records:
        if record.get("right") is False or record.get(value) is None:
            continue
        key = {name: record[name] for name in keys if name in record}
        point = found.setdefault(tuple(key.items()), Point(key, better=better))
        point.series.setdefault((record["implementation"], record["mpi"]), {})[record["pair"]] = record[value]
    return list(found.values())


def grouped(records: Iterable[Record], *keys: str) -> dict[tuple[Any, ...], list[Record]]:
    """Those with right answers, in the order measured, by what they have in these keys."""
    found: dict[tuple[Any, ...], list[Record]] = {}
    for record in records:
        if record.get("right") is not False:
            found.setdefault(tuple(record[key] for key in keys), []).append(record)
    return found


def median(records: Iterable[Record], field: str) -> float | None:
    """The median over launches; None where the field means nothing (a blocking form has no start)."""
    values = [record[field] for record in records if record.get(field) is not None]
    return compare.spread(values).median if values else None


def cell(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def compared_with_host(names: Sequence[str]) -> list[str]:
    """The implementations that are compared with the host MPI: none if that was not measured."""
    return [name for name in names if name not in ("host", RIVAL)] if "host" in names else []


def wrong(records: Iterable[Record], keys: Sequence[str]) -> list[str]:
    """What gave wrong answers, each once."""
    seen = {}
    for record in records:
        if record.get("right") is False:
            what = " ".join(f"{name} {record[name]}" for name in keys if name in record)
            seen[f"{what} ({record['implementation']}, {record['mpi']})"] = None
    return list(seen)


def overall(of_points: Sequence[Point], to: str = "host") -> Spread | None:
    """The geometric mean over points, pair by pair; only pairs in which every point was measured."""
    ratios = [ratios for ratios in (point.ratios(to=to) for point in of_points) if ratios]
    if not ratios:
        return None
    common = set.intersection(*(set(series) for series in ratios))
    means = [math.exp(sum(math.log(series[pair]) for series in ratios) / len(ratios)) for pair in sorted(common)]
    return compare.spread(means) if means else None


def verdict(ratio: Spread | None) -> str | None:
    """What a ratio of times to the host's says, by its quartiles; None where there is no ratio."""
    if ratio is None:
        return None
    return "faster" if ratio.high < 1 else "slower" if ratio.low > 1 else "same"


def verdicts_in_words(
    of_points: Sequence[Point], name_of: Callable[[dict[str, Any]], str], to: str = "host", mean: str | None = None
) -> str | None:
    """A sentence for the end of a table: all points in one figure, how many of each verdict, and the worst point.
    The figure is `mean`, or else that of all pairs in which every point was measured."""
    judged = [(ratio, point) for point in of_points if (ratio := point.ratio(to=to))]
    figure = mean or overall(of_points, to)
    if figure is None or len(judged) < 2:
        return None
    found = [verdict(ratio) for ratio, _ in judged]
    counts = ", ".join(f"{found.count(word)} {word}" for word in ("faster", "same", "slower"))
    worst, where = max(judged, key=lambda one: one[0].median)
    return (
        f"weft/{to} over {len(judged)} points: {figure} (geometric mean); {counts}; "
        f"worst {worst}: {name_of(where.key)}."
    )


def entry(point: Point) -> dict[str, Any]:
    """A point among the fields of the last line."""
    return point.key | spread_fields("ratio", point.ratio())


def summary(of_points: Sequence[Point], records: Iterable[Record], keys: Sequence[str], pairs: int) -> dict[str, Any]:
    """The fields that every last line has, and one entry per point."""
    return spread_fields("ratio", overall(of_points)) | {
        "points": [entry(point) for point in of_points],
        "pairs": pairs,
        "wrong_answers": wrong(records, keys),
    }


def spread_fields(name: str, spread: Spread | None) -> dict[str, float | None]:
    return {
        name: spread.median if spread else None,
        f"{name}_low": spread.low if spread else None,
        f"{name}_high": spread.high if spread else None,
    }
