# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench app`: an application of this project, its exchanges blocking, overlapped and left out, under the host
MPI, Weft and Weft's agent: how much of its communication is hidden, and what that is worth."""

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import binary, compare, environment, launch
from weft.bad_input import BadInput
from weft.bench import analysis, applications, options
from weft.bench.analysis import Point, Record, Series
from weft.bench.applications import BLOCKING, OVERLAPPED, SKIPPED, STUDIES, Study, program_of
from weft.bench.contest import Contest, Contestant, Task, contestants, too_long
from weft.bench.measurement import Measurement, measures
from weft.chart import COLOURS, figure
from weft.compare import Spread, spread
from weft.console import out, say, table
from weft.units import parse_numbers

KEYS = ("application", "form", "ranks")
TIMEOUT = 600.0
HATCHES = ("", "///", "...", "xx", "\\\\\\", "")  # of many forms


PerRank = Annotated[int | None, typer.Option("--per-rank", min=1, help="Of wave: points per rank, along each axis.")]
Steps = Annotated[int | None, typer.Option("--steps", min=1, help="Of wave: time steps.")]
Points = Annotated[int | None, typer.Option("--points", min=1, help="Of fft3d and poisson: points along each axis.")]
Repeat = Annotated[int | None, typer.Option("--repeat", min=1, help="How often a launch does it; its median counts.")]


@measures(pairs=5, without=("milliseconds", "iterations"))
def run(
    application: Annotated[str, typer.Argument(metavar="|".join(STUDIES), help="Which application.")],
    ranks: options.RankCounts = "4",
    mpi: options.Mpi = "openmpi",
    implementation: options.Implementations = "host,weft,agent",
    exchange: Annotated[
        str | None,
        typer.Option(
            help="Of wave, besides blocking and one-sided: some of nonblocking,nocheck,neighbour,fence,lock, or all."
        ),
    ] = None,
    per_rank: PerRank = None,
    steps: Steps = None,
    points: Points = None,
    repeat: Repeat = None,
    duration: Annotated[
        str | None, typer.Option(help="How it bears noise, of such disturbances: 50us,200us; see weft bench noise.")
    ] = None,
    frequency: Annotated[str | None, typer.Option(help="So many of them per second and core: 20,1000.")] = None,
    *,
    measurement: Measurement,
) -> None:
    """Run an application with its exchanges blocking, overlapped and left out: how much of them is hidden.

    With --duration or --frequency: blocking and overlapped, without noise and with it, and how much it slows each down.
    """
    environment.check()
    applications.check(application)
    who, counts = contestants_of(application, mpi, implementation), parse_numbers(ranks, "--ranks", 1)
    sizes = applications.sizes_of(application, per_rank=per_rank, steps=steps, points=points, repeat=repeat)
    if duration or frequency:
        from weft.bench import app_noise  # which is made of what is here

        if exchange is not None:
            raise BadInput("--exchange: under noise only blocking and overlapped are compared; leave it away.")
        if repeat is not None:
            raise BadInput("--repeat: under noise each launch is as long as the noise needs; leave it away.")
        noise = duration or "50us,200us", frequency or "20,1000"
        app_noise.measure(application, sizes, counts, who, *noise, measurement)
        return
    forms = applications.forms_of(application, exchange, STUDIES[application].usual)
    tasks = [
        app_task(application, count, form, sizes, once_per_mpi=applications.is_measured_once(application, form))
        for count in counts
        for form in (*forms, SKIPPED)
    ]
    contest = measurement.measure("Running", tasks, who, AppContest)
    names = list(dict.fromkeys(one.implementation for one in who))
    summary = summarize(contest.records, names, measurement.pairs)
    measurement.finish(
        contest, "app", summary, lambda: show(contest.records, names), lambda file: draw(contest.records, names, file)
    )


def contestants_of(application: str, mpi: str, implementation: str) -> list[Contestant]:
    """All of whose MPIs the application is built for."""
    who = contestants(mpi, implementation)
    for one in who:
        program_of(application, one.host)
    return who


