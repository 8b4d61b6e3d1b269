# SPDX-License-Identifier: BSD-3-Clause
"""Agents of jobs that are too large for all pairs to be connected in MPI_Init, which WEFT_WIRE_PROVED makes of small
ones: 2, each rank has met those at distances of powers of two; 0, nobody has met anybody."""

import re

import pytest
from test_deaths import log_of_a_death

# Far nodes would meet others than near ones.
AGENT = {"WEFT_DEVICE": "agent", "WEFT_WIRE_INTERFACE": "lo", "WEFT_VERBOSE": "1", "WEFT_ROUND_TRIP": "10"}
PROVED = [0, 2]
LISTENER = 2  # as the agent has it, and as the process keeps it until it ends


def nodes(count, proved, cores=1):
    return AGENT | {"WEFT_TOPOLOGY": f"node:{count} core:{cores}", "WEFT_WIRE_PROVED": str(proved)}


@pytest.mark.parametrize("proved", PROVED)
@pytest.mark.parametrize(("program", "part"), [("movement.c", (3, 7)), ("reductions.c", (2, 2))])
def test_every_collective_is_right(mpi, program, part, proved):
    result = mpi.run_taken(mpi.compile(program), *part, ranks=8, variables=nodes(8, proved))
    assert "is lost" not in result.err


@pytest.mark.parametrize("proved", PROVED)
@pytest.mark.parametrize("hierarchy", ["flat", "node"])
def test_nodes_of_several_ranks_are_right(mpi, hierarchy, proved, tmp_path):
    variables = nodes(3, proved, 2) | {"WEFT_HIERARCHY": hierarchy, "WEFT_MULTI_LEADER_BYTES": "1K"}
    mpi.run_taken(mpi.compile("movement.c"), 3, 11, ranks=6, variables=variables)
    mpi.run_taken(mpi.compile("handed_over.c"), tmp_path, 1000, ranks=6, variables=variables)


@pytest.mark.parametrize("proved", PROVED)
def test_communicators_of_every_making(mpi, proved):
    mpi.run_taken(mpi.compile("communicators.c"), ranks=5, variables=nodes(5, proved))


@pytest.mark.parametrize("proved", PROVED)
def test_random_programs_run_to_their_end(mpi, proved):
    mpi.run_taken(mpi.compile("random_programs.c"), 7, 30, ranks=6, variables=nodes(6, proved), timeout=120)


@pytest.mark.parametrize(("proved", "met"), [(0, 1), (2, 5), (64, 7)])
def test_ranks_that_never_meet_part_as_well(mpi, proved, met):
    result = mpi.run_taken(mpi.compile("never_met.c"), ranks=8, variables=nodes(8, proved))
    if mpi.name == "mpich":
        met = max(met, 5)  # all members meet in a barrier before a communicator is made
    assert int(result.out) == met + (LISTENER if proved < 8 else 0)
    assert "is lost" not in result.err
    assert ("in MPI_Init rank 0 has met 5 of the 7 other ranks" in result.err) == (proved == 2)
    assert ("in MPI_Init nobody meets anybody" in result.err) == (proved == 0)


def test_what_nobody_takes_part_in_is_no_loss(mpi):
    """As where all have met: the one rank gives it up in MPI_Finalize, the other has nothing to do with it."""
    result = mpi.run_taken(mpi.compile("finalize.c"), "unmatched", ranks=2, variables=nodes(2, 0))
    assert result.out.strip() == "unmatched"
    assert "is lost" not in result.err


@pytest.mark.parametrize("proved", PROVED)
@pytest.mark.parametrize("rounds", [0, 3], ids=["never met", "met"])
@pytest.mark.parametrize(("death", "call"), [("kill", "iallreduce"), ("exit", "bcast")])
def test_who_dies_is_named(mpi, death, call, rounds, proved, tmp_path):
    others, said = log_of_a_death(mpi, death, call, tmp_path, nodes(3, proved), rounds)
    # Seen by its process, or by its connection.
    found = rf"rank {others} of MPI_COMM_WORLD (ended before MPI_Finalize|on \S+ is lost): .*\. The \S+ .* fails"
    assert re.search(found, said), said
