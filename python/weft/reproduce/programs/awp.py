# SPDX-License-Identifier: BSD-3-Clause
"""Waves in the earth (AWP-ODC): velocities and stresses in turn, of several components each, on a grid of ranks that
exchange faces of two layers with six neighbours. The text on its redesign has no loop; this is a reconstruction:

    original     compute three velocities; exchange all their faces, and wait; the same for six stresses
    enhanced     of each component: wait for the faces that it needs (wait); compute it; open the windows of those that
                 nobody reads any more (post); say that the faces of the one before are there (complete); put its own,
                 as soon as the neighbours' windows are open (start, put)

What needs what is from the equations of elastic waves. In this order each put has a computation behind it. Posts and
completions are messages without data that the ranks send themselves; the faces the adapter moves without them.
"""

from weft.bad_input import BadInput
from weft.reproduce.programs import Metrics, nodes_of
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


# A component's operations: its faces, and what its neighbours say before and after.
PUT, POST, COMPLETION = (len(COMPONENTS) * kind for kind in range(3))


def enhanced(component_us: float, time_steps: int) -> list[Step]:
    steps: list[Step] = [("start", POST + one) for one in range(len(COMPONENTS))]
    put: list[int] = []  # and not completed yet
    completed: list[int] = []  # and not waited for yet

    def complete() -> None:
        for one in put:
            steps.extend([("wait", PUT + one), ("start", COMPLETION + one)])
        completed.extend(put)
        put.clear()

    def wait_for(components: list[int]) -> None:
        for one in components:
            completed.remove(one)
            steps.append(("wait", COMPLETION + one))

    for time_step in range(time_steps):
        for number, component in enumerate(COMPONENTS):
            needed = [COMPONENTS.index(one) for one in NEEDS[component]]
            wait_for([one for one in needed if one in completed])
            steps.append(("compute", component_us))
            # In the first time step all windows are open, and nobody has read a stress.
            if time_step > 0 or component in PHASES[1]:
                steps.extend(("start", POST + one) for one in last_read_by(component))
            complete()
            steps.extend([("wait", POST + number), ("start", PUT + number)])
            put.append(number)
    complete()
    wait_for(list(completed))
    # The windows that are open still: those of the velocities, which the last stresses have read.
    return steps + [("wait", POST + COMPONENTS.index(one)) for one in PHASES[0]]


def last_read_by(component: str) -> list[int]:
    """The components whose faces no later one in the same phase reads."""
    phase = next(phase for phase in PHASES if component in phase)
    later = phase[phase.index(component) + 1 :]
    return [COMPONENTS.index(one) for one in NEEDS[component] if not any(one in NEEDS[another] for another in later)]


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
    face = GHOST_LAYERS * edge * edge * VALUE_BYTES
    dims = most_cubic(ranks)
    mover = MovedBy.adapter if inside == "loop-back" else MovedBy.host
    faces = [Halo(dims=dims, bytes=(face, face, face), moved_by=mover) for _ in COMPONENTS]
    words = [Halo(dims=dims, bytes=(0, 0, 0), moved_by=MovedBy.host) for _ in 2 * COMPONENTS]
    result = simulate(
        faces if design == "original" else faces + words,
        DESIGNS[design](edge**3 * point_ns / 1000, time_steps),
        machine=machine,
        topology=nodes_of(ranks, ranks_per_node),
        conditions=Conditions(spread=spread, seed=seed),
    )
    total, computed = (float(times.mean()) / 1e6 / time_steps for times in (result.finished_ns, result.computed_ns))
    return {
        "step_ms": total,
        "computation_ms": computed,
        "communication_ms": total - computed,
        "communication_percent": 100 * (1 - computed / total),
    }
