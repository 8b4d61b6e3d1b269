# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench …` as a user calls it, tiny."""

import json
import subprocess
import sys

import pytest

from weft import installation

BUILT = [host.name for host in installation.hosts() if host.library and installation.application(
    f"bench_latency_{host.name}")]  # fmt: skip
needs_bench = pytest.mark.skipif(not BUILT, reason="the benchmarks are not built")
needs_two_mpis = pytest.mark.skipif(len(BUILT) < 2, reason="needs two MPIs")


def bench(*arguments, timeout=200):
    command = [sys.executable, "-m", "weft", "bench", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)


def measured(*arguments, timeout=200):
    """The records and the summary of a run that has to succeed."""
    result = bench(*arguments, "--json", timeout=timeout)
    assert result.returncode == 0, result.stdout + result.stderr
    *records, summary = [json.loads(line) for line in result.stdout.splitlines()]
    return records, summary


def refused(*arguments):
    """What it says about a question that makes no sense."""
    result = bench(*arguments)
    assert result.returncode == 2, result.stdout + result.stderr
    return " ".join(result.stderr.split())
