# SPDX-License-Identifier: BSD-3-Clause
"""What this machine can measure of a figure, by a question of `weft bench`: beside the simulated points, never judged,
since it is not the paper's machine. Nothing is run unless it is asked for.

    [[measured]]
    name = "this machine, Weft: all-gather"
    command = "overlap --collective iallgather --bytes 8,1K,64K --ranks 8 --implementation weft"
    value = "overlap.osu"           # a field of its records; with a point: within that; with +: the sum of several
    scale = 1.0                     # so many of the figure's units, or of `unit`, are one of the field's
    unit = ""                       # if it is not the figure's quantity: such values stand beside the figure in words
    where = { form = "blocking" }   # of which records
    differs = "two cores for 8 ranks, …"  # from what the figure is about

A point is where on the axis the records say, or, if they say nothing of it, beside the figure; its value the median
over the rounds of launches (--pairs), with its quartiles and the machine's load.
"""

import json
import math
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

from weft.bad_input import BadInput
from weft.compare import Spread, spread
from weft.reproduce.judge import is_number
from weft.reproduce.source import Place, Record
from weft.reproduce.verdicts import show


@dataclass(frozen=True)
class Measured:
    name: str
    command: str
    value: str
    differs: str
    where: Record
    scale: float = 1.0
    unit: str = ""
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True)
class MeasuredPoint:
    series: str
    point: float | None  # None: nowhere on the axis
    spread: Spread
    load: float  # of the machine, the mean
    count: int  # launches

    def record(self, axis: str) -> Record:
        low, high = self.spread.low, self.spread.high
        found = {"series": self.series, axis: self.point, "median": self.spread.median, "low": low, "high": high}
        return found | {"launches": self.count, "load": self.load}

    def __str__(self) -> str:
        return f"{show(self.spread.median)} [{show(self.spread.low)}, {show(self.spread.high)}]"


def read_measured(place: Place, table: Record) -> Measured:
    scale = table.pop("scale", 1.0)
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not 0 < scale < math.inf:
        raise place.refuse("scale", f"{scale!r} is no factor.")
    measured = Measured(
        name=place.take(table, "name", str),
        command=place.take(table, "command", str),
        value=place.take(table, "value", str),
        differs=place.take(table, "differs", str),
        where=place.take(table, "where", dict, {}),
        scale=scale,
        unit=place.take(table, "unit", str, ""),
        place=place,
    )
    for key in table:
        raise place.refuse(key, "what is measured has name, command, value, differs, where, scale and unit.")
    check_command(place, measured.command)
    return measured


def check_command(place: Place, command: str) -> None:
    from weft.verbs.bench import QUESTIONS

    try:
        question = shlex.split(command)[:1]
    except ValueError as problem:
        raise place.refuse("command", str(problem)) from problem
    if not question or question[0] not in QUESTIONS:
        raise place.refuse("command", f"no question of weft bench; there are {', '.join(QUESTIONS)}.")


@dataclass
class Bench:
    """Runs each command once, however many series, of however many studies, are made of it."""

    announce: Callable[[str], None]  # what begins, and what went wrong
    records: dict[str, list[Record]] = field(default_factory=dict)

    def measure(self, axis: str, one: Measured) -> list[MeasuredPoint]:
        """None where this machine cannot, as where it has no virtual hosts."""
        if one.command not in self.records:
            self.records[one.command] = self.run(one.command)
        records = self.records[one.command]
        try:
            return points_of(axis, one, records) if records else []
        except BadInput as problem:  # the rest may have taken minutes
            self.announce(f"Not measured: {problem}")
            return []

    def run(self, command: str) -> list[Record]:
        self.announce(f"Measuring: weft bench {command}")
        words = [sys.executable, "-m", "weft", "bench", *shlex.split(command), "--json"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            why = done.stderr.strip().splitlines()[-1:] or [f"it ended with exit code {done.returncode}"]
            self.announce(f"Not measured: weft bench {command}: {why[0]}")
            return []
        lines = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
        return [line for line in lines if "benchmark" in line and line.get("right") is not False]


def points_of(axis: str, one: Measured, records: Sequence[Record]) -> list[MeasuredPoint]:
    values: dict[float | None, list[tuple[float, float]]] = {}
    for record in records:
        parts = [field_of(record, path.strip()) for path in one.value.split("+")]
        if None in parts or any(record.get(key) != value for key, value in one.where.items()):
            continue
        if not all(is_number(part) for part in (*parts, record.get(axis, 0))):
            raise one.place.refuse("value", f"{one.value} or {axis} of weft bench {one.command} is no number.")
        point = None if one.unit or axis not in record else float(record[axis])
        values.setdefault(point, []).append((sum(parts) * one.scale, float(record.get("load", 0.0))))
    if not values:
        raise one.place.refuse(
            "value", f"no record of weft bench {one.command} has {one.value}, where it is {one.where}."
        )
    return [
        MeasuredPoint(
            one.name, point, spread([value for value, _ in pairs]), mean(load for _, load in pairs), len(pairs)
        )
        for point, pairs in sorted(values.items(), key=lambda item: item[0] or 0.0)
    ]


def field_of(record: Record, path: str) -> Any:
    """A field, or, as in overlap.osu, one of a field's."""
    found: Any = record
    for key in path.split("."):
        found = found.get(key) if isinstance(found, dict) else None
    return found
