# SPDX-License-Identifier: BSD-3-Clause
"""Whoever ends `weft run` ends the job: no rank is left, and the exit code says by which signal."""

import contextlib
import os
import re
import select
import signal
import subprocess
import sys
import time

import pytest
from mpi_programs import ENVIRONMENT, PATIENCE, TIMEOUT

from weft import scratch

RANKS = 2
ENDING = [signal.SIGHUP, signal.SIGINT, signal.SIGTERM]


def until(condition, what):
    """What the condition returns when it holds."""
    deadline = time.monotonic() + TIMEOUT * PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, what
        time.sleep(0.02)
    return found


def handled_as_usual():
    for name in ENDING:
        signal.signal(name, signal.SIG_DFL)


@pytest.fixture
def start(tmp_path):
    """A function that starts a job and returns its `weft run`, when all ranks run, with pidfds of them."""
    started, descriptors = [], []

    def start(mpi, *arguments):
        command = ["run", "-n", str(RANKS), "--", str(mpi.compile("until_ended.c")), *arguments]
        output = tmp_path / "out"
        with output.open("w") as out, (tmp_path / "err").open("w") as err:
            weft = subprocess.Popen(
                [sys.executable, "-m", "weft", *command],
                env=ENVIRONMENT | dict(os.environ) | {"TMPDIR": str(tmp_path)},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=handled_as_usual,
            )
        started.append(weft)
        said = until(
            lambda: found if len(found := re.findall(r"process (\d+)", output.read_text())) == RANKS else None,
            "the ranks did not start",
        )
        ranks = [os.pidfd_open(int(process)) for process in said]
        descriptors.extend(ranks)
        return weft, ranks

    yield start
    for weft in started:
        weft.kill()
        weft.wait()
    for rank in descriptors:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(rank, signal.SIGKILL)
        os.close(rank)


def lives(rank):
    """Whether the rank's process lives: its pidfd can be read when it has ended."""
    return not select.select([rank], [], [], 0)[0]


@pytest.mark.parametrize("name", ENDING, ids=lambda name: name.name)
def test_a_signal_ends_the_job_and_is_the_exit_code(every_mpi, start, name):
    weft, ranks = start(every_mpi)
    weft.send_signal(name)
    assert weft.wait(TIMEOUT * PATIENCE) == 128 + name
    until(lambda: not any(map(lives, ranks)), "a rank lives on")


@pytest.mark.parametrize("arguments", [[], ["stubborn"]], ids=["usual", "stubborn"])
def test_no_rank_outlives_a_weft_run_that_is_killed(every_mpi, start, arguments):
    weft, ranks = start(every_mpi, *arguments)
    weft.kill()
    weft.wait()
    until(lambda: not any(map(lives, ranks)), "a rank lives on")


def test_a_hang_up_that_everybody_is_told_of_leaves_no_rank(every_mpi, start):
    weft, ranks = start(every_mpi)
    for _ in range(2):  # by the kernel and by the shell
        os.killpg(weft.pid, signal.SIGHUP)
    assert weft.wait(TIMEOUT * PATIENCE) == 128 + signal.SIGHUP
    until(lambda: not any(map(lives, ranks)), "a rank lives on")


def test_what_was_to_be_ignored_is(every_mpi, start, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "handled_as_usual", lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    weft, ranks = start(every_mpi)
    weft.send_signal(signal.SIGHUP)
    weft.send_signal(signal.SIGTERM)
    assert weft.wait(TIMEOUT * PATIENCE) == 128 + signal.SIGTERM
    until(lambda: not any(map(lives, ranks)), "a rank lives on")


def test_the_next_run_takes_away_what_a_killed_one_left(mpi, start, tmp_path):
    weft, _ = start(mpi)
    (left,) = tmp_path.glob(f"{scratch.PREFIX}*")
    weft.kill()
    weft.wait()
    assert left.is_dir()
    other, _ = start(mpi)
    assert not left.exists()
    (its_own,) = tmp_path.glob(f"{scratch.PREFIX}*")
    third, _ = start(mpi)
    assert its_own.is_dir()
    for living in (other, third):
        living.terminate()
        living.wait(TIMEOUT * PATIENCE)
    assert not list(tmp_path.glob(f"{scratch.PREFIX}*"))
