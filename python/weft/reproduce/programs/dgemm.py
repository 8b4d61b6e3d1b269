# SPDX-License-Identifier: BSD-3-Clause
"""A matrix product between the start of a reduction and the wait for it (Kandalla et al., section VI.B)."""

from weft.reproduce.programs import Metrics
from weft.reproduce.programs.reductions import Reduction
from weft.simulation import Conditions, Step, simulate


def dgemm(
    *,
    machine: str,
    n: float,
    ranks: int = 256,
    design: str = "none",
    ranks_per_node: int = 8,
    reduce_degree: int = 0,
    bcast_degree: int = 0,
    gflops: float,
    spread: float = 1.0,
    seed: int = 1,
) -> Metrics:
    """Each rank multiplies matrices of order n at `gflops`, or from 1 to `spread` times as long. Design none: without a
    reduction.

    gflops: of a rank, from start to the end of the wait, the mean over ranks
    overhead_us: beyond the rank's own product, the mean over ranks
    """
    work_us = 2 * n**3 / (1000 * gflops)
    given = Reduction(
        design="flat" if design == "none" else design,
        ranks=int(ranks),
        ranks_per_node=ranks_per_node,
        reduce_degree=reduce_degree,
        bcast_degree=bcast_degree,
    )
    product: list[Step] = [("compute", work_us)]
    result = simulate(
        given.operations,
        given.start(0) + product + given.wait(0),
        machine=machine,
        topology=given.topology,
        conditions=Conditions(spread=spread, seed=seed),
    )
    total = result.computed_ns if design == "none" else result.finished_ns
    return {
        "gflops": float((2 * n**3 / total).mean()),
        "overhead_us": float((total - result.computed_ns).mean()) / 1000,
        "spread_percent": 100 * float(result.computed_ns.max() / result.computed_ns.min() - 1),
    }
