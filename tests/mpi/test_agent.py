# SPDX-License-Identifier: BSD-3-Clause
"""Device agent: operations between nodes move by themselves. The nodes are pretended, so that it takes no network but
loopback and no rights."""

import json
import re

import pytest
from test_deaths import log_of_a_death

FOUR_NODES = {"WEFT_TOPOLOGY": "node:4 core:1", "WEFT_DEVICE": "agent", "WEFT_WIRE_INTERFACE": "lo"}


@pytest.mark.parametrize("ranks_per_node", [1, 2, 3])
def test_operations_end_while_the_others_compute(mpi, ranks_per_node, tmp_path):
    nodes = 4 if ranks_per_node == 1 else 2
    variables = FOUR_NODES | {"WEFT_TOPOLOGY": f"node:{nodes} core:{ranks_per_node}"}
    mpi.run_taken(mpi.compile("handed_over.c"), tmp_path, 1000, ranks=nodes * ranks_per_node, variables=variables)


@pytest.mark.parametrize("ranks", [2, 5])
def test_long_operations_within_a_node_end_while_the_others_compute(mpi, ranks, tmp_path):
    variables = {"WEFT_DEVICE": "agent", "WEFT_WIRE_INTERFACE": "lo", "WEFT_AGENT_BYTES": "4K"}
    mpi.run_taken(mpi.compile("handed_over.c"), tmp_path, 200_000, ranks=ranks, variables=variables)


# Ranks with nodes of their own, and lists so short that every operation has several.
SHORT_LISTS = {"WEFT_NODE": "0", "WEFT_DEVICE": "agent", "WEFT_WIRE_INTERFACE": "lo", "WEFT_LIST_TASKS": "4"}


@pytest.mark.parametrize("count", [1000, 20_000])
@pytest.mark.parametrize("trigger", ["device", "thread"])
def test_lists_follow_one_another_while_the_ranks_compute(mpi, trigger, count, tmp_path):
    variables = SHORT_LISTS | {"WEFT_LIST_TRIGGER": trigger}
    mpi.run_taken(mpi.compile("handed_over.c"), tmp_path, count, ranks=4, variables=variables)
    agents = json.loads((mpi.folder / "stats.json").read_text())["agents"]
    assert agents["wakes"] > 0
    assert (agents["trigger_wakes"] > 0) == (agents["trigger_microseconds"] > 0) == (trigger == "thread")


@pytest.mark.parametrize("hierarchy", ["flat", "node"])
def test_each_rank_of_a_node_runs_its_own_lists_where_there_is_no_hierarchy(mpi, hierarchy, tmp_path):
    variables = FOUR_NODES | {"WEFT_TOPOLOGY": "node:2 core:2", "WEFT_HIERARCHY": hierarchy, "WEFT_NODE": "1"}
    variables |= {"WEFT_LIST_TASKS": "4", "WEFT_LIST_TRIGGER": "thread"}
    mpi.run_taken(mpi.compile("handed_over.c"), tmp_path, 1000, ranks=4, variables=variables)
    agents = json.loads((mpi.folder / "stats.json").read_text())["agents"]
    assert (agents["trigger_wakes"] >= 4) == (hierarchy == "flat")


@pytest.mark.parametrize("trigger", ["device", "thread"])
def test_starts_of_persistent_collectives_run_short_lists(mpi, trigger):
    variables = SHORT_LISTS | {"WEFT_LIST_TRIGGER": trigger}
    mpi.run_taken(mpi.compile("persistent.c"), "", ranks=3, variables=variables)


@pytest.mark.parametrize("threads", ["", "threads"])
def test_a_persistent_collective_goes_over_the_wire(mpi, threads):
    mpi.run_taken(mpi.compile("persistent.c"), threads, ranks=4, variables=FOUR_NODES)


def test_many_operations_leave_nothing_behind(mpi):
    mpi.run_taken(mpi.compile("endurance.c"), 30_000, ranks=2, variables=FOUR_NODES)


def test_a_child_has_none_of_the_connections(mpi):
    program = mpi.compile("forked.c")
    others = 3
    assert int(mpi.run(program, ranks=others + 1, variables=FOUR_NODES).out) == others
    assert int(mpi.run(program, ranks=others + 1, variables=FOUR_NODES | {"WEFT_DEVICE": "none"}).out) == 0


@pytest.mark.parametrize(("death", "call"), [("kill", "iallreduce"), ("exit", "bcast"), ("kill", "persistent")])
def test_who_dies_is_named_with_its_host(mpi, death, call, tmp_path):
    others, said = log_of_a_death(mpi, death, call, tmp_path, FOUR_NODES)
    assert re.search(rf"rank {others} of MPI_COMM_WORLD on \S+ is lost: .*\. The \S+ .* fails", said), said


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("WEFT_WIRE_PORTS", "some", "WEFT_WIRE_PORTS=some is not understood: use 4000-4100 or one port"),
        ("WEFT_WIRE_PORTS", "22222-11111", "is not understood"),
        ("WEFT_WIRE_CONGESTION_CONTROL", "weft-none", 'the congestion control "weft-none" is not to be had'),
        ("WEFT_WIRE_INTERFACE", "weft-none", 'there is no network interface "weft-none" that is up here: use one of'),
    ],
)
def test_without_a_wire_the_ranks_move_messages(mpi, name, value, why):
    variables = {"WEFT_TOPOLOGY": "node:2 core:1", "WEFT_DEVICE": "agent", name: value}
    result = mpi.run_taken(mpi.compile("reductions.c"), 2, 1, ranks=2, variables=variables)
    assert why in result.err
