# SPDX-License-Identifier: BSD-3-Clause
"""Buffers in accelerators: short calls are Weft's, by the driver's copies; long ones and those with lists the host's.
A stand-in for the drivers ends whoever touches its memory by himself."""

import os
import shutil

import kept
import pytest
from mpi_programs import PROGRAMS, SHARED

DRIVERS = {"libcuda.so.1": [], "libamdhip64.so.6": ["-DHIP"], "libze_loader.so.1": ["-DLEVEL_ZERO"]}
WHY = "a long call, or one with lists, where members may have buffers in accelerators"


def driver(name):
    flags = [*SHARED, f"-Wl,-soname,{name}", *DRIVERS[name]]
    return kept.compiled(shutil.which("cc"), PROGRAMS / "accelerator.c", flags, kept.PROGRAMS / "drivers" / name)


@pytest.mark.parametrize("memory", [True, False], ids=["in memory", "by messages"])
@pytest.mark.parametrize("name", ["libcuda.so.1", "libamdhip64.so.6"])
def test_short_calls_reach_into_accelerators(mpi, name, memory):
    ranks = 3
    program = mpi.compile("accelerated.c", "-ldl")
    result = mpi.run_taken(program, driver(name), ranks=ranks, variables={"WEFT_NODE": str(int(memory))})
    assert_only_long_ones_are_left(result, ranks)


def test_a_driver_that_is_loaded_late_is_found(mpi):
    program = mpi.compile("accelerated.c", "-ldl", "-DTAKES_BUFFERS_IN_ACCELERATORS", "-rdynamic")
    result = mpi.run_taken(program, "late", driver("libcuda.so.1"), ranks=2)
    assert_only_long_ones_are_left(result, 2)


def assert_only_long_ones_are_left(result, ranks):
    left = {name: entry["why"] for name, entry in result.counts.items() if entry["host"] > 0}
    assert left == {"MPI_Bcast": {WHY: ranks}, "MPI_Allgatherv": {WHY: ranks}}


def test_without_a_way_to_ask_all_is_the_hosts(mpi):
    preloaded = {"LD_PRELOAD": f"{os.environ.get('LD_PRELOAD', '')} {driver('libze_loader.so.1')}".strip()}
    result = mpi.run(mpi.compile("split_cycles.c"), 10, 0, variables=preloaded)
    assert result.counts["MPI_Allreduce"]["weft"] == 0
    assert result.counts["MPI_Allreduce"]["why"].keys() == {WHY}
