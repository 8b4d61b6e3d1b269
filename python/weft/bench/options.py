# SPDX-License-Identifier: BSD-3-Clause
"""Options that the benchmarks share, and what a measurement has in common from them to the last line."""

import contextlib
import datetime
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import compare, installation, launch
from weft.bench import collectives
from weft.bench.analysis import Point
from weft.bench.contest import Contest, Contestant, Task
from weft.console import BadInput, err, progress, say
from weft.lab import MOST_HOSTS, Lab
from weft.units import parse_durations

Collectives = Annotated[
    str, typer.Option("--collective", help="Names as in `iallreduce,allreduce_init`; blocking, nonblocking, all, …")
]
Sizes = Annotated[str, typer.Option("--bytes", help="One rank's block: 8, 4K, 8,1K-64K (doubling).")]
RankCounts = Annotated[str, typer.Option("-n", "--ranks", help="Numbers of ranks: 2, 2,4, 2-8.")]
Mpi = Annotated[str, typer.Option(metavar="|".join([*installation.NAMES, "all"]))]
Implementations = Annotated[str, typer.Option("--implementation", help="Some of host,weft,weft-rounds.")]
Buffers = Annotated[
    str, typer.Option(metavar="hot|rotating", help="One pair of buffers, or enough to outgrow a cache.")
]
Pairs = Annotated[int, typer.Option(min=1, help="Rounds of launches, one of each contestant (A B B A …).")]
Milliseconds = Annotated[float, typer.Option(min=0.1, help="How long one point is measured in one launch.")]
Iterations = Annotated[int | None, typer.Option(min=1, help="Operations per point and launch, instead of a time.")]
Hosts = Annotated[
    int | None,
    typer.Option(min=1, max=MOST_HOSTS, help="Spread the ranks over N virtual hosts, joined by TCP. Needs root."),
]
Delay = Annotated[str | None, typer.Option(metavar="200us", help="Between hosts, one way.")]
Loss = Annotated[float | None, typer.Option(min=0, max=99, metavar="PERCENT", help="Of the frames between hosts.")]
AsJson = Annotated[bool, typer.Option("--json", help="One object per measurement, and a summary last.")]
Plot = Annotated[Path | None, typer.Option("--plot", metavar="FILE.png", help="Draw it.")]
Results = Annotated[
    Path | None, typer.Option("--results", metavar="FOLDER", help="Keep the raw records there, as JSON lines.")
]


@contextlib.contextmanager
def virtual_hosts(hosts: int | None, delay: str | None, loss: float | None) -> Iterator[Lab | None]:
    """The lab that --hosts, --delay and --loss ask for, None if they do not."""
    if hosts is None:
        if delay is not None or loss is not None:
            raise BadInput("--delay and --loss are about the network between virtual hosts: add --hosts N.")
        yield None
        return
    delays = parse_durations(delay or "0us", "--delay")
    if len(delays) > 1:
        raise BadInput(f"--delay {delay}: a lab has one delay; measure one after the other.")
    lab = Lab(hosts, delays[0], loss or 0.0)
    with lab:
        yield lab
    if lab.counters.get("dropped"):
        err.print(f"The switch had no room for {lab.counters['dropped']} frames: more were lost than --loss says.")
    if lab.counters.get("real_time") is False:
        err.print("The switch could not run as SCHED_FIFO: delays are longer where ranks keep the cores busy.")


def measure(
    title: str,
    tasks: Sequence[Task],
    who: Sequence[Contestant],
    pairs: int,
    hosts: int | None = None,
    delay: str | None = None,
    loss: float | None = None,
    kind: Callable[[Sequence[Contestant], Path, Lab | None], Contest] = Contest,
) -> Contest:
    """The contest when it is over. `title` stands before the bar of progress."""
    with (
        virtual_hosts(hosts, delay, loss) as lab,
        launch.scratch_folder() as scratch,
        progress(title, pairs * sum(len(task.launches(who)) for task in tasks)) as step,
    ):
        contest = kind(who, scratch, lab)
        contest.measure(tasks, pairs, step)
    return contest


def note_if_crowded(ranks: Sequence[int], method: str) -> Callable[[int], str]:
    """The method for a number of ranks: where they outnumber the cores, no start can be synchronised."""
    cores = launch.physical_cores()
    if method == "single" and max(ranks) > cores:
        err.print(f"More ranks than the {cores} cores: no synchronised start, the mean of a loop is reported there.")
    return lambda count: "loop" if method == "single" and count > cores else method


def chosen_collectives(text: str) -> list[str]:
    """Names, groups (blocking, nonblocking, persistent, all), in the order given."""
    chosen: dict[str, None] = {}
    for word in text.split(","):
        for name in collectives.GROUPS.get(word, [word]):
            if name not in collectives.ALL:
                raise BadInput(
                    f"--collective {name}: use {', '.join(collectives.NAMES)}, with i before it or _init behind it, "
                    f"sendrecv, isend, or a group: {', '.join(collectives.GROUPS)}."
                )
            chosen[name] = None
    return list(chosen)


def overlapping_collectives(text: str) -> list[str]:
    """The same, of those that leave something to compute beside."""
    names = chosen_collectives(text)
    for name in names:
        if collectives.blocks(name):
            raise BadInput(
                f"--collective {name} blocks: it has no start and wait to compute between. Use a non-blocking form "
                "(iallreduce), a persistent one (allreduce_init), isend, or the groups nonblocking and persistent."
            )
    return names


def check_word(option: str, word: str, *allowed: str) -> None:
    if word not in allowed:
        raise BadInput(f"{option} {word}: use {' or '.join(allowed)}.")


def chosen_words(option: str, text: str, *allowed: str) -> list[str]:
    words = text.split(",")
    for word in words:
        check_word(option, word, *allowed)
    return words


def show_best(
    points: Sequence[Point], name: Callable[[dict[str, Any]], str], more: Callable[[Point], str] = lambda _: ""
) -> None:
    """A line for each, by the name of its key; and what more there is to say."""
    for point in points:
        ratio = point.ratio()
        if ratio:
            say(f"{name(point.key)}: Weft on {point.best('weft')} over {point.best('host')}: {ratio}{more(point)}")


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


def finish(
    contest: Contest,
    benchmark: str,
    summary: dict[str, Any],
    as_json: bool,
    results: Path | None,
    show: Callable[[], None],
) -> None:
    """Everything that was measured, in the form that was asked for; then the exit code."""
    keep(contest.records, results, benchmark)
    where = contest.lab.facts() if contest.lab else {}
    summary = {"summary": benchmark} | summary | where | compare.machine()
    if as_json:
        for record in [*contest.records, *contest.failures, summary]:
            print(json.dumps(record))
    elif contest.records:
        show()
        for what in summary.get("wrong_answers", []):
            say(f"WRONG ANSWER: {what}; its times are left out.", "red")
        if contest.lab is not None:
            say(f"On {contest.lab}.")
    for failure in contest.failures if not as_json else []:
        say(f"Failed: {failure['failed']}", "red")
    if contest.interrupted:
        raise typer.Exit(130)
    if contest.failures or summary.get("wrong_answers") or not contest.records:
        raise typer.Exit(1)