def app_task(application: str, ranks: int, item: str, sizes: Mapping[str, int], once_per_mpi: bool = False) -> Task:
    return Task(
        application, ranks, [item], lambda _: 1, lambda _: dict(sizes), TIMEOUT, once_per_mpi=once_per_mpi
    )  # fmt: skip


class RunError(Exception):
    """What a program said that did not do its work."""


class ApplicationContest(Contest):
    """One record per launch, from what an application of this project says of itself."""

    def _launch(self, task: Task, contestant: Contestant, items: list[str], pair: int) -> tuple[int, str | None]:
        try:
            record = self._measured(task, contestant, items[0], pair)
        except subprocess.TimeoutExpired as problem:
            return 0, too_long(problem)
        except RunError as problem:
            return 0, str(problem)
        self._keep([record], task, contestant, pair)
        return 1, None

    def _measured(self, task: Task, contestant: Contestant, item: str, pair: int) -> Record:
        """The record of one item; raises RunError where there is none."""
        raise NotImplementedError

    def _printed(self, task: Task, contestant: Contestant, arguments: Sequence[str]) -> dict[str, Any]:
        """The JSON object that the application prints."""
        words = [str(program_of(task.program, contestant.host)), *arguments, "--json", "-"]
        done = launch.capture(self._start(task, contestant, binary.inspect(words)), self.scratch, task.timeout)
        printed = first_object(done.stdout)
        if done.returncode not in (0, 1) or printed is None:
            raise RunError(f"ended with code {done.returncode}: {done.stdout[-500:]} {done.stderr}")
        return printed

    def _filled(self, words: Sequence[str], task: Task, prepare: Callable[[Path], None]) -> list[str]:
        """With the folder, the number of ranks and the sizes that they speak of."""
        folder = self._folder(task.program, prepare)
        return [word.format(folder=folder, ranks=task.ranks, **task.options(task.items)) for word in words]


class AppContest(ApplicationContest):
    """A task's only item is a form of the application, by itself or with the condition that it is launched under. The
    skipped form is nobody's."""

    benchmark = "app"

    def __init__(self, *about: Any) -> None:
        super().__init__(*about)
        self._fingerprints: dict[int, str] = {}  # by number of ranks, on which a problem's size may depend

    def _measured(self, task: Task, contestant: Contestant, item: str, pair: int) -> Record:
        form, study = form_and_condition(item)[0], STUDIES[task.program]
        words = self._filled(self.arguments(task.program), task, study.prepare)
        printed = self._printed(task, contestant, [*words, "--exchange", study.exchange(form)])
        record = {"benchmark": self.benchmark, "application": task.program, "form": form, "ranks": task.ranks}
        record |= task.options(task.items) | study.read(printed)
        if "fingerprint" in record and record["right"] is None and form != SKIPPED:
            # Nothing changes a bit of the answer: right is who has those of the first.
            mine = record["fingerprint"]
            record["right"] = mine == self._fingerprints.setdefault(task.ranks, mine)
        return record

    def arguments(self, application: str) -> Sequence[str]:
        return STUDIES[application].arguments


def under(form: str, condition: str) -> str:
    return f"{form}: {condition}"


def form_and_condition(item: str) -> tuple[str, str]:
    form, _, condition = item.partition(": ")
    return form, condition


def first_object(text: str) -> dict[str, Any] | None:
    """The JSON object in what a program and its launcher print."""
    try:
        found, _ = json.JSONDecoder().raw_decode(text[text.index("{") :])
    except ValueError:
        return None
    return found


# ---- from records to what is hidden ----


