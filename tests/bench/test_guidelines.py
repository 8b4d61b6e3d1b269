# SPDX-License-Identifier: BSD-3-Clause
"""weft bench guidelines: judged on times that are known, and once for real, tiny."""

from bench_command import BUILT, bench, measured, needs_bench, refused

from weft.bench.analysis import Point
from weft.bench.guidelines import Guideline, all_guidelines, composed, judge

HOST = ("host", "MPI")


def times(**of):
    """A point per collective of 8 bytes on 2 ranks, with its times in three launches."""
    return [
        Point({"collective": name, "bytes": 8, "ranks": 2}, {HOST: dict(enumerate(series))})
        for name, series in of.items()
    ]


GATHER = Guideline("gather <= allgather", (("gather", 8),), (("allgather", 8),))


def test_a_guideline_is_violated_when_the_launches_agree_that_it_is():
    (judgement,) = judge([GATHER], times(gather=[3, 3, 3], allgather=[1, 2, 1]), 2)
    assert judgement.violated
    assert judgement.ratio.median == 3


def test_one_slow_launch_is_noise():
    (judgement,) = judge([GATHER], times(gather=[1, 900, 1], allgather=[2, 2, 2]), 2)
    assert not judgement.violated


def test_times_of_a_composition_add_up():
    rule = Guideline("allreduce <= reduce + bcast", (("allreduce", 8),), (("reduce", 8), ("bcast", 8)))
    (judgement,) = judge([rule], times(allreduce=[4, 4], reduce=[1, 1], bcast=[1, 3]), 2)
    assert (judgement.ratio.low, judgement.ratio.high) == (1.25, 1.75)


def test_a_guideline_of_which_a_part_is_missing_is_not_judged():
    assert list(judge([GATHER], times(gather=[1]), 2)) == []


def test_parts_and_wholes_have_the_right_sizes():
    rules = {rule.text: rule for rule in composed(64, 4)}
    assert rules["bcast <= scatter + allgather"].right == (("scatter", 16), ("allgather", 16))
    assert rules["allgather <= gather + bcast"].right == (("gather", 64), ("bcast", 256))


def test_no_kind_of_guideline_is_missing():
    texts = {rule.text for rule in all_guidelines([8, 1024], 2)}
    for text in (
        "barrier <= allreduce of 1 byte", "allreduce <= reduce + bcast", "reduce <= allreduce",
        "bcast <= scatter + allgather", "gather <= allgather", "allgather <= gather + bcast",
        "allreduce <= reduce_scatter_block + allgather", "alltoall grows with its size",
        "ibarrier + wait <= 1.2 barrier",
    ):  # fmt: skip
        assert text in texts


@needs_bench
def test_a_tiny_run_judges_host_and_weft():
    records, summary = measured("guidelines", "--bytes", "8,64", "--mpi", BUILT[0], "--pairs", 1, "--milliseconds", 0.1)
    assert all(record["right"] for record in records)
    assert summary["checked"] == 2 * len(all_guidelines([8, 64], 2))
    times = {(r["implementation"], r["collective"], r["bytes"]): r["microseconds"] for r in records}
    expected = [
        (rule.text, rule.left[0][1], who)
        for who in ("host", "weft")
        for rule in all_guidelines([8, 64], 2)
        if sum(times[who, *term] for term in rule.left) > rule.tolerance * sum(times[who, *term] for term in rule.right)
    ]
    found = [(one["guideline"], one["left"][0][1], one["implementation"]) for one in summary["violations"]]
    assert sorted(found) == sorted(expected)


@needs_bench
def test_people_are_told_how_many():
    result = bench("guidelines", "--bytes", 8, "--mpi", BUILT[0], "--pairs", 1, "--milliseconds", 0.1)
    assert result.returncode == 0, result.stderr
    assert "guidelines are violated" in " ".join(result.stdout.split())


def test_nonsense_is_refused():
    assert "--ranks none" in refused("guidelines", "--ranks", "none")
