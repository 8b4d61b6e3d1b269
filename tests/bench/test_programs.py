# SPDX-License-Identifier: BSD-3-Clause
"""weft bench programs: those that are here run once and agree; what is not here is named. No time is asserted."""

import shutil

import pytest
from bench_command import BUILT, measured, needs_bench
from command_line import refusal

from weft import installation
from weft.bench import programs

pytestmark = needs_bench


@pytest.mark.parametrize("name", programs.PROGRAMS)
def test_a_program_gives_the_same_answers_under_weft(name):
    host = installation.host(BUILT[0])
    if not programs.is_here(programs.PROGRAMS[name], host):
        pytest.skip(f"{name} is not here for {host.title}")
    records, summary = measured("programs", "--program", name, "--ranks", 2, "--pairs", 1, "--mpi", host.name)
    assert [record["implementation"] for record in records] == ["host", "weft"]
    for record in records:
        assert record["right"]
        assert record["seconds"] > 0
        assert record["cpu_seconds"] > 0
    (point,) = summary["points"]
    assert point["cpu_ratio"] > 0


def test_what_is_not_here_is_named_with_its_package(tmp_path):
    for tool in ("mpiexec.openmpi", "mpiexec.mpich"):
        if where := shutil.which(tool):
            (tmp_path / tool).symlink_to(where)
    said = refusal("bench", "programs", "--program", "lammps,espresso", "--mpi", BUILT[0], PATH=str(tmp_path))
    assert "lammps is not here" in said
    assert "install quantum-espresso" in said
