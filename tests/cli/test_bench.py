# SPDX-License-Identifier: BSD-3-Clause
"""weft bench: tiny runs of everything it measures, so that it cannot rot. No time is asserted."""

import json
import subprocess
import sys

import pytest

from weft import installation
from weft.verbs.bench import COLLECTIVES

FORMS = [*COLLECTIVES, *(f"i{name}" for name in COLLECTIVES)]
READY = [host.name for host in installation.hosts() if host.library and installation.application(
    f"bench_latency_{host.name}")]  # fmt: skip
needs_bench = pytest.mark.skipif(not READY, reason="bench/latency is not built")


def bench(*arguments):
    command = [sys.executable, "-m", "weft", "bench", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)


@needs_bench
@pytest.mark.parametrize("collective", FORMS)
@pytest.mark.parametrize(("method", "ranks"), [("osu", 1), ("loop", 3)])
def test_every_collective_is_measured_and_checked(collective, method, ranks):
    options = ["--collective", collective, "--bytes", 40, "--ranks", ranks, "--pairs", 1, "--iterations", 10]
    result = bench("latency", *options, "--method", method, "--mpi", READY[0], "--json")
    assert result.returncode == 0, result.stderr
    host, weft, summary = [json.loads(line) for line in result.stdout.splitlines()]
    assert [host["implementation"], weft["implementation"]] == ["host", "weft"]
    assert summary["ratio"] == pytest.approx(weft["microseconds"] / host["microseconds"])
    assert summary["collective"] == collective


@pytest.mark.skipif(len(READY) < 2, reason="needs two MPIs")
def test_the_last_line_compares_the_best_hosts():
    result = bench("latency", "--mpi", "all", "--pairs", 2, "--iterations", 50, "--json")
    assert result.returncode == 0, result.stderr
    *measurements, summary = [json.loads(line) for line in result.stdout.splitlines()]
    assert [one["implementation"] for one in measurements] == ["host", "weft", "weft", "host"] * 2
    assert summary["ratio_low"] <= summary["ratio"] <= summary["ratio_high"]
    assert summary["pairs"] == 2


@needs_bench
def test_a_table_for_people():
    result = bench("latency", "--pairs", 2, "--iterations", 20, "--bytes", "1K", "--mpi", READY[0])
    assert result.returncode == 0, result.stderr
    assert "1024 bytes" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["throughput"], "no such benchmark"),
        (["latency", "--collective", "sort"], "--collective sort"),
        (["latency", "--bytes", "many"], "--bytes many"),
        (["latency", "--bytes", "13"], "--bytes 13"),
        (["latency", "--ranks", "0"], "--ranks"),
        (["latency", "--method", "guess"], "--method guess"),
        (["latency", "--mpi", "lam"], "--mpi lam"),
        (["latency", "--pairs", "0"], "--pairs"),
    ],
)
def test_impossible_questions_are_refused(arguments, says):
    result = bench(*arguments)
    assert result.returncode == 2
    assert says in " ".join(result.stderr.split())
