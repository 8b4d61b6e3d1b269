# SPDX-License-Identifier: BSD-3-Clause
"""The wire over libfabric, by its provider tcp on loopback: what agents do there is what they do over TCP."""

import re

import pytest
from test_deaths import log_of_a_death

_core = pytest.importorskip("weft._core", reason="the compiled core, which knows libfabric, is not built")
PROBLEM = _core.survey_fabric("fabric:tcp", "lo")["problem"]
needs_fabric = pytest.mark.skipif(bool(PROBLEM), reason=PROBLEM)

OVER_FABRIC = {"WEFT_DEVICE": "agent", "WEFT_WIRE": "fabric:tcp", "WEFT_WIRE_INTERFACE": "lo", "WEFT_VERBOSE": "1"}
FOUR_NODES = OVER_FABRIC | {"WEFT_TOPOLOGY": "node:4 core:1"}


@needs_fabric
@pytest.mark.parametrize("bytes_each", [1000, 200_000])
def test_operations_end_while_the_others_compute(mpi, bytes_each, tmp_path):
    result = mpi.run_taken(mpi.compile("handed_over.c"), tmp_path, bytes_each, ranks=4, variables=FOUR_NODES)
    assert "WEFT_DEVICE=agent:" not in result.err


@needs_fabric
def test_nobody_has_to_be_met_before(mpi, tmp_path):
    variables = FOUR_NODES | {"WEFT_WIRE_PROVED": "0"}
    result = mpi.run_taken(mpi.compile("handed_over.c"), tmp_path, 200_000, ranks=4, variables=variables)
    assert "in MPI_Init nobody meets anybody" in result.err
    assert "is lost" not in result.err
    mpi.run_taken(mpi.compile("random_programs.c"), 7, 20, ranks=3, variables=OVER_FABRIC | {"WEFT_WIRE_PROVED": "0"})


@needs_fabric
def test_ranks_of_a_node_send_by_one_of_them(mpi, tmp_path):
    variables = OVER_FABRIC | {"WEFT_TOPOLOGY": "node:2 core:2"}
    mpi.run_taken(mpi.compile("handed_over.c"), tmp_path, 1000, ranks=4, variables=variables)


@needs_fabric
def test_a_persistent_collective_goes_over_it(mpi):
    mpi.run_taken(mpi.compile("persistent.c"), "", ranks=4, variables=FOUR_NODES)


@needs_fabric
def test_random_programs_give_what_the_host_gives(mpi):
    variables = OVER_FABRIC | {"WEFT_NODE": "0"}
    mpi.run_taken(mpi.compile("random_programs.c"), 7, 40, ranks=3, variables=variables)


@needs_fabric
def test_many_operations_leave_nothing_behind(mpi):
    mpi.run_taken(mpi.compile("endurance.c"), 10_000, ranks=2, variables=FOUR_NODES)


@needs_fabric
@pytest.mark.parametrize(("death", "call"), [("kill", "iallreduce"), ("exit", "large")])
def test_who_dies_is_named_with_its_host(mpi, death, call, tmp_path):
    others, said = log_of_a_death(mpi, death, call, tmp_path, FOUR_NODES)
    # Seen by its process, or by its silence.
    found = rf"rank {others} of MPI_COMM_WORLD (ended before MPI_Finalize|on \S+ is lost): .*\. The \S+ .* fails"
    assert re.search(found, said), said


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        pytest.param(
            "WEFT_WIRE", "fabric:weft-none", 'has no provider "weft-none" here: use one of', marks=needs_fabric
        ),
        pytest.param("WEFT_WIRE_INTERFACE", "weft-none", 'no network interface "weft-none"', marks=needs_fabric),
    ],
)
def test_without_it_the_ranks_move_messages(mpi, name, value, why):
    variables = OVER_FABRIC | {"WEFT_TOPOLOGY": "node:2 core:1", name: value}
    result = mpi.run_taken(mpi.compile("reductions.c"), 2, 1, ranks=2, variables=variables)
    assert why in result.err
