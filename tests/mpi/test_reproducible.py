# SPDX-License-Identifier: BSD-3-Clause
"""WEFT_REPRODUCIBLE=1: same number of ranks, same bits, whatever the size, the root, the algorithm or where the ranks
are."""

import pytest
from mpi_programs import executed_by_weft as executed

# Where ranks are and how they reach one another: all on one node, some, none; short slots; each depth.
PLACES = [
    {},
    {"WEFT_NODE_RANK_BYTES": "1K"},
    {"WEFT_NODE_COPIES": "kernel", "WEFT_SINGLE_COPY": "8K"},
    {"WEFT_NODE": "0"},
    {"WEFT_TOPOLOGY": "node:2 core:4,2", "WEFT_HIERARCHY": "node"},
    {"WEFT_TOPOLOGY": "node:2 socket:2 core:1,1,1,3", "WEFT_HIERARCHY": "socket+node"},
    {"WEFT_TOPOLOGY": "node:3 core:1,4,1", "WEFT_HIERARCHY": "node", "WEFT_NODE_RANK_BYTES": "1K"},
    {"WEFT_TOPOLOGY": "socket:2 core:3", "WEFT_HIERARCHY": "socket"},
    {"WEFT_TOPOLOGY": "node:6 core:1", "WEFT_HIERARCHY": "flat"},
]


@pytest.mark.parametrize("ranks", [3, 6])
def test_sums_depend_on_the_number_of_ranks_alone(mpi, ranks):
    program = mpi.compile("reproducible.c")
    sums = set()
    for place in PLACES:
        pinned = mpi.run(program, ranks=ranks, variables={"WEFT_REPRODUCIBLE": "1", **place})
        assert pinned.out.split()[:4] == ["allreduce", "0", "reduce", "0"], place
        assert executed(pinned, "MPI_Allreduce") == executed(pinned, "MPI_Ireduce") == 1.0
        sums.add(tuple(pinned.out.split()[4:]))
    assert len(sums) == 1


def test_the_program_can_tell_the_orders_apart(mpi):
    free = mpi.run(mpi.compile("reproducible.c"), ranks=6, variables={"WEFT_NODE": "0"})
    assert free.out.split()[:4] != ["allreduce", "0", "reduce", "0"]
