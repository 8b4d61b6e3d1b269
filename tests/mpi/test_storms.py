# SPDX-License-Identifier: BSD-3-Clause
"""Everything at once: whatever is under way, in however few slots, every operation gives the plain answer."""

import pytest

FEW_SLOTS = [1, 2, 4]


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("seed", [1, 2])
def test_threads_with_communicators_of_their_own_and_a_shared_one(mpi, ranks, seed):
    mpi.run(mpi.compile("storms.c"), "threads", seed, 15, ranks=ranks, variables={"WEFT_NODE_SLOTS": "2"})


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("slots", FEW_SLOTS)
def test_more_operations_than_slots_while_one_rank_sits_in_recv(mpi, ranks, slots):
    variables = {"WEFT_NODE_SLOTS": str(slots)}
    mpi.run(mpi.compile("storms.c"), "outstanding", 7 * slots, max(10, 4 * slots), ranks=ranks, variables=variables)


@pytest.mark.parametrize("ranks", [2, 4])
def test_the_same_sum_has_the_same_bits_whoever_comes_late(mpi, ranks):
    mpi.run(mpi.compile("storms.c"), "bits", 11, 60, ranks=ranks)
