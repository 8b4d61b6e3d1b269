# SPDX-License-Identifier: BSD-3-Clause
"""How tests run the applications: by the MPI's own launcher or by `weft run`, on any number of ranks; and what all of
them say of bad input."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import command_line
import kept
import pytest

from weft import launch

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WEFT_BUILD_DIR", ROOT / "build/release"))
TIMEOUT = 60 * int(os.environ.get("TEST_PATIENCE", "1"))
ENVIRONMENT = command_line.ENVIRONMENT | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

# Instead of a number of ranks: one process without a launcher, which takes a second to clean up after a program that
# ends with another code than 0. Most bad input is tried so; what all ranks must agree on is tried on several.
ALONE = 0
MPIS = ["openmpi", "mpich"]
# Without Weft, with it, and with its agent between two nodes that are pretended.
WAYS = {"host": [], "weft": [], "agent": ["--device", "agent"]}
RIGHT, BAD_INPUT = 0, 2


@dataclass
class Finished:
    """As subprocess.CompletedProcess, whose words it has; `stdout` is bytes of programs that write such."""

    args: list[str]
    returncode: int
    stdout: str | bytes
    stderr: str

    def __str__(self):
        out = self.stdout.decode(errors="replace") if isinstance(self.stdout, bytes) else self.stdout
        parts = {"stdout": out, "stderr": self.stderr}
        said = "".join(f"\n--- {name}\n{text[-3000:]}" for name, text in parts.items())
        return f"code {self.returncode} of {' '.join(self.args)}{said}"


def environment(variables=None):
    """Of every application. One that ends early must not be crashed by the end of Open MPI 4.1: keep_loaded.c."""
    return ENVIRONMENT | dict(os.environ) | preloading("keep_loaded") | (variables or {})


def run(command, variables=None, given=None, text=False):
    """A command in a process group of its own, so that nothing of it outlives the test. `given`: its standard input."""
    words = list(map(str, command))
    pipe = subprocess.PIPE
    stdin = subprocess.DEVNULL if given is None else pipe
    with subprocess.Popen(
        words, stdin=stdin, stdout=pipe, stderr=pipe, env=environment(variables), start_new_session=True
    ) as process:
        late = False
        try:
            out, err = process.communicate(given, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            late = True
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
    finished = Finished(words, process.returncode, out.decode() if text else out, err.decode(errors="replace"))
    assert not late, f"not done after {TIMEOUT} s: {finished}"
    return finished


def done(finished, code=RIGHT):
    assert finished.returncode == code, str(finished)
    return finished


@contextlib.contextmanager
def a_pipe(content):
    """A name from which these bytes come as a stream. It is what several ranks are given instead of standard input, by
    whose forwarding launchers fail: Open MPI 4's may crash (open-mpi/ompi#7483), and MPICH 4's ends a job whose rank 0
    reads more slowly than it comes."""
    with tempfile.TemporaryDirectory() as folder:
        kept_content, pipe = Path(folder) / "content", Path(folder) / "pipe"
        kept_content.write_bytes(content)
        os.mkfifo(pipe)
        with subprocess.Popen(["sh", "-c", 'cat "$0" > "$1"', kept_content, pipe], start_new_session=True) as writer:
            try:
                yield pipe
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(writer.pid, signal.SIGKILL)


class Application:
    """One program of apps/. `needs`: what it is built with, for the message where it was not. `text`: whether what it
    writes is text."""

    def __init__(self, name, needs, text=True):
        self.name = name
        self.text = text
        places = [BUILD / "bin" / name, BUILD / "apps" / name / name, BUILD / name]
        self.programs = {
            "openmpi": next((path for path in places if path.is_file()), None),
            "mpich": next((path for path in [BUILD / "bin" / f"{name}_mpich"] if path.is_file()), None),
        }
        self.program = self.programs["openmpi"]
        self.needed = pytest.mark.skipif(
            self.program is None, reason=f"no {name} below {BUILD}: it is built where there is {needs}"
        )

    def command(self, *arguments, ranks=2, mpi="openmpi"):
        """What runs it without Weft."""
        mpiexec = shutil.which(f"mpiexec.{mpi}") or shutil.which("mpiexec")
        further = ["--oversubscribe", "--stdin", "none"] if mpi == "openmpi" else []
        launcher = [] if ranks == ALONE else [mpiexec, *further, "-n", ranks]
        return list(map(str, [*launcher, self.programs[mpi], *arguments]))

    def run(self, *arguments, ranks=2, mpi="openmpi", way="host", variables=None, given=None):
        """`way`: one of WAYS. `given`: bytes, standard input of one process ALONE; for several ranks see a_pipe."""
        assert given is None or ranks == ALONE
        variables = sleeping(mpi, ranks) | (variables or {})
        if way == "host":
            return run(self.command(*arguments, ranks=ranks, mpi=mpi), variables, given, self.text)
        if way == "agent":
            nodes = {"WEFT_TOPOLOGY": f"node:2 core:{ranks // 2},{ranks - ranks // 2}"} if ranks > 1 else {}
            variables |= nodes | {"WEFT_WIRE_INTERFACE": "lo"}
        command = ["run", "-n", ranks, *WAYS[way], "--", self.programs[mpi], *arguments]
        if not self.text:
            return run([sys.executable, "-m", "weft", *command], variables)
        finished = command_line.run(*command, variables=environment(variables), timeout=TIMEOUT)
        return Finished(list(map(str, command)), finished.returncode, finished.stdout, finished.stderr)

    def report(self, *arguments, code=RIGHT, **how):
        """The JSON object that a run writes."""
        finished = done(self.run(*arguments, "--json", "-", **how), code)
        try:
            return json.loads(finished.stdout)
        except ValueError:
            pytest.fail(f"no JSON object: {finished}")

    def assert_refused(self, finished, *words):
        """One message with these words, code 2, and nothing else."""
        done(finished, BAD_INPUT)
        messages = [line for line in finished.stderr.splitlines() if line.startswith(f"{self.name}: ")]
        assert len(messages) == 1, str(finished)
        assert all(str(word) in messages[0] for word in words), messages[0]
        assert not finished.stdout, str(finished)
        assert "MPI_ABORT" not in finished.stderr
        assert "signal" not in finished.stderr


def sleeping(mpi, ranks):
    """Variables by which ranks of MPICH that outnumber the cores sleep where they wait: 4.0 does not even yield."""
    if mpi != "mpich" or ranks <= launch.physical_cores():
        return {}
    return preloading("sleeping")


def preloading(name):
    """Variables that preload a source of tests/mpi/programs, beside what is preloaded already."""
    source = ROOT / f"tests/mpi/programs/{name}.c"
    flags = ["-O2", "-shared", "-fPIC"]
    library = kept.compiled(shutil.which("cc"), source, flags, kept.PROGRAMS / f"applications/{name}.so")
    return {"LD_PRELOAD": f"{os.environ.get('LD_PRELOAD', '')} {library}".strip()}
