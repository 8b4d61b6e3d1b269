# SPDX-License-Identifier: BSD-3-Clause
"""weft bench app with noise: slow-downs whose answer is known, and one tiny run."""

import json
import os

import pytest
from bench_command import bench, needs_bench, refused

from weft import installation
from weft.bench import app_noise
from weft.bench.injectors import Noise
from weft.bench.noise import slow_down_points, summarize


def took(seconds, form, frequency=0, pair=0, implementation="host"):
    return {
        "benchmark": "app_noise", "application": "pcg", "form": form, "ranks": 4, "mpi": "Open MPI", "right": True,
        "implementation": implementation, "pair": pair, "microseconds": 1e6 * seconds, "frequency_hz": frequency,
        "duration_us": 200.0 if frequency else 0, "injectors": [],
    }  # fmt: skip


ROUND = [
    took(1, "blocking"), took(2, "overlapped"), took(1.37, "blocking", 1000), took(2.6, "overlapped", 1000),
    took(3, "overlapped", pair=1), took(3.9, "overlapped", 1000, pair=1),
]  # fmt: skip


def test_each_form_is_compared_with_itself_without_noise():
    points, place = slow_down_points(ROUND), ("pcg", 4, "Open MPI")
    assert app_noise.places(points) == [place]
    assert app_noise.kinds_of_noise(points) == [Noise(200, 1000)]
    percents = {form: app_noise.percent(points, place, Noise(200, 1000), form, "host") for form in app_noise.FORMS}
    assert percents["blocking"].median == pytest.approx(37)
    assert percents["overlapped"].median == pytest.approx(30)
    assert app_noise.percent(points, place, Noise(200, 1000), "overlapped", "agent") is None
    blocking, overlapped = summarize(ROUND, 2)["points"]
    assert (blocking["form"], blocking["host_slow_down"]) == ("blocking", pytest.approx(1.37))
    assert (overlapped["form"], overlapped["host_slow_down"]) == ("overlapped", pytest.approx(1.3))


@needs_bench
def test_both_forms_run_with_noise_and_without(monkeypatch, tmp_path):
    if installation.application("pcg") is None:
        pytest.skip("pcg is not built")
    monkeypatch.setattr(app_noise, "LONGER", {"pcg": ("-n", "4", "4", "4", "--repeat", "1")})
    asked = ("--duration", "50us", "--frequency", 100, "--ranks", 2, "--pairs", 1, "--implementation", "host,weft")
    done = bench("app", "pcg", *asked, "--results", tmp_path, "--plot", tmp_path / "noise.png")
    assert done.returncode == 0, done.stderr
    assert "slow-down by noise, in %" in done.stdout
    assert "here with -n 4 4 4 --repeat 1" in done.stdout
    assert (tmp_path / "noise.png").read_bytes().startswith(b"\x89PNG")
    (file,) = tmp_path.glob("app_noise-*.jsonl")
    records = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(one["frequency_hz"], one["form"], one["implementation"]) for one in records] == [
        (frequency, form, name)
        for frequency in (0, 100)
        for form in ("blocking", "overlapped")
        for name in ("host", "weft")
    ]
    for one in records:
        assert one["right"]
        assert len(one["injectors"]) == (len(os.sched_getaffinity(0)) if one["frequency_hz"] else 0)


@pytest.mark.skipif(installation.application("noise_injector") is None, reason="bench/noise is not built")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--duration", "4"], "--duration 4: a duration"),
        (["--frequency", "9000"], "--frequency 9000, 45 % of every core"),
    ],
)
def test_impossible_noise_is_refused(arguments, says):
    if installation.application("pcg") is None:
        pytest.skip("pcg is not built")
    assert says in refused("app", "pcg", *arguments)
