# SPDX-License-Identifier: BSD-3-Clause
"""All six collectives, blocking and not, give what they must: counts, types, roots, operators, in place."""

import pytest

NAMES = ["Barrier", "Bcast", "Reduce", "Allreduce", "Allgather", "Alltoall"]
MOVEMENT = ["Barrier", "Bcast", "Allgather", "Alltoall"]
ALGORITHMS = {
    "barrier:dissemination/3": "movement.c",
    "bcast:k_nomial/2": "movement.c",
    "bcast:k_nomial/4": "movement.c",
    "allgather:ring": "movement.c",
    "allgather:recursive_doubling": "movement.c",
    "alltoall:pairwise": "movement.c",
    "reduce:n_ary_tree/3": "reductions.c",
    "allreduce:ring": "reductions.c",
    "allreduce:recursive_k_ing/2": "reductions.c",
    "allreduce:recursive_k_ing/3": "reductions.c",
    "barrier:recursive_k_ing/2,bcast:chain,allgather:bruck/2,alltoall:bruck/2": "movement.c",
    "barrier:recursive_k_ing/3,bcast:scatter_allgather/2,allgather:bruck/3,alltoall:scattered": "movement.c",
    "reduce:k_nomial/2,allreduce:reduce_scatter_allgather": "reductions.c",
    "reduce:reduce_scatter_gather,allreduce:k_nomial/2": "reductions.c",
    "reduce:k_nomial/3,allreduce:n_ary_tree/2": "reductions.c",
}


def counted_under(names):
    return [form for name in names for form in (f"MPI_{name}", f"MPI_I{name.lower()}")]


@pytest.mark.parametrize("ranks", range(1, 10))
def test_data_arrives_where_it_must(mpi, ranks):
    result = mpi.run(mpi.compile("movement.c"), 5 if ranks <= 3 else 3, ranks=ranks)
    for name in counted_under(MOVEMENT):
        assert result.counts[name]["host"] == 0, name
        assert result.counts[name]["weft"] > 0, name


@pytest.mark.parametrize("ranks", range(1, 10))
def test_reductions_are_right(mpi, ranks):
    result = mpi.run(mpi.compile("reductions.c"), 5 if ranks <= 3 else 3, ranks=ranks)
    for name in counted_under(["Reduce", "Allreduce"]):
        entry = result.counts[name]
        assert entry["weft"] > 10 * entry["host"] > 0, name
        assert list(entry["why"]) == ["a reduction over a datatype with gaps"]


# Small counts only: MPICH 4.0's own MPI_Reduce in place with a root other than 0 crashes with a thousand elements.
@pytest.mark.parametrize(("program", "largest"), [("movement.c", 4), ("reductions.c", 3)])
def test_the_host_agrees(mpi, program, largest):
    mpi.both(mpi.compile(program), largest, ranks=3)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("ranks", [4, 5])
def test_every_algorithm_through_the_front_door(mpi, algorithm, ranks):
    result = mpi.run(mpi.compile(ALGORITHMS[algorithm]), 4, ranks=ranks, variables={"WEFT_ALGORITHM": algorithm})
    assert "weft:" not in result.err


def test_switched_off_everything_is_the_hosts(mpi):
    result = mpi.run(mpi.compile("movement.c"), 3, variables={"WEFT_ENABLE": "0"})
    for name in counted_under(MOVEMENT):
        assert result.counts[name]["weft"] == 0
        assert list(result.counts[name]["why"]) == ["Weft is switched off"]


@pytest.mark.parametrize("ranks", [2, 3])
def test_threads_with_communicators_of_their_own(mpi, ranks):
    mpi.both(mpi.compile("threads.c"), ranks=ranks)
