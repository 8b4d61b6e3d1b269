# SPDX-License-Identifier: BSD-3-Clause
"""Jobs put together wrongly end with a message that says what to do."""

import os

import pytest
from mpi_programs import run_command

from weft import installation, launch

HINTS = {"openmpi": "mpiexec -x LD_PRELOAD=", "mpich": "mpiexec -genv LD_PRELOAD "}


def part(mpi, program, ranks, preload):
    """One part of an mpiexec command line with colons."""
    words = ["-n", str(ranks)]
    if preload:
        variables = {"LD_PRELOAD": str(preload), "WEFT_HANDSHAKE_SECONDS": "2"}
        for name, value in variables.items():
            words += ["-x", f"{name}={value}"] if mpi.name == "openmpi" else ["-env", name, value]
    return [*words, str(program)]


def launcher(mpi):
    return [mpi.tool("mpiexec"), *(["--oversubscribe"] if mpi.name == "openmpi" else [])]


def root_is_allowed():
    return launch.ROOT_IS_ALLOWED if os.geteuid() == 0 else {}


def test_ranks_without_weft_are_named(mpi):
    program = mpi.compile("large_send.c")
    library = installation.library_path(mpi.name)
    command = [*launcher(mpi), *part(mpi, program, 2, library), ":", *part(mpi, program, 2, None)]
    result = run_command(command, root_is_allowed())
    assert result.code != 0
    assert "ranks 2, 3" in result.err
    assert HINTS[mpi.name] in result.err


def test_a_first_rank_without_weft_is_named(mpi):
    program = mpi.compile("large_send.c")
    library = installation.library_path(mpi.name)
    command = [*launcher(mpi), *part(mpi, program, 1, None), ":", *part(mpi, program, 2, library)]
    result = run_command(command, root_is_allowed())
    assert result.code != 0
    assert "rank 0" in result.err
    assert HINTS[mpi.name] in result.err


def test_the_library_of_another_host_is_refused(mpi):
    other = installation.library_path({"openmpi": "mpich", "mpich": "openmpi"}[mpi.name])
    if other is None:
        pytest.skip("libweft.so is built for one MPI only")
    command = [*launcher(mpi), *part(mpi, mpi.compile("large_send.c"), 2, other)]
    result = run_command(command, root_is_allowed())
    said = "was built for" in result.err
    assert said, result.err[-2000:]
    assert result.code != 0 or "8 rounds" in result.out
