# SPDX-License-Identifier: BSD-3-Clause
"""weft bench overlap: the five formulas on timelines whose overlap is known, and tiny runs of everything it measures.
No time is asserted."""

import math
import random
import statistics

import pytest
from bench_command import BUILT, bench, measured, needs_bench, needs_two_mpis, refused

from weft.bench.collectives import NONBLOCKING, PERSISTENT
from weft.bench.overlap_formulas import DEFINITIONS, figures, imb, never_falling, osu, wait_based

TINY = ("--pairs", 1, "--iterations", 3)


def timeline(hidden, pure=100.0, slice_us=6.25, shortest=0.0, disturb=lambda time: time):
    """The record of an operation of which the share `hidden` needs no core: the rest is spent in its start."""
    overhead = (1 - hidden) * pure

    def total(work):
        return disturb(overhead + max(pure - overhead, work))

    works = [0.0] * 5 + [max(pure * step / 16, shortest) for step in range(1, 21)]
    slices = max(1, math.ceil((pure - overhead) / slice_us))
    return {
        "pure_us": pure, "compute_us": pure, "total_us": overhead + max(pure - overhead, pure),
        "work_grid_us": works, "total_grid_us": [total(work) for work in works],
        "slice_us": slice_us, "polling_work_us": slices * slice_us, "polling_total_us": overhead + slices * slice_us,
        "availability_alone_us": slices * slice_us, "availability_under_way_us": overhead + slices * slice_us,
    }  # fmt: skip


def test_all_definitions_agree_when_everything_is_hidden():
    assert figures(timeline(hidden=1.0)) == dict.fromkeys(DEFINITIONS, 100.0)


def test_nothing_hidden_is_what_each_definition_has_at_least():
    found = figures(timeline(hidden=0.0))
    assert (found["osu"], found["imb"]) == (0.0, 0.0)
    assert found["wait_based"] == pytest.approx(100 * 0.02 / 1.02)
    one_slice = 100 * 6.25 / 106.25
    assert found["polling_based"] == pytest.approx(one_slice)
    assert found["cpu_availability"] == pytest.approx(one_slice)


def test_half_hidden_is_half_by_all_definitions():
    found = figures(timeline(hidden=0.5))
    for name in ("polling_based", "osu", "imb", "cpu_availability"):
        assert found[name] == pytest.approx(50)
    # The total may exceed the pure time by 2 %, and W ends between two lengths that were tried.
    assert found["wait_based"] == pytest.approx(100 * 0.52 / 1.02, abs=2)


def test_short_computation_is_all_hidden_for_imb_and_half_of_the_operation_for_osu():
    assert osu(pure=100, compute=50, total=100) == 50
    assert imb(pure=100, compute=50, total=100) == 100


def test_tests_are_communication():
    compute, tests = 100, 30
    assert osu(pure=100, compute=compute, total=compute + tests) == 70


def test_no_figure_leaves_the_percents():
    assert osu(pure=100, compute=100, total=500) == 0
    assert imb(pure=100, compute=100, total=90) == 100


@pytest.mark.parametrize(("hidden", "expected"), [(1.0, 100.0), (0.5, 51.0), (0.0, 2.0)])
def test_the_last_work_that_fits_is_found_in_noise(hidden, expected):
    """Medians of nine operations: 1 % everywhere, and every tenth of them five times too long."""
    for seed in range(20):
        drawn = random.Random(seed)

        def disturb(time, drawn=drawn):
            return statistics.median(
                time * (5 if drawn.random() < 0.1 else drawn.uniform(0.99, 1.01)) for _ in range(9)
            )

        record = timeline(hidden, disturb=disturb)
        found = wait_based(record["work_grid_us"], record["total_grid_us"])
        assert found == pytest.approx(expected, abs=4), f"seed {seed}"


def test_one_disturbed_total_moves_nothing():
    record = timeline(hidden=1.0)
    record["total_grid_us"][8] *= 10
    assert wait_based(record["work_grid_us"], record["total_grid_us"]) == 100


def test_a_total_that_never_exceeds_ends_with_the_last_work():
    assert wait_based([0, 40, 80], [100, 100, 100]) == 80


def test_computation_that_cannot_be_short_enough_says_nothing():
    found = figures(timeline(hidden=1.0, slice_us=60.0, shortest=60.0))
    assert found["wait_based"] is None
    assert found["polling_based"] is None
    assert found["osu"] == 100


def test_an_operation_too_short_for_the_clock_says_nothing():
    assert figures(timeline(hidden=1.0) | {"pure_us": -0.01}) == dict.fromkeys(DEFINITIONS)


