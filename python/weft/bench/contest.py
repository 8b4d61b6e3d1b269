# SPDX-License-Identifier: BSD-3-Clause
"""Contestants, measured alternately: plain MPI programs from bench/, launched under the host MPI and under Weft.

A program measures a list of collectives in one launch and prints one JSON line for each as soon as it is measured;
a crash costs the collective that it happened in, and the rest goes on in a new launch.
"""

import json
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weft import binary, compare, installation, launch
from weft.console import BadInput, err
from weft.lab import Lab

Record = dict[str, Any]

# What each contestant sets for its ranks; host is the MPI alone. weft-rounds is LibNBC's design on Weft's builders.
IMPLEMENTATIONS: dict[str, dict[str, str]] = {"host": {}, "weft": {}, "weft-rounds": {"WEFT_ROUNDS": "1"}}
KEPT_OUTPUT = 2000  # characters of what a crashed program said


@dataclass(frozen=True)
class Contestant:
    implementation: str
    host: installation.Host

    @property
    def name(self) -> str:
        return f"{self.implementation}, {self.host.title}"


@dataclass(frozen=True)
class Task:
    """What one launch is asked for: `items`, each with its own number of records."""

    program: str  # bench/<program>: the binary is bench_<program>_<host>
    ranks: int
    items: Sequence[str]
    records_per_item: Callable[[str], int]
    arguments: Callable[[Sequence[str]], Sequence[str]]  # of the program, for some of the items
    timeout: float = 300.0
    variables: dict[str, str] = field(default_factory=dict)


def program(name: str, host: installation.Host) -> Path:
    found = installation.application(f"bench_{name}_{host.name}")
    if found is None:
        raise BadInput(f"bench/{name} is not built for {host.title}: run `make build` with its headers installed.")
    return found


def contestants(mpi: str, implementations: str) -> list[Contestant]:
    """All pairs of the hosts and implementations that were asked for."""
    if mpi != "all" and mpi not in installation.NAMES:
        raise BadInput(f"--mpi {mpi}: use {', '.join(installation.NAMES)} or all.")
    wanted = implementations.split(",")
    for name in wanted:
        if name not in IMPLEMENTATIONS:
            raise BadInput(f"--implementation {name}: use some of {', '.join(IMPLEMENTATIONS)}, separated by commas.")
    hosts = [installation.host(name) for name in (installation.NAMES if mpi == "all" else [mpi])]
    return [Contestant(name, host) for host in hosts for name in wanted]


class Contest:
    """Runs tasks under all contestants in turn, on this machine or in a lab, and keeps every record."""

    def __init__(self, contestants: Sequence[Contestant], scratch: Path, lab: Lab | None = None) -> None:
        self.contestants, self.scratch, self.lab = contestants, scratch, lab
        self.records: list[Record] = []
        self.failures: list[Record] = []
        self.interrupted = False
        self._broken: set[tuple[Contestant, str, int, str]] = set()

    def measure(self, tasks: Sequence[Task], pairs: int, step: Callable[[], None], seconds: float = 0) -> None:
        """`pairs` rounds of A B B A …; further ones while there are `seconds`. Ctrl-C ends it and loses nothing."""
        begin = time.monotonic()
        number = 0
        try:
            while number < pairs or (time.monotonic() - begin) * (number + 1) / number < seconds:
                step_by = 1 if number % 2 == 0 else -1  # a drift of the machine favours nobody
                for task in tasks[::step_by]:
                    for contestant in self.contestants[::step_by]:
                        self._run(task, contestant, number)
                        step()
                number += 1
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
        start = launch.Launch(
            contestant.host,
            task.ranks,
            binary.inspect([str(path), *task.arguments(items)]),
            contestant.implementation != "host",
            IMPLEMENTATIONS[contestant.implementation] | task.variables,
            lab=self.lab,
        )
        expected = sum(task.records_per_item(item) for item in items)
        try:
            done = launch.capture(start, self.scratch, task.timeout, lambda out: len(parse(out)) >= expected)
            out, complaint = done.stdout, f"ended with code {done.returncode}: {done.stderr}"
        except subprocess.TimeoutExpired as problem:
            out, complaint = problem.stdout or "", f"did not end within {task.timeout:.0f} s: {problem.stderr or ''}"
        records = parse(out)
        about = {"implementation": contestant.implementation, "mpi": contestant.host.title, "pair": pair}
        about |= self.lab.facts(task.ranks) if self.lab else {}
        self.records += [record | about | compare.machine() for record in records]
        return len(records), None if len(records) >= expected else complaint

    def _fail(self, task: Task, contestant: Contestant, item: str, problem: str) -> None:
        what = f"{item} on {task.ranks} ranks ({contestant.name})"
        self.failures.append({"failed": what, "output": problem[-KEPT_OUTPUT:]})
        err.print(f"bench {task.program}: {what} {problem.strip()[-KEPT_OUTPUT:]}", soft_wrap=True, markup=False)


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
