# SPDX-License-Identifier: BSD-3-Clause
"""`weft explain` says what runs: for random calls, machines and settings, the sentence and the schedule of every rank
are those that the library in a running program has."""

import os
import random

import pytest

from weft.core import _core

RANKS = 4
SETTINGS = [
    {},
    {"WEFT_REPRODUCIBLE": "1"},
    {"WEFT_ROUNDS": "1"},
    {"WEFT_NODE": "0"},
    {"WEFT_NODE_RANK_BYTES": "32K"},
    {"WEFT_NODE_MEMORY": "16M"},  # lines for all, and no more
    {"WEFT_NODE_MEMORY": "64K"},
    {"WEFT_RADIX": "3", "WEFT_SHALLOW_RADIX": "5"},
    {"WEFT_HIERARCHY": "flat"},
    {"WEFT_HIERARCHY": "socket+node"},
    {"WEFT_ALGORITHM": "allreduce=ring,bcast=pipeline,allgather=fragments"},
    {
        "WEFT_NODE_FRAGMENT_BYTES": "4K",
        "WEFT_NODE_FRAGMENTS": "2",
        "WEFT_NODE_COPIES": "kernel",
        "WEFT_SINGLE_COPY": "64K",
    },
    {"WEFT_NODE_COPIES": "kernel"},
]
MACHINES = ["core:4", "node:2 core:2", "node:4 core:1", "socket:2 core:2", "node:2 socket:2 core:1"]


def some_calls(rng):
    for collective in rng.sample(_core.collectives(), 8):
        rooted = next(card["is_rooted"] for card in _core.catalog() if card["collective"] == collective)
        yield collective, rng.randrange(RANKS) if rooted else 0, rng.choice([0, 8, 1000, 5000, 100_000, 2_000_000])


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda some: " ".join(f"{k}={v}" for k, v in some.items()))
def test_explain_says_what_the_library_does(mpi, settings, tmp_path, monkeypatch):
    rng = random.Random(str(settings) + mpi.name)
    for machine in rng.sample(MACHINES, 2):
        variables = {"WEFT_TOPOLOGY": machine} | settings
        calls = list(some_calls(rng))
        words = [word for call in calls for word in call]
        mpi.run(mpi.compile("explained.c"), tmp_path, *words, ranks=RANKS, variables=variables)
        with monkeypatch.context() as patched:
            for name, value in variables.items():
                patched.setenv(name, value)
            for number, (collective, root, size) in enumerate(calls):
                call = _core.Call(collective, ranks=RANKS, root=root, bytes=0 if collective == "barrier" else size)
                why = _core.choose(call)["why"]
                for rank in range(RANKS):
                    plan = _core.build_chosen(call, rank=rank)
                    said = (tmp_path / f"{number}.{rank}").read_text()
                    assert said == f"{plan.algorithm}: {why}\n{plan.text()}\n", (machine, str(call), rank)


def test_few_nodes_that_share_one_machines_cores_meet_at_one_rank(mpi, tmp_path):
    """Without a node's memory each rank is a node of its own, as in containers of one machine."""
    variables = {"WEFT_NODE": "0", "WEFT_ROUND_TRIP": "1"}  # near, however long messages take today
    mpi.run(mpi.compile("explained.c"), tmp_path, "barrier", 0, 0, ranks=4, variables=variables)
    shares_cores = (os.cpu_count() or 4) < 4
    for rank in range(4):
        assert (tmp_path / f"0.{rank}").read_text().startswith("k_nomial" if shares_cores else "dissemination")
