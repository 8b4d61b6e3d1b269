# SPDX-License-Identifier: BSD-3-Clause
"""weft demo: a tiny run has everything that the real one has; impossible options are refused."""

import json
import os
import shutil

import command_line
import pytest

from weft import installation
from weft.verbs import demo as demo_verb

HAS_PCG = installation.application("pcg") is not None and installation.library_path("openmpi") is not None
needs_pcg = pytest.mark.skipif(not HAS_PCG, reason="pcg is not built: it needs hypre (Debian: libhypre-dev)")


def demo(*arguments, cwd=None):
    return command_line.run("demo", *arguments, timeout=120, cwd=cwd)


def solved(seconds, waiting):
    about = {"iterations": 69, "true_residual": 1e-9}
    return {"overlap": about | {"table": {"solver_time": seconds}, "breakdown": {"allreduce_and_wait": waiting}}}


def test_ratios_are_taken_within_pairs():
    pairs = [(solved(host, 4.0), solved(weft, 2.0)) for host, weft in ((10.0, 5.0), (40.0, 80.0), (100.0, 50.0))]
    row = demo_verb.algorithm_summary("overlap", pairs)
    assert row["ratio"] == {"median": 0.5, "low": 0.5, "high": 1.25}
    assert (row["host_seconds"]["median"], row["weft_seconds"]["median"]) == (40, 50)
    waits = [row[f"{side}_allreduce_and_wait_seconds"]["median"] for side in ("host", "weft")]
    assert (waits, demo_verb.gone(row)) == ([4, 2], 50)


@needs_pcg
def test_a_tiny_demo_as_json(tmp_path):
    chart = tmp_path / "chart.png"
    result = demo("--part", "node", "--size", 4, 4, 4, "--ranks", "1,3", "--seconds", 2, "--output", chart, "--json")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert [one["ranks"] for one in found["results"]] == [1, 3]
    for one in found["results"]:
        assert one["pairs"] >= 3
        assert one["executed_by_weft"] >= 0.95
        assert [row["name"] for row in one["algorithms"]] == ["algorithm1", "algorithm2", "overlap", "pipelined"]
        for row in one["algorithms"]:
            assert row["true_residual"] <= 1.1e-8
    assert chart.read_bytes().startswith(b"\x89PNG")


@needs_pcg
def test_a_tiny_demo_for_people(tmp_path):
    result = demo("--part", "node", "--size", 4, 4, 4, "--ranks", 2, "--seconds", 2, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    for words in ("overlap", "algorithm2", "Weft is", "of the collective calls executed by Weft"):
        assert words in result.stdout
    assert (tmp_path / "demo.png").stat().st_size > 10000


@needs_pcg
def test_a_tiny_demo_between_hosts_or_why_there_are_none(tmp_path):
    result = demo(
        "--size", 4, 4, 4, "--ranks", 1, "--seconds", 1, "--hosts", 2, "--delay", "100us", "--json", cwd=tmp_path
    )
    if result.returncode == 2:
        pytest.skip(result.stderr)
    assert result.returncode == 0, result.stderr
    on_one_node, between_hosts = json.loads(result.stdout)["results"]
    assert (on_one_node["lab"], on_one_node["ranks"]) == (None, 1)
    assert (between_hosts["lab"]["hosts"], between_hosts["lab"]["delay_us"], between_hosts["ranks"]) == (2, 100, 2)
    assert between_hosts["executed_by_weft"] >= 0.95
    assert [row["name"] for row in between_hosts["algorithms"]] == list(demo_verb.ALGORITHMS)


@needs_pcg
def test_a_demo_without_hosts_says_why(tmp_path):
    """Without `ip` nobody can have them; the rest of the demo is as usual."""
    for name in ("mpiexec.openmpi", "mpiexec", "orted", "sh", "true"):
        if found := shutil.which(name):
            (tmp_path / name).symlink_to(found)
    (tmp_path / "ssh").symlink_to("true")  # which Open MPI wants to see, and does not call
    variables = os.environ | {"PATH": str(tmp_path)}
    words = ("--size", 4, 4, 4, "--ranks", 1, "--seconds", 1)
    result = command_line.run("demo", *words, timeout=120, cwd=tmp_path, variables=variables)
    assert result.returncode == 0, result.stderr
    assert "Nothing between hosts: --hosts needs" in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--part", "some"], "--part some: use node, hosts or all"),
        (["--part", "node", "--delay", "1ms"], "drop one"),
        (["--hosts", "0"], "--hosts"),
        (["--ranks", "0"], "--ranks 0: write whole numbers"),
        (["--ranks", "two"], "--ranks two: write whole numbers"),
        (["--size", "4", "4"], "--size"),
        (["--seconds", "0"], "--seconds"),
    ],
)
def test_impossible_options_are_refused(arguments, says):
    result = demo(*arguments)
    assert result.returncode == 2
    assert says in " ".join(result.stderr.split())
