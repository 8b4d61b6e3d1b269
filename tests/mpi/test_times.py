# SPDX-License-Identifier: BSD-3-Clause
"""The library's own account of times: what happens is counted, and the rest follows from what must be."""

import json

import pytest

CALLS = 20
PARTS = ("planning", "copies", "reductions", "posting", "testing", "rest")


def told(mpi, what, **variables):
    return json.loads(mpi.run(mpi.compile("times.c"), what, variables=variables).out)


@pytest.mark.parametrize(("node", "posted"), [("0", 2), ("1", 1)])  # a message each way, or an exchange
def test_everything_is_counted_once(mpi, node, posted):
    answers = told(mpi, "counts", WEFT_NODE=node)
    for name in ("first", "second"):
        one = answers[name]
        assert one["operations"] == CALLS
        assert one["planning"]["count"] == CALLS
        assert one["reductions"]["count"] == CALLS
        assert one["posting"]["count"] == posted * CALLS
        assert one["testing"]["count"] >= 1
        assert one["rest"]["count"] >= CALLS
        assert sum(one[part]["ns"] for part in PARTS) <= one["passed"]
        assert one["until"] + one["after"] <= one["passed"]


def test_waiting_for_a_late_rank_is_told_apart(mpi):
    answers = told(mpi, "late")
    assert answers["late"]["operations"] == 1
    assert answers["late"]["until"] >= answers["late_ns"]
    assert answers["late"]["planning"] == {"count": 0, "ns": 0}
    assert answers["root"]["operations"] == 1
    assert answers["root"]["until"] == 0


def test_nobody_is_told_what_nobody_took(mpi):
    told(mpi, "refused")


@pytest.mark.parametrize(("setting", "code"), [("1", 0), ("0", 1)])
def test_the_setting_takes_them_from_the_start(mpi, setting, code):
    done = mpi.run(mpi.compile("times.c"), "setting", variables={"WEFT_TIMES": setting}, code=None)
    assert (done.code != 0) == (code != 0), done.err


# Over a wire what comes early takes memory, until as much has come as ever does.
@pytest.mark.needs_memory
@pytest.mark.measures_memory
def test_taking_times_allocates_nothing(mpi):
    counted = json.loads(mpi.run(mpi.compile("allocations.c"), variables={"WEFT_TIMES": "1"}).out)
    assert [one for one in counted["functions"] if one["weft"] > 0] == []
