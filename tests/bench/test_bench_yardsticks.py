# SPDX-License-Identifier: BSD-3-Clause
"""weft bench yardsticks: each application beside its yardstick, once."""

import shutil

import pytest
from bench_command import measured, needs_bench, refused

from weft import installation
from weft.bench import yardsticks


def test_a_limit_is_what_the_same_bytes_take_at_the_rate_of_a_triad():
    printed = {"seconds": 3.0, "gigabytes_per_second": 20.0, "triad_gigabytes_per_second": 40.0}
    assert yardsticks.at_full_bandwidth(printed) == pytest.approx(1.5)


def test_ratios_are_taken_within_pairs_and_wrong_answers_are_named():
    record = {"application": "fft3d", "ranks": 2, "implementation": "host", "mpi": "Open MPI"}
    records = [
        record | {"pair": 0, "ratio": 1.0, "right": True},
        record | {"pair": 1, "ratio": 1.2, "right": True},
        record | {"pair": 2, "ratio": 0.1, "right": False},
    ]
    summary = yardsticks.summarize(records, 3)
    assert [one["ratio"] for one in summary["points"]] == [pytest.approx(1.1)]
    assert summary["wrong_answers"] == ["application fft3d ranks 2 (host, Open MPI)"]


def test_rates_and_shares_of_the_triad_are_of_right_answers():
    record = {"application": "wave", "ranks": 2, "implementation": "host", "mpi": "Open MPI", "pair": 0}
    records = [
        record | {"ratio": 1.25, "right": True, "points_per_second": 2e8},
        record | {"pair": 1, "ratio": 0.1, "right": False, "points_per_second": 2e9},
    ]
    (entry,) = yardsticks.summarize(records, 2)["points"]
    assert (entry["triad_percent"], entry["points_per_second"]) == (pytest.approx(80), 2e8)


def test_an_unknown_application_is_refused():
    assert "fluid" in refused("yardsticks", "--application", "fluid")


@needs_bench
@pytest.mark.parametrize("name", yardsticks.YARDSTICKS)
def test_an_application_is_right_beside_its_yardstick(name):
    needed = yardsticks.YARDSTICKS[name].other_command
    if installation.application(name) is None or (needed and shutil.which(needed[0]) is None):
        pytest.skip(f"{name} or {needed} is not here")
    (record,), summary = measured("yardsticks", "--application", name, "--pairs", 1, "--implementation", "host")
    assert record["right"] and record["ratio"] == pytest.approx(record["seconds"] / record["yardstick_seconds"])
    (entry,) = summary["points"]
    assert entry["application"] == name
    assert ("points_per_second" in entry) == (name == "wave")
    assert ("triad_percent" in entry) == (name in ("pcg", "poisson", "wave"))
