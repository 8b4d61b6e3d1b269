# SPDX-License-Identifier: BSD-3-Clause
"""Conjugate gradients on a grid in three dimensions, whose halo travels behind the inner points (Hoefler, Lumsdaine,
Rehm 2007, section 5.3)."""

from weft.bad_input import BadInput
from weft.reproduce.programs import Metrics
from weft.simulation import Collective, Conditions, Halo, Step, simulate


def poisson(
    *,
    machine: str,
    ranks: int,
    points: int,
    product_ns: float,
    vectors_ns: float,
    overlaps: bool = False,
    iterations: int = 10,
    products: str | None = "recursive_k_ing",
    tests: int = 0,
) -> Metrics:
    """A cube of points on the most cubic grid of ranks. In each iteration the halo, the product with the matrix
    (product_ns per point), two inner products of 8 bytes, which block, and updates of vectors (vectors_ns per point).
    overlaps: the halo goes on while the inner points are computed, with so many tests in there (and as many per time in
    all computations).

    iteration_us; speedup: over one rank; gain_percent: of the time that blocking halos take; halo_bytes: of a rank
    """
    ranks = int(ranks)
    dims = most_cubic(ranks)
    own = [points / dim for dim in dims]
    count = own[0] * own[1] * own[2]
    alone_us = points**3 * (product_ns + vectors_ns) / 1000
    if ranks == 1:
        return {"iteration_us": alone_us, "speedup": 1.0, "gain_percent": 0.0, "halo_bytes": 0.0}
    faces = tuple(int(8 * count / length) for length in own)
    # Points with a neighbour on another rank; a grid that ends has fewer, in ranks at its sides.
    cut = [length - (2 if dim > 2 else 1 if dim == 2 else 0) for length, dim in zip(own, dims, strict=True)]
    inner = max(cut[0], 0) * max(cut[1], 0) * max(cut[2], 0)
    operations = [
        Halo(dims=dims, bytes=faces),
        Collective(collective="allreduce", ranks=ranks, bytes=8, algorithm=products),
    ]
    tail: list[Step] = [("start", 1), ("wait", 1), ("compute", count * vectors_ns / 1000), ("start", 1), ("wait", 1)]
    blocking: list[Step] = [("start", 0), ("wait", 0), ("compute", count * product_ns / 1000), *tail]
    overlapped: list[Step] = [
        ("start", 0),
        ("compute", inner * product_ns / 1000),
        ("wait", 0),
        ("compute", (count - inner) * product_ns / 1000),
        *tail,
    ]

    def iteration_us(steps: list[Step], every_us: float) -> float:
        conditions = Conditions(test_every_us=every_us)
        done = simulate(operations, steps, machine=machine, conditions=conditions, repetitions=iterations)
        return done.finish_ns / 1000 / iterations

    base_us = iteration_us(blocking, 0.0)
    own_us = iteration_us(overlapped, inner * product_ns / 1000 / tests if tests else 0.0) if overlaps else base_us
    return {
        "iteration_us": own_us,
        "speedup": alone_us / own_us,
        "gain_percent": 100 * (base_us - own_us) / base_us,
        "halo_bytes": float(
            sum((2 if dim > 2 else 1) * face for dim, face in zip(dims, faces, strict=True) if dim > 1)
        ),
    }


def most_cubic(ranks: int) -> tuple[int, int, int]:
    if ranks < 1:
        raise BadInput(f"{ranks} ranks: at least one is needed.")
    grids = [
        (ranks // (a * b), b, a)
        for a in range(1, ranks + 1)
        if ranks % a == 0
        for b in range(a, ranks // a + 1)
        if ranks // a % b == 0 and ranks // (a * b) >= b
    ]
    return min(grids, key=lambda dims: dims[0] - dims[2])
