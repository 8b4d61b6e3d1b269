# SPDX-License-Identifier: BSD-3-Clause
"""Conjugate gradients on a line of points, each rank as many (Cheetah, section VII.A.2).

    repeat
      exchange one point with either neighbour
      w = A p                       one third of the computation
      allreduce (p, w)
      x, r                          one third
      allreduce (r, r)
      p                             one third
      reduce the norm, to report it; so often as it is asked for

The paper says neither how many reductions an iteration has, nor which are Reduce: these are the textbook's two, and a
third for whoever prints.
"""

from typing import Any

from weft.reproduce.programs import Metrics, nodes_of
from weft.simulation import Collective, Halo, Step, blocking, simulate


def poisson_1d(
    *,
    machine: str,
    ranks: int,
    points: int,
    allreduce: str,
    reduce: str,
    hierarchy: str | None = None,
    ranks_per_node: int = 16,
    sockets: int = 1,
    ns_per_point: float = 3.0,
    reduces: int = 1,
    iterations: int = 20,
) -> Metrics:
    """`points` of each rank; `allreduce`, `reduce`: the algorithms of these.

    iteration_us: of the slowest rank; reductions_percent: what reductions take of that, the rest being computation
    and neighbours
    """

    def reduction(collective: str, algorithm: str) -> Collective:
        levels = hierarchy if algorithm == "hierarchical" else None
        return Collective(collective=collective, ranks=int(ranks), bytes=8, algorithm=algorithm, hierarchy=levels)

    operations: list[Collective | Halo] = [
        Halo(dims=(int(ranks),), bytes=(8,)),
        reduction("allreduce", allreduce),
        reduction("reduce", reduce),
    ]
    third: Step = ("compute", points * ns_per_point / 3000)
    dot = blocking(1)
    given: dict[str, Any] = {
        "machine": machine,
        "topology": nodes_of(int(ranks), ranks_per_node, sockets),
        "repetitions": iterations,
    }
    neighbours = [*blocking(0), third]
    whole = simulate(operations, [*neighbours, *dot, third, *dot, third, *(blocking(2) * reduces)], **given)
    alone = simulate(operations[:1], [*neighbours, third, third], **given)
    return {
        "iteration_us": whole.finish_ns / 1000 / iterations,
        "reductions_percent": 100 * (1 - alone.finish_ns / whole.finish_ns),
    }
