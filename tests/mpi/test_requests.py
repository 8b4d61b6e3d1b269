# SPDX-License-Identifier: BSD-3-Clause
"""Requests of Weft are requests: in every function that completes any, mixed, many, in every order."""

import pytest

WAYS = ["wait", "test", "waitall", "testall", "waitany", "testany", "waitsome", "testsome", "get_status"]


@pytest.mark.parametrize("way", WAYS)
def test_requests_mix_with_those_of_messages(mpi, way):
    mpi.run_taken(mpi.compile("requests.c"), way, ranks=3)


def test_lists_with_null_requests(every_mpi):
    every_mpi.run_taken(every_mpi.compile("null_requests.c"))


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_many_operations_are_in_flight_at_once(mpi, ranks):
    mpi.run_taken(mpi.compile("outstanding.c"), ranks=ranks)


def test_a_freed_request_completes_all_the_same(mpi):
    mpi.run(mpi.compile("outstanding.c"), "freed", ranks=3)


@pytest.mark.parametrize("way", ["waitall", "waitany", "waitsome", "testall", "testany", "testsome", "threads"])
def test_hundreds_of_requests_of_every_kind(mpi, way, tmp_path):
    if mpi.name == "mpich" and way == "testall":
        pytest.skip("MPI_Testall of MPICH 4.0 takes the requests of its own file access for failed")
    mpi.run_taken(mpi.compile("hundreds.c"), way, tmp_path / "data", ranks=3)


def test_handles_started_and_freed_by_the_names_of_the_profiling_interface(every_mpi):
    every_mpi.run_taken(every_mpi.compile("profiling_names.c"), ranks=2)


@pytest.mark.parametrize("memory", [True, False], ids=["in memory", "by messages"])
@pytest.mark.parametrize("threads", ["one thread", "threads"])
def test_a_persistent_collective_is_completed_in_every_way(every_mpi, threads, memory):
    variables = {"WEFT_NODE": str(int(memory))}
    result = every_mpi.run_taken(every_mpi.compile("persistent.c"), threads, ranks=2, variables=variables)
    assert result.counts["MPI_Allreduce_init"]["host"] == 0


@pytest.mark.parametrize("memory", [True, False], ids=["in memory", "by messages"])
@pytest.mark.parametrize("ranks", [2, 3])
def test_persistent_collectives_are_started_in_any_order(every_mpi, ranks, memory):
    """More of them than there are full berths in a node's memory, and slots for the others; on three ranks also more
    than there are berths."""
    program = every_mpi.compile("persistent_orders.c")
    variables = {"WEFT_NODE": str(int(memory)), "WEFT_NODE_SLOTS": "4"}
    for count, rounds, seed in [(2, 20, 1), (30, 5, 2), (100, 3, 3)]:
        result = every_mpi.run_taken(program, count, rounds, seed, ranks=ranks, variables=variables)
        assert all(entry["host"] == 0 for name, entry in result.counts.items() if name.endswith("_init"))


def test_persistent_collectives_are_started_in_any_order_under_check(mpi):
    mpi.run_taken(mpi.compile("persistent_orders.c"), 20, 3, 4, ranks=3, variables={"WEFT_CHECK": "1"})


@pytest.mark.takes_long
def test_thousands_of_persistent_collectives_are_alive(every_mpi):
    """Operations that message tags cannot tell apart any more are the host's, on all ranks alike. Ten thousand are
    alive where the host is quick with its own; others search all of theirs whenever they look for one."""
    told_apart = 8192 if every_mpi.name.startswith("openmpi") else 4096
    count = 10000 if every_mpi.name in ("mpich", "abi") else told_apart + 200
    result = every_mpi.run_taken(every_mpi.compile("persistent_orders.c"), count, 1, 5, ranks=2, timeout=240)
    counts = result.counts["MPI_Allreduce_init"]
    assert counts["host"] > 0
    (why,) = counts["why"]
    assert "that message tags can tell apart" in why


@pytest.mark.needs_memory
@pytest.mark.parametrize("machine", ["node:1 core:4", "node:2 core:2"])
def test_persistent_collectives_where_there_is_little_memory(mpi, machine):
    """Fewer berths have rooms, or none has; others have lines alone, and more go by messages."""
    for memory in ("64M", "4M"):
        variables = {"WEFT_TOPOLOGY": machine, "WEFT_NODE_MEMORY": memory}
        result = mpi.run_taken(mpi.compile("persistent_orders.c"), 100, 3, 7, ranks=4, variables=variables)
        assert all(entry["host"] == 0 for name, entry in result.counts.items() if name.endswith("_init"))


@pytest.mark.needs_memory
def test_persistent_collectives_on_memory_of_a_communicator_that_was_freed(every_mpi):
    """What an earlier one has left in its berths is not taken for another's."""
    every_mpi.run_taken(every_mpi.compile("persistent_again.c"), ranks=3)


@pytest.mark.parametrize("left", ["started", "awaited", "persistent", "unmatched"])
def test_finalize_begins_with_the_callbacks_of_the_program(every_mpi, left):
    result = every_mpi.run_taken(every_mpi.compile("finalize.c"), left, ranks=2)
    assert result.out.strip() == left
    assert left == "unmatched" or result.counts["MPI_Allreduce"]["host"] == 0