@dataclass(frozen=True)
class Case:
    """One number of ranks on one MPI: the times of all forms, by round of launches."""

    study: Study
    ranks: int
    mpi: str
    points: dict[str, Point]  # by form

    @property
    def forms(self) -> list[str]:
        """That exchange something."""
        return [form for form in self.points if form != SKIPPED]

    @property
    def further(self) -> list[str]:
        return [form for form in self.forms if form not in (BLOCKING, OVERLAPPED)]

    def seconds(self, form: str, name: str) -> Series:
        return self.points[form].series.get((name, self.mpi), {}) if form in self.points else {}

    def base(self, form: str, name: str) -> Series:
        """What others are compared with; of what is the same under all, whoever ran it."""
        if form in self.points and (form == SKIPPED or form in self.study.hosts_own):
            return next((series for (_, mpi), series in self.points[form].series.items() if mpi == self.mpi), {})
        return self.seconds(form, name)

    def without_exchanges(self) -> Series:
        return self.base(SKIPPED, "")

    def hidden(self, name: str, form: str = OVERLAPPED) -> Spread | None:
        """The share of what the exchanges cost that this form does not pay, in %."""
        blocking, overlapped, least = (
            self.base(BLOCKING, name),
            self.seconds(form, name),
            self.without_exchanges(),
        )
        shares = [
            100 * (blocking[pair] - overlapped[pair]) / (blocking[pair] - least[pair])
            for pair in blocking
            if pair in overlapped and least.get(pair, blocking[pair]) < blocking[pair]
        ]
        return spread(shares) if shares else None

    def share(self, name: str = "host") -> Spread | None:
        """What the exchanges take of the blocking form's time, in %."""
        blocking, least = self.base(BLOCKING, name), self.without_exchanges()
        shares = [100 * (1 - least[pair] / blocking[pair]) for pair in blocking if pair in least]
        return spread(shares) if shares else None

    def ratio(self, form: str, name: str, to: str = BLOCKING, under: str = "host") -> Spread | None:
        """Of a form's time to that of another, the blocking one, under another, the host MPI."""
        mine, base = self.seconds(form, name), self.base(to, under)
        ratios = [mine[pair] / base[pair] for pair in mine if pair in base]
        return spread(ratios) if ratios else None


def cases(records: Sequence[Record]) -> list[Case]:
    found: dict[tuple[str, int, str], dict[str, Point]] = {}
    for point in analysis.points(records, KEYS, "seconds"):
        for _, mpi in point.series:
            found.setdefault((point.key["application"], point.key["ranks"], mpi), {})[point.key["form"]] = point
    return [Case(STUDIES[application], ranks, mpi, points) for (application, ranks, mpi), points in found.items()]


def summarize(records: Sequence[Record], names: Sequence[str], pairs: int) -> dict[str, Any]:
    """`hidden`, `ratio` and `over_…` are those of the last implementation that was asked for, on the first number of
    ranks: what it hides, its time over that of blocking on the host, and over those of other exchanges there."""
    found, entries, last = cases(records), [], names[-1]
    for case in found:
        entry: dict[str, Any] = {"ranks": case.ranks, "mpi": case.mpi}
        entry |= analysis.spread_fields("communication_percent", case.share())
        for name in names:
            entry |= analysis.spread_fields(f"{name}_hidden_percent", case.hidden(name))
            for form in (BLOCKING, OVERLAPPED):
                entry |= analysis.spread_fields(f"{name}_{form}_ratio", case.ratio(form, name))
            for form in case.further:
                over = case.ratio(OVERLAPPED, name, to=form)
                entry |= analysis.spread_fields(f"{name}_{OVERLAPPED}_over_{form}", over)
                if case.seconds(form, name):
                    entry |= analysis.spread_fields(f"{name}_{form}_hidden_percent", case.hidden(name, form))
                    entry |= analysis.spread_fields(f"{name}_{form}_ratio", case.ratio(form, name))
        for name in names[:-1]:
            over = case.ratio(OVERLAPPED, last, to=OVERLAPPED, under=name)
            entry |= analysis.spread_fields(f"{last}_over_{name}", over)
        entries.append(entry)
    first = (entries or [{}])[0]
    further = found[0].further if found else []
    return {
        "application": records[0]["application"] if records else None,
        "hidden": first.get(f"{last}_hidden_percent"),
        "ratio": first.get(f"{last}_{OVERLAPPED}_ratio"),
        **{f"over_{form}": first.get(f"{last}_{OVERLAPPED}_over_{form}") for form in further},
        "points": entries,
        "pairs": pairs,
        "wrong_answers": analysis.wrong(records, KEYS),
    }


# ---- for people ----


