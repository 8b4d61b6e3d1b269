# SPDX-License-Identifier: BSD-3-Clause
"""Every collective, blocking, non-blocking and persistent, gives what it must: counts, types, roots, operators, in
place."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_core = pytest.importorskip("weft._core", reason="the list of collectives is in the compiled core, which is not built")
REDUCTIONS = [
    name.capitalize() for name in dict.fromkeys(c["collective"] for c in _core.catalog() if c["is_reduction"])
]
MOVEMENT = [name.capitalize() for name in _core.collectives() if name.capitalize() not in REDUCTIONS]
TABLES = {  # of C, and what precedes a name there
    "bench/harness/forms.c": r"X\(",
    "tests/mpi/programs/collectives.h": r"X\(k\w+, ",
}
ALGORITHMS = {
    "movement.c": [
        "barrier:dissemination/3,bcast:k_nomial/2,allgather:ring,alltoall:pairwise,gather:k_nomial/3,allgatherv:linear",
        "barrier:k_nomial/2,bcast:k_nomial/4,allgather:recursive_doubling,gather:linear,scatter:linear,allgatherv:recursive_doubling",
        "barrier:recursive_k_ing/2,bcast:chain,allgather:bruck/2,alltoall:bruck/2,scatter:k_nomial/3,allgatherv:ring",
        "barrier:recursive_k_ing/3,bcast:scatter_allgather/2,allgather:bruck/3,alltoall:scattered,allgatherv:bruck/3",
    ],
    "reductions.c": [
        "reduce:n_ary_tree/3,allreduce:ring,reduce_scatter:ring,reduce_scatter_block:ring,scan:chain,exscan:chain",
        "allreduce:recursive_k_ing/2,reduce_scatter:pairwise,reduce_scatter_block:pairwise",
        "allreduce:recursive_k_ing/3,scan:recursive_doubling,exscan:recursive_doubling",
        "reduce:k_nomial/2,allreduce:reduce_scatter_allgather",
        "reduce:reduce_scatter_gather,allreduce:k_nomial/2",
        "reduce:k_nomial/3,allreduce:n_ary_tree/2",
    ],
}


@pytest.mark.parametrize("file", TABLES)
def test_a_table_of_c_has_every_collective_once(file):
    names = re.findall(f"^ *{TABLES[file]}(\\w+)", (ROOT / file).read_text(), re.MULTILINE)
    assert sorted(names) == sorted(_core.collectives())


def test_the_front_door_takes_every_collective():
    taken = runpy.run_path(str(ROOT / "src/mpi/entry/functions.py"))["TAKEN"]
    assert sorted(name.lower() for name in taken) == sorted(_core.collectives())


def counted_under(names):
    return [form for name in names for form in (f"MPI_{name}", f"MPI_I{name.lower()}", f"MPI_{name}_init")]


def assert_all_are_wefts(result, names):
    for name in counted_under(names):
        assert result.counts[name]["host"] == 0, name
        assert result.counts[name]["weft"] > 0, name


@pytest.mark.parametrize("ranks", range(1, 10))
def test_data_arrives_where_it_must(mpi, ranks):
    part = (5, 1) if ranks <= 2 else (3, 7)
    assert_all_are_wefts(mpi.run(mpi.compile("movement.c"), *part, ranks=ranks), MOVEMENT)


@pytest.mark.parametrize("ranks", [2, 3])
def test_fragments_may_end_within_blocks_of_a_datatype(mpi, ranks):
    variables = {"WEFT_NODE_WHOLE_BYTES": "64", "WEFT_NODE_FRAGMENT_BYTES": "128"}
    mpi.run(mpi.compile("movement.c"), 3, 3, ranks=ranks, variables=variables)


@pytest.mark.parametrize("ranks", range(1, 10))
def test_reductions_are_right(mpi, ranks):
    assert_all_are_wefts(mpi.run(mpi.compile("reductions.c"), 5 if ranks <= 2 else 2, ranks=ranks), REDUCTIONS)


def test_the_host_agrees_about_movement(mpi):
    """Two ranks, blocking: Open MPI 4.1 hangs with three, and its other forms take neighbours in another order."""
    if mpi.name == "mpich":
        pytest.skip("MPICH 4.0 mixes up the blocks of a neighbour that is listed twice")
    mpi.both(mpi.compile("movement.c"), 3, 1, 1, ranks=2)


def test_the_host_agrees_about_reductions(mpi):
    """Small blocking ones: persistent ones of Open MPI 4.1 and MPI_Reduce in place of MPICH 4.0 crash."""
    mpi.both(mpi.compile("reductions.c"), 2, 1, ranks=3)


@pytest.mark.parametrize(
    ("program", "algorithms"), [(program, one) for program, all_of in ALGORITHMS.items() for one in all_of]
)
@pytest.mark.parametrize(("host", "ranks"), [("mpich", 4), ("openmpi", 5)])
def test_every_algorithm_through_the_front_door(mpi_named, program, algorithms, host, ranks):
    mpi = mpi_named(host)
    part = (4, 7) if program == "movement.c" else (3, 2)
    result = mpi.run(mpi.compile(program), *part, ranks=ranks, variables={"WEFT_ALGORITHM": algorithms})
    assert "weft:" not in result.err


def test_switched_off_everything_is_the_hosts(mpi):
    result = mpi.run(mpi.compile("reductions.c"), 2, 1, variables={"WEFT_ENABLE": "0"})
    for name in REDUCTIONS:
        assert result.counts[f"MPI_{name}"]["weft"] == 0
        assert list(result.counts[f"MPI_{name}"]["why"]) == ["Weft is switched off"]


@pytest.mark.parametrize("ranks", [2, 3])
def test_threads_with_communicators_of_their_own(mpi, ranks):
    mpi.run_taken(mpi.compile("threads.c"), ranks=ranks)


def test_datatypes_made_of_datatypes(every_mpi):
    result = every_mpi.run(every_mpi.compile("random_types.c"), 1000)
    assert result.counts["MPI_Bcast"]["weft"] == 4000


@pytest.mark.parametrize("topology", ["", "node:2 core:2"])
def test_datatypes_that_live_for_a_call_or_a_few(every_mpi, topology):
    program = every_mpi.compile("short_lived_types.c")
    result = every_mpi.run(program, 1000, ranks=4 if topology else 2, variables={"WEFT_TOPOLOGY": topology})
    assert result.counts["MPI_Alltoallw"]["host"] == 0


def test_several_kinds_of_calls_in_turn(every_mpi):
    result = every_mpi.run(every_mpi.compile("in_turn.c"), 30, ranks=3)
    assert result.counts["MPI_Allreduce"]["host"] == 0
