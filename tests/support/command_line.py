# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command line as a user does, in a process of its own: a fork of this one, which has loaded by now what takes
most of a short command's time, Weft's own modules too. What these have read of the environment they read again."""

import atexit
import contextlib
import gc
import importlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import rich.console
import typer

from weft import console, launch

for module in (
    "matplotlib.backends.backend_agg",
    "numpy",
    "rich.progress",
    "rich.table",
    "weft.__main__",
    "weft._core",
    "weft.application",
    "weft.job",
    "weft.verbs.run",
):
    with contextlib.suppress(ImportError):
        importlib.import_module(module)


def a_command(words: list[str] | None = None, number: int = 1, text: str | None = None, choice: bool = False) -> None:
    """Makes typer load what it loads when it first needs it."""


loading = typer.Typer()
loading.command()(a_command)
loading([], standalone_mode=False)

# Looking for network adapters takes most of a short run's time, and tests share the cores; so do mpiexec's own look at
# all PCI devices, and job data in shared memory for two ranks. Open MPI 4's mpiexec removes the folder of all jobs when
# it is empty, also where another mpiexec is about to use it.
JOBS = tempfile.mkdtemp(prefix="weft-jobs-")
atexit.register(shutil.rmtree, JOBS, ignore_errors=True)
ENVIRONMENT = {
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "vader,self",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_orte_tmpdir_base": JOBS,
    "HWLOC_COMPONENTS": "-pci,-linuxio",
    "PMIX_MCA_gds": "hash",
}


def read_the_environment_again() -> None:
    """As modules that are loaded now would: consoles look at it when they are made, functions keep what they found."""
    for one in (console.out, console.err):
        vars(one).update(vars(rich.console.Console(stderr=one.stderr, highlight=False, soft_wrap=one.soft_wrap)))
    for module in [module for name, module in sys.modules.items() if name.split(".")[0] == "weft"]:
        for kept in vars(module).values():
            if hasattr(kept, "cache_clear"):
                kept.cache_clear()


class Forked:
    """A forked command line with those attributes of subprocess.Popen that launch.capture_process uses."""

    def __init__(self, arguments: list[str], variables: dict[str, str], stdin: str, cwd: Any) -> None:
        self.args = ["weft", *arguments]
        self.returncode: int | None = None
        self.files = [tempfile.TemporaryFile() for _ in range(3)]  # noqa: SIM115  (closed at the end)
        self.files[0].write(stdin.encode())
        self.files[0].seek(0)
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            os._exit(self.be_the_command(arguments, variables, cwd))
        self.end = os.pidfd_open(self.pid)

    def be_the_command(self, arguments: list[str], variables: dict[str, str], cwd: Any) -> int:
        code = 1
        try:
            gc.freeze()  # what the parent has is never garbage here
            os.setsid()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            for name in (signal.SIGTERM, signal.SIGALRM):
                signal.signal(name, signal.SIG_DFL)
            for number, file in enumerate(self.files):
                os.dup2(file.fileno(), number)
            sys.stdin, sys.stdout, sys.stderr = map(os.fdopen, range(3), "rww")
            os.environ.clear()
            os.environ.update(variables)
            os.chdir(cwd or ".")
            sys.dont_write_bytecode = False  # where nobody may write any, each command would compile all of Weft
            read_the_environment_again()
            code = importlib.import_module("weft.__main__").main(arguments)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
        return code

    def said(self) -> tuple[str, str]:
        return tuple(os.pread(file.fileno(), 1 << 30, 0).decode(errors="replace") for file in self.files[1:])

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        if self.returncode is None:
            if not select.select([self.end], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout, self.said()[0].encode())
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            os.close(self.end)
        return self.said()


def run(
    *arguments: object,
    timeout: float = 200,
    stdin: str = "",
    cwd: Any = None,
    variables: Any = None,
    is_complete: Callable[[str], bool] = lambda out: False,
    before: Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    """`variables` is the whole environment; this process's if it is not given. `before`: the words of a command that
    runs another one."""
    words = list(map(str, arguments))
    variables = dict(os.environ if variables is None else variables)
    if before:
        command = [*before, sys.executable, "-m", "weft", *words]
        return launch.capture_command(command, variables, timeout, is_complete)
    process = Forked(words, variables, stdin, cwd)
    done = launch.capture_process(process, timeout, is_complete)
    for file in process.files:
        file.close()
    return done


def weft(*arguments: object, columns: int = 100, **environment: str) -> subprocess.CompletedProcess[str]:
    terminal = {"COLUMNS": str(columns), "TERM": "dumb", "NO_COLOR": "1"}
    done = run(*arguments, variables=os.environ | terminal | environment)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def answer(*arguments: object, **environment: str) -> str:
    done = weft(*arguments, **environment)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def json_answer(*arguments: object, **environment: str) -> Any:
    return json.loads(answer(*arguments, "--json", **environment))


def refusal(*arguments: object, **environment: str) -> str:
    """What is said about bad input: one message, on stderr, with exit code 2."""
    done = weft(*arguments, columns=1000, **environment)
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    return done.stderr