def show(records: Sequence[Record], names: Sequence[str]) -> None:
    application = records[0]["application"]
    study = STUDIES[application]
    for case in cases(records):
        columns = ("seconds", "waits s", "hidden %", "over host, blocking")
        title = f"{application}, {case.ranks} ranks, {case.mpi}"
        shown = table(title, "exchange", "under", *columns, right=columns)
        for form in (*case.forms, *([SKIPPED] if SKIPPED in case.points else [])):
            for name in names:
                seconds = case.seconds(form, name)
                if not seconds:
                    continue
                who = (form, name, case.ranks, case.mpi)
                mine = [r for r in records if (r["form"], r["implementation"], r["ranks"], r["mpi"]) == who]
                hidden = case.hidden(name, form) if form not in (BLOCKING, SKIPPED) else None
                shown.add_row(
                    study.label(form), "nobody" if form == SKIPPED else name,
                    f"{spread(list(seconds.values())).median:.4f}",
                    analysis.cell(analysis.median(mine, "waiting_seconds"), 4),
                    f"{hidden.median:.0f} [{hidden.low:.0f}, {hidden.high:.0f}]" if hidden else "",
                    str(case.ratio(form, name) or "-"),
                )  # fmt: skip
        out.print(shown)
        if share := case.share():
            say(f"The exchanges take {share.median:.0f} [{share.low:.0f}, {share.high:.0f}] % of blocking on the host.")
        for line in comparisons(case, names):
            say(line)
    say(f"{application}: {study.described(records[0])}.")
    overlapped = study.label(OVERLAPPED)
    say(f"hidden: (blocking - {overlapped}) / (blocking - skipped), under the same. Medians [quartiles] over rounds of")
    say(f"launches, alternating. Load {compare.machine()['load']}.")


def comparisons(case: Case, names: Sequence[str]) -> list[str]:
    """The overlapped form beside other exchanges on the host, and under the last implementation beside the others."""
    label, last = case.study.label, names[-1]
    lines = []
    for form in case.further:
        ratios = {name: ratio for name in names if (ratio := case.ratio(OVERLAPPED, name, to=form))}
        said = "; ".join(f"{name} {ratio}" for name, ratio in ratios.items())
        lines += [f"{label(OVERLAPPED)} over {label(form)} on the host: {said}."] if said else []
    others = {name: ratio for name in names[:-1] if (ratio := case.ratio(OVERLAPPED, last, to=OVERLAPPED, under=name))}
    said = "; ".join(f"{name} {ratio}" for name, ratio in others.items())
    return lines + ([f"{label(OVERLAPPED)} under {last} over that under others: {said}."] if said else [])


def draw(records: Sequence[Record], names: Sequence[str], file: Path) -> None:
    """Bars of seconds, a panel for each number of ranks and MPI: all forms side by side, the later the darker, and a
    line where nothing is exchanged. Nobody's are the first one's."""
    places = cases(records)

    def fill(place: int, axis: Any) -> None:
        case = places[place]
        forms = case.forms
        width = 0.8 / max(1, len(forms))
        for at, name in enumerate(names):
            for number, form in enumerate(forms):
                values = list(case.seconds(form, name).values())
                if not values:
                    continue
                s = spread(values)
                axis.bar(
                    at + (number - (len(forms) - 1) / 2) * width, s.median, 0.95 * width,
                    yerr=[[s.median - s.low], [s.high - s.median]], color=COLOURS[name],
                    alpha=(number + 1) / len(forms), hatch=HATCHES[number % len(HATCHES)] if case.further else None,
                    edgecolor="white", label=case.study.label(form) if at == 0 else None,
                    error_kw={"linewidth": 1, "ecolor": "#374151"},
                )  # fmt: skip
        if least := list(case.without_exchanges().values()):
            axis.axhline(spread(least).median, color="#374151", linewidth=1, linestyle="--", label="without exchanges")
        axis.set_xticks(range(len(names)), names)
        axis.set_ylabel("seconds")
        axis.set_title(f"{records[0]['application']}, {case.ranks} ranks, {case.mpi}", fontsize=10)

    if places:
        figure(file, len(places), "What overlap is worth", fill)
