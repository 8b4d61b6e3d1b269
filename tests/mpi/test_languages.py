# SPDX-License-Identifier: BSD-3-Clause
"""Fortran in its three dialects, and mpi4py: the same results, and the calls are Weft's, by name."""

import importlib.util
import sys

import pytest
from mpi_programs import PROGRAMS, executed_by_weft

COLLECTIVES = ["Barrier", "Bcast", "Reduce", "Allreduce", "Allgather", "Alltoall"]


@pytest.mark.parametrize("dialect", ["MPIFH", "MPI", "F08"])
def test_fortran(mpi, dialect):
    if not mpi.tool("mpifort"):
        pytest.skip(f"no mpifort.{mpi.name}")
    result = mpi.both(mpi.compile("fortran.F90", f"-DUSE_{dialect}"), ranks=3)
    for name in COLLECTIVES:
        assert executed_by_weft(result, f"MPI_{name}") >= 0.95, result.counts
        assert executed_by_weft(result, f"MPI_I{name.lower()}") >= 0.95, result.counts


REST = [
    "Gather", "Gatherv", "Scatter", "Scatterv", "Allgatherv", "Alltoallv", "Alltoallw", "Reduce_scatter",
    "Reduce_scatter_block", "Scan", "Exscan", "Neighbor_allgather", "Neighbor_alltoallw",
]  # fmt: skip
NONBLOCKING = ["Ineighbor_alltoallw", "Ialltoallw", "Iscan", "Iscatterv", "Iallgatherv", "Ireduce_scatter_block"]
PERSISTENT = ["Barrier_init", "Allreduce_init", "Alltoallw_init"]


@pytest.mark.parametrize("dialect", ["MPIFH", "MPI", "F08"])
def test_the_rest_of_fortran(mpi, dialect):
    if not mpi.tool("mpifort"):
        pytest.skip(f"no mpifort.{mpi.name}")
    extension = ["-DEXTENSION"] if mpi.name == "openmpi" else []
    program = mpi.compile("fortran_rest.F90", f"-DUSE_{dialect}", "-ffree-line-length-none", *extension)
    result = mpi.run(program, ranks=3)
    assert result.out.strip() == "fortran: the rest"
    for name in REST + NONBLOCKING + PERSISTENT:
        assert executed_by_weft(result, f"MPI_{name}") == 1.0, result.counts


@pytest.mark.parametrize("dialect", ["MPI", "F08"])
def test_fortran_in_a_library_that_is_loaded_for_itself_alone(mpi, dialect):
    if not mpi.tool("mpifort"):
        pytest.skip(f"no mpifort.{mpi.name}")
    plugin = mpi.compile("plugin.F90", f"-DUSE_{dialect}", "-shared", "-fPIC")
    result = mpi.run(mpi.compile("plugin_host.c"), plugin)
    assert executed_by_weft(result, "MPI_Allreduce") == executed_by_weft(result, "MPI_Ibarrier") == 1.0


@pytest.mark.skipif(importlib.util.find_spec("mpi4py") is None, reason="mpi4py is not installed")
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_mpi4py(mpi, ranks):
    result = mpi.both([sys.executable, PROGRAMS / "mixed.py"], ranks=ranks)
    for name in ("MPI_Iallreduce", "MPI_Ibcast", "MPI_Ialltoall"):
        assert executed_by_weft(result, name) >= 0.95, result.counts


def test_a_script_without_interpreter_line_runs_with_our_python(mpi):
    if importlib.util.find_spec("mpi4py") is None:
        pytest.skip("mpi4py is not installed")
    assert "rank" in mpi.run(PROGRAMS / "mixed.py").out


def test_whoever_loads_an_mpi_by_its_plain_name_gets_that_of_the_job(mpi, tmp_path):
    if mpi.name != "mpich":
        pytest.skip("libmpi.so is what the machine says it is")
    script = tmp_path / "loads.py"
    script.write_text(
        "import ctypes\n"
        "said = ctypes.create_string_buffer(8192)\n"
        'ctypes.CDLL("libmpi.so").MPI_Get_library_version(said, ctypes.byref(ctypes.c_int()))\n'
        'print(said.value.decode().split()[0], end="", flush=True)\n'
    )
    assert mpi.run([sys.executable, script], ranks=1).out == "MPICH"
