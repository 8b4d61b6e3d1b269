# SPDX-License-Identifier: BSD-3-Clause
"""Ranks of one machine that pretend to sit on several nodes: the same answers, through memory and messages."""

import pytest

# Ranks; the machine that they pretend to sit on; who speaks for whom.
MACHINES = [
    (4, "node:2 core:2", "node"),
    (4, "node:2 socket:2 core:1", "socket+node"),
    (4, "socket:2 core:2", "socket"),
    (4, "node:2 socket:2 core:1", "l3+socket+node"),
    (3, "node:2 core:2,1", "node"),
    (3, "node:3 core:1", "flat"),
]


@pytest.mark.parametrize(("program", "part"), [("movement.c", (4, 5)), ("reductions.c", (3, 2))])
@pytest.mark.parametrize(("ranks", "machine", "depth"), MACHINES)
def test_pretended_machines_give_the_same_answers(mpi, program, part, ranks, machine, depth):
    if mpi.name == "mpich":
        ranks = min(ranks, 3)  # more of its ranks than cores wait for one another for seconds
    variables = {"WEFT_TOPOLOGY": machine, "WEFT_HIERARCHY": depth}
    result = mpi.run(mpi.compile(program), *part, ranks=ranks, variables=variables)
    assert sum(entry["weft"] for entry in result.counts.values()) > 100
