# SPDX-License-Identifier: BSD-3-Clause
"""Pictures need matplotlib, which not everybody has: who asks for one is told what to run, and nobody else needs it."""

import os
import sys

import command_line
import pytest


def without_matplotlib(folder, *arguments):
    """A command whose Python has no matplotlib."""
    (folder / "matplotlib.py").write_text("raise ModuleNotFoundError(\"No module named 'matplotlib'\")\n")
    variables = os.environ | {"PYTHONPATH": f"{folder}:{os.environ.get('PYTHONPATH', '')}", "COLUMNS": "1000"}
    return command_line.run(*arguments, variables=variables, before=["env", "-C", str(folder)])


@pytest.mark.parametrize(
    "asked",
    [
        ("bench", "latency", "--plot", "latency.png"),
        ("bench", "report", "--only", "skew"),
        ("demo", "--seconds", "1"),
    ],
    ids=" ".join,
)
def test_who_asks_for_a_picture_is_told_what_to_run(asked, tmp_path):
    done = without_matplotlib(tmp_path, *asked)
    assert done.returncode == 2, done.stderr
    assert f"run `{sys.executable} -m pip install matplotlib`" in done.stderr
    assert {file.name for file in tmp_path.iterdir()} <= {"matplotlib.py", "__pycache__"}, "nothing was measured"


def test_nobody_else_needs_it(tmp_path):
    done = without_matplotlib(tmp_path, "explain", "bcast", "--ranks", 4, "--format", "svg")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("<svg")
    done = without_matplotlib(tmp_path, "bench", "latency", "--help")
    assert "--plot" in done.stdout, done.stderr
