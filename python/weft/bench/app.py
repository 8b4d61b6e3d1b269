# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench app`: an application of this project, its exchanges blocking, overlapped and left out, under the host
MPI, Weft and Weft's agent: how much of its communication is hidden, and what that is worth."""

import json
import random
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import binary, compare, environment, installation, launch
from weft.bad_input import BadInput
from weft.bench import analysis, options
from weft.bench.analysis import Point, Record, Series
from weft.bench.contest import Contest, Contestant, Task, contestants, too_long
from weft.bench.measurement import Measurement, measures
from weft.chart import COLOURS, figure
from weft.compare import Spread, spread
from weft.console import out, say, table
from weft.units import parse_numbers

BLOCKING, OVERLAPPED, SKIPPED = FORMS = ("blocking", "overlapped", "skipped")
KEYS = ("application", "form", "ranks")
TIMEOUT = 600.0


@dataclass(frozen=True)
class Study:
    """What an application is given to do. Where 4 hosts are 200 us apart, communication is some 30 % of the blocking
    form's time; of the Fourier transforms it is half, whatever their size."""

    title: str
    arguments: Sequence[str]
    overlapped: str  # what its --exchange calls that form; blocking and skipped are so called by all
    # From the JSON object that it prints: seconds, waiting_seconds, and whether the answer is right, None if none is.
    read: Callable[[dict[str, Any]], Record]
    # Makes the files that the arguments name, in {folder}; {ranks} is how many ranks there are.
    prepare: Callable[[Path], None] = lambda folder: None

    def exchange(self, form: str) -> str:
        return self.overlapped if form == OVERLAPPED else form


def read_common(printed: dict[str, Any]) -> Record:
    return {name: printed[name] for name in ("seconds", "waiting_seconds", "right")}


def read_pcg(printed: dict[str, Any]) -> Record:
    (solution,) = printed["algorithms"]
    right = solution["converged"] and solution["true_residual"] <= 1.1 * printed["tolerance"]
    return {
        "seconds": solution["table_max"]["solver_time"],
        "waiting_seconds": solution["breakdown"]["allreduce_and_wait"],
        "right": right,
    }


def write_words(folder: Path) -> None:
    """Ordinary text, as far as a compressor is concerned: words, frequent ones and rare ones."""
    choose = random.Random(1)
    vocabulary = ["".join(choose.choices("etaoinshrdlucmfwypvbgk", k=choose.randint(2, 9))) for _ in range(5000)]
    weights = [1 / rank for rank in range(1, len(vocabulary) + 1)]
    with (folder / "words").open("w") as file:
        for _ in range(40):
            file.write(" ".join(choose.choices(vocabulary, weights, k=60_000)) + "\n")


STUDIES = {
    "pcg": Study(
        "pipelined conjugate gradients, 27-point Laplacian, 25 x 25 x 25 points per rank; its reductions",
        ("-n", "25", "25", "25", "--algorithm", "pipelined", "--repeat", "20"),
        "overlapped",
        read_pcg,
    ),
    "fft3d": Study(
        "3-D Fourier transforms of 8 variables, forth and back, 128 x 128 x 128 points, in slabs; their transposes",
        ("-n", "128", "128", "128", "-P", "{ranks}", "1", "--variables", "8", "--test", "sine", "--repeat", "5"),
        "pipelined",
        read_common,
    ),
    "compress": Study(
        "14 MB of words to bzip2, pieces of 25 kB; gathering what is compressed",
        ("{folder}/words", "-o", "{folder}/words.bz2", "--force", "--check", "--block", "25000", "--repeat", "3"),
        "pipelined",
        read_common,
        write_words,
    ),
    "poisson": Study(
        "conjugate gradients for the Poisson equation, 128 x 128 x 128 points, 60 iterations; its halos",
        ("-n", "128", "128", "128", "--iterations", "60", "--repeat", "5"),
        "neighbour",
        read_common,
    ),
}


