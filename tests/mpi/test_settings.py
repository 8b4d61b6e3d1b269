# SPDX-License-Identifier: BSD-3-Clause
"""Settings from the tuning file, the environment and MPI_Info, in a job that runs."""

import json
import os

import pytest
from mpi_programs import run_command

from weft import installation, launch

NODE = "exchange: all ranks share memory"


def plans(mpi, tmp_path, **variables):
    """The plan that each communicator's allreduce got, by the communicator's name; and the log."""
    log = tmp_path / "log"
    log.unlink(missing_ok=True)
    result = mpi.run(mpi.compile("hints.c"), ranks=2, variables={"WEFT_LOG": str(log)} | variables)
    return dict(line.split(": ", 1) for line in result.out.splitlines() if ": " in line), log


@pytest.mark.needs_memory
def test_info_of_a_communicator_decides_for_it_alone(mpi, tmp_path):
    found, log = plans(mpi, tmp_path)
    asked = "it is asked for: allreduce="
    assert found["world"].startswith(NODE)
    assert found["ring"] == f"ring: {asked}ring"
    assert found["radix"] == f"recursive_k_ing radix=3: {asked}recursive_k_ing"
    for name in ("impossible", "malformed", "differ", "copy", "hierarchy", "set hierarchy"):
        assert found[name].startswith(NODE), name
    assert found["off"] == found["set off"] == "left to the host MPI: Weft is switched off"
    assert found["split"].startswith("ring: ")
    for name in ("set", "set to differ", "set on"):
        assert found[name].startswith("recursive_k_ing radix=4: "), name
    said = log.read_text()
    assert 'MPI_Info: WEFT_ALGORITHM=allreduce=magic is not understood: allreduce has no algorithm "magic"' in said
    assert "MPI_Info weft_enable: WEFT_ENABLE=perhaps is not understood: use 0 or 1" in said
    assert "the members of a communicator give different weft_ keys" in said


def test_info_wins_over_the_environment_which_wins_over_the_tuning_file(mpi, tmp_path):
    file = tmp_path / "tuning.txt"
    file.write_text("WEFT_ALGORITHM = allreduce=recursive_k_ing:5\nWEFT_NODE_SLOTS = 4\n")
    found, _ = plans(mpi, tmp_path, WEFT_TUNING_FILE=str(file))
    assert found["world"].startswith("recursive_k_ing radix=5: ")
    assert found["ring"].startswith("ring: ")
    found, _ = plans(mpi, tmp_path, WEFT_TUNING_FILE=str(file), WEFT_ALGORITHM="allreduce=recursive_k_ing:2")
    assert found["world"].startswith("recursive_k_ing radix=2: ")
    assert found["ring"].startswith("ring: ")
    stats = json.loads((mpi.folder / "stats.json").read_text())
    assert stats["settings"]["WEFT_NODE_SLOTS"] == {"value": "4", "from": f"{file}:2"}
    assert stats["settings"]["WEFT_ALGORITHM"]["from"] == "environment"


def by_hand(mpi, tmp_path, **variables):
    """Without `weft run`, which would refuse: what the statistics say."""
    library, stats = installation.library_path(mpi.name), tmp_path / "stats.json"
    words = [mpi.tool("mpiexec"), *(["--oversubscribe"] if mpi.name == "openmpi" else [])]
    for name, value in ({"LD_PRELOAD": str(library), "WEFT_STATS": str(stats)} | variables).items():
        words += ["-x", f"{name}={value}"] if mpi.name == "openmpi" else ["-genv", name, value]
    words += ["-n", "3", str(mpi.compile("reductions.c")), "2", "1"]
    result = run_command(words, launch.ROOT_IS_ALLOWED if os.geteuid() == 0 else {})
    assert result.code == 0, result.err
    return json.loads(stats.read_text())


def test_a_topology_without_a_place_for_every_rank_is_not_used(mpi, tmp_path):
    stats = by_hand(mpi, tmp_path, WEFT_TOPOLOGY="node:2 core:1")
    assert "3 ranks do not fit: `node:2 core:1` has 2 places" in stats["notes"][0]
    assert stats["collectives"]["MPI_Allreduce"]["weft"] > 0


def test_a_wrong_value_makes_weft_step_aside(mpi, tmp_path):
    file = tmp_path / "tuning.txt"
    file.write_text("\nWEFT_RADIX = 1\n")
    stats = by_hand(mpi, tmp_path, WEFT_TUNING_FILE=str(file))
    assert f"{file}:2: WEFT_RADIX=1 is not understood" in stats["notes"][0]
    assert all(entry["weft"] == 0 for entry in stats["collectives"].values())


@pytest.mark.needs_memory
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="two processors are needed to be bound to")
def test_ranks_are_grouped_by_where_they_are_bound(mpi, tmp_path):
    """hwloc makes up a machine whose sockets are processors that there are."""
    script = tmp_path / "bound"
    first, second = sorted(os.sched_getaffinity(0))[:2]
    script.write_text(
        "#!/bin/sh\n"
        f"case ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} in 0|2) cpu={first};; *) cpu={second};; esac\n"
        "unset HWLOC_COMPONENTS  # where it is set, hwloc makes nothing up\n"
        f"exec taskset -c $cpu {mpi.compile('hints.c')}\n"
    )
    script.chmod(0o755)
    log = tmp_path / "log"
    variables = {"HWLOC_SYNTHETIC": f"pack:{second + 1} core:1 pu:1", "WEFT_LOG": str(log)}
    out = mpi.run([str(script)], ranks=4, variables=variables).out
    for name in ("hierarchy", "set hierarchy"):
        assert f"\n{name}: hierarchical socket+node radix=2: " in out
    assert "world: exchange: " in out
    variables |= {"WEFT_HIERARCHY": "l3+socket+node"}
    out = mpi.run([str(script)], ranks=4, variables=variables).out
    assert "world: hierarchical socket+node radix=2: all ranks share memory, and the hierarchy" in out
    assert "WEFT_HIERARCHY=l3+socket+node: l3 is left out of communicators with rank 0" in log.read_text()
