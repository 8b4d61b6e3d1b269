# SPDX-License-Identifier: BSD-3-Clause
"""Long messages within a node: more bytes than an int counts, and copies from buffer to buffer."""

import os

import kept
import pytest
from mpi_programs import executed_by_weft

# What an MPI may hold of messages of 2 GiB each.
HUGE_BYTES = 5 << 30
ROUTES = {
    "through shared memory": {"WEFT_NODE_COPIES": "memory"},
    "from buffer to buffer": {"WEFT_NODE_COPIES": "kernel"},
    "by messages": {"WEFT_NODE": "0"},
}


IN_MEMORY = pytest.param("through shared memory", marks=pytest.mark.needs_memory)


@pytest.mark.parametrize("route", [IN_MEMORY, "from buffer to buffer", "by messages"])
def test_an_int_need_not_count_the_bytes(mpi, route):
    collectives = ["bcast", "allreduce"] if route == "through shared memory" else ["bcast"]
    more = []
    if mpi.name == "mpich" and route == "through shared memory":  # one host will do: the schedules are the same
        collectives += ["reduce", "allgather", "alltoall"]
        more = ["gaps"]
    with kept.alone("huge messages"):
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if free < HUGE_BYTES:
            pytest.skip(f"needs {HUGE_BYTES >> 30} GiB of free memory, and there are {free / 2**30:.1f}")
        result = mpi.run(mpi.compile("huge.c", "-O2"), *collectives, *more, variables=ROUTES[route], timeout=300)
    for name in collectives:
        assert executed_by_weft(result, f"MPI_{name.capitalize()}") == 1.0


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize(("program", "part"), [("movement.c", (4, 5)), ("reductions.c", (4, 2))])
def test_single_copies_give_the_same_answers(mpi, program, part, ranks):
    collectives = ("bcast", "reduce", "allreduce", "allgather", "alltoall")  # of three ranks only where they are named
    named = ",".join(f"{collective}=single_copy" for collective in collectives)
    variables = {"WEFT_SINGLE_COPY": "1", "WEFT_ALGORITHM": named}
    mpi.run(mpi.compile(program), *part, ranks=ranks, variables=variables)
