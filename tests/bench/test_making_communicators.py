# SPDX-License-Identifier: BSD-3-Clause
"""weft bench communicators: tiny runs of everything it measures. No time is asserted."""

import pytest
from bench_command import BUILT, bench, measured, needs_bench, refused

from weft.bench.communicators import CONSTRUCTORS

TINY = ("--pairs", 1, "--iterations", 3, "--live", 4)


@needs_bench
@pytest.mark.parametrize("mpi", BUILT)
def test_every_constructor_is_measured_and_its_memory_known(mpi):
    records, summary = measured("communicators", "--mpi", mpi, *TINY)
    assert {(one["constructor"], one["implementation"]) for one in records} == {
        (name, who) for name in CONSTRUCTORS for who in ("host", "weft")
    }
    for one in records:
        assert one["right"]
        assert one["microseconds"] >= one["make_us"] > 0
        assert ("shared_bytes" in one) == (one["implementation"] == "weft")
        if one["implementation"] == "weft" and one["constructor"] != "split_halves":
            assert one["shared_bytes"] > 2 * 128
    assert [point["constructor"] for point in summary["points"]] == list(CONSTRUCTORS)
    assert summary["points"][0]["memory"]["weft"]["shared_bytes"] == records[-1]["shared_bytes"]


@needs_bench
def test_a_table():
    result = bench("communicators", "--mpi", BUILT[0], *TINY)
    assert result.returncode == 0, result.stderr
    assert "shared KiB" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(["--constructor", "split,merge"], "--constructor merge"), (["--live", "5000"], "--live")],
)
def test_impossible_questions_are_refused(arguments, says):
    assert says in refused("communicators", *arguments)
