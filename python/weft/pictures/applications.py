# SPDX-License-Identifier: BSD-3-Clause
"""From what the applications write with --json to panels. A run is a label and such an object."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from weft.pictures.panels import Bars, Curve, Curves, Panel, Stacks

Run = tuple[str, dict[str, Any]]

# Computation is blue, memory moved is grey, reductions are green, exchanges orange (what starts them) and red (waits).
COLOURS = {
    "matvec": "#1d4ed8",
    "inner products": "#16a34a",
    "precond": "#60a5fa",
    "axpy": "#93c5fd",
    "scale": "#bfdbfe",
    "computation": "#2563eb",
    "halo": "#f59e0b",
    "allreduce and wait": "#16a34a",
    "inner points": "#1d4ed8",
    "boundary points": "#60a5fa",
    "updates": "#93c5fd",
    "velocities": "#1d4ed8",
    "stresses": "#60a5fa",
    "edges": "#93c5fd",
    "recording": "#6b7280",
    "transforms": "#2563eb",
    "packing": "#9ca3af",
    "start of halo": "#f59e0b",
    "wait for halo": "#dc2626",
    "start of reductions": "#86efac",
    "wait for reductions": "#16a34a",
    "row exchange": "#fcd34d",
    "column exchange": "#f59e0b",
    "start of column exchange": "#fdba74",
    "wait for column exchange": "#dc2626",
    "compression": "#2563eb",
    "reading": "#9ca3af",
    "writing": "#6b7280",
    "waiting": "#dc2626",
    "start": "#f59e0b",
    "available to hide it": "#2563eb",
    "wait": "#dc2626",
    "input": "#2563eb",
    "this program": "#2563eb",
    "stream triad": "#9ca3af",
}
SERIES = ("#2563eb", "#16a34a", "#dc2626", "#d97706", "#7c3aed", "#0d9488")  # of curves: in this order
STYLES = ("-", "--", ":", "-.")  # of files
ITERATIVE_PARTS = {
    "inner points": "product_inner",
    "boundary points": "product_boundary",
    "updates": "updates",
    "packing": "packing",
    "start of halo": "halo_start",
    "wait for halo": "halo_wait",
    "start of reductions": "reduction_start",
    "wait for reductions": "reduction_wait",
}
TRANSFORM_PARTS = {
    "transforms": "transform",
    "packing": "pack",
    "row exchange": "row_exchange",
    "column exchange": "column_exchange",
    "start of column exchange": "column_start",
    "wait for column exchange": "column_wait",
}
WAVE_PARTS = {
    "velocities": "velocity",
    "stresses": "stress",
    "edges": "edges",
    "packing": "packing",
    "start of halo": "halo_start",
    "wait for halo": "halo_wait",
    "recording": "recording",
}
COMPRESS_PARTS = {
    "compression": "compressing_seconds",
    "reading": "reading_seconds",
    "writing": "writing_seconds",
    "waiting": "waiting_seconds",
}


def pcg(runs: Sequence[Run]) -> list[Panel]:
    """Residuals, the paper's Table I and figure 11, and what there is to hide each reduction."""
    solved = [
        (solution["name"] if len(runs) == 1 else f"{solution['name']}, {label}", solution, STYLES[at % len(STYLES)])
        for at, (label, run) in enumerate(runs)
        for solution in run["algorithms"]
    ]
    names = list(dict.fromkeys(solution["name"] for _, solution, _ in solved))
    labels = [label for label, _, _ in solved]
    tables = [solution["table"] for _, solution, _ in solved]
    breakdowns = [solution["breakdown"] for _, solution, _ in solved]
    residuals = [
        curve(label, range(len(s["residual_history"])), s["residual_history"], names.index(s["name"]), style)
        for label, s, style in solved
    ]
    columns = {"matvec": "matvec", "inner products": "inner_products"}
    columns |= {name: name for name in ("precond", "axpy", "scale")}
    kinds = {"computation": "computation", "halo": "halo", "allreduce and wait": "allreduce_and_wait"}
    reductions = [
        (f"{label}: {each['name']}", each) for label, solution, _ in solved for each in solution["iallreduce"]
    ]
    found: list[Panel] = [
        Curves(
            "Residuals", "iteration", "||r|| / ||b||", residuals, logarithmic=True,
            level=("tolerance", number(runs[0][1]["tolerance"])),
        ),
        stacks("Time by operation (Table I)", labels, tables, columns, [t["solver_time"] for t in tables]),
        stacks("Computation and communication", labels, breakdowns, kinds),
    ]  # fmt: skip
    if reductions:
        fields = {"start": "start_us", "available to hide it": "available_us", "wait": "wait_us"}
        found.append(
            Bars(
                "One MPI_Iallreduce", "us", [label for label, _ in reductions],
                {kind: numbers(each[field] for _, each in reductions) for kind, field in fields.items()}, COLOURS,
                level=("bare start + wait", number(runs[0][1]["iallreduce_latency_us"])),
            )
        )  # fmt: skip
    return found


