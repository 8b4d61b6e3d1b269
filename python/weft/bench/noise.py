# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench noise`: how much an operating system's noise slows down a collective, or a whole program, under the
host MPI and under Weft (Kandalla et al. 2012, section VII D and figure 12).

A slow-down is the time with noise over the time without it, within one round of launches."""

import functools
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import binary, environment, launch
from weft.bench import analysis, options
from weft.bench.analysis import Point, Record
from weft.bench.collectives import number_of_sizes
from weft.bench.contest import Contest, Contestant, Task, contestants, too_long
from weft.bench.injectors import Noise, all_noises, check, injected
from weft.bench.measurement import Measurement, measures
from weft.chart import COLOURS, figure
from weft.compare import Spread, spread
from weft.console import out, say, table
from weft.units import parse_numbers, parse_sizes, show_size

TARGET = ("application", "form", "program", "collective", "bytes", "products", "ranks")  # what is slowed down
KEYS = (*TARGET, "duration_us", "frequency_hz")
LONGEST_LAUNCH = 1800.0  # seconds


@measures(pairs=5, milliseconds=500.0, without=("iterations",))
def run(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- PROGRAM ARGS…", help="An MPI program to slow down instead of a collective."),
    ] = None,
    duration: Annotated[str, typer.Option(help="How long each disturbance is: 50us,200us.")] = "50us,200us",
    frequency: Annotated[str, typer.Option(help="Disturbances per second and core: 20,1000.")] = "20,1000",
    collective: options.Collectives = "iallreduce",
    size: options.Sizes = "8",
    products: Annotated[
        int,
        typer.Option(min=0, help="Work under each collective: products of 16 x 16 matrices, about 1 us each."),
    ] = 0,
    ranks: options.RankCounts = "2",
    mpi: Annotated[
        str | None, typer.Option(metavar="openmpi|mpich|all", help="By default the program's own, else openmpi.")
    ] = None,
    implementation: options.Implementations = "host,weft",
    *,
    measurement: Measurement,
) -> None:
    """Measure what noise on all cores does to a collective, or to a program: weft bench noise -- ./program arguments"""
    environment.check()
    noises, milliseconds = all_noises(duration, frequency), measurement.milliseconds
    counts = parse_numbers(ranks, "--ranks", 1)
    check(noises)
    if command:
        program = binary.inspect(command)
        who = contestants(launch.choose_host(program, mpi).name, implementation)
        per_launch, asked = 1, {}
    else:
        program = None
        who = contestants(mpi or "openmpi", implementation)
        names, blocks = options.chosen_collectives(collective), parse_sizes(size)
        per_launch = number_of_sizes(names, blocks)
        asked = {"collectives": names, "bytes": blocks, "products": products, "milliseconds": milliseconds}
    conditions: dict[str, Noise | None] = {"no noise": None} | {str(noise): noise for noise in noises}
    tasks = [
        Task(
            "noise", count, [condition], lambda _: per_launch, lambda _: asked,
            timeout=LONGEST_LAUNCH if program else min(LONGEST_LAUNCH, 120 + per_launch * milliseconds / 100),
        )
        for count in counts
        for condition in conditions
    ]  # fmt: skip
    noisy = functools.partial(NoisyContest, conditions, program)
    contest = measurement.measure("Disturbing", tasks, who, noisy)
    summary = summarize(contest.records, measurement.pairs)
    measurement.finish(
        contest,
        "noise",
        summary,
        lambda: show(contest.records, implementation),
        lambda file: draw(contest.records, file),
    )


class NoisyContest(Contest):
    """A task is one condition: its only item names the noise under which it is launched. Without a program of the
    user's it is bench/noise that runs."""

    def __init__(self, conditions: dict[str, Noise | None], program: binary.Program | None, *about: Any) -> None:
        super().__init__(*about)
        self.conditions, self.program = conditions, program

    def _launch(self, task: Task, contestant: Contestant, items: list[str], pair: int) -> tuple[int, str | None]:
        noise = self.conditions[items[0]]
        before = len(self.records)
        with injected(noise, task.timeout + 60) as injectors:
            if self.program is None:
                ended = super()._launch(task, contestant, items, pair)
            else:
                ended = self._launch_program(self.program, task, contestant, pair)
        for record in self.records[before:]:
            record["duration_us"] = noise.duration_us if noise else 0
            record["frequency_hz"] = noise.frequency_hz if noise else 0
            record["injectors"] = injectors
        return ended

    def _launch_program(
        self, program: binary.Program, task: Task, contestant: Contestant, pair: int
    ) -> tuple[int, str | None]:
        """The wall time of the whole launch, as its user waits for it."""
        start = self._start(task, contestant, program)
        begin = time.monotonic()
        try:
            done = launch.capture(start, self.scratch, task.timeout)
        except subprocess.TimeoutExpired as problem:
            return 0, too_long(problem)
        taken = time.monotonic() - begin
        if done.returncode != 0:
            return 0, f"ended with code {done.returncode}: {done.stderr or done.stdout}"
        record = {
            "benchmark": "noise", "program": program_name(program), "ranks": task.ranks, "microseconds": 1e6 * taken,
        }  # fmt: skip
        self._keep([record], task, contestant, pair)
        return 1, None


