# SPDX-License-Identifier: BSD-3-Clause
"""Random programs receive the same under Weft as on the host alone. TEST_SEEDS=1000 runs that many of them on each
MPI."""

import os
from collections import Counter

import pytest
from test_collectives import MOVEMENT, REDUCTIONS, counted_under

SEEDS = int(os.environ.get("TEST_SEEDS", "80"))
SEEDS_PER_LAUNCH = 100


def launches(ranks, share):
    """First seed and number of seeds; each number of ranks has seeds of its own."""
    first, seeds = 1_000_000 * ranks, SEEDS * share // 100
    return [(first + done, min(SEEDS_PER_LAUNCH, seeds - done)) for done in range(0, seeds, SEEDS_PER_LAUNCH)]


def hashes(output):
    """What each seed gave."""
    lines = (line for line in output.splitlines() if line.startswith("seed "))
    return dict(line.removeprefix("seed ").split(": ") for line in lines)


def assert_equal(mpi, ranks, host, weft):
    expected, found = hashes(host), hashes(weft)
    assert expected
    repeat = f"weft run --mpi {mpi.name} -n {ranks} -- random_programs"
    different = [
        f"seed {seed}: {found.get(seed)}, the host {one}: `{repeat} {seed} 1 trace`, and with --host-only `simple`"
        for seed, one in expected.items()
        if found.get(seed) != one
    ]
    assert not different, "\n".join(different)


# How many seeds in a hundred run on so many ranks.
SHARES = {2: 50, 3: 35, 4: 15}


@pytest.mark.parametrize("ranks", SHARES)
def test_random_programs_receive_the_same(every_mpi, ranks):
    run_on_both(every_mpi, ranks, SHARES[ranks])


@pytest.mark.parametrize(("ranks", "copies"), [(2, "memory"), (2, "kernel"), (4, "kernel")])
def test_random_programs_receive_the_same_whoever_copies(mpi, ranks, copies):
    run_on_both(mpi, ranks, 10, variables={"WEFT_NODE_COPIES": copies, "WEFT_SINGLE_COPY": "1K"})


def test_threads_make_communicators_meanwhile(every_mpi):
    run_on_both(every_mpi, 2, 20, "threads")


# Every rank is a node of its own, and all messages go over the wire; or two of them share one; or all, and the agents
# do what there is to do in its memory; or the agents run short lists, one after the other.
@pytest.mark.parametrize(
    ("ranks", "nodes"),
    [
        (3, {"WEFT_NODE": "0"}),
        (4, {"WEFT_TOPOLOGY": "node:2 core:2"}),
        (3, {"WEFT_AGENT_BYTES": "1"}),
        (3, {"WEFT_NODE": "0", "WEFT_LIST_TASKS": "3"}),
        (3, {"WEFT_NODE": "0", "WEFT_LIST_TASKS": "3", "WEFT_LIST_TRIGGER": "thread"}),
    ],
)
def test_random_programs_receive_the_same_from_agents(mpi, ranks, nodes):
    variables = nodes | {"WEFT_DEVICE": "agent", "WEFT_WIRE_INTERFACE": "lo"}
    run_on_both(mpi, ranks, 10, variables=variables)


def run_on_both(mpi, ranks, share, *more, variables=None):
    program = mpi.compile("random_programs.c")
    by_weft, by_host = Counter(), Counter()
    for first, seeds in launches(ranks, share):
        options = {"ranks": ranks, "timeout": 120}
        host = mpi.host_says(program, first, seeds, "simple", *more, **options)
        result = mpi.run_taken(program, first, seeds, *more, variables=variables, **options)
        assert_equal(mpi, ranks, host, result.out)
        for name, entry in result.counts.items():
            by_weft[name] += entry["weft"]
            by_host[name] += entry["host"]
    for collective in [] if more else MOVEMENT + REDUCTIONS:
        assert sum(by_weft[form] for form in counted_under([collective])) > 0, collective
    assert by_weft.total() >= 0.95 * (by_weft.total() + by_host.total()), by_host
