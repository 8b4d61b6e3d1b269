# SPDX-License-Identifier: BSD-3-Clause
"""Calls that a recent one tells all about, which have the shortest way: the library counts them."""

import pytest

from weft import installation
from weft.bench.collectives import NAMES, reduces

MOVING = [name for name in NAMES if not reduces(name)]
CALLS = 300


def run(mpi, collectives, *options, ranks=2):
    program = installation.application(f"bench_latency_{mpi.name}")
    if program is None:
        pytest.skip("the benchmarks are not built")
    return mpi.run(
        program, "--collectives", ",".join(collectives), "--bytes", 64, "--iterations", CALLS, *options, ranks=ranks
    )


def assert_most_are_like_recent_ones(counts, names):
    for name in names:
        entry = counts[f"MPI_{name.capitalize()}"]
        assert entry["host"] == 0 and entry["weft"] > 2 * CALLS
        assert entry["like_recent"] >= 0.9 * entry["weft"], (name, entry)


@pytest.mark.parametrize("ranks", [2, 5])
@pytest.mark.parametrize("method", ["loop", "kinds", pytest.param("sizes", marks=pytest.mark.needs_memory)])
def test_the_same_call_five_datatypes_in_turn_and_other_sizes_each_time(mpi, method, ranks):
    """In `sizes` the blocks of a call differ, too."""
    result = run(mpi, NAMES, "--method", method, ranks=ranks)
    assert_most_are_like_recent_ones(result.counts, NAMES)


def test_derived_datatypes(mpi):
    names = [*MOVING, *(f"i{name}" for name in MOVING)]
    result = run(mpi, names, "--method", "loop", "--datatype", "strided")
    assert_most_are_like_recent_ones(result.counts, names)


@pytest.mark.needs_memory
def test_derived_datatypes_and_other_sizes_each_time(mpi):
    names = [name for name in MOVING if name.endswith(("v", "w"))]
    result = run(mpi, names, "--method", "sizes", "--datatype", "strided")
    assert_most_are_like_recent_ones(result.counts, names)


@pytest.mark.parametrize(
    ("program", "part", "names"),
    [("reductions.c", (1,), ["Allreduce"]), ("movement.c", (3, 7), ["Bcast", "Allgather", "Alltoallv", "Scatterv"])],
)
def test_the_first_call_is_like_none(mpi, program, part, names):
    """No two of these calls are alike."""
    counts = mpi.run(mpi.compile(program), *part, ranks=2).counts
    for name in names:
        entry = counts[f"MPI_{name}"]
        assert entry["like_recent"] < 0.1 * entry["weft"], (name, entry)