def program_name(program: binary.Program) -> str:
    """The command without the folders of its first word."""
    return " ".join([Path(program.words[0]).name, *program.words[1:]])


# ---- from records to slow-downs ----


def slow_downs(records: Sequence[Record]) -> list[Record]:
    """The records with noise, each with its `slow_down`: its time over that of its contestant's launch without noise in
    the same round; and, of a collective, `beyond`: what noise adds to its time, in us, beyond what it adds to that of
    the work alone. Where that launch is missing, or wrong, there is none."""

    def key(record: Record) -> tuple[Any, ...]:
        return tuple(record.get(name) for name in (*TARGET, "implementation", "mpi", "pair"))

    def outside_work(record: Record) -> float | None:
        alone = record.get("alone_microseconds")
        return None if alone is None else record["microseconds"] - alone

    quiet = {key(r): r for r in records if not r["frequency_hz"] and r.get("right") is not False}
    found = []
    for record in records:
        without = quiet.get(key(record))
        if not record["frequency_hz"] or not without or not without["microseconds"]:
            continue
        mine, its = outside_work(record), outside_work(without)
        beyond = None if mine is None or its is None else mine - its
        found.append(record | {"slow_down": record["microseconds"] / without["microseconds"], "beyond": beyond})
    return found


def slow_down_points(records: Sequence[Record]) -> list[Point]:
    return analysis.points(slow_downs(records), KEYS, "slow_down")


def beyond_points(records: Sequence[Record]) -> list[Point]:
    return analysis.points(slow_downs(records), KEYS, "beyond")


def quiet_points(records: Sequence[Record]) -> list[Point]:
    return analysis.points([r for r in records if not r["frequency_hz"]], TARGET)


def summarize(records: Sequence[Record], pairs: int) -> dict[str, Any]:
    """`ratio` is the slow-down under Weft over that under the host: below 1, noise harms Weft less. `…_beyond_us` is
    what it adds to each operation beyond what it adds to the work alone."""
    points, beyond = slow_down_points(records), {tuple(p.key.items()): p for p in beyond_points(records)}
    summary = analysis.summary(points, records, KEYS, pairs)
    for entry, point in zip(summary["points"], points, strict=True):
        its_beyond = beyond.get(tuple(point.key.items()))
        for implementation in dict.fromkeys(name for name, _ in point.series):
            entry |= analysis.spread_fields(f"{implementation}_slow_down", point.spread_of(implementation))
            if its_beyond is not None:
                entry |= analysis.spread_fields(f"{implementation}_beyond_us", its_beyond.spread_of(implementation))
    return summary | {"scheduler": ", ".join(schedulers(records))}


def schedulers(records: Sequence[Record]) -> list[str]:
    """How the noise was scheduled, and why not before others."""
    found: dict[str, None] = {}
    for one in (one for record in records for one in record["injectors"]):
        why = one.get("why_not_fifo")
        found[f"{one['scheduler']} (SCHED_FIFO: {why})" if why else one["scheduler"]] = None
    return list(found)


# ---- for people ----


def target(key: Record) -> str:
    if "program" in key:
        return f"{key['program']}, {key['ranks']} ranks"
    work = f" over {key['products']} products" if key["products"] else ""
    return f"{key['collective']}, {show_size(key['bytes'])} bytes{work}, {key['ranks']} ranks"


def show(records: Sequence[Record], implementations: str) -> None:
    names = implementations.split(",")
    for what, mpi in panels(quiet_points(records)):
        show_target(records, what, mpi, names)
    say(f"Medians [quartiles] over launches, alternating; load {records[-1]['load']}.")
    for line in about_injectors(records):
        say(line)


def panels(points: Sequence[Point]) -> list[tuple[str, str]]:
    """What was slowed down, on which MPI."""
    return list(dict.fromkeys((target(point.key), mpi) for point in points for _, mpi in point.series))


def of_panel(points: Sequence[Point], what: str, mpi: str) -> list[Point]:
    return [p for p in points if target(p.key) == what and any(mpi == its_mpi for _, its_mpi in p.series)]


