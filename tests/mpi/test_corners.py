# SPDX-License-Identifier: BSD-3-Clause
"""Corners that a drop-in is cut on: statuses, absolute addresses, errors, callbacks, the end of the program."""

import pytest

CORNERS = [
    "sendrecv",
    "bottom",
    "empty_type",
    "constant_root",
    "uncommitted",
    "truncated",
    "free_callback",
    "free_null",
    "large_persistent",
    "meaningless_buffer",
    "constructor_first",
    "changed_lists",
    "at_exit",
]


@pytest.mark.parametrize("corner", CORNERS)
def test_a_corner_is_as_without_weft(mpi, corner):
    # Below MPICH 4.0, UCX prints a line for each message that nobody received, as of calls that do not match.
    mpi.both(mpi.compile("corners.c"), corner, ranks=2, variables={"UCX_LOG_LEVEL": "error"})


@pytest.mark.parametrize("copies", ["memory", "kernel"])
@pytest.mark.parametrize("ranks", [1, 2, 4, 9])
def test_long_blocks_beside_empty_ones(mpi, ranks, copies):
    """Those of one class share a plan, whatever of them is empty."""
    variables = {"WEFT_NODE_COPIES": copies}
    mpi.run_taken(mpi.compile("corners.c"), "long_and_empty_blocks", ranks=ranks, variables=variables)


@pytest.mark.parametrize("gaps", ["none", "send", "receive", "both"])
@pytest.mark.parametrize("ranks", [1, 2, 5, 8])
def test_nothing_but_lists_changes(mpi, ranks, gaps):
    result = mpi.run_taken(mpi.compile("changing_lists.c"), 60, gaps, ranks=ranks)
    assert result.counts["MPI_Alltoallv"]["weft"] == 60 * ranks


@pytest.mark.parametrize("gaps", ["none", "both"])
def test_nothing_but_lists_changes_and_most_goes_by_messages(mpi, gaps):
    variables = {"WEFT_NODE_RANK_BYTES": "0"}
    mpi.run_taken(mpi.compile("changing_lists.c"), 40, gaps, ranks=3, variables=variables)


def test_no_elements_need_no_datatype(mpi):
    """Open MPI itself refuses them."""
    if mpi.name == "mpich":
        mpi.both(mpi.compile("corners.c"), "no_type", ranks=2)
    else:
        mpi.run_taken(mpi.compile("corners.c"), "no_type", ranks=2)


def test_messages_let_blocking_calls_pass_nonblocking_ones(mpi):
    """The standard wants one order of both; the hosts match them apart, and so does Weft (decision 2)."""
    mpi.run(mpi.compile("corners.c"), "crossed_order", ranks=2, variables={"WEFT_NODE": "0"})


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_wrong_argument_is_reported_before_anything_is_sent(mpi, ranks):
    mpi.run_taken(mpi.compile("wrong_arguments.c"), ranks=ranks)
