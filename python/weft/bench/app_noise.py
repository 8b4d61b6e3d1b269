# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench app` with --duration and --frequency: how much noise on all cores slows an application down, its
exchanges blocking and overlapped (Kandalla et al. 2012, section VII D and figure 12)."""

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weft.bench import noise
from weft.bench.analysis import Point, Record
from weft.bench.app import AppContest, app_task, under
from weft.bench.applications import BLOCKING, OVERLAPPED, STUDIES
from weft.bench.contest import Contestant
from weft.bench.injectors import Noise, all_noises, check
from weft.bench.measurement import Measurement
from weft.bench.noise import NoisyContest
from weft.chart import COLOURS, figure
from weft.compare import Spread, spread
from weft.console import out, say, table

FORMS = (BLOCKING, OVERLAPPED)
# Behind a study's own arguments. Noise of 20 Hz is seldom: a solve that it is to meet often has to be long. This is the
# paper's size, 216,000 unknowns per process.
LONGER = {"pcg": ("-n", "60", "60", "60", "--repeat", "1")}


class NoisyApp(NoisyContest, AppContest):
    """An item is a form under one of the conditions."""

    benchmark = "app_noise"

    def arguments(self, application: str) -> Sequence[str]:
        return (*super().arguments(application), *LONGER.get(application, ()))

    def _keep(self, records: Sequence[Record], *about: Any) -> None:
        super()._keep([record | {"microseconds": 1e6 * record["seconds"]} for record in records], *about)


def measure(
    application: str,
    sizes: Mapping[str, int],
    counts: Sequence[int],
    who: Sequence[Contestant],
    duration: str,
    frequency: str,
    measurement: Measurement,
) -> None:
    noises = all_noises(duration, frequency)
    check(noises)
    kinds: dict[str, Noise | None] = {"no noise": None} | {str(one): one for one in noises}
    conditions = {under(form, name): kind for name, kind in kinds.items() for form in FORMS}
    tasks = [app_task(application, count, item, sizes) for count in counts for item in conditions]
    contest = measurement.measure("Disturbing", tasks, who, functools.partial(NoisyApp, conditions, None))
    records = contest.records
    summary = {"application": application} | noise.summarize(records, measurement.pairs)
    names = list(dict.fromkeys(one.implementation for one in who))
    measurement.finish(
        contest, "app_noise", summary, lambda: show(records, names), lambda file: draw(records, names, file)
    )


# ---- from records to slow-downs ----

Place = tuple[str, int, str]  # one table, or panel: application, ranks, MPI


def places(points: Sequence[Point]) -> list[Place]:
    return list(dict.fromkeys((p.key["application"], p.key["ranks"], mpi) for p in points for _, mpi in p.series))


def kinds_of_noise(points: Sequence[Point]) -> list[Noise]:
    return list(dict.fromkeys(Noise(point.key["duration_us"], point.key["frequency_hz"]) for point in points))


def percent(points: Sequence[Point], place: Place, what: Noise, form: str, name: str) -> Spread | None:
    """By how much this noise slows this form down under this implementation."""
    for point in points:
        key = point.key
        if (key["application"], key["ranks"], key["form"]) == (*place[:2], form) and (
            Noise(key["duration_us"], key["frequency_hz"]) == what
        ):
            values = point.series.get((name, place[2]), {}).values()
            return spread([100 * (value - 1) for value in values]) if values else None
    return None


# ---- for people ----


def show(records: Sequence[Record], names: Sequence[str]) -> None:
    points, quiet = noise.slow_down_points(records), noise.quiet_points(records)
    who = [(name, form) for name in names for form in FORMS]
    columns = ("us", "Hz", "% of a core", *(f"{name}, {form}" for name, form in who))
    for place in places(quiet):
        shown = table(f"{place[0]}, {place[1]} ranks, {place[2]}: slow-down by noise, in %", *columns, right=columns)
        for what in kinds_of_noise(points):
            cells = [percent(points, place, what, form, name) for name, form in who]
            texts = [f"{one.median:.1f} [{one.low:.1f}, {one.high:.1f}]" if one else "-" for one in cells]
            shown.add_row(f"{what.duration_us:g}", str(what.frequency_hz), f"{100 * what.share:.1f}", *texts)
        out.print(shown)
        found = {p.key["form"]: p.series for p in quiet if (p.key["application"], p.key["ranks"]) == place[:2]}
        times = (
            f"{name}, {form} {spread(list(values.values())).median / 1e6:.4f}"
            for name, form in who
            if (values := found.get(form, {}).get((name, place[2])))
        )
        say(f"Seconds without noise: {'; '.join(times)}.")
    application = records[0]["application"]
    longer = " ".join(LONGER.get(application, ()))
    say(f"{application}: {STUDIES[application].described(records[0])}{f'; here with {longer}' if longer else ''}.")
    say(f"Medians [quartiles] over rounds of launches, alternating; load {records[-1]['load']}.")
    for line in noise.about_injectors(records):
        say(line)


def draw(records: Sequence[Record], names: Sequence[str], file: Path) -> None:
    """Figure 12: bars of degradation over duration and frequency, blocking pale beside overlapped."""
    points = noise.slow_down_points(records)
    panels, noises = places(points), kinds_of_noise(points)
    who = [(name, form) for name in names for form in FORMS]
    width = 0.84 / len(who)

    def fill(panel: int, axis: Any) -> None:
        for number, (name, form) in enumerate(who):
            spreads = [percent(points, panels[panel], what, form, name) for what in noises]
            known = [(at, one) for at, one in enumerate(spreads) if one]
            axis.bar(
                [at + (number - (len(who) - 1) / 2) * width for at, _ in known], [s.median for _, s in known], width,
                yerr=[[s.median - s.low for _, s in known], [s.high - s.median for _, s in known]],
                color=COLOURS[name], alpha=0.5 if form == BLOCKING else 1.0, label=f"{name}, {form}",
                error_kw={"linewidth": 1, "ecolor": "#374151"},
            )  # fmt: skip
        axis.set_xticks(range(len(noises)), [f"{n.duration_us:g} us\n{n.frequency_hz} Hz" for n in noises], fontsize=8)
        axis.axhline(0, color="#374151", linewidth=0.8)
        axis.set_ylabel("degradation, %")
        application, ranks, mpi = panels[panel]
        axis.set_title(f"{application}, {ranks} ranks, {mpi}", fontsize=10)

    if panels:
        figure(file, len(panels), "Slow-down by noise", fill)