@pytest.mark.parametrize(
    ("values", "evened"),
    [([], []), ([1, 2, 3], [1, 2, 3]), ([3, 1], [2, 2]), ([1, 9, 2, 2, 5], [1, 2, 2, 2, 5]), ([3, 2, 1, 0], [1.5] * 4)],
)
def test_what_falls_is_pooled(values, evened):
    assert never_falling(values) == evened


@needs_bench
@pytest.mark.parametrize("group", ["nonblocking", "persistent,isend"])
def test_every_operation_that_can_overlap_is_measured_and_its_answer_checked(group):
    names = {"nonblocking": NONBLOCKING, "persistent,isend": (*PERSISTENT, "isend")}[group]
    asked = ("--collective", group, "--bytes", "40", "--test-every", "16", "--mpi", BUILT[0])
    records, summary = measured("overlap", *asked, *TINY)
    assert all(record["right"] for record in records)
    assert {(r["collective"], r["implementation"]) for r in records} == {
        (name, who) for name in names for who in ("host", "weft")
    }
    for record in records:
        assert tuple(record["overlap"]) == DEFINITIONS
        if min(record[f"{name}_us"] for name in ("pure", "compute", "total")) > 0:
            visible = (record["total_us"] - record["compute_us"]) / record["pure_us"]
            assert record["overlap"]["osu"] == pytest.approx(100 * (1 - min(max(visible, 0), 1)))
        assert len(record["work_grid_us"]) == len(record["total_grid_us"])
        assert {"cpu_us", "pure_cpu_us", "start_us", "wait_us"} <= set(record)
    assert len(summary["points"]) == len(names)


@needs_bench
def test_tests_come_once_per_so_many_bytes():
    asked = ("--bytes", "0,4096", "--mpi", BUILT[0], "--implementation", "host")
    tests = {}
    for every in (100, 1 << 20):
        records, _ = measured("overlap", *asked, "--test-every", every, *TINY)
        tests[every] = [record["tests"] for record in records]
    # An allreduce of 4096 bytes sends and receives 8192.
    assert tests == {100: [0, 81], 1 << 20: [0, 1]}


@needs_bench
@pytest.mark.parametrize("compute", ["burn", "sleep"])
def test_more_ranks_than_cores_are_measured_back_to_back(compute):
    asked = ("--ranks", 4, "--compute", compute, "--test-every", "4", "--mpi", BUILT[0])
    records, _ = measured("overlap", *asked, *TINY)
    for record in records:
        assert (record["compute"], record["start"], record["reduced_by"]) == (compute, "none", "mean")
        phases = sum(record[f"{name}_us"] for name in ("start", "compute", "test", "wait"))
        assert record["total_us"] == pytest.approx(phases, rel=1e-6)


@needs_two_mpis
def test_the_last_line_has_every_definition_for_both():
    records, summary = measured("overlap", "--mpi", "all", "--collective", "iallreduce,ibarrier", *TINY)
    assert len(records) == 8
    for entry in (summary, *summary["points"]):
        assert set(entry["overlap_host"]) == set(entry["overlap_weft"]) == set(DEFINITIONS)
        assert entry["ratio_low"] == entry["ratio"] == entry["ratio_high"], "there is one pair"
    for point in summary["points"]:
        mine = [record for record in records if record["collective"] == point["collective"]]
        host, weft = (min(r["total_us"] for r in mine if r["implementation"] == who) for who in ("host", "weft"))
        assert point["ratio"] == pytest.approx(weft / host)
    assert summary["ratio"] == pytest.approx(statistics.geometric_mean(point["ratio"] for point in summary["points"]))


@needs_bench
def test_a_table_a_picture_and_the_raw_records(tmp_path):
    plot, results = tmp_path / "overlap.png", tmp_path / "results"
    asked = ("--bytes", "8,4K", "--mpi", BUILT[0], "--plot", plot, "--results", results)
    result = bench("overlap", *asked, "--pairs", 1, "--milliseconds", 1)
    assert result.returncode == 0, result.stderr
    assert "Anatomy" in result.stdout
    assert "Overlap in percent" in result.stdout
    assert plot.read_bytes().startswith(b"\x89PNG")
    (file,) = results.iterdir()
    assert len(file.read_text().splitlines()) == 4


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--collective", "allreduce"], "--collective allreduce blocks"),
        (["--collective", "sendrecv"], "--collective sendrecv blocks"),
        (["--compute", "dream"], "--compute dream"),
        (["--test-every", "often"], "--test-every often"),
        (["--buffers", "cold"], "--buffers cold"),
        (["--ranks", "1"], "--ranks 1"),
    ],
)
def test_impossible_questions_are_refused(arguments, says):
    assert says in refused("overlap", *arguments)
