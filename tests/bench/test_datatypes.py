# SPDX-License-Identifier: BSD-3-Clause
"""weft bench datatypes: tiny runs of everything it measures. No time is asserted."""

import pytest
from bench_command import BUILT, bench, measured, needs_bench, refused

from weft.bench.datatypes import KEYS

TINY = ("--pairs", 1, "--iterations", 3, "--bytes", "16K")


@needs_bench
@pytest.mark.parametrize("mpi", BUILT)
def test_vectors_arrive_in_both_ways(mpi):
    records, summary = measured("datatypes", "--mpi", mpi, "--ranks", 3, *TINY)
    assert {(one["collective"], one["block"], one["implementation"]) for one in records} == {
        (name, block, who) for name in ("ibcast", "ialltoall") for block in (8, 64, 4096) for who in ("host", "weft")
    }
    for one in records:
        assert one["right"]
        assert one["of_by_hand"] == pytest.approx(one["microseconds"] / one["by_hand_us"])
    assert len(summary["points"]) == 6
    for point in summary["points"]:
        (own,) = (r for r in records if r["implementation"] == "weft" and all(r[key] == point[key] for key in KEYS))
        assert point["weft_of_by_hand"] == own["of_by_hand"]
        (host,) = (r for r in records if r["implementation"] == "host" and all(r[key] == point[key] for key in KEYS))
        assert point["ratio_made"] == pytest.approx(own["made_each_time_us"] / host["made_each_time_us"])


@needs_bench
def test_a_table():
    result = bench("datatypes", "--mpi", BUILT[0], *TINY)
    assert result.returncode == 0, result.stderr
    assert "of by hand" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--collective", "ibcast,igather"], "--collective igather"),
        (["--blocks", "many"], "--blocks many"),
        (["--blocks", "12"], "--blocks 12: blocks are whole doubles"),
        (["--blocks", "0"], "--blocks 0: blocks are whole doubles"),
        (["--bytes", "100"], "--bytes 100: vectors are whole blocks: a multiple of 8"),
        (["--bytes", "2G"], "--bytes 2G: at most 1G"),
    ],
)
def test_impossible_questions_are_refused(arguments, says):
    assert says in refused("datatypes", *arguments)
