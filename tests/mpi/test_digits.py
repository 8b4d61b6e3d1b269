# SPDX-License-Identifier: BSD-3-Clause
"""Sums in the host's own order of additions, for those who compare digits."""

import pytest

ORDER = {"WEFT_ALGORITHM": "allreduce=recursive_k_ing:2"}


@pytest.mark.parametrize("ranks", [2, 4, 5, 8])
def test_recursive_doubling_has_the_digits_of_the_hosts(mpi, ranks):
    assert "131072: " in mpi.both(mpi.compile("digits.c"), ranks=ranks, variables=ORDER).out


def test_the_program_can_tell_orders_apart(mpi):
    program = mpi.compile("digits.c")
    by_ring = {"WEFT_ALGORITHM": "allreduce=ring"}
    assert mpi.run(program, ranks=4, variables=by_ring).out != mpi.run(program, ranks=4, variables=ORDER).out
