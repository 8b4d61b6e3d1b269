# SPDX-License-Identifier: BSD-3-Clause
"""weft bench noise: the injector's own counters, slow-downs whose answer is known, and tiny runs of everything."""

import json
import os
import signal
import subprocess
import sys

import pytest
from bench_command import BUILT, bench, measured, needs_bench, refused

from weft import installation
from weft.bad_input import BadInput
from weft.bench import injectors, noise
from weft.bench.injectors import Noise

INJECTOR = installation.application("noise_injector")
needs_injector = pytest.mark.skipif(INJECTOR is None, reason="bench/noise is not built")
CORE = min(os.sched_getaffinity(0))
TINY = ("--pairs", 1, "--milliseconds", 1, "--duration", "50us", "--frequency", 1000)


def injector(frequency=1000, duration=200, seconds=1.0, core=CORE, **more):
    options = {"core": core, "frequency": frequency, "duration": duration, "seconds": seconds} | more
    return [str(INJECTOR), *(str(word) for name, value in options.items() for word in (f"--{name}", value))]


def last_words(*arguments, **options):
    done = subprocess.run(injector(*arguments, **options), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    ready, report = done.stdout.splitlines()
    assert ready == "ready"
    return json.loads(report)


# ---- the injector ----


@needs_injector
@pytest.mark.parametrize(("frequency", "duration"), [(20, 50), (1000, 200), (1500, 200)])
def test_the_duty_cycle_is_what_was_asked_for_by_the_injectors_own_counters(frequency, duration):
    said = last_words(frequency, duration, phase=0.5)
    due, bursts, elapsed = said["wakeups_due"], said["bursts"], said["elapsed_seconds"]
    asked = frequency * duration / 1e6
    assert said["right"]
    assert elapsed >= 1
    assert 0.5 * frequency * elapsed <= due <= frequency * elapsed + 1
    assert due == bursts + said["missed_wakeups"] + said["held_back"]
    assert duration <= said["mean_burst_us"] <= said["longest_burst_us"]
    assert said["busy_share"] == pytest.approx(bursts * said["mean_burst_us"] / 1e6 / elapsed, rel=1e-6)
    assert said["busy_share"] <= 0.31
    assert said["busy_share"] >= 0.4 * asked * bursts / due
    if said["scheduler"] == "SCHED_FIFO":
        assert bursts >= 0.5 * due
    else:
        assert said["why_not_fifo"]


@needs_injector
def test_what_would_exceed_a_share_of_30_percent_is_held_back():
    """A burst is a little longer than asked; at exactly 30 % that little would be too much."""
    said = last_words(3000, 100, seconds=0.5)
    assert said["busy_share"] <= 0.305


@needs_injector
def test_an_injector_ends_when_it_is_told_to_and_says_what_it_did():
    process = subprocess.Popen(injector(frequency=500, seconds=60), stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert json.loads(out)["elapsed_seconds"] < 60


@needs_injector
def test_an_injector_does_not_outlive_its_parent():
    # The injector inherits our pipe: the pipe is at its end when nobody has it any more.
    parent = (
        "import os, signal, subprocess, sys\n"
        "subprocess.Popen(sys.argv[1:], start_new_session=True)\n"
        "sys.stdin.read()\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", parent, *injector(seconds=60)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    out, _ = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGKILL
    assert json.loads(out)["elapsed_seconds"] < 60


@needs_injector
@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"frequency": 1501}, "30 %"),
        ({"core": 1000}, "--core"),
        ({"seconds": 1e9}, "--seconds"),
        ({"phase": 1}, "--phase"),
        ({"duration": "long"}, "number"),
        ({"weight": 1}, "--frequency"),
    ],
)
def test_the_injector_refuses_what_it_must_not_do(options, says):
    done = subprocess.run(injector(**options), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert says in done.stderr


# ---- noise on all cores ----


@pytest.fixture
def started(monkeypatch):
    """The injectors that were started, in this order."""
    processes = []
    start = injectors.start_injector
    monkeypatch.setattr(injectors, "start_injector", lambda *a: processes.append(start(*a)) or processes[-1])
    return processes


@needs_injector
def test_every_core_has_its_noise_and_none_is_left(started):
    with injectors.injected(Noise(50, 100), 30) as said:
        assert [process.poll() for process in started] == [None] * len(os.sched_getaffinity(0))
    assert [process.returncode for process in started] == [0] * len(started)
    assert [one["core"] for one in said] == sorted(os.sched_getaffinity(0))


@needs_injector
def test_none_is_left_after_an_interruption(started):
    with pytest.raises(KeyboardInterrupt), injectors.injected(Noise(50, 100), 30):
        raise KeyboardInterrupt
    assert started
    assert all(process.returncode == 0 for process in started)


@needs_injector
def test_what_was_measured_without_the_noise_is_void(monkeypatch):
    start = injectors.start_injector
    monkeypatch.setattr(injectors, "start_injector", lambda noise, core, *more: start(noise, 1000, *more))
    with pytest.raises(BadInput, match="--core"), injectors.injected(Noise(50, 100), 30):
        pass


def test_noise_is_every_duration_at_every_frequency():
    assert injectors.all_noises("200us,0.05ms", "20,1000") == [
        Noise(50, 20), Noise(50, 1000), Noise(200, 20), Noise(200, 1000),
    ]  # fmt: skip
    assert injectors.all_noises("300us", "1000")[0].share == pytest.approx(0.3)


# ---- slow-downs ----


def launched(implementation, microseconds, frequency=0, pair=0, **more):
    return {
        "collective": "iallreduce", "bytes": 8, "products": 0, "ranks": 2, "implementation": implementation, "mpi": "A",
        "pair": pair, "microseconds": microseconds, "frequency_hz": frequency, "duration_us": 200 if frequency else 0,
        "right": True, "injectors": [],
    } | more  # fmt: skip


def test_a_slow_down_is_against_the_same_contestant_without_noise_in_the_same_round():
    records = [
        launched("host", 10), launched("weft", 4), launched("host", 15, 1000), launched("weft", 8, 1000),
        launched("host", 100, pair=1), launched("host", 150, 1000, pair=1),
        launched("weft", 40, pair=1), launched("weft", 80, 1000, pair=1),
    ]  # fmt: skip
    assert [record["slow_down"] for record in noise.slow_downs(records)] == [1.5, 2.0, 1.5, 2.0]
    summary = noise.summarize(records, 2)
    assert (summary["ratio_low"], summary["ratio"], summary["ratio_high"]) == pytest.approx((4 / 3, 4 / 3, 4 / 3))
    (point,) = summary["points"]
    assert (point["duration_us"], point["frequency_hz"]) == (200, 1000)
    assert (point["host_slow_down"], point["weft_slow_down"]) == (1.5, 2.0)


def test_what_noise_adds_to_a_collective_does_not_count_what_it_adds_to_the_work():
    records = [launched("host", 100, alone_microseconds=40), launched("host", 130, 1000, alone_microseconds=50)]
    assert [record["beyond"] for record in noise.slow_downs(records)] == [20]
    (point,) = noise.summarize(records, 1)["points"]
    assert point["host_beyond_us"] == 20


def test_without_a_right_time_in_the_quiet_there_is_no_slow_down():
    assert noise.slow_downs([launched("host", 15, 1000)]) == []
    assert noise.slow_downs([launched("host", 10, right=False), launched("host", 15, 1000)]) == []


def test_the_summary_says_how_the_noise_was_scheduled():
    fifo, other = {"scheduler": "SCHED_FIFO"}, {"scheduler": "SCHED_OTHER", "why_not_fifo": "Operation not permitted"}
    assert noise.schedulers([launched("host", 1, 20, injectors=[fifo])]) == ["SCHED_FIFO"]
    assert noise.schedulers([launched("host", 1, 20, injectors=[other])]) == [
        "SCHED_OTHER (SCHED_FIFO: Operation not permitted)"
    ]


# ---- the command ----


@needs_bench
@pytest.mark.parametrize("mpi", BUILT)
def test_a_collective_is_measured_with_and_without_noise(mpi):
    records, summary = measured("noise", "--collective", "iallreduce,bcast", "--products", 3, "--mpi", mpi, *TINY)
    assert [(r["frequency_hz"], r["implementation"], r["collective"]) for r in records] == [
        (frequency, who, name)
        for frequency in (0, 1000)
        for who in ("host", "weft")
        for name in ("iallreduce", "bcast")
    ]
    for record in records:
        assert record["right"]
        assert record["work_microseconds"] > 0
        assert len(record["injectors"]) == (len(os.sched_getaffinity(0)) if record["frequency_hz"] else 0)
    first, *_ = summary["points"]
    assert first["weft_slow_down"] == pytest.approx(records[6]["microseconds"] / records[2]["microseconds"])
    assert first["ratio"] == pytest.approx(first["weft_slow_down"] / first["host_slow_down"])
    outside = [record["microseconds"] - record["alone_microseconds"] for record in records]
    assert first["weft_beyond_us"] == pytest.approx(outside[6] - outside[2])
    assert summary["scheduler"]


@needs_bench
def test_an_unchanged_program_is_measured_as_its_user_waits_for_it(tmp_path):
    program = installation.application(f"bench_latency_{BUILT[0]}")
    command = (program, "--collectives", "barrier", "--iterations", "1")
    plot = tmp_path / "noise.png"
    result = bench("noise", *TINY, "--json", "--plot", plot, "--", *command)
    assert result.returncode == 0, result.stderr
    *records, summary = [json.loads(line) for line in result.stdout.splitlines()]
    assert {record["program"] for record in records} == {f"{program.name} --collectives barrier --iterations 1"}
    assert [record["implementation"] for record in records] == ["host", "weft"] * 2
    quiet_host, quiet_weft, noisy_host, noisy_weft = (record["microseconds"] for record in records)
    assert summary["ratio"] == pytest.approx((noisy_weft / quiet_weft) / (noisy_host / quiet_host))
    assert plot.read_bytes().startswith(b"\x89PNG")


@needs_bench
def test_a_program_that_fails_is_reported_with_what_it_said():
    program = installation.application(f"bench_latency_{BUILT[0]}")
    # What stands behind the program is the program's, also without the two dashes.
    result = bench("noise", *TINY, "--implementation", "host", program, "--duration", "1us")
    assert result.returncode == 1
    assert "--duration: no such option" in result.stderr


@needs_bench
def test_a_table_for_people():
    result = bench("noise", "--mpi", BUILT[0], *TINY)
    assert result.returncode == 0, result.stderr
    assert "weft/host" in result.stdout
    assert "Without noise" in result.stdout
    assert "beyond what it adds to the work alone" in result.stdout
    assert "The noise ran as" in result.stdout


@needs_injector
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--duration", "400us", "--frequency", "1000"], "40 % of every core: noise_injector: --frequency times"),
        (["--duration", "4"], "--duration 4"),
        (["--duration", "1us"], "at least 10 microseconds"),
        (["--frequency", "0"], "--frequency 0"),
        (["--collective", "sort"], "--collective sort"),
        (["--", "no_such_program"], "no_such_program"),
    ],
)
def test_impossible_questions_are_refused(arguments, says):
    assert says in refused("noise", *arguments)
