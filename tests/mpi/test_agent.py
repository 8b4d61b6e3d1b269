# SPDX-License-Identifier: BSD-3-Clause
"""Device agent: operations between nodes move by themselves. The nodes are pretended, so that it takes no network but
loopback and no rights."""

import pytest

FOUR_NODES = {"WEFT_TOPOLOGY": "node:4 core:1", "WEFT_DEVICE": "agent", "WEFT_WIRE_INTERFACE": "lo"}


def test_operations_end_while_the_others_compute(mpi, tmp_path):
    mpi.run_taken(mpi.compile("handed_over.c"), tmp_path, ranks=4, variables=FOUR_NODES)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("WEFT_WIRE_PORTS", "some", "WEFT_WIRE_PORTS=some is not understood: use 4000-4100 or one port"),
        ("WEFT_WIRE_PORTS", "22222-11111", "is not understood"),
        ("WEFT_WIRE_INTERFACE", "weft-none", 'there is no network interface "weft-none" that is up here: use one of'),
    ],
)
def test_without_a_wire_the_ranks_move_messages(mpi, name, value, why):
    variables = {"WEFT_TOPOLOGY": "node:2 core:1", "WEFT_DEVICE": "agent", name: value}
    result = mpi.run_taken(mpi.compile("reductions.c"), 2, 1, ranks=2, variables=variables)
    assert why in result.err
