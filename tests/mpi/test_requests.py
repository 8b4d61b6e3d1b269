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


@pytest.mark.parametrize("left", ["started", "awaited", "persistent", "unmatched"])
def test_finalize_begins_with_the_callbacks_of_the_program(every_mpi, left):
    result = every_mpi.run_taken(every_mpi.compile("finalize.c"), left, ranks=2)
    assert result.out.strip() == left
    assert left == "unmatched" or result.counts["MPI_Allreduce"]["host"] == 0
