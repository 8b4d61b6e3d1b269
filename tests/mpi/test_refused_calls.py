# SPDX-License-Identifier: BSD-3-Clause
"""Calls that the host refuses, or of which it reports an error: buffers that overlap where they must not, and lengths
that do not agree. Nobody waits for ever for a rank that is refused."""

import pytest

# UCX names what the host leaves behind of a refused call.
QUIET = {"UCX_LOG_LEVEL": "error"}
MEMORY, MESSAGES = QUIET, QUIET | {"WEFT_NODE": "0"}
WAYS = pytest.mark.parametrize("way", [MEMORY, MESSAGES], ids=["memory", "messages"])
ALL_HAVE_ENDED = "all have ended"


def all_have_ended(mpi, *arguments, **options):
    """lengths.c, which ends by MPI_Abort. MPICH 4's mpiexec once waited for ever for a program that had called it."""
    options = {"variables": QUIET, "code": None} | options
    if mpi.name == "mpich":
        options["is_complete"] = lambda out: ALL_HAVE_ENDED in out
    result = mpi.run(mpi.compile("lengths.c"), *arguments, **options)
    assert ALL_HAVE_ENDED in result.out, result.err[-2000:]


@WAYS
def test_overlapping_buffers_are_refused_where_the_host_refuses_them(every_mpi, way):
    every_mpi.both(every_mpi.compile("refused.c"), "overlap", ranks=2, variables=way)


@WAYS
def test_the_others_of_a_refused_call_get_their_results(every_mpi, way):
    every_mpi.run_taken(every_mpi.compile("refused.c"), "others", ranks=3, variables=way)


@WAYS
def test_own_blocks_of_another_length_are_what_the_host_makes_of_them(every_mpi, way):
    every_mpi.run_taken(every_mpi.compile("refused.c"), "lengths", ranks=3, variables=way)


@WAYS
def test_a_failed_persistent_operation_says_its_own_error(every_mpi, way):
    every_mpi.run_taken(every_mpi.compile("refused.c"), "told", ranks=2, variables=way)


@pytest.mark.parametrize("lengths", [(8, 100_000), (100_000, 8), (2000, 100_000), (100_000, 2000), (16, 32)])
@pytest.mark.parametrize("what", ["gather", "scatter", "gatherv", "scatterv", "alltoallv"])
def test_lengths_that_disagree_end_by_an_error_or_a_result(every_mpi, what, lengths):
    """Some through the node's memory, some by messages, so that neither would meet the other."""
    all_have_ended(every_mpi, what, *lengths, ranks=2)


@pytest.mark.parametrize("ranks", [2, 3])
def test_roots_that_disagree_are_noticed(every_mpi, ranks):
    """Nobody waits for a root in a gatherv, who all the same has to say which call it is in."""
    all_have_ended(every_mpi, "roots", 16, 16, ranks=ranks)


@pytest.mark.parametrize(("ranks", "lengths"), [(8, (20, 40)), (10, (40, 20)), (12, (20, 40)), (12, (20, 3000))])
def test_two_lengths_among_many_that_disagree_are_noticed(every_mpi, ranks, lengths):
    """Whoever is which one of the others: the marks of more than eight stand in further words."""
    all_have_ended(every_mpi, "last", *lengths, ranks=ranks)


@pytest.mark.parametrize(("what", "lengths"), [("gather", (100_000, 8)), ("scatter", (8, 100_000))])
def test_lengths_that_disagree_by_messages(every_mpi, what, lengths):
    """Who waits asks the others for their calls. They can answer inside calls of a host that has a hook; with two
    ranks nobody has to. (Messages longer than expected are left out: Open MPI writes them behind the buffer.)"""
    ranks = 2 if every_mpi.name in ("mpich", "abi") else 4
    all_have_ended(every_mpi, what, *lengths, ranks=ranks, variables=MESSAGES)
