# SPDX-License-Identifier: BSD-3-Clause
"""A rank that dies takes nobody along into an endless wait, and nothing stays behind."""

import re
import shutil
from pathlib import Path

import pytest
from mpi_programs import eventually

# So that the launcher leaves the others alone when a rank dies: they have to notice by themselves. MPICH's kills them
# for a signal whatever it is told, and sends them SIGUSR1; a shell between the two keeps both from it and them.
GOES_ON = {"openmpi": "--enable-recovery", "mpich": "-disable-auto-cleanup"}
BETWEEN = {"openmpi": [], "mpich": ["sh", "-c", 'trap : USR1; "$0" "$@"; exit 0']}
# How a rank dies, in the middle of what, and whether the ranks share memory.
CASES = [
    ("kill", "allreduce", True),
    ("segv", "bcast", True),
    ("exit", "iallreduce", True),
    ("kill", "test", True),
    ("segv", "queued", True),
    ("exit", "large", True),
    ("kill", "allreduce", False),
    ("exit", "queued", False),
    ("kill", "persistent", True),
    ("exit", "persistent", False),
]


@pytest.fixture
def program(mpi, tmp_path):
    """The test's own, so that its processes can be told from those of tests beside it."""
    return shutil.copy(mpi.compile("deaths.c"), tmp_path)


def left_behind(program):
    """Weft's files in /dev/shm, and how many processes of the test's program there are."""
    lines = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            lines.append(folder.joinpath("cmdline").read_bytes())
        except OSError:
            continue  # it has ended meanwhile
    return set(Path("/dev/shm").glob("*weft*")), sum(str(program).encode() in line for line in lines)


def log_of_a_death(mpi, death, call, folder, variables, rounds=100, before=()):
    """How many others there were when the last rank died, each of which has told that it had an error; and the log.
    `before`: words that the program is an argument of."""
    log, told = folder / "log", folder / "told"
    told.mkdir()
    others = 2 if mpi.name == "openmpi" else 1  # the end of one may be that of all under MPICH's launcher
    variables = variables | {"WEFT_LOG": str(log)}
    options = {"ranks": others + 1, "variables": variables, "code": None, "mpiexec_arguments": GOES_ON[mpi.name]}
    command = [*BETWEEN[mpi.name], *before, mpi.compile("deaths.c")]
    mpi.run(command, death, call, told, rounds, **options)
    everybody = {str(rank) for rank in range(others)}
    assert eventually(lambda: {path.name for path in told.iterdir()} == everybody), log.read_text()
    return others, log.read_text()


@pytest.mark.parametrize(("death", "call", "memory"), CASES)
def test_the_others_get_an_error_that_names_the_dead(mpi, program, death, call, memory, tmp_path):
    before = left_behind(program)
    ranks = 3 if mpi.name == "openmpi" and call != "large" else 2
    log, told = tmp_path / "log", tmp_path / "told"
    told.mkdir()
    variables = {"WEFT_LOG": str(log), "WEFT_NODE": str(int(memory))}
    options = {"ranks": ranks, "variables": variables, "code": None, "mpiexec_arguments": GOES_ON[mpi.name]}
    result = mpi.run([*BETWEEN[mpi.name], program], death, call, told, **options)
    # MPICH's launcher does not wait for the others.
    all_gone = eventually(lambda: len(list(told.iterdir())) == ranks - 1 and left_behind(program) == before)
    said = f"{log.read_text() if log.is_file() else ''}\n{result.out[-1000:]}\n{result.err[-1000:]}"
    assert all_gone, said
    for rank in range(ranks - 1):
        # Those who end before this one has looked are dead to it as well.
        # Seen by its process, or, with an agent, by its connection.
        found = r"(ended before MPI_Finalize|on \S+ is lost)"
        named = rf"rank {rank}: ranks? ([0-9], )*{ranks - 1}(, [0-9])* of MPI_COMM_WORLD {found}"
        assert re.search(named, said), said


@pytest.mark.parametrize("death", ["kill", "segv"])
def test_the_launcher_may_end_the_job_first(mpi, program, death, tmp_path):
    before = left_behind(program)
    result = mpi.run(program, death, "allreduce", tmp_path, code=None)
    assert result.code != 0
    assert eventually(lambda: left_behind(program) == before)


@pytest.mark.parametrize("call", ["allreduce", "bcast", "allgatherv", "iallreduce", "queued"])
@pytest.mark.parametrize("how", ["finalize", "free"])
@pytest.mark.needs_memory
def test_who_waits_for_a_rank_that_has_ended_gets_an_error_that_names_it(mpi, how, call):
    result = mpi.run(mpi.compile("ends_early.c"), how, call, ranks=3)
    assert result.out.strip() == "told twice"
    for rank in (0, 1):
        assert f"rank {rank}: rank 2 of MPI_COMM_WORLD takes no part in the" in result.err, result.err[-2000:]
