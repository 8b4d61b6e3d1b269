# SPDX-License-Identifier: BSD-3-Clause
"""Two contestants, the host MPI alone and with Weft, measured alternately: A B B A A B B A …

Weft is preloaded, so that alternation is by launch. What is reported is the ratio within a pair: a change of
the machine's mood between pairs falls on both sides.
"""

import functools
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from weft import __version__

Measured = TypeVar("Measured")


@dataclass(frozen=True)
class Spread:
    median: float
    low: float  # lower quartile
    high: float  # upper quartile

    def __str__(self) -> str:
        return f"{self.median:.2f} [{self.low:.2f}, {self.high:.2f}]"


def spread(values: list[float]) -> Spread:
    """Median and quartiles; with one value all three are that value."""
    if len(values) == 1:
        return Spread(values[0], values[0], values[0])
    low, median, high = statistics.quantiles(values, n=4, method="inclusive")
    return Spread(median, low, high)


def ratios(pairs: list[tuple[float, float]]) -> Spread:
    """The spread of the ratios of the pairs, second over first."""
    return spread([second / first for first, second in pairs])


def alternate(
    first: Callable[[], Measured],
    second: Callable[[], Measured],
    most_pairs: int,
    seconds: float = float("inf"),
    least_pairs: int = 1,
    step: Callable[[], None] = lambda: None,
) -> list[tuple[Measured, Measured]]:
    """Pairs (first, second), until there are `most_pairs` or another would take longer than `seconds` in all."""
    pairs: list[tuple[Measured, Measured]] = []
    begin = time.monotonic()
    while len(pairs) < most_pairs:
        spent = time.monotonic() - begin
        if len(pairs) >= least_pairs and spent * (len(pairs) + 1) / len(pairs) > seconds:
            break
        if len(pairs) % 2 == 0:
            a = first()
            b = second()
        else:
            b = second()
            a = first()
        pairs.append((a, b))
        step()
    return pairs


def machine() -> dict[str, Any]:
    """Where a figure was measured, with what, and in what mood the machine was."""
    return {
        "cpu": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "revision": revision(),
        "load": round(os.getloadavg()[0], 2),
    }


@functools.cache
def revision() -> str:
    """The source tree's commit, with a + behind it if files differ; the version where there is no tree."""
    tree = Path(__file__).resolve().parents[2]
    command = ["git", "-C", str(tree), "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return __version__
    return done.stdout.strip() or __version__


@functools.cache
def processor() -> str:
    model = platform.processor() or platform.machine()
    try:
        with Path("/proc/cpuinfo").open() as lines:
            model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    return model
