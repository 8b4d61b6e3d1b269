# SPDX-License-Identifier: BSD-3-Clause
"""Ranks of one machine that pretend to sit on several nodes: the same answers, through memory and messages."""

import pytest

# Ranks; the machine that they pretend to sit on; who speaks for whom.
MACHINES = [
    (4, "node:2 core:2", "node"),
    (8, "node:2 socket:2 core:2", "socket+node"),
    (4, "socket:2 core:2", "socket"),
    (4, "node:2 socket:2 core:1", "l3+socket+node"),
    (3, "node:2 core:2,1", "node"),
    (3, "node:3 core:1", "flat"),
    (17, "node:3 socket:2 core:3", "socket+node"),
]
# Of each program: the more ranks, the fewer cases.
PARTS = {"movement.c": {4: (4, 5), 8: (4, 23), 17: (3, 41)}, "reductions.c": {4: (3, 2), 8: (3, 2), 17: (1, 2)}}


@pytest.mark.parametrize("program", PARTS)
@pytest.mark.parametrize(("ranks", "machine", "depth"), MACHINES)
def test_pretended_machines_give_the_same_answers(mpi, program, ranks, machine, depth):
    part = PARTS[program][max(4, ranks)]
    variables = {"WEFT_TOPOLOGY": machine, "WEFT_HIERARCHY": depth}
    result = mpi.run(mpi.compile(program), *part, ranks=ranks, variables=variables)
    assert sum(entry["weft"] for entry in result.counts.values()) > 100
