# SPDX-License-Identifier: BSD-3-Clause
"""Contestants, measured alternately: plain MPI programs from bench/, launched under the host MPI and under Weft.

A program measures a list of collectives in one launch and prints one JSON line for each as soon as it is measured;
a crash costs the collective that it happened in, and the rest goes on in a new launch.
"""

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weft import binary, compare, installation, launch
from weft.bad_input import BadInput
from weft.bench.analysis import RIVAL, Record
from weft.bench.collectives import number_of_sizes
from weft.console import err
from weft.lab import Lab

# What each contestant sets for its ranks; host is the MPI alone, host-thread with the thread that some have for their
# progress. weft-rounds is LibNBC's design on Weft's builders; with agent a thread of each process moves messages
# between nodes while it computes: each rank's own, or those of one rank that speaks for its node. What is copied within
# a node, of any length, it does with agent-copies, and the rank itself with agent-no-copies.
IMPLEMENTATIONS: dict[str, dict[str, str]] = {
    "host": {},
    "host-thread": {"MPIR_CVAR_ASYNC_PROGRESS": "1"},
    "weft": {},
    "weft-rounds": {"WEFT_ROUNDS": "1"},
    "agent": {"WEFT_DEVICE": "agent"},
    "agent-flat": {"WEFT_DEVICE": "agent", "WEFT_HIERARCHY": "flat"},
    "agent-two-level": {"WEFT_DEVICE": "agent", "WEFT_HIERARCHY": "node"},
    "agent-copies": {"WEFT_DEVICE": "agent", "WEFT_AGENT_BYTES": "1"},
    "agent-no-copies": {"WEFT_DEVICE": "agent", "WEFT_AGENT_BYTES": "1024G"},
}
WITHOUT_WEFT = ("host", "host-thread")
ALL = ("openmpi", "mpich")  # the hosts that --mpi all compares
SECONDS_PER_POINT = 10  # far more than any takes; a launch that exceeds it hangs
KEPT_OUTPUT = 2000  # characters of what a crashed program said


@dataclass(frozen=True)
class Contestant:
    implementation: str
    host: installation.Host
    variables: tuple[tuple[str, str], ...] = ()  # of the environment, beside the implementation's own

    @property
    def name(self) -> str:
        return f"{self.implementation}, {self.host.title}"

    @property
    def with_weft(self) -> bool:
        return self.implementation not in (*WITHOUT_WEFT, RIVAL)


@dataclass(frozen=True)
class Task:
    """What one launch is asked for: `items`, each with its own number of records."""

    program: str  # bench/<program>: the binary is bench_<program>_<host>
    ranks: int
    items: Sequence[str]
    records_per_item: Callable[[str], int]
    options: Callable[[Sequence[str]], dict[str, Any]]  # of the program, for some of the items
    timeout: float = 300.0
    variables: dict[str, str] = field(default_factory=dict)
    once: bool = False  # per round, under the first contestant: for what is nobody's, such as a floor
    once_per_mpi: bool = False  # for what is the MPI's own, whatever is between it and the program

    def launches(self, contestants: Sequence[Contestant]) -> Sequence[Contestant]:
        if self.once_per_mpi:
            first: dict[str, Contestant] = {}
            for one in contestants:
                first.setdefault(one.host.name, one)
            return list(first.values())
        return contestants[:1] if self.once else contestants


def collective_tasks(
    program: str,
    counts: Sequence[int],
    names: Sequence[str],
    sizes: Sequence[int],
    options: Callable[[int], dict[str, Any]],
    points_per_size: int = 1,
) -> list[Task]:
    """For each number of ranks one task: collectives at all of these sizes. `options`: what else the program is told
    for a number of ranks."""

    def points(some: Sequence[str]) -> int:
        return points_per_size * number_of_sizes(some, sizes)

    return [
        Task(
            program,
            count,
            names,
            lambda name: points([name]),
            lambda some, count=count: {"collectives": some, "bytes": sizes} | options(count),
            timeout=300 + SECONDS_PER_POINT * points(names),
        )
        for count in counts
    ]


def words(options: dict[str, Any]) -> list[str]:
    """{"bytes": [8, 64], "seed": 1} is --bytes 8,64 --seed 1."""
    texts = ((f"--{name}", value if isinstance(value, (list, tuple)) else [value]) for name, value in options.items())
    return [word for name, values in texts for word in (name, ",".join(map(str, values)))]


def program(name: str, host: installation.Host) -> Path:
    found = installation.application(f"bench_{name}_{host.name}")
    if found is None:
        raise BadInput(f"bench/{name} is not built for {host.title}: run `make build` with its headers installed.")
    return found


