# SPDX-License-Identifier: BSD-3-Clause
"""weft bench skew: tiny runs of everything it measures. No time is asserted."""

import pytest
from bench_command import BUILT, bench, measured, needs_bench, needs_two_mpis, refused

from weft.bench.collectives import NAMES, NONBLOCKING, PERSISTENT, POINT_TO_POINT

TINY = ("--pairs", 1, "--iterations", 3)
GROUPS = {"blocking,point_to_point": (*NAMES, *POINT_TO_POINT), "nonblocking": NONBLOCKING, "persistent": PERSISTENT}


@needs_bench
@pytest.mark.parametrize("group", GROUPS)
def test_ranks_come_late_to_every_collective_and_its_answer_is_checked(group):
    asked = ("--collective", group, "--bytes", "40", "--by", "1us", "--rank", 1, "--mpi", BUILT[0])
    records, summary = measured("skew", *asked, *TINY)
    assert all(record["right"] for record in records)
    assert {(r["collective"], r["implementation"]) for r in records} == {
        (name, who) for name in GROUPS[group] for who in ("host", "weft")
    }
    for record in records:
        assert record["lost_us"] == pytest.approx(record["with_us"] - record["without_us"], rel=1e-6, abs=1e-3)
        assert (record["late"], record["late_rank"], record["mean_late_us"]) == ("one", 1, 0.5)
    assert len(summary["points"]) == len(GROUPS[group])


@needs_bench
def test_every_delay_is_a_point_with_its_loss():
    records, summary = measured("skew", "--by", "5us,10us", "--bytes", "0,8", "--mpi", BUILT[0], *TINY)
    assert [point["by_us"] for point in summary["points"]] == [5, 10] * 4
    for point in summary["points"]:
        assert {"ratio", "ratio_low", "ratio_high", "lost_host_us", "lost_weft_us"} <= set(point)
    assert len(records) == 16


@needs_two_mpis
def test_who_is_late_at_random_depends_on_the_seed_alone():
    asked = ("--late", "random", "--by", "10us", "--collective", "iallreduce", "--mpi", "all", *TINY)
    first, second = (measured("skew", *asked, "--seed", seed)[0] for seed in (1, 2))
    for records in (first, second):
        assert len(records) == 4
        assert len({record["mean_late_us"] for record in records}) == 1
        assert 0 < records[0]["mean_late_us"] < 10
    assert first[0]["mean_late_us"] != second[0]["mean_late_us"]


@needs_bench
def test_sleepers_are_late_where_ranks_outnumber_cores():
    asked = ("--ranks", 4, "--compute", "sleep", "--by", "50us", "--late", "random", "--mpi", BUILT[0])
    records, _ = measured("skew", *asked, *TINY)
    assert {record["compute"] for record in records} == {"sleep"}


@needs_bench
def test_a_table_a_picture_and_the_raw_records(tmp_path):
    plot, results = tmp_path / "skew.png", tmp_path / "results"
    result = bench("skew", "--mpi", BUILT[0], "--by", "5us,1ms", "--plot", plot, "--results", results, *TINY)
    assert result.returncode == 0, result.stderr
    assert "lost" in result.stdout
    assert plot.read_bytes().startswith(b"\x89PNG")
    (file,) = results.iterdir()
    assert len(file.read_text().splitlines()) == 8


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--late", "nobody"], "--late nobody"),
        (["--rank", "2"], "--rank 2"),
        (["--by", "soon"], "--by soon"),
        (["--by", "0us"], "--by 0.0us"),
        (["--compute", "dream"], "--compute dream"),
        (["--ranks", "1"], "--ranks 1"),
    ],
)
def test_impossible_questions_are_refused(arguments, says):
    assert says in refused("skew", *arguments)
