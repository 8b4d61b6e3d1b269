# SPDX-License-Identifier: BSD-3-Clause
"""What all measurements have in common: the options at the end of every question, and the way from them to the last
line of what is said."""

import contextlib
import dataclasses
import datetime
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import chart, compare, scratch
from weft.bad_input import BadInput
from weft.bench import options
from weft.bench.contest import Contest, Contestant, Task
from weft.console import err, progress, say
from weft.lab import Lab
from weft.option_fields import with_fields
from weft.virtual_hosts import VirtualHosts


@dataclasses.dataclass(frozen=True, kw_only=True)
class Measurement(VirtualHosts):
    """How much is measured, where, and what becomes of the records. Each field is an option."""

    pairs: Annotated[int, typer.Option(min=1, help="Rounds of launches, one of each contestant (A B B A …).")]
    milliseconds: Annotated[float, typer.Option(min=0.1, help="How long one point is measured in one launch.")]
    iterations: Annotated[
        int | None, typer.Option(min=1, help="Operations per point and launch, instead of a time.")
    ] = None
    busy: Annotated[
        bool, typer.Option("--busy", help="Beside a process on each core that computes without end, as compilers do.")
    ] = False
    as_json: options.AsJson = False
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE.png", help="Draw it.")] = None
    results: Annotated[
        Path | None, typer.Option("--results", metavar="FOLDER", help="Keep the raw records there, as JSON lines.")
    ] = None

    @property
    def length(self) -> dict[str, Any]:
        """How long each point is measured, as the programs are told it."""
        return {"milliseconds": self.milliseconds, "iterations": self.iterations or 0}

    def measure(
        self,
        title: str,
        tasks: Sequence[Task],
        who: Sequence[Contestant],
        kind: Callable[[Sequence[Contestant], Path, Lab | None], Contest] = Contest,
    ) -> Contest:
        """The contest when it is over. `title` stands before the bar of progress."""
        if self.plot is not None:
            chart.load()
        with (
            busy_cores() if self.busy else contextlib.nullcontext(),
            self.made() as lab,
            scratch.folder() as folder,
            progress(title, self.pairs * sum(len(task.launches(who)) for task in tasks)) as step,
        ):
            contest = kind(who, folder, lab)
            contest.measure(tasks, self.pairs, step)
        return contest

    def finish(
        self,
        contest: Contest,
        benchmark: str,
        summary: dict[str, Any],
        show: Callable[[], None],
        draw: Callable[[Path], None] | None = None,
    ) -> None:
        """Everything that was measured, in the forms that were asked for; then the exit code."""
        keep(contest.records, self.results, benchmark)
        if self.plot is not None and draw is not None:
            draw(self.plot)
        where = {"busy": self.busy} | (contest.lab.facts() if contest.lab else {})
        summary = {"summary": benchmark} | summary | where | compare.machine()
        if self.as_json:
            for record in [*contest.records, *contest.failures, summary]:
                print(json.dumps(record))
        elif contest.records:
            show()
            for what in summary.get("wrong_answers", []):
                say(f"WRONG ANSWER: {what}; its times are left out.", "red")
            if contest.lab is not None:
                say(f"On {contest.lab}.")
            if self.busy:
                say("Beside a process on each core that computes without end.")
        for failure in contest.failures if not self.as_json else []:
            say(f"Failed: {failure['failed']}", "red")
        if contest.interrupted:
            raise typer.Exit(130)
        if contest.failures or summary.get("wrong_answers") or not contest.records:
            raise typer.Exit(1)


def measures(
    *, pairs: int, milliseconds: float = 100.0, hosts: int | None = None, without: Sequence[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """For a question whose `measurement` is a Measurement."""
    defaults = {"pairs": pairs, "milliseconds": milliseconds, "hosts": hosts}
    return with_fields(Measurement, "measurement", defaults, without)


# Ends with whoever started it, however that ends.
BUSY = """
import os
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""


@contextlib.contextmanager
def busy_cores() -> Iterator[None]:
    """A process that computes on every core that this one may use, while the block runs."""
    started = []
    try:
        for core in sorted(os.sched_getaffinity(0)):
            started.append(subprocess.Popen([sys.executable, "-c", BUSY], start_new_session=True))
            os.sched_setaffinity(started[-1].pid, {core})
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


def keep(records: Sequence[dict[str, Any]], folder: Path | None, benchmark: str) -> None:
    if folder is None:
        return
    moment = datetime.datetime.now().strftime("%Y-%m-%dT%H-%M-%S")
    file = folder / f"{benchmark}-{moment}.jsonl"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(record) + "\n" for record in records))
    except OSError as problem:
        raise BadInput(f"{file} cannot be written: {problem.strerror}. Choose another --results.") from problem
    err.print(f"Records: {file}", soft_wrap=True)
