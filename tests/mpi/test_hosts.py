# SPDX-License-Identifier: BSD-3-Clause
"""What every host is held to, on those that are not Debian's: answers, requests, progress, communicators, mpi4py."""

import dataclasses
import importlib.metadata
import json
import os
import subprocess
import sys

import kept
import pytest
from mpi_programs import PROGRAMS, executed_by_weft, run_weft

from weft import binary, installation, launch

# A rank in the middle of a chain has to pass on what comes.
NEEDS_PROGRESS = {"WEFT_NODE": "0", "WEFT_ALGORITHM": "bcast=chain"}
PROGRESS = {"openmpi5": "opal_progress_register", "mpich5": "MPIX_Async_start", "abi": "MPIX_Grequest_start"}
# A program's MPI, and the one whose libweft.so it gets by mistake.
MISTAKES = [("openmpi", "abi"), ("openmpi5", "openmpi"), ("mpich5", "mpich"), ("mpich5", "abi"), ("abi", "mpich5")]


@pytest.mark.parametrize("program", ["movement.c", "reductions.c"])
def test_answers_are_right(further_mpi, program):
    result = further_mpi.run(further_mpi.compile(program), 2)
    assert "weft:" not in result.err
    assert sum(entry["weft"] for entry in result.counts.values()) > 500


@pytest.mark.parametrize("way", ["waitall", "get_status"])
def test_requests_mix_with_those_of_messages(further_mpi, way):
    further_mpi.run(further_mpi.compile("requests.c"), way)


@pytest.mark.parametrize("names", ["mpi", "pmpi"])
def test_the_standards_progress_example(further_mpi, names):
    further_mpi.run(further_mpi.compile("progress_example.c"), names)


@pytest.mark.parametrize("call", ["recv", "waitsome"])
def test_a_rank_in_a_host_call_does_its_part(further_mpi, call):
    further_mpi.run(further_mpi.compile("sitting.c"), call, ranks=3, variables=NEEDS_PROGRESS)


def test_threads_make_mpich_do_without_its_hook(mpi_named):
    mpi = mpi_named("mpich5")
    variables = NEEDS_PROGRESS | {"MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_MULTIPLE"}
    mpi.run(mpi.compile("sitting.c"), "recv", ranks=3, variables=variables)
    mpi.run(mpi.compile("reductions.c"), 2, variables=variables)


def test_a_binary_of_another_mpi_is_refused(further_mpi):
    other = "openmpi" if further_mpi.name == "openmpi5" else "mpich"
    program = further_mpi.compile("sitting.c")
    done = run_weft("run", "--mpi", other, program, variables={})
    assert done.code == 2
    host, wanted = installation.host(further_mpi.name), installation.TITLES[other]
    assert f"was built for {host.title}, not for {wanted}" in " ".join(done.err.split())


def test_doctor_knows_every_host_and_how_it_moves_weft(further_mpi):
    facts = json.loads(run_weft("doctor", "--json", variables={}).out)
    found = {host["name"]: host for host in facts["mpi"]}[further_mpi.name]
    assert found["library"] == str(installation.library_path(further_mpi.name))
    assert PROGRESS[further_mpi.name] in found["progress"]


def test_communicators_of_every_making(further_mpi):
    result = further_mpi.run(further_mpi.compile("communicators.c"))
    assert result.counts["MPI_Allreduce"]["weft"] > 100


def test_hints_reach_communicators(further_mpi):
    plans = further_mpi.run(further_mpi.compile("hints.c")).out.splitlines()
    assert "ring: ring: it is asked for: allreduce=ring" in plans


def test_threads_with_communicators_of_their_own(further_mpi):
    further_mpi.run(further_mpi.compile("threads.c"), variables={"WEFT_NODE": "0"})


@pytest.mark.parametrize("corner", ["sendrecv", "truncated"])
def test_a_corner_is_as_without_weft(further_mpi, corner):
    further_mpi.run(further_mpi.compile("corners.c"), corner)


def test_a_program_may_leave_by_pmpi_finalize(further_mpi):
    result = further_mpi.run(further_mpi.compile("past_finalize.c"))
    assert result.counts["MPI_Allreduce"]["weft"] == 2


@pytest.mark.parametrize(("name", "other"), MISTAKES)
def test_the_library_of_another_mpi_is_refused(mpi_named, name, other, tmp_path):
    mpi, library = mpi_named(name), installation.library_path(other)
    if library is None:
        pytest.skip(f"libweft.so is not built for {installation.TITLES[other]}")
    host = dataclasses.replace(installation.host(name), library=library)
    start = launch.Launch(host, 2, binary.inspect([str(mpi.compile("large_send.c"))]))
    result = launch.capture(start, tmp_path, timeout=60)
    assert "was built for" in result.stderr, result.stderr[-2000:]
    assert result.returncode != 0 or "8 rounds" in result.stdout


@pytest.fixture(scope="session")
def mpi4py_version():
    try:
        return importlib.metadata.version("mpi4py")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("mpi4py is not installed")


@pytest.fixture(scope="session")
def mpi4py_for(mpi4py_version):
    """A function that says where the mpi4py of an MPI lies. PyPI's wheels know the ABIs of Open MPI and of MPICH; the
    one for the standard ABI is built from mpi4py's source distribution, once; a wheel that pip has kept from elsewhere
    may be for another MPI."""

    def folder_for(mpi):
        if mpi.name != "abi":
            return ""
        folder = kept.BUILD / "downloads" / f"mpi4py-{mpi4py_version}-abi"
        if not (folder / "mpi4py").is_dir():
            pip = [sys.executable, "-m", "pip", "install", "-q", "--no-cache-dir", "--no-deps", "--no-binary", "mpi4py"]
            command = [*pip, "--target", folder, f"mpi4py=={mpi4py_version}"]
            variables = os.environ | {"MPICC": mpi.tool("mpicc"), "CFLAGS": "-O0 -w"}
            done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=500, check=False)
            if done.returncode != 0:
                pytest.skip(f"mpi4py cannot be built for the standard ABI: {done.stderr.strip()[-500:]}")
        return str(folder)

    return folder_for


@pytest.mark.timeout(600)
def test_mpi4py(further_mpi, mpi4py_for):
    result = further_mpi.run([sys.executable, PROGRAMS / "mixed.py"], variables={"PYTHONPATH": mpi4py_for(further_mpi)})
    for name in ("MPI_Iallreduce", "MPI_Ibcast", "MPI_Ialltoall"):
        assert executed_by_weft(result, name) >= 0.95, result.counts