def poisson(runs: Sequence[Run]) -> list[Panel]:
    return times_and_bandwidth(runs, ITERATIVE_PARTS)


def wave(runs: Sequence[Run]) -> list[Panel]:
    return times_and_bandwidth(runs, WAVE_PARTS)


def times_and_bandwidth(runs: Sequence[Run], parts: dict[str, str]) -> list[Panel]:
    labels = [label for label, _ in runs]
    times = [run["times"] for _, run in runs]
    found: list[Panel] = [stacks("Time by part", labels, times, parts, [t["whole"] for t in times])]
    if all("triad_gigabytes_per_second" in run for _, run in runs):
        kinds = {"this program": "gigabytes_per_second", "stream triad": "triad_gigabytes_per_second"}
        rates = {kind: numbers(run[field] for _, run in runs) for kind, field in kinds.items()}
        found.append(Bars("Memory's bandwidth, used and to be had", "GB/s", labels, rates, COLOURS))
    return found


def fft3d(runs: Sequence[Run]) -> list[Panel]:
    labels, parts = [label for label, _ in runs], [run["parts_seconds"] for _, run in runs]
    found: list[Panel] = [
        stacks("Time by part", labels, parts, TRANSFORM_PARTS, [run["seconds"] for _, run in runs]),
    ]
    vortices = [(label, run["taylor_green"]) for label, run in runs if run["taylor_green"] is not None]
    if vortices:
        found += vortex_panels(vortices)
    return found


def vortex_panels(vortices: Sequence[Run]) -> list[Panel]:
    """The energy, as a share of that at the start, beside what it must be: exp(-6 nu t) where the program says that
    this is known, and everywhere what viscosity has left of it, by the integral of the enstrophy."""
    energies, enstrophies = [], []
    for at, (label, vortex) in enumerate(vortices):
        times, energy, enstrophy = (
            numbers(point[name] for point in vortex["history"]) for name in ("time", "energy", "enstrophy")
        )
        viscosity, name = number(vortex["viscosity"]), "" if len(vortices) == 1 else f", {label}"
        left = [energy[0] - 2 * viscosity * taken for taken in integral(times, enstrophy)]
        energies.append(curve(f"energy{name}", times, shares(energy), at))
        energies.append(curve(f"less what viscosity took{name}", times, shares(left), at + 2, ":"))
        if vortex["decay_error"] is not None:
            known = [math.exp(-6 * viscosity * time) for time in times]
            energies.append(curve(f"exp(-6 nu t), known{name}", times, known, at + 3, "--"))
        enstrophies.append(curve(f"enstrophy{name}", times, shares(enstrophy), at))
    return [
        Curves("Taylor-Green vortex: energy", "time", "/ energy at the start", energies),
        Curves("Taylor-Green vortex: enstrophy", "time", "/ enstrophy at the start", enstrophies),
    ]


def shares(values: Sequence[float]) -> list[float]:
    return [value / values[0] for value in values]


def integral(x: Sequence[float], y: Sequence[float]) -> list[float]:
    """From the first x to each, by trapezia."""
    sums = [0.0]
    for at in range(1, len(x)):
        sums.append(sums[-1] + (x[at] - x[at - 1]) * (y[at] + y[at - 1]) / 2)
    return sums


def compress(runs: Sequence[Run]) -> list[Panel]:
    labels, objects = [label for label, _ in runs], [run for _, run in runs]
    rates = {"input": numbers(run["megabytes_per_second"] for run in objects)}
    return [
        stacks("Time by part", labels, objects, COMPRESS_PARTS, [run["seconds"] for run in objects]),
        Bars("Throughput", "MB/s of input", labels, rates, COLOURS),
    ]


PROGRAMS: dict[str, Callable[[Sequence[Run]], list[Panel]]] = {
    "pcg": pcg,
    "fft3d": fft3d,
    "compress": compress,
    "poisson": poisson,
    "wave": wave,
}


def stacks(
    title: str,
    labels: Sequence[str],
    objects: Sequence[dict[str, Any]],
    fields: dict[str, str],
    whole: Sequence[Any] | None = None,
) -> Stacks:
    """`fields`: the part's name -> the key of its seconds; null where the program cannot tell it from others."""
    parts = {part: numbers(0.0 if each[key] is None else each[key] for each in objects) for part, key in fields.items()}
    return Stacks(title, labels, parts, COLOURS, None if whole is None else numbers(whole))


def curve(label: str, x: Any, y: Any, at: int, style: str = "-") -> Curve:
    """A number that is none, of a solver that diverged, is null in JSON, and a gap in the curve."""
    return Curve(
        label,
        numbers(x),
        [math.nan if value is None else number(value) for value in y],
        SERIES[at % len(SERIES)],
        style,
    )


def number(value: Any) -> float:
    """What is no number must not become one: a text of digits is damage too."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise TypeError(f"{value!r} stands where a number should be")
    return float(value)


def numbers(values: Any) -> list[float]:
    found = [number(value) for value in values]
    if not found:
        raise ValueError("a list is empty that should have numbers")
    return found
