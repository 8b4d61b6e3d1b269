# SPDX-License-Identifier: BSD-3-Clause
"""A 3-D Fourier transform on slabs, whose transpose begins plane by plane (Hoefler, Lumsdaine, Rehm 2007, section
5.2)."""

import math

from weft.bad_input import BadInput
from weft.reproduce.programs import Metrics, nodes_of
from weft.reproduce.programs.compression import pipeline
from weft.simulation import Collective, Conditions, simulate

POINT_BYTES = 16  # complex, double precision


def fft_planes(
    *,
    machine: str,
    ranks: int,
    points: int,
    gigaflops: float,
    planes: int = 0,
    outstanding: int = 0,
    algorithm: str = "pairwise",
    tests_per_group: int = 0,
    ranks_per_node: int = 1,
) -> Metrics:
    """A cube of points: x and y of a rank's planes, the transpose, z. outstanding = 0: one MPI_Alltoall of all planes;
    else MPI_Ialltoall of so many planes together, by rounds, with so many on their way while the next ones are
    transformed. A line of n takes 5 n log2 n operations.

    total_us; speedup: over one rank, which transposes nothing; message_bytes: to one peer
    """
    ranks, outstanding = int(ranks), int(outstanding)
    if points % ranks:
        raise BadInput(f"{points} planes on {ranks} ranks: choose a multiple.")
    own = points // ranks
    together = own if outstanding == 0 else min(int(planes), own)
    if together < 1 or own % together:
        raise BadInput(f"{own} planes of a rank, {planes} together: choose a divisor.")
    line_us = 5 * points * math.log2(points) / (1000 * gigaflops)
    groups = own // together
    outstanding = min(outstanding, groups)
    group_us = together * 2 * points * line_us
    last_us = own * points * line_us
    message = together * points * points // ranks * POINT_BYTES
    alone_us = 3 * points * points * line_us
    if ranks == 1:
        return {"total_us": alone_us, "speedup": 1.0, "message_bytes": 0.0}
    transposes = [
        Collective(collective="alltoall", ranks=ranks, bytes=message, algorithm=algorithm, by_rounds=outstanding > 0)
        for _ in range(max(outstanding, 1))
    ]
    steps = [*pipeline(groups, outstanding, group_us), ("compute", last_us)]
    every_us = group_us / tests_per_group if outstanding and tests_per_group else 0.0
    total = simulate(
        transposes,
        steps,
        machine=machine,
        topology=nodes_of(ranks, min(ranks_per_node, ranks)),
        conditions=Conditions(test_every_us=every_us),
    )
    total_us = total.finish_ns / 1000
    return {"total_us": total_us, "speedup": alone_us / total_us, "message_bytes": float(message)}
