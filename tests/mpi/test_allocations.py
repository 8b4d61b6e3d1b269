# SPDX-License-Identifier: BSD-3-Clause
"""From the second call of a shape on, Weft allocates nothing; what the host allocates is told apart."""

import json

import pytest


# Over a wire what comes early takes memory, until as much has come as ever does.
@pytest.mark.needs_memory
def test_nothing_is_allocated_from_the_second_call_on(mpi):
    result = mpi.run(mpi.compile("allocations.c"))
    counted = json.loads(result.out)
    assert len(counted["functions"]) == 36
    for one in counted["functions"]:
        assert one["weft"] == 0, one
        # The host's: a generalised request per non-blocking call, and now and then a page for its own pools.
        requests = counted["bare_requests"] if one["nonblocking"] else 0
        assert one["others"] <= requests + counted["calls"] // 20, one


def test_the_counter_counts(mpi):
    """Without this, a counter that sees nothing would pass the test above."""
    counted = json.loads(mpi.run(mpi.compile("allocations.c", "-DFIRST_CALLS")).out)
    assert any(one["weft"] > 0 for one in counted["functions"])
