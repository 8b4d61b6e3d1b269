# SPDX-License-Identifier: BSD-3-Clause
"""A three-dimensional Fourier transform of several variables on a grid of ranks whose rows are nodes: of each variable
x, a transpose along the row, y, a transpose along the column, z. Pipelined, the column's transpose of one is under
way while the next one is transformed in x and y (the co-design paper on P3DFFT, figure 2)."""

from math import log2

from weft.bad_input import BadInput
from weft.reproduce.programs import Metrics, nodes_of
from weft.simulation import Collective, Conditions, MovedBy, Step, blocking, simulate

ROW, COLUMN = 0, 1  # and COLUMN + 1: two are under way at once


def transform_steps(variables: int, dimension_us: float, *, is_pipelined: bool) -> list[Step]:
    def column(variable: int) -> int:
        return COLUMN + variable % 2

    work: Step = ("compute", dimension_us)
    steps: list[Step] = []
    for variable in range(variables):
        steps += [work, *blocking(ROW), work, ("start", column(variable))]
        if not is_pipelined:
            steps += [("wait", column(variable)), work]
        elif variable > 0:
            steps += [("wait", column(variable - 1)), work]
    return [*steps, ("wait", column(variables - 1)), work] if is_pipelined else steps


def p3dfft(
    *,
    machine: str,
    n: float,
    design: str,
    ranks: int = 128,
    ranks_per_node: int = 8,
    variables: int,
    point_bytes: int,
    gflops: float,
    spread: float = 1.0,
    seed: int = 1,
) -> Metrics:
    """One forward transform of n^3 points of each variable. Design: blocking, or pipelined and moved by the host (in
    calls alone) or the adapter. Real input: 2.5 n log2 n operations along each line.

    seconds: of the last rank; communication_percent: of a rank's time, outside computations
    """
    if design not in ("blocking", "host", "adapter"):
        raise BadInput(f"a transform of design {design}: choose blocking, host or adapter.")
    points = n**3 / ranks

    def transpose(layout: str, members: int, moved_by: MovedBy) -> Collective:
        return Collective(
            collective="alltoall",
            ranks=ranks,
            bytes=int(points * point_bytes / members) // 8 * 8,
            algorithm="pairwise",
            moved_by=moved_by,
            layout=layout,
            layout_size=ranks_per_node,
        )

    mover = MovedBy.adapter if design == "adapter" else MovedBy.host
    columns = [transpose("columns", ranks // ranks_per_node, mover) for _ in range(2 if variables > 1 else 1)]
    result = simulate(
        [transpose("blocks", ranks_per_node, MovedBy.host), *columns],
        transform_steps(variables, points * 2.5 * log2(n) / (1000 * gflops), is_pipelined=design != "blocking"),
        machine=machine,
        topology=nodes_of(ranks, ranks_per_node),
        conditions=Conditions(spread=spread, seed=seed),
    )
    return {
        "seconds": result.finish_ns / 1e9,
        "communication_percent": 100 * float((1 - result.computed_ns / result.finished_ns).mean()),
    }
