# SPDX-License-Identifier: BSD-3-Clause
"""`weft run --check` names what ranks do not agree about, instead of a hang or a wrong answer."""

import pytest

CHECK = {"WEFT_CHECK": "1"}
DIFFERENCES = {
    "function": ("different functions", "MPI_Bcast(4 of MPI_DOUBLE, root 0)", "MPI_Barrier()"),
    "root": ("the roots differ", "MPI_Bcast(4 of MPI_DOUBLE, root 1)", "MPI_Bcast(4 of MPI_DOUBLE, root 0)"),
    "count": ("numbers of basic elements differ", "MPI_Allreduce(3 of MPI_DOUBLE, MPI_SUM)", "2nd collective"),
    "type": ("basic datatypes differ", "MPI_Allgather(1 of MPI_LONG)", "MPI_Allgather(1 of MPI_DOUBLE)"),
    "parts": ("lists of counts differ", "MPI_Reduce_scatter(1+1", "MPI_Reduce_scatter(2+0"),
    "blocks": ("lists of counts differ", "MPI_Allgatherv(1+1", "MPI_Allgatherv(2+0"),
    "operator": ("operators differ", "MPI_Iallreduce(4 of MPI_DOUBLE, MPI_MAX)", "the second world"),
    "order": ("different functions", "MPI_Ibarrier()", "3rd collective"),
    "blocking": ("different functions", "MPI_Ibarrier()", "MPI_Barrier()"),
    "missing": ("different functions", "MPI_Finalize", "MPI_Barrier()"),
}
ERRORS = {
    "freed": "MPI_Request_free of an active collective",
    "cancelled": "MPI_Cancel of a collective",
    "cancelled persistent": "MPI_Cancel of a collective",
    "forgotten": "never completed by a Wait or Test",
    "forgotten persistent": "1 requests of non-blocking collectives were never completed by a Wait or Test",
}


@pytest.mark.parametrize("ranks", [2, 3])
@pytest.mark.parametrize("what", DIFFERENCES)
def test_a_difference_is_named(mpi, what, ranks):
    result = mpi.run(mpi.compile("mismatches.c"), what, ranks=ranks, variables=CHECK, code=None)
    assert result.code != 0
    for part in DIFFERENCES[what]:
        assert part in result.err, result.err[-2000:]
    assert f"ranks {ranks - 2} and {ranks - 1} of" in result.err or f"ranks {ranks - 1} and 0 of" in result.err


@pytest.mark.needs_memory  # among messages MPICH ends the job by itself
def test_whoever_does_not_ask_for_checks_is_told_that_there_are_some(mpi):
    result = mpi.run(mpi.compile("mismatches.c"), "count", ranks=2, code=None)
    assert result.code != 0
    assert "the allreduce" in result.err, result.err[-2000:]
    assert "`weft run --check` (WEFT_CHECK=1) names both calls" in result.err, result.err[-2000:]


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("itself", "MPI_Alltoall to send 1 of MPI_DOUBLE, but to receive 2 of MPI_DOUBLE"),
        ("own block", "MPI_Allgatherv to send 2 of MPI_DOUBLE, but to receive 1 of MPI_DOUBLE"),
    ],
)
def test_a_rank_that_does_not_agree_with_itself_is_named(mpi, what, said):
    result = mpi.run(mpi.compile("mismatches.c"), what, ranks=3, variables=CHECK, code=None)
    assert result.code != 0
    assert f"rank 2 of the second world calls {said}" in result.err, result.err[-2000:]


@pytest.mark.parametrize(
    ("what", "sender", "receiver", "call", "sent", "expected"),
    [
        ("gathered", 2, 0, "MPI_Gatherv(root 0): the numbers of basic", "1 of MPI_DOUBLE", "2 of MPI_DOUBLE"),
        ("scattered", 0, 2, "MPI_Iscatterv(root 0): the basic datatypes", "1 of MPI_DOUBLE", "1 of MPI_LONG"),
        ("exchanged", 2, 0, "MPI_Alltoallv(): the numbers of basic", "2 of MPI_DOUBLE", "1 of MPI_DOUBLE"),
        ("neighbours", 2, 0, "MPI_Neighbor_alltoallw(): the basic", "1 of MPI_LONG", "1 of MPI_DOUBLE"),
    ],
)
def test_two_ranks_that_do_not_agree_about_a_block_are_named(mpi, what, sender, receiver, call, sent, expected):
    result = mpi.run(mpi.compile("mismatches.c"), what, ranks=3, variables=CHECK, code=None)
    assert result.code != 0
    for said in (
        f"ranks {sender} and {receiver} of the second world do not agree about a block in their",
        f"collective there, {call}",
        f"rank {sender} sends rank {receiver}: {sent}",
        f"rank {receiver} expects from rank {sender}: {expected}",
    ):
        assert said in result.err, result.err[-2000:]


@pytest.mark.parametrize("what", ERRORS)
def test_an_erroneous_request_is_named_and_harmless(mpi, what):
    program = mpi.compile("mismatches.c")
    result = mpi.run(program, what, ranks=2, variables=CHECK)
    assert ERRORS[what] in result.err
    assert mpi.run(program, what, ranks=2).out.strip() == what


def test_right_programs_pass(mpi):
    assert mpi.run(mpi.compile("mismatches.c"), "right", ranks=3, variables=CHECK).out.strip() == "right"
    for program, part in (("movement.c", (3, 7)), ("reductions.c", (1,)), ("random_programs.c", (5, 10))):
        assert "do not agree" not in mpi.run(mpi.compile(program), *part, ranks=2, variables=CHECK).err
