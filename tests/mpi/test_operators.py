# SPDX-License-Identifier: BSD-3-Clause
"""Whatever the host reduces, Weft executes, with the same bits; what the host refuses, it still refuses."""

RANKS, COUNTS = 3, 3  # COUNTS: numbers of elements that the program tries for each pair


def test_every_predefined_pair(every_mpi):
    result = every_mpi.both(every_mpi.compile("operators.c"), ranks=RANKS)
    outcomes = dict(line.split(":") for line in result.out.splitlines() if ":" in line)
    largest_of_classes = 1000  # error classes of all ranks, added up; results are hashes
    refused = {pair for pair, values in outcomes.items() if int(values.split()[0], 16) < largest_of_classes}
    assert "MPI_SUM MPI_CHAR" not in refused and "MPI_SUM MPI_2INT" in refused
    for name in ("MPI_Allreduce", "MPI_Reduce_scatter_block", "MPI_Scan"):
        assert result.counts[name]["host"] == len(refused) * RANKS * COUNTS
        assert result.counts[name]["weft"] == (len(outcomes) - len(refused)) * RANKS * COUNTS
