# SPDX-License-Identifier: BSD-3-Clause
"""Who calls mpiexec: a user with what `weft env` says, a script under that, a script under `weft run`."""

import json
import os
import subprocess
import sys

import pytest
from mpi_programs import ENVIRONMENT, run_command, run_weft

from weft import launch

ROOT = launch.ROOT_IS_ALLOWED if os.geteuid() == 0 else {}


@pytest.fixture
def script(tmp_path):
    """A function that writes a script that calls mpiexec."""

    def script(mpi):
        file = tmp_path / "script.sh"
        file.write_text(f"#!/bin/sh\n{mpi.tool('mpiexec')} -n 2 {mpi.compile('large_send.c')}\necho ended with $?\n")
        file.chmod(0o755)
        return file

    return script


def words_of_env(*arguments):
    command = [sys.executable, "-m", "weft", "env", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def calls_by_weft(statistics):
    return sum(entry["weft"] for entry in json.loads(statistics.read_text())["collectives"].values())


def test_ranks_of_ones_own_mpiexec_have_weft(every_mpi, tmp_path):
    program = every_mpi.compile("large_send.c")
    command = [every_mpi.tool("mpiexec"), "-n", 2, "env", *words_of_env(program), program]
    result = run_command(command, {"WEFT_STATS": str(tmp_path / "stats.json"), **ROOT})
    assert result.code == 0, result.err
    assert calls_by_weft(tmp_path / "stats.json") > 0


def test_an_unchanged_script_has_weft(every_mpi, script, tmp_path):
    command = ["env", *words_of_env("--mpi", every_mpi.name), script(every_mpi)]
    result = run_command(command, {"WEFT_STATS": str(tmp_path / "stats.json"), **ROOT})
    assert "ended with 0" in result.out, result.err
    assert calls_by_weft(tmp_path / "stats.json") > 0


def test_a_script_under_weft_run_works_or_is_told_what_to_do(every_mpi, script):
    result = run_weft("run", "-n", 2, "--mpi", every_mpi.name, "--", script(every_mpi), variables=ENVIRONMENT)
    if every_mpi.name == "openmpi":
        assert "ended with 1" in result.out
        assert result.err.count("env $(weft env --mpi openmpi) SCRIPT") == 1
    else:
        assert result.out.count("ended with 0") == 2, result.err
        assert "weft env" not in result.err


def test_a_script_that_only_asks_mpiexec_is_told_nothing(mpi, tmp_path):
    script = f"{mpi.tool('mpiexec')} --version > {tmp_path}/version && exit 3"
    result = run_weft("run", "--mpi", mpi.name, "--", "sh", "-c", script, variables={})
    assert result.code == 3
    assert "weft env" not in result.err


def test_a_launcher_is_no_program(mpi):
    result = run_weft("run", "--", mpi.tool("mpiexec"), "-n", 2, "true", variables={})
    assert result.code == 2
    assert "starts MPI programs itself" in " ".join(result.err.split())
