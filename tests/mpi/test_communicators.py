# SPDX-License-Identifier: BSD-3-Clause
"""Communicators are made, split and freed at will; what Weft does not serve works on the host."""

import re

import pytest


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_communicators_of_every_making(mpi, ranks):
    # Open MPI 4.1 alone waits for ever for operations on a freed communicator of one rank.
    run = mpi.run if ranks == 1 else mpi.both
    result = run(mpi.compile("communicators.c"), ranks=ranks)
    why = result.counts["MPI_Allreduce"]["why"]
    if ranks > 1:
        assert why["an inter-communicator"] == 3 * ranks
        assert why["the communicator was not seen being made"] == ranks  # the one from MPI_Comm_idup
    assert result.counts["MPI_Allreduce"]["weft"] > 100


@pytest.mark.measures_memory
def test_split_and_free_leave_nothing_behind(mpi):
    result = mpi.run(mpi.compile("split_cycles.c"), 20000)
    growth = [int(kib) for kib in re.findall(r"growth (-?\d+) KiB", result.out)]
    assert len(growth) == 2
    # One lost byte per cycle would be 10 KiB; a communicator is a hundred times larger.
    assert max(growth) < 512
