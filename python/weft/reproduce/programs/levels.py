# SPDX-License-Identifier: BSD-3-Clause
"""A collective over two levels as three operations: within nodes, between their first ranks, within nodes.

What the hierarchical schedules do with a leader that is fixed, at a cost that lets a million ranks be simulated within
seconds: schedules of one node and of the leaders, instead of one for each rank of the whole.
"""

from typing import Any

from weft.bad_input import BadInput
from weft.reproduce.programs import Metrics, nodes_of
from weft.simulation import Collective, Step, blocking, simulate

# collective -> of each of the three operations: collective, algorithm
PARTS = {
    "allreduce": (("reduce", "fan_in"), ("allreduce", "recursive_k_ing"), ("bcast", "fan_out")),
    "barrier": (("barrier", "exchange"), ("barrier", "dissemination"), ("barrier", "exchange")),
    "bcast": (None, ("bcast", "k_nomial"), ("bcast", "fan_out")),
    "reduce": (("reduce", "fan_in"), ("reduce", "n_ary_tree"), None),
}


def two_levels(*, collective: str, ranks: int, bytes: int, ranks_per_node: int, radix: int) -> list[Collective]:
    if collective not in PARTS:
        raise BadInput(f"{collective} over two levels: choose one of {', '.join(PARTS)}.")
    layouts = ("blocks", "leaders", "blocks")
    return [
        Collective(
            collective=part[0],
            algorithm=part[1],
            ranks=ranks,
            bytes=bytes,
            layout=layout,
            layout_size=ranks_per_node,
            options={"radix": radix} if layout == "leaders" else {},
        )
        for part, layout in zip(PARTS[collective], layouts, strict=True)
        if part is not None
    ]


def levels(
    *,
    machine: str,
    collective: str,
    ranks: int,
    ranks_per_node: int,
    bytes: int = 8,
    radix: int = 2,
    repetitions: int = 10,
) -> Metrics:
    """Blocking calls one after the other.

    loop_us: the time of all by their number, of the slowest rank; single_us: of one call
    """
    operations = two_levels(
        collective=collective, ranks=int(ranks), bytes=int(bytes), ranks_per_node=ranks_per_node, radix=radix
    )
    steps: list[Step] = [step for number in range(len(operations)) for step in blocking(number)]
    given: dict[str, Any] = {"machine": machine, "topology": nodes_of(int(ranks), ranks_per_node), "details": False}
    one = simulate(operations, steps, **given)
    many = simulate(operations, steps, repetitions=repetitions, **given) if repetitions > 1 else one
    return {"loop_us": many.finish_ns / 1000 / repetitions, "single_us": one.finish_ns / 1000}


def once(
    *,
    machine: str,
    collective: str,
    ranks: int,
    algorithm: str,
    ranks_per_node: int = 1,
    bytes: int = 8,
    radix: int = 2,
    repetitions: int = 1,
) -> Metrics:
    """One blocking call by an algorithm of one level, as `levels` has it."""
    call = Collective(
        collective=collective, ranks=int(ranks), bytes=int(bytes), algorithm=algorithm, options={"radix": radix}
    )
    topology = nodes_of(int(ranks), ranks_per_node)
    result = simulate([call], blocking(), machine=machine, topology=topology, repetitions=repetitions, details=False)
    return {"single_us": result.finish_ns / 1000 / repetitions}