def show_target(records: Sequence[Record], what: str, mpi: str, names: Sequence[str]) -> None:
    others = analysis.compared_with_host(names)
    beyond = {tuple(p.key.items()): p for p in beyond_points(records)}
    added = [f"{name} +us" for name in names] if beyond else []
    columns = ["us", "Hz", "%", *names, *(f"{name}/host" for name in others), *added]
    shown = table(f"Slow-down, time with noise over time without: {what}, {mpi}", *columns, right=tuple(columns))

    def spreads(point: Point | None, unit: float = 1.0) -> list[Spread | None]:
        series = [point.series.get((name, mpi), {}).values() if point else () for name in names]
        return [spread([value / unit for value in values]) if values else None for values in series]

    def cells(point: Point, unit: float = 1.0) -> list[str]:
        ratios = [point.ratio(name, mpi) for name in others]
        return [str(found) if found else "-" for found in [*spreads(point, unit), *ratios]]

    def added_cells(point: Point) -> list[str]:
        found = spreads(beyond.get(tuple(point.key.items()))) if added else []
        return [f"{one.median:.0f} [{one.low:.0f}, {one.high:.0f}]" if one else "-" for one in found]

    for point in of_panel(slow_down_points(records), what, mpi):
        noise = Noise(point.key["duration_us"], point.key["frequency_hz"])
        what_noise = [f"{noise.duration_us:g}", str(noise.frequency_hz), f"{100 * noise.share:.1f}"]
        shown.add_row(*what_noise, *cells(point), *added_cells(point))
    out.print(shown)
    if added:
        say("+us: what noise adds to each operation beyond what it adds to the work alone.")
    for point in of_panel(quiet_points(records), what, mpi):
        unit, microseconds = ("s", 1e6) if "program" in point.key else ("us", 1.0)
        labels = [*(f"{name} {unit}" for name in names), *(f"{name}/host" for name in others)]
        times = zip(labels, cells(point, microseconds), strict=True)
        say(f"Without noise: {', '.join(f'{label} {found}' for label, found in times)}")


def about_injectors(records: Sequence[Record]) -> Iterator[str]:
    """What the noise really was, one line per kind of it."""
    groups: dict[Noise, list[Record]] = {}
    for record in records:
        if record["frequency_hz"]:
            noise = Noise(record["duration_us"], record["frequency_hz"])
            groups.setdefault(noise, []).extend(record["injectors"])
    for noise, said in groups.items():
        busy = 100 * sum(one["busy_share"] for one in said) / len(said)
        longest = max(one["longest_burst_us"] for one in said)
        lost = sum(one["missed_wakeups"] + one["held_back"] for one in said)
        due = sum(one["wakeups_due"] for one in said)
        yield f"Noise of {noise}: {busy:.1f} % of a core, longest {longest:.0f} us, {lost} of {due} wakeups left out."
    for how in schedulers(records):
        disturbed = "" if how == "SCHED_FIFO" else ": a rank that computes may keep it waiting"
        yield f"The noise ran as {how}{disturbed}."


def draw(records: Sequence[Record], file: Path) -> None:
    """Bars of degradation over duration and frequency, one panel per target and MPI (figure 12)."""
    points = slow_down_points(records)
    places = panels(points)
    if not places:
        return

    def fill(place: int, axis: Any) -> None:
        what, mpi = places[place]
        mine = of_panel(points, what, mpi)
        names = list(dict.fromkeys(name for point in mine for name, its_mpi in point.series if its_mpi == mpi))
        width = 0.8 / len(names)
        for number, name in enumerate(names):
            known = [(at, point.series.get((name, mpi))) for at, point in enumerate(mine)]
            spreads = [(at, spread([100 * (value - 1) for value in s.values()])) for at, s in known if s]
            axis.bar(
                [at + (number - (len(names) - 1) / 2) * width for at, _ in spreads],
                [s.median for _, s in spreads], width,
                yerr=[[s.median - s.low for _, s in spreads], [s.high - s.median for _, s in spreads]],
                color=COLOURS[name], label=name, error_kw={"linewidth": 1, "ecolor": "#374151"},
            )  # fmt: skip
        labels = [f"{p.key['duration_us']:g} us\n{p.key['frequency_hz']} Hz" for p in mine]
        axis.set_xticks(range(len(mine)), labels, fontsize=8)
        axis.axhline(0, color="#374151", linewidth=0.8)
        axis.set_ylabel("degradation, %")
        axis.set_title(f"{what}\n{mpi}", fontsize=9)

    figure(file, len(places), "Slow-down by noise", fill)
