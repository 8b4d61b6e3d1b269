# SPDX-License-Identifier: BSD-3-Clause
"""An mpi4py program from outside: non-blocking collectives and messages in one Waitall. Prints what it got, the
same with and without Weft."""

import numpy as np
from mpi4py import MPI

ROUNDS = 50
world = MPI.COMM_WORLD
me, ranks = world.rank, world.size
checksum = 0.0
for number in range(ROUNDS):
    mine = np.arange(8, dtype=float) + 10 * me + number
    total = np.empty(8)
    shared = np.full(5, number, dtype="i") if me == number % ranks else np.empty(5, dtype="i")
    pieces = np.arange(2 * ranks, dtype="q") + 100 * me
    exchanged = np.empty(2 * ranks, dtype="q")
    word, other = np.array([me + number]), np.empty(1, dtype=int)
    requests = [
        world.Irecv(other, source=(me - 1) % ranks, tag=3),
        world.Iallreduce(mine, total, op=MPI.SUM),
        world.Ibcast(shared, root=number % ranks),
        world.Isend(word, dest=(me + 1) % ranks, tag=3),
        world.Ialltoall(pieces, exchanged),
    ]
    MPI.Request.Waitall(requests)
    assert (total == ranks * (np.arange(8) + number) + 10 * ranks * (ranks - 1) / 2).all(), total
    assert (shared == number).all(), shared
    assert (exchanged.reshape(-1, 2)[:, 1] == 2 * me + 1 + 100 * np.arange(ranks)).all(), exchanged
    assert other[0] == (me - 1) % ranks + number, other
    checksum += total.sum() + exchanged.sum()
objects = world.allgather({"rank": me, "sum": checksum})
if me == 0:
    print(objects)
