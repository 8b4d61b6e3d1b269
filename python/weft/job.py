# SPDX-License-Identifier: BSD-3-Clause
"""A job of `weft run`: what the launch needs, and what is said after it.

It begins in less time than typer and rich take to load. So a command line without abbreviations or mistakes is read
here, any other by typer, which knows what to say about it; and rich is loaded when there is something to say.
"""

import contextlib
import os
import shlex
from pathlib import Path
from typing import Any

from weft import binary, environment, installation, launch, scratch
from weft.bad_input import BadInput
from weft.lab import Lab

MOST_MESSAGES = 100
TABLE = "table"
STAYS_IN_FINALIZE = ("MPICH 4.0", "MPICH 4.1")  # over TCP (MPICH pull request 6596)
NO_LAB = contextlib.nullcontext()
FLAGS = {"--host-only": "host_only", "--check": "check"}
WITH_A_VALUE = {
    "-n": "ranks",
    "--ranks": "ranks",
    "--mpi": "mpi",
    "--device": "device",
    "--mpiexec-args": "mpiexec_args",
}
# Read by typer: making hosts takes longer than loading it. These are the fields of virtual_hosts.VirtualHosts.
OF_VIRTUAL_HOSTS = {"--hosts", "--delay", "--loss", "--bandwidth", "--duplicate", "--reorder"}


def spell_out(arguments: list[str]) -> list[str]:
    """`--stats` stands alone or before FILE.json; readers of options want it always one way."""
    words = list(arguments)
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "--":
        if words[at] == "--stats":
            file = words[at + 1] if words[at + 1 : at + 2] and words[at + 1].endswith(".json") else None
            words[at : at + (2 if file else 1)] = [f"--stats={file or TABLE}"]
        at += 2 if words[at] in WITH_A_VALUE or words[at] in OF_VIRTUAL_HOSTS else 1
    return words


def options_of(words: list[str]) -> dict[str, Any] | None:
    """The parameters of run(), from words that are spelled out; None if typer should read them."""
    options: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word == "--":
            return options | {"command": [*rest] if word == "--" else [word, *rest]}
        value = next(rest, None) if word in WITH_A_VALUE else None
        if word in FLAGS:
            options[FLAGS[word]] = True
        elif word.startswith("--stats="):
            options["stats"] = word.removeprefix("--stats=")
        elif value is not None:
            options[WITH_A_VALUE[word]] = value
        elif word.startswith("--mpiexec-args="):
            options["mpiexec_args"] = word.removeprefix("--mpiexec-args=")
        else:
            return None
    return None


def run(
    command: list[str] | None,
    ranks: str = "1",
    mpi: str | None = None,
    stats: str | None = None,
    host_only: bool = False,
    check: bool = False,
    device: str | None = None,
    mpiexec_args: str = "",
    lab: contextlib.AbstractContextManager[Lab | None] = NO_LAB,
) -> int:
    """Launches it in the foreground; its exit code. The parameters are the options of `weft run` (verbs/run.py);
    `lab` makes the virtual hosts that the ranks are spread over."""
    if not command:
        raise BadInput("no program is given: `weft run -n 4 -- ./program its arguments`.")
    if host_only and stats:
        raise BadInput("--host-only runs without Weft, so that there is nothing for --stats to count: drop one.")
    if host_only and check:
        raise BadInput("--host-only runs without Weft, so that there is nobody to --check: drop one.")
    if host_only and device:
        raise BadInput("--host-only runs without Weft, so that there is no --device: drop one.")
    if device:
        os.environ["WEFT_DEVICE"] = device
    environment.check(None if host_only else rank_count(ranks))
    program = binary.inspect(command)
    host = launch.choose_host(program, mpi)
    with scratch.folder() as folder:
        counts = statistics_file(stats, folder)
        log = Path(os.environ.get("WEFT_LOG") or folder / "weft.log").absolute()
        variables = {} if host_only else {"WEFT_LOG": str(log), **absolute_files()}
        if not host_only:
            check_can_be_written(log, "a", f"WEFT_LOG={log}")
        if check:
            variables["WEFT_CHECK"] = "1"
        if counts:
            variables["WEFT_STATS"] = str(counts)
        with lab as hosts:
            if hosts and host.title.startswith(STAYS_IN_FINALIZE):
                say([f"{host.title} often waits for ever in MPI_Finalize between hosts: Ctrl-C ends it."])
            code = launch.run(
                launch.Launch(
                    host, rank_count(ranks), program, not host_only, variables, split(mpiexec_args), lab=hosts
                ),
                folder,
            )
        if not host_only and not os.environ.get("WEFT_LOG"):
            show_messages(log)
        if stats == TABLE:
            from weft import statistics

            statistics.show(counts)
        elif counts and not counts.is_file():
            say([f"{counts} was not written: the program ended without MPI_Finalize."])
    return code


def rank_count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1 << 20:
        raise BadInput(f"-n {text}: the number of ranks is a whole number, at least 1.")
    return int(text)


def split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as problem:
        raise BadInput(f"--mpiexec-args {text}: {problem}; quote it as a shell would.") from problem


def absolute_files() -> dict[str, str]:
    """Files that the settings name, wherever the program goes before it begins MPI."""
    given = {name: os.environ.get(name) for name in ("WEFT_STATS", "WEFT_TUNING_FILE")}
    return {name: str(Path(file).absolute()) for name, file in given.items() if file}


def statistics_file(stats: str | None, folder: Path) -> Path | None:
    """Where the library writes the counters. An old file is removed: what is found afterwards is this run's."""
    if stats is None:
        return None
    if stats == TABLE:
        return folder / "stats.json"
    file = Path(stats).absolute()
    check_can_be_written(file, "w", f"--stats {stats}")
    file.unlink()
    return file


def check_can_be_written(file: Path, mode: str, what: str) -> None:
    try:
        with file.open(mode):
            pass
    except OSError as problem:
        raise BadInput(f"{what} cannot be written: {problem.strerror}. Choose another file.") from problem


def show_messages(log: Path) -> None:
    """The library never prints; this is where its messages come to light, also for `weft doctor`."""
    lines = log.read_text(errors="replace").splitlines() if log.is_file() else []
    lines = list(dict.fromkeys(lines))  # what ranks say without their number, each says alike
    last = installation.last_log()
    try:
        last.parent.mkdir(parents=True, exist_ok=True)
        last.write_text("".join(line + "\n" for line in lines))
    except OSError:
        last = None
    if len(lines) > MOST_MESSAGES:
        where = f": all of them are in {last}" if last else ""
        lines[MOST_MESSAGES:] = [f"… and {len(lines) - MOST_MESSAGES} more messages{where}"]
    say(lines)


def say(lines: list[str]) -> None:
    if not lines:
        return
    from weft.console import err

    for line in lines:
        err.print(f"weft: {line}", markup=False, soft_wrap=True)
