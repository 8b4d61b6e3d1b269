# SPDX-License-Identifier: BSD-3-Clause
"""Communicators are made, split and freed at will; what Weft does not serve works on the host."""

import os
import re

import pytest

CYCLES = int(os.environ.get("WEFT_CYCLES", "20000"))  # 100,000 take a minute
LOST_BY_HOST = {"mpich": 64, "openmpi": 0}  # bytes per datatype, now and then, also without Weft
MOST_LEFT = 4 << 20  # shared bytes that members have left and nobody has asked for since


@pytest.mark.parametrize("memory", [True, False], ids=["in memory", "by messages"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_communicators_of_every_making(every_mpi, ranks, memory):
    variables = {"WEFT_NODE": str(int(memory))}
    result = every_mpi.run_taken(every_mpi.compile("communicators.c"), ranks=ranks, variables=variables)
    why = result.counts["MPI_Allreduce"]["why"]
    if ranks > 1:
        assert why == {"an inter-communicator": 3 * ranks}
    assert result.counts["MPI_Allreduce"]["weft"] > 100


@pytest.mark.measures_memory
def test_split_and_free_leave_nothing_behind(mpi):
    """Nor do datatypes that are made and used once."""
    result = mpi.run(mpi.compile("split_cycles.c"), CYCLES, 0, timeout=CYCLES / 100)
    growth = re.findall(r"growth (-?\d+) KiB, (-?\d+) files, (-?\d+) shared bytes", result.out)
    assert len(growth) == 2
    for kib, files, shared_bytes in (map(int, one) for one in growth):
        # One lost byte per cycle would be 10 KiB in the half of 20,000; a communicator is a hundred times larger.
        assert kib < 512 + LOST_BY_HOST[mpi.name] * CYCLES / 2048
        assert files <= 0
        assert shared_bytes < MOST_LEFT


@pytest.mark.needs_memory
def test_very_many_communicators_are_alive_at_once(mpi):
    alive = 2000 if mpi.name == "mpich" else 600  # MPICH has 2,048
    result = mpi.run(mpi.compile("split_cycles.c"), 0, alive, variables={"WEFT_NODE_MEMORY": "2G"})
    ways = result.communicators
    assert sum(ways.values()) == alive + 1
    # The budget is for some of them, and lines for most.
    assert 0 < ways["through shared memory"] < ways["short blocks through shared memory, others by messages"]


def test_callbacks_use_a_communicator_while_it_is_freed(every_mpi):
    every_mpi.run_taken(every_mpi.compile("delete_callbacks.c"))


@pytest.mark.parametrize("memory", [True, False], ids=["in memory", "by messages"])
def test_threads_make_communicators_at_the_same_time(every_mpi, memory):
    program = every_mpi.compile("constructing_threads.c")
    variables = {"WEFT_NODE": str(int(memory))}
    result = every_mpi.run_taken(program, 8, 10, ranks=2, variables=variables)
    assert result.counts["MPI_Allreduce"]["host"] == 0


@pytest.mark.parametrize("ranks", [2, 3, 7])
def test_splits_have_the_members_that_mpi_promises(every_mpi, ranks):
    result = every_mpi.both(every_mpi.compile("splits.c"), 400, ranks=ranks)
    assert result.counts["MPI_Allreduce"]["host"] == 0


@pytest.mark.parametrize("memory", [True, False], ids=["in memory", "by messages"])
def test_constructors_that_fail_on_some_leave_nobody_waiting(every_mpi, memory):
    variables = {"WEFT_NODE": str(int(memory))}
    every_mpi.both(every_mpi.compile("half_made.c"), "foreign", ranks=4, variables=variables)


@pytest.mark.parametrize("name", ["openmpi", "openmpi5", "mpich5"])
def test_a_constructor_that_one_calls_in_vain_is_called_again(mpi_named, name):
    mpi = mpi_named(name)
    mpi.both(mpi.compile("half_made.c"), "again", ranks=5)


@pytest.mark.parametrize("name", ["mpich", "mpich5", "abi"])
def test_communicators_take_the_handler_that_the_world_gets_later(mpi_named, name):
    mpi = mpi_named(name)
    mpi.both(mpi.compile("late_handler.c"), ranks=2)
