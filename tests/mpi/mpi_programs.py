# SPDX-License-Identifier: BSD-3-Clause
"""Programs under the real launchers. For every MPI that is installed: a program of programs/ is compiled and run by
`weft run`, with Weft or without; whoever is not done in time is ended and named."""

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import command_line
import kept
import pytest
from command_line import ENVIRONMENT

from weft import installation, launch

PROGRAMS = Path(__file__).parent / "programs"
TIMEOUT = 60
PATIENCE = int(os.environ.get("TEST_PATIENCE", "1"))  # times that; sanitizers take their time
FLAGS = ["-O2", "-g", "-Wall", "-Wextra", "-Wno-stringop-overflow", "-Wno-stringop-overread", "-pthread"]
SHARED = [*FLAGS, "-shared", "-fPIC"]


@dataclass
class Result:
    code: int
    out: str
    err: str
    counts: dict = field(default_factory=dict)  # of the library, by function: {"weft": …, "host": …, "why": …}
    communicators: dict = field(default_factory=dict)  # how many, by the way that their members reach one another


def result_of(capture, variables, timeout=TIMEOUT, **how):
    """Runs a command in a process group of its own, so that nothing of it outlives the test."""
    timeout *= PATIENCE
    try:
        done = capture(variables=ENVIRONMENT | dict(os.environ) | variables, timeout=timeout, **how)
    except subprocess.TimeoutExpired as problem:
        said = f"{problem.stdout[-2000:]}\n{problem.stderr[-2000:]}"
        pytest.fail(f"not done after {timeout} s: {' '.join(map(str, problem.cmd))}\n{said}", pytrace=False)
    return Result(done.returncode, done.stdout, done.stderr)


def run_command(command, variables, timeout=TIMEOUT):
    return result_of(partial(launch.capture_command, list(map(str, command))), variables, timeout)


def run_weft(*arguments, variables, **how):
    return result_of(partial(command_line.run, *arguments), variables, **how)


class Mpi:
    """One installed MPI, and the programs compiled with it."""

    def __init__(self, name, folder):
        self.name = name
        self.folder = folder
        self.programs = {}

    @property
    def title(self):
        return installation.TITLES[self.name]

    def tool(self, tool):
        """A compiler wrapper or the launcher: Debian's have suffixes, those of PyPI folders of their own."""
        if self.name in ("openmpi", "mpich"):
            return shutil.which(f"{tool}.{self.name}")
        if self.name == "abi":
            folder, suffix = "mpich5", "" if tool == "mpiexec" else "_abi"
        else:
            folder, suffix = self.name, ""
        return shutil.which(tool + suffix, path=Path(sys.prefix) / "mpi" / folder / "bin")

    def compile(self, source, *flags):
        key = (source, flags)
        if key not in self.programs:
            path = PROGRAMS / source
            target = kept.PROGRAMS / self.name / "".join([path.stem, *flags])
            fortran = path.suffix == ".F90"
            own = ["-O1", "-g", "-fallow-argument-mismatch", f"-J{self.folder}"] if fortran else FLAGS
            compiler = self.tool("mpifort" if fortran else "mpicc")
            self.programs[key] = kept.compiled(compiler, path, [*own, *flags], target)
        return self.programs[key]

    def run(
        self,
        program,
        *arguments,
        ranks=2,
        weft=True,
        variables=None,
        timeout=TIMEOUT,
        code=0,
        mpiexec_arguments="",
        **how,
    ):
        """A compiled program, or a command as a list; `code` None accepts every exit code; `how` is as for
        command_line.run."""
        variables = self.sleeping(ranks) | (variables or {})
        stats = self.folder / "stats.json"
        stats.unlink(missing_ok=True)
        command = ["run", "-n", ranks, f"--mpiexec-args={mpiexec_arguments}"]
        command += ["--stats", stats] if weft else ["--host-only"]
        words = program if isinstance(program, list) else [program]
        command += ["--mpi", self.name, "--", *words, *arguments]
        result = run_weft(*command, variables=variables, timeout=timeout, **how)
        if code is not None:
            assert result.code == code, f"{result.out[-3000:]}\n{result.err[-3000:]}"
        if stats.is_file():
            statistics = json.loads(stats.read_text())
            result.counts, result.communicators = statistics["collectives"], statistics["communicators"]
        return result

    def sleeping(self, ranks):
        """Variables by which ranks sleep where they wait, if they outnumber the cores; those of MPICH 4, which never
        yields, also if they would take the cores from other workers. Open MPI's have to look often to get on: it yields
        whenever a look finds nothing, and one call looks for each of thousands of requests."""
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")) if self.name == "mpich" else 1
        if ranks * workers <= launch.physical_cores() or self.name.startswith("openmpi"):
            return {}
        library = kept.compiled(shutil.which("cc"), PROGRAMS / "sleeping.c", SHARED, kept.PROGRAMS / "sleeping.so")
        return {"LD_PRELOAD": f"{os.environ.get('LD_PRELOAD', '')} {library}".strip()}

    def run_taken(self, program, *arguments, **options):
        """A program that checks its own results, under Weft, which must have executed some of it."""
        result = self.run(program, *arguments, **options)
        assert sum(entry["weft"] for entry in result.counts.values()) > 0, result.counts
        return result

    def host_says(self, program, *arguments, tries=1, **options):
        """What a program prints without Weft, which it is asked once: it says the same whenever it is run. More `tries`
        are for hosts whose own answers are sometimes wrong, so that the program's own checks fail."""

        def ask():
            for left in reversed(range(tries)):
                forgiving = {"code": None} if left else {}
                result = self.run(program, *arguments, weft=False, **options | forgiving)
                if result.code == 0:
                    break
            return result.out

        words = program if isinstance(program, list) else [program]
        files = [Path(word) for word in words if Path(word).is_file()]
        return kept.answer(
            ask,
            *(self.name, words, arguments, sorted(options.items()), Path(self.tool("mpiexec")), *files),
        )

    def both(self, program, *arguments, tries=1, **options):
        """Under Weft and without it: the same output."""
        host = self.host_says(program, *arguments, tries=tries, **options)
        result = self.run_taken(program, *arguments, **options)
        assert sorted(result.out.splitlines()) == sorted(host.splitlines())
        return result


def executed_by_weft(result, name):
    """How many calls of this function, and the share of them that Weft executed."""
    entry = result.counts.get(name, {"weft": 0, "host": 0})
    calls = entry["weft"] + entry["host"]
    return entry["weft"] / calls if calls else 0.0


def eventually(holds, patience=10):
    """Whether it holds within so many seconds."""
    deadline = time.monotonic() + patience
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds()