@measures(pairs=5, without=("milliseconds", "iterations"))
def run(
    application: Annotated[str, typer.Argument(metavar="|".join(STUDIES), help="Which application.")],
    ranks: options.RankCounts = "4",
    mpi: options.Mpi = "openmpi",
    implementation: options.Implementations = "host,weft,agent",
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
    check(application)
    who, counts = contestants(mpi, implementation), parse_numbers(ranks, "--ranks", 1)
    if duration or frequency:
        from weft.bench import app_noise  # which is made of what is here

        app_noise.measure(application, counts, who, duration or "50us,200us", frequency or "20,1000", measurement)
        return
    tasks = [
        Task(application, count, [form], lambda _: 1, lambda _: {}, TIMEOUT, once=form == SKIPPED)
        for count in counts
        for form in FORMS
    ]
    contest = measurement.measure("Running", tasks, who, AppContest)
    names = list(dict.fromkeys(one.implementation for one in who))
    summary = summarize(contest.records, names, measurement.pairs)
    measurement.finish(
        contest, "app", summary, lambda: show(contest.records, names), lambda file: draw(contest.records, names, file)
    )


def check(application: str) -> None:
    if application not in STUDIES:
        raise BadInput(f"{application} is no application: use {' or '.join(STUDIES)}.")
    program_of(application)


def program_of(application: str) -> Path:
    found = installation.application(application)
    if found is None:
        raise BadInput(
            f"{application} is not built: see what apps/{application}/README.md says it needs, then `make build`."
        )
    return found


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
        words = [str(program_of(task.program)), *arguments, "--json", "-"]
        done = launch.capture(self._start(task, contestant, binary.inspect(words)), self.scratch, task.timeout)
        printed = first_object(done.stdout)
        if done.returncode not in (0, 1) or printed is None:
            raise RunError(f"ended with code {done.returncode}: {done.stdout[-500:]} {done.stderr}")
        return printed

    def _filled(self, words: Sequence[str], task: Task, prepare: Callable[[Path], None]) -> list[str]:
        """With the folder and the number of ranks that they speak of."""
        folder = self._folder(task.program, prepare)
        return [word.format(folder=folder, ranks=task.ranks) for word in words]


class AppContest(ApplicationContest):
    """A task's only item is a form of the application, by itself or with the condition that it is launched under. The
    skipped form is nobody's."""

    benchmark = "app"

    def _measured(self, task: Task, contestant: Contestant, item: str, pair: int) -> Record:
        form, study = form_and_condition(item)[0], STUDIES[task.program]
        words = self._filled(self.arguments(task.program), task, study.prepare)
        printed = self._printed(task, contestant, [*words, "--exchange", study.exchange(form)])
        record = {"benchmark": self.benchmark, "application": task.program, "form": form, "ranks": task.ranks}
        return record | study.read(printed)

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

    ranks: int
    mpi: str
    points: dict[str, Point]  # by form

    def seconds(self, form: str, name: str) -> Series:
        return self.points[form].series.get((name, self.mpi), {}) if form in self.points else {}

    def without_exchanges(self) -> Series:
        """Whoever ran it."""
        return next(iter(self.points[SKIPPED].series.values()), {}) if SKIPPED in self.points else {}

    def hidden(self, name: str) -> Spread | None:
        """The share of what the exchanges cost that the overlapped form does not pay, in %."""
        blocking, overlapped, least = (
            self.seconds(BLOCKING, name),
            self.seconds(OVERLAPPED, name),
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
        blocking, least = self.seconds(BLOCKING, name), self.without_exchanges()
        shares = [100 * (1 - least[pair] / blocking[pair]) for pair in blocking if pair in least]
        return spread(shares) if shares else None

    def ratio(self, form: str, name: str) -> Spread | None:
        """Of a form's time to that of the blocking form under the host MPI."""
        mine, base = self.seconds(form, name), self.seconds(BLOCKING, "host")
        ratios = [mine[pair] / base[pair] for pair in mine if pair in base]
        return spread(ratios) if ratios else None


def cases(records: Sequence[Record]) -> list[Case]:
    found: dict[tuple[int, str], dict[str, Point]] = {}
    for point in analysis.points(records, KEYS, "seconds"):
        for _, mpi in point.series:
            found.setdefault((point.key["ranks"], mpi), {})[point.key["form"]] = point
    return [Case(ranks, mpi, points) for (ranks, mpi), points in found.items()]


def summarize(records: Sequence[Record], names: Sequence[str], pairs: int) -> dict[str, Any]:
    """`hidden` and `ratio` are those of the last implementation that was asked for, on the first number of ranks."""
    entries = []
    for case in cases(records):
        entry: dict[str, Any] = {"ranks": case.ranks, "mpi": case.mpi}
        entry |= analysis.spread_fields("communication_percent", case.share())
        for name in names:
            entry |= analysis.spread_fields(f"{name}_hidden_percent", case.hidden(name))
            for form in (BLOCKING, OVERLAPPED):
                entry |= analysis.spread_fields(f"{name}_{form}_ratio", case.ratio(form, name))
        entries.append(entry)
    first, last = (entries or [{}])[0], names[-1]
    return {
        "application": records[0]["application"] if records else None,
        "hidden": first.get(f"{last}_hidden_percent"),
        "ratio": first.get(f"{last}_{OVERLAPPED}_ratio"),
        "points": entries,
        "pairs": pairs,
        "wrong_answers": analysis.wrong(records, KEYS),
    }


# ---- for people ----


def show(records: Sequence[Record], names: Sequence[str]) -> None:
    study = STUDIES[records[0]["application"]]
    for case in cases(records):
        columns = ("seconds", "waits s", "hidden %", "over host, blocking")
        title = f"{records[0]['application']}, {case.ranks} ranks, {case.mpi}"
        shown = table(title, "exchange", "under", *columns, right=columns)
        for form in FORMS:
            for name in names:
                seconds = case.seconds(form, name)
                if not seconds:
                    continue
                mine = [r for r in records if (r["form"], r["implementation"], r["ranks"]) == (form, name, case.ranks)]
                hidden = case.hidden(name) if form == OVERLAPPED else None
                shown.add_row(
                    form, "nobody" if form == SKIPPED else name, f"{spread(list(seconds.values())).median:.4f}",
                    analysis.cell(analysis.median(mine, "waiting_seconds"), 4),
                    f"{hidden.median:.0f} [{hidden.low:.0f}, {hidden.high:.0f}]" if hidden else "",
                    str(case.ratio(form, name) or "-"),
                )  # fmt: skip
        out.print(shown)
        if share := case.share():
            say(f"The exchanges take {share.median:.0f} [{share.low:.0f}, {share.high:.0f}] % of blocking on the host.")
    say(f"{records[0]['application']}: {study.title}.")
    say("hidden: (blocking - overlapped) / (blocking - skipped), under the same. Medians [quartiles] over rounds of")
    say(f"launches, alternating. Load {compare.machine()['load']}.")


def draw(records: Sequence[Record], names: Sequence[str], file: Path) -> None:
    """Bars of seconds, a panel for each number of ranks and MPI: blocking and overlapped side by side, and a line
    where nothing is exchanged."""
    places = cases(records)

    def fill(place: int, axis: Any) -> None:
        case = places[place]
        for at, name in enumerate(names):
            for form, shift, alpha in ((BLOCKING, -0.2, 0.5), (OVERLAPPED, 0.2, 1.0)):
                values = list(case.seconds(form, name).values())
                if not values:
                    continue
                s = spread(values)
                axis.bar(
                    at + shift, s.median, 0.38, yerr=[[s.median - s.low], [s.high - s.median]], color=COLOURS[name],
                    alpha=alpha, label=form if at == 0 else None, error_kw={"linewidth": 1, "ecolor": "#374151"},
                )  # fmt: skip
        if least := list(case.without_exchanges().values()):
            axis.axhline(spread(least).median, color="#374151", linewidth=1, linestyle="--", label="without exchanges")
        axis.set_xticks(range(len(names)), names)
        axis.set_ylabel("seconds")
        axis.set_title(f"{records[0]['application']}, {case.ranks} ranks, {case.mpi}", fontsize=10)

    if places:
        figure(file, len(places), "What overlap is worth", fill)