def contestants(mpi: str, implementations: str, rivals: Sequence[str] = ()) -> list[Contestant]:
    """All pairs of the hosts and implementations that were asked for, and those of the possible rivals."""
    if mpi != "all" and mpi not in installation.NAMES:
        raise BadInput(f"--mpi {mpi}: use {', '.join(installation.NAMES)}, or all for {' and '.join(ALL)}.")
    wanted = implementations.split(",")
    known = [*IMPLEMENTATIONS, *rivals]
    for name in wanted:
        if name not in known:
            raise BadInput(f"--implementation {name}: use some of {', '.join(known)}, separated by commas.")
    hosts = [installation.host(name) for name in (ALL if mpi == "all" else [mpi])]
    pairs = [(name, host) for host in hosts for name in wanted if name not in rivals]
    chosen = [Contestant(name, host) for name, host in pairs if name != "host-thread" or has_progress_thread(host)]
    if "host-thread" in wanted and not any(map(has_progress_thread, hosts)):
        raise BadInput(
            f"--implementation host-thread: {hosts[0].title} has no progress thread: use --mpi mpich or all."
        )
    return chosen + [rival() for name in wanted if name == RIVAL]


def has_progress_thread(host: installation.Host) -> bool:
    return host.make != installation.OPEN_MPI


def rival() -> Contestant:
    host = installation.rival()
    folders = [str(host.mpi_library.parent), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    return Contestant(RIVAL, host, (("LD_LIBRARY_PATH", ":".join(folders)),))


class Contest:
    """Runs tasks under all contestants in turn, on this machine or in a lab, and keeps every record."""

    def __init__(self, contestants: Sequence[Contestant], scratch: Path, lab: Lab | None = None) -> None:
        self.contestants, self.scratch, self.lab = contestants, scratch, lab
        self.records: list[Record] = []
        self.failures: list[Record] = []
        self.interrupted = False
        self._broken: set[tuple[Contestant, str, int, str]] = set()

    def measure(self, tasks: Sequence[Task], pairs: int, step: Callable[[], None]) -> None:
        """`pairs` rounds of A B B A …. Ctrl-C ends it and loses nothing."""
        try:
            for pair in range(pairs):
                step_by = 1 if pair % 2 == 0 else -1  # a drift of the machine favours nobody
                for task in tasks[::step_by]:
                    for contestant in task.launches(self.contestants)[::step_by]:
                        self._run(task, contestant, pair)
                        step()
        except KeyboardInterrupt:
            self.interrupted = True
            err.print("Interrupted: what follows is what was measured so far.")

    def _run(self, task: Task, contestant: Contestant, pair: int) -> None:
        def key(item: str) -> tuple[Contestant, str, int, str]:
            return contestant, task.program, task.ranks, item

        left = [item for item in task.items if key(item) not in self._broken]
        while left:
            printed, problem = self._launch(task, contestant, left, pair)
            if problem is None:
                return
            # The item that it ended in: the first whose records are not all there.
            for at, item in enumerate(left):
                printed -= task.records_per_item(item)
                if printed < 0:
                    self._broken.add(key(item))
                    self._fail(task, contestant, item, problem)
                    left = left[at + 1 :]
                    break

    def _launch(self, task: Task, contestant: Contestant, items: list[str], pair: int) -> tuple[int, str | None]:
        """How many records it printed, and what it said if they are not all."""
        path = program(task.program, contestant.host)
        start = self._start(task, contestant, binary.inspect([str(path), *words(task.options(items))]))
        expected = sum(task.records_per_item(item) for item in items)
        try:
            done = launch.capture(start, self.scratch, task.timeout, lambda out: len(parse(out)) >= expected)
            out, complaint = done.stdout, f"ended with code {done.returncode}: {done.stderr}"
        except subprocess.TimeoutExpired as problem:
            out, complaint = problem.stdout or "", too_long(problem)
        records = parse(out)
        self._keep(records, task, contestant, pair)
        return len(records), None if len(records) >= expected else complaint

    def _start(self, task: Task, contestant: Contestant, program: binary.Program) -> launch.Launch:
        variables = IMPLEMENTATIONS.get(contestant.implementation, {}) | dict(contestant.variables) | task.variables
        return launch.Launch(contestant.host, task.ranks, program, contestant.with_weft, variables, lab=self.lab)

    def _keep(self, records: Sequence[Record], task: Task, contestant: Contestant, pair: int) -> None:
        about = {"implementation": contestant.implementation, "mpi": contestant.host.title, "pair": pair}
        about |= self.lab.facts(task.ranks) if self.lab else {}
        self.records += [record | about | compare.machine() for record in records]

    def _folder(self, name: str, prepare: Callable[[Path], None]) -> Path:
        """Where its files are, made when they are first needed."""
        folder = self.scratch / name
        if not folder.is_dir():
            folder.mkdir()
            prepare(folder)
        return folder

    def _fail(self, task: Task, contestant: Contestant, item: str, problem: str) -> None:
        what = f"{item} on {task.ranks} ranks ({contestant.name})"
        self.failures.append({"failed": what, "output": problem[-KEPT_OUTPUT:]})
        err.print(f"bench {task.program}: {what} {problem.strip()[-KEPT_OUTPUT:]}", soft_wrap=True, markup=False)


def too_long(problem: subprocess.TimeoutExpired) -> str:
    return f"did not end within {problem.timeout:.0f} s: {problem.stderr or ''}"


def parse(output: str) -> list[Record]:
    """The records among the lines; what else a launcher prints, or half a line, is none."""
    records = []
    for line in output.splitlines():
        if not line.startswith('{"benchmark"'):
            continue
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return records
