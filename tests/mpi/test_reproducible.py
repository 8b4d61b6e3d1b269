# SPDX-License-Identifier: BSD-3-Clause
"""WEFT_REPRODUCIBLE=1: same number of ranks, same bits, whatever the size, the root or the algorithm."""

import pytest


@pytest.mark.parametrize("ranks", [3, 6])
def test_sums_depend_on_the_number_of_ranks_alone(mpi, ranks):
    program = mpi.compile("reproducible.c")
    pinned = mpi.run(program, ranks=ranks, variables={"WEFT_REPRODUCIBLE": "1"})
    assert pinned.out.split() == ["allreduce", "0", "reduce", "0"]


def test_the_program_can_tell_the_orders_apart(mpi):
    free = mpi.run(mpi.compile("reproducible.c"), ranks=6, variables={"WEFT_NODE": "0"})
    assert free.out.split() != ["allreduce", "0", "reduce", "0"]
