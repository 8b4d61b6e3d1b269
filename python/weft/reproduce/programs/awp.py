# SPDX-License-Identifier: BSD-3-Clause
"""Waves in the earth (AWP-ODC): velocities and stresses in turn, of several components each, on a grid of ranks that
exchange faces of two layers with six neighbours. The text on its redesign has no loop; this is a reconstruction:

    original     compute three velocities; exchange all their faces, and wait; the same for six stresses
    enhanced     of each component: wait for those that it needs, compute, put its faces

What needs what is from the equations of elastic waves. In this order each transfer has a computation behind it.
"""

from weft.bad_input import BadInput
from weft.reproduce.programs import Metrics, nodes_of
from weft.reproduce.programs.adapters import with_shared_adapters
from weft.reproduce.programs.poisson import most_cubic
from weft.simulation import Conditions, Halo, MovedBy, Step, simulate

NEEDS = {
    "x": ("xx", "xy", "xz"),
    "y": ("xy", "yy", "yz"),
    "z": ("xz", "yz", "zz"),
    "xy": ("x", "y"),
    "xz": ("x", "z"),
    "xx": ("x", "y", "z"),
    "yy": ("x", "y", "z"),
    "yz": ("y", "z"),
    "zz": ("x", "y", "z"),
}
COMPONENTS = tuple(NEEDS)
PHASES = (COMPONENTS[:3], COMPONENTS[3:])
GHOST_LAYERS, VALUE_BYTES = 2, 4


def original(component_us: float, time_steps: int) -> list[Step]:
    steps: list[Step] = []
    for phase in PHASES:
        exchanges = [COMPONENTS.index(component) for component in phase]
        steps += [("compute", component_us)] * len(phase)
        steps += [("start", one) for one in exchanges] + [("wait", one) for one in exchanges]
    return steps * time_steps


def enhanced(component_us: float, time_steps: int) -> list[Step]:
    steps: list[Step] = []
    under_way: list[str] = []

    def wait_for(components: tuple[str, ...]) -> None:
        for one in [one for one in under_way if one in components]:
            under_way.remove(one)
            steps.append(("wait", COMPONENTS.index(one)))

    for component in COMPONENTS * time_steps:
        wait_for(NEEDS[component])
        steps.extend([("compute", component_us), ("start", COMPONENTS.index(component))])
        under_way.append(component)
    wait_for(COMPONENTS)
    return steps


DESIGNS = {"original": original, "enhanced": enhanced}


def awp(
    *,
    machine: str,
    design: str,
    ranks: float,
    ranks_per_node: int,
    inside: str,
    point_ns: float,
    edge: int = 128,
    time_steps: int = 5,
    spread: float = 1.0,
    seed: int = 1,
) -> Metrics:
    """edge^3 points on each rank; point_ns: of one point of one component. Inside a node faces go through its memory,
    copied by processors, or over the adapter's loop-back, which its ranks share.

    step_ms: a time step; computation_ms, communication_ms: within it, the means over ranks; communication_percent
    """
    if design not in DESIGNS or inside not in ("memory", "loop-back"):
        raise BadInput(f"{design}, {inside}: choose original or enhanced, and memory or loop-back.")
    ranks = int(ranks)
    is_looped = inside == "loop-back"
    face = GHOST_LAYERS * edge * edge * VALUE_BYTES
    result = simulate(
        [Halo(dims=most_cubic(ranks), bytes=(face, face, face)) for _ in COMPONENTS],
        DESIGNS[design](edge**3 * point_ns / 1000, time_steps),
        machine=with_shared_adapters(machine, ranks_per_node),
        topology=None if is_looped else nodes_of(ranks, ranks_per_node),
        conditions=Conditions(
            moved_by=MovedBy.adapter if is_looped else MovedBy.host,
            spread=spread,
            seed=seed,
        ),
    )
    total, computed = (float(times.mean()) / 1e6 / time_steps for times in (result.finished_ns, result.computed_ns))
    return {
        "step_ms": total,
        "computation_ms": computed,
        "communication_ms": total - computed,
        "communication_percent": 100 * (1 - computed / total),
    }
