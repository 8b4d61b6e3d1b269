# SPDX-License-Identifier: BSD-3-Clause
"""Options that the benchmarks share, and what is done with the answers."""

import contextlib
import datetime
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import compare, launch
from weft.bench import collectives
from weft.bench.contest import Contest
from weft.console import BadInput, err, say
from weft.lab import MOST_HOSTS, Lab
from weft.units import parse_durations

Collectives = Annotated[
    str, typer.Option("--collective", help="Names as in `iallreduce,allreduce_init`; blocking, nonblocking, all, …")
]
Sizes = Annotated[str, typer.Option("--bytes", help="One rank's block: 8, 4K, 8,1K-64K (doubling).")]
RankCounts = Annotated[str, typer.Option("-n", "--ranks", help="Numbers of ranks: 2, 2,4, 2-8.")]
Mpi = Annotated[str, typer.Option(metavar="openmpi|mpich|all")]
Implementations = Annotated[str, typer.Option("--implementation", help="Some of host,weft,weft-rounds.")]
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
        if contest.lab is not None:
            say(f"On {contest.lab}.")
    for failure in contest.failures if not as_json else []:
        say(f"Failed: {failure['failed']}", "red")
    if contest.interrupted:
        raise typer.Exit(130)
    if contest.failures or summary.get("wrong_answers") or not contest.records:
        raise typer.Exit(1)
