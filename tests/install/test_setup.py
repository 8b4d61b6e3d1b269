# SPDX-License-Identifier: BSD-3-Clause
"""tools/setup decides rightly what to do about missing packages, and says so with one line and code 2."""

import importlib.machinery
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "setup"
loader = importlib.machinery.SourceFileLoader("weft_setup", str(TOOL))
setup = importlib.util.module_from_spec(importlib.util.spec_from_loader("weft_setup", loader))
loader.exec_module(setup)

MPI = ["libopenmpi-dev", "mpich"]


@pytest.mark.parametrize(
    ("missing", "situation", "action"),
    [
        ([], {}, "nothing"),
        (["ninja-build"], {"can_install": True}, "install"),
        (["ninja-build"], {}, "stop"),
        (["ninja-build", *MPI], {}, "stop"),
        (MPI, {"can_install": True}, "install"),
        (MPI, {}, "nothing"),
        (["libhypre-dev"], {}, "nothing"),
        (["libhypre-dev"], {"demo": True}, "stop"),
        (["libopenblas-dev"], {}, "nothing"),
        (["libopenblas-dev"], {"can_install": True}, "install"),
        ([*MPI, "libopenblas-dev"], {}, "nothing"),
        (["ninja-build", "libopenblas-dev"], {}, "stop"),
        ([*MPI, "libhypre-dev"], {"demo": True}, "stop"),
        ([*MPI, "libhypre-dev"], {"demo": True, "has_hypre": True}, "nothing"),
    ],
)
def test_what_is_done_about_missing_packages(missing, situation, action):
    defaults = {"can_install": False, "has_hypre": False, "demo": False}
    assert setup.decide(missing, **(defaults | situation)) == action


@pytest.fixture
def poor_machine(tmp_path):
    """A PATH on which dpkg knows no package and apt-get and sudo refuse."""
    for name, text in {
        "dpkg-query": "exit 1",
        "apt-get": "echo apt-get was called >&2; exit 100",
        "sudo": "exit 1",
    }.items():
        tool = tmp_path / name
        tool.write_text(f"#!/bin/sh\n{text}\n")
        tool.chmod(0o755)
    return tmp_path


def test_without_a_right_to_install_the_one_line_is_printed_and_the_code_is_2(poor_machine):
    # The tool asks the kernel who it is; here it is told that it is an ordinary user.
    code = (
        "import os, runpy, sys; os.geteuid = lambda: 1000; "
        f"sys.argv = ['setup']; runpy.run_path({str(TOOL)!r}, run_name='__main__')"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PATH": str(poor_machine)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    printed = result.stdout.splitlines()
    assert len(printed) == 1
    assert printed[0].startswith("sudo apt-get install -y ")
    assert {"libopenmpi-dev", "libmpich-dev", "libhwloc-dev", "ninja-build"} <= set(printed[0].split())
    assert "apt-get was called" not in result.stderr
