# SPDX-License-Identifier: BSD-3-Clause
"""Hosts that cannot have agents leave the others theirs. The nodes are pretended; one is left out if one of its
processes has no wire."""

import json
import re
import subprocess

import pytest
from test_deaths import log_of_a_death

# The first argument lists ranks between commas; the launchers of both MPIs tell each process its own.
REFUSE = 'case $0 in *,${OMPI_COMM_WORLD_RANK:-$PMI_RANK},*) export WEFT_WIRE_INTERFACE=weft-none;; esac; exec "$@"'
NO_INTERFACE = 'no agent, for there is no network interface "weft-none" that is up here'
# The machine, the ranks whose processes have no wire, and the hosts without agents, as the log names them.
MACHINES = [
    ("node:4 core:1", [2], ["rank 2"]),
    ("node:4 core:1", [0], ["rank 0"]),
    ("node:5 core:1", [1, 4], ["rank 1", "rank 4"]),
    ("node:3 core:2,1,2", [3], ["ranks 3-4"]),
    ("node:3 core:2", [0, 1], ["ranks 0-1"]),
]
# How many of each program's cases are run, or what else it is told.
PROGRAMS = {"movement.c": (4, 5), "reductions.c": (3, 2), "random_programs.c": (3, 20), "persistent.c": ("",)}


def without_wire(ranks):
    """What a program is an argument of, whose processes with these ranks have no wire."""
    return ["sh", "-c", REFUSE, f",{','.join(map(str, ranks))},"]


def run(mpi, machine, refused, program, *arguments, **more):
    variables = {"WEFT_TOPOLOGY": machine, "WEFT_DEVICE": "agent", "WEFT_WIRE_INTERFACE": "lo", "WEFT_VERBOSE": "1"}
    variables |= {"WEFT_NODE": "1"}  # a node is left out as a whole
    variables |= more.pop("variables", {})
    return mpi.run_taken([*without_wire(refused), mpi.compile(program)], *arguments, variables=variables, **more)


def ranks_of(machine):
    nodes, cores = (text.split(":")[1] for text in machine.split())
    return sum(map(int, cores.split(","))) if "," in cores else int(nodes) * int(cores)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(("machine", "refused", "left_out"), MACHINES)
def test_all_collectives_go_both_ways(mpi, program, machine, refused, left_out):
    result = run(mpi, machine, refused, program, *PROGRAMS[program], ranks=ranks_of(machine))
    said = [line for line in result.err.splitlines() if "WEFT_DEVICE=agent:" in line]
    assert said[0].split(": ", 3)[3].startswith(", ".join(rf"{host_in(said[0])} ({one})" for one in left_out)), said
    assert sum(NO_INTERFACE in line for line in set(said)) == len(set(said)) == 1


def host_in(line):
    return re.search(r"agent: (\S+) \(", line)[1]


@pytest.mark.parametrize("hierarchy", ["flat", "node+device"])
@pytest.mark.parametrize("program", ["movement.c", "reductions.c"])
def test_whoever_speaks_for_whom(mpi, hierarchy, program):
    variables = {"WEFT_HIERARCHY": hierarchy}
    run(mpi, "node:3 core:2,2,1", [4], program, *PROGRAMS[program], ranks=5, variables=variables)


def test_the_level_of_the_device_joins_all_where_all_have_it(mpi):
    run(mpi, "node:2 core:2", [], "reductions.c", 3, 2, ranks=4, variables={"WEFT_HIERARCHY": "node+device"})


@pytest.mark.parametrize(
    ("machine", "refused"), [("node:4 core:1", [2, 3]), ("node:5 core:1", [3]), ("node:4 core:2", [2])]
)
def test_communicators_with_agents_without_and_with_both(mpi, machine, refused):
    run(mpi, machine, refused, "communicators.c", ranks=ranks_of(machine))


@pytest.mark.parametrize(("mode", "many"), [("threads", 10), ("outstanding", 40), ("bits", 20)])
def test_storms(mpi, mode, many):
    run(mpi, "node:4 core:1", [2], "storms.c", mode, 1, many, ranks=4)


@pytest.mark.parametrize("left_out", [0, 3])
def test_those_with_agents_are_moved_by_them(mpi, left_out, tmp_path):
    run(mpi, "node:5 core:1", [left_out], "handed_over.c", tmp_path, 1000, left_out, ranks=5)
    assert json.loads((mpi.folder / "stats.json").read_text())["agents"]["wakes"] > 0


OWN_NETWORK = """[ $PMI_RANK = 1 ] || exec "$0" "$@"
exec unshare -n sh -c 'ip link set lo up && exec "$0" "$@"' "$0" "$@"
"""


@pytest.mark.takes_long  # others wait 20 s for the connections
@pytest.mark.skipif(subprocess.call("unshare -n true 2>/dev/null", shell=True) != 0, reason="it takes root")
def test_who_cannot_be_reached_is_left_out(mpi_named):
    """It listens, on a loopback of its own. MPICH starts it without a network."""
    mpi = mpi_named("mpich")
    variables = {"WEFT_TOPOLOGY": "node:3 core:1", "WEFT_DEVICE": "agent", "WEFT_WIRE_INTERFACE": "lo"}
    variables |= {"WEFT_VERBOSE": "1"}
    command = ["sh", "-c", OWN_NETWORK, mpi.compile("reductions.c")]
    result = mpi.run_taken(command, 2, 1, ranks=3, variables=variables)
    assert re.search(r"\(rank 1\): no agent, for no connection between processes 1 and 0 of the job: ", result.err)
    assert json.loads((mpi.folder / "stats.json").read_text())["agents"]["wakes"] > 0


def test_where_one_host_would_be_left_nobody_has_an_agent(mpi):
    result = run(mpi, "node:2 core:2", [3], "reductions.c", 2, 1, ranks=4)
    assert re.search(rf"\(ranks 2-3\): {NO_INTERFACE}.* The ranks themselves move messages between nodes", result.err)
    agents = json.loads((mpi.folder / "stats.json").read_text())["agents"]
    assert agents["wakes"] == 0


@pytest.mark.parametrize(("death", "call"), [("kill", "iallreduce"), ("exit", "bcast"), ("kill", "persistent")])
def test_who_dies_is_named_whoever_is_left_out(mpi_named, death, call, tmp_path):
    variables = {"WEFT_TOPOLOGY": "node:3 core:1", "WEFT_DEVICE": "agent", "WEFT_WIRE_INTERFACE": "lo"}
    mpi = mpi_named("openmpi")  # MPICH's launcher leaves one other rank alone, and it takes three
    others, said = log_of_a_death(mpi, death, call, tmp_path, variables, before=without_wire([0]))
    assert NO_INTERFACE in said
    for rank in range(others):
        found = r"(ended before MPI_Finalize|on \S+ is lost)"
        named = rf"rank {rank}: ranks? ([0-9], )*{others}(, [0-9])* of MPI_COMM_WORLD {found}"
        assert re.search(named, said), said
