# SPDX-License-Identifier: BSD-3-Clause
"""Nodes so far from one another that all is sent at once: the results are the same, to the last bit."""

import json
import os

import pytest

NODES = {"WEFT_TOPOLOGY": "node:6 core:1"}
PAIRS = {"WEFT_TOPOLOGY": "node:3 core:2"}
NEAR, FAR = {"WEFT_ROUND_TRIP": "10"}, {"WEFT_ROUND_TRIP": "400"}


@pytest.mark.parametrize("device", ["none", "agent"])
@pytest.mark.parametrize("nodes", [NODES, PAIRS])
@pytest.mark.parametrize(("program", "part"), [("movement.c", (4, 3)), ("reductions.c", (3, 2))])
def test_all_collectives_between_far_nodes(mpi, program, part, nodes, device):
    variables = nodes | FAR | {"WEFT_DEVICE": device, "WEFT_WIRE_INTERFACE": "lo"}
    mpi.run_taken(mpi.compile(program), *part, ranks=6, variables=variables)


@pytest.mark.parametrize("nodes", [NODES, PAIRS])
def test_sums_do_not_depend_on_how_long_messages_take(mpi, nodes):
    program = mpi.compile("reproducible.c")
    near, far = (mpi.run(program, ranks=6, variables=nodes | way).out for way in (NEAR, FAR))
    assert near == far


def test_the_round_trip_is_measured_and_said(mpi):
    mpi.run(mpi.compile("reductions.c"), 2, 1, ranks=3, variables={"WEFT_NODE": "0"})
    nodes = json.loads((mpi.folder / "stats.json").read_text())["nodes"]
    assert nodes["round_trip_microseconds"] > 0
    assert nodes["are_far"] == (nodes["round_trip_microseconds"] >= 100)
    assert nodes["share_cores"] == ((os.cpu_count() or 3) < 3)


def test_nodes_that_are_only_pretended_are_near(mpi):
    mpi.run(mpi.compile("reductions.c"), 2, 1, ranks=3, variables={"WEFT_TOPOLOGY": "node:3 core:1"})
    assert "nodes" not in json.loads((mpi.folder / "stats.json").read_text())


@pytest.mark.needs_memory
def test_one_node_has_none(mpi):
    mpi.run(mpi.compile("reductions.c"), 2, 1, ranks=2)
    assert "nodes" not in json.loads((mpi.folder / "stats.json").read_text())
