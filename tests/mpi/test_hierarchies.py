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
# Thresholds so low that most of the programs' messages are long ones, and travel many fragments at a time, many times.
LONG = {"WEFT_MULTI_LEADER_BYTES": "1K", "WEFT_COLLECTED_BYTES": "1K", "WEFT_LONG_PART_BYTES": "128",
        "WEFT_NODE_FRAGMENT_BYTES": "1K", "WEFT_LEADER_FRAGMENT_BYTES": "1K"}  # fmt: skip
MACHINES_FOR_LONG = [
    (8, "node:2 socket:2 core:2", "socket+node"),
    (5, "node:3 core:2,1,2", "node"),
    (4, "node:2 core:3,1", "node"),
]
# How many of each program's cases are run: the more ranks, the fewer.
PARTS = {"movement.c": {5: (4, 5), 8: (4, 23), 17: (3, 41)}, "reductions.c": {5: (3, 2), 8: (3, 2), 17: (1, 2)}}


@pytest.mark.parametrize("program", PARTS)
@pytest.mark.parametrize(
    ("ranks", "machine", "depth", "thresholds"),
    [(*machine, {}) for machine in MACHINES] + [(*machine, LONG) for machine in MACHINES_FOR_LONG],
)
def test_pretended_machines_give_the_same_answers(mpi, program, ranks, machine, depth, thresholds):
    part = PARTS[program][max(8 if thresholds else 5, ranks)]
    variables = {"WEFT_TOPOLOGY": machine, "WEFT_HIERARCHY": depth} | thresholds
    result = mpi.run(mpi.compile(program), *part, ranks=ranks, variables=variables)
    assert sum(entry["weft"] for entry in result.counts.values()) > 100
