# SPDX-License-Identifier: BSD-3-Clause
"""Agents over a network that is bad, and when a host is gone."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from lab_programs import NEEDS_SWITCH

from weft import binary, installation, launch
from weft.lab import Lab, Link

sys.path.append(str(Path(__file__).parents[1] / "mpi"))
from mpi_programs import Mpi, eventually

AGENT = {"WEFT_DEVICE": "agent"}
PATIENCE = 180  # ten thousand operations take MPICH half a minute beside other tests


@pytest.fixture(params=["openmpi", "mpich"])
def mpi(request, tmp_path_factory):
    return Mpi(request.param, tmp_path_factory.mktemp(request.param))


def start(lab, mpi, command, variables=None):
    program = binary.inspect([str(word) for word in command])
    return launch.Launch(installation.host(mpi.name), 3, program, True, AGENT | (variables or {}), lab=lab)


@NEEDS_SWITCH
@pytest.mark.parametrize(
    ("link", "program", "said"),
    [
        (Link(duplicate_percent=5, reorder_percent=5), ("endurance.c", 10_000), "10000 operations"),
        (Link(delay_us=50, loss_percent=5), ("reductions.c", 2, 1), "cases"),
    ],
)
def test_a_bad_network_only_costs_time(mpi, link, program, said, tmp_path):
    source, *arguments = program
    with Lab(3, link) as lab:
        command = [mpi.compile(source), *arguments]
        done = launch.capture(start(lab, mpi, command), tmp_path, PATIENCE, lambda out: said in out)
    assert said in done.stdout, done.stderr


@NEEDS_SWITCH
def test_hosts_with_a_delay_between_them_are_far(mpi, tmp_path):
    statistics = tmp_path / "statistics"
    with Lab(3, Link(delay_us=200)) as lab:
        variables = {"WEFT_STATS": str(statistics)}
        launched = start(lab, mpi, [mpi.compile("reductions.c"), 2, 1], variables)
        launch.capture(launched, tmp_path, PATIENCE, lambda out: "cases" in out)
    nodes = json.loads(statistics.read_text())["nodes"]
    assert nodes["round_trip_microseconds"] >= 400
    assert nodes["are_far"]


def test_a_host_that_vanishes_is_named_by_all_others(mpi, tmp_path):
    log, told = tmp_path / "log", tmp_path / "told"
    told.mkdir()
    with Lab(3) as lab:
        command = [mpi.compile("vanishing.c"), told]
        words = start(lab, mpi, command, {"WEFT_LOG": str(log)}).command(tmp_path)
        running = subprocess.Popen(words, env=launch.environment())
        assert eventually(lambda: (told / "begun").exists(), PATIENCE)
        lab.kill_host(2)
        assert eventually(lambda: {path.name for path in told.iterdir()} == {"begun", "0", "1"}, PATIENCE)
        lab.end_processes()
        running.wait()
    for rank in range(2):
        assert re.search(rf"rank {rank}: rank 2 of MPI_COMM_WORLD on h2 is lost: ", log.read_text())
