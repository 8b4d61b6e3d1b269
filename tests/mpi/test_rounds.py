# SPDX-License-Identifier: BSD-3-Clause
"""WEFT_ROUNDS=1: LibNBC's way of executing, through the front door."""

import pytest

ROUNDS = {"WEFT_ROUNDS": "1"}
ONE_PARENT = {"WEFT_ALGORITHM": "reduce:n_ary_tree/3", "WEFT_TIMES": "1"}


@pytest.mark.parametrize(("program", "part"), [("movement.c", (3, 5)), ("reductions.c", (2,))])
@pytest.mark.parametrize("ranks", [2, 5])
def test_every_answer_is_right(mpi, program, part, ranks):
    result = mpi.run(mpi.compile(program), *part, ranks=ranks, variables=ROUNDS)
    assert "weft:" not in result.err


def test_a_round_waits_for_all_of_the_round_before(mpi):
    result = mpi.run(mpi.compile("rounds.c"), "rounds", ranks=4, variables=ONE_PARENT | ROUNDS)
    assert result.out.split() == ["0"]


def test_dependencies_wait_for_what_they_need(mpi):
    assert mpi.run(mpi.compile("rounds.c"), ranks=4, variables=ONE_PARENT).out.split() == ["1"]
