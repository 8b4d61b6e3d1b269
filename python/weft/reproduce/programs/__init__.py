# SPDX-License-Identifier: BSD-3-Clause
"""What studies simulate. A program is a function with keyword parameters, of which `machine` is one, that returns its
metrics by name: times in us, shares in percent."""

import importlib
import inspect
from collections.abc import Callable
from typing import Any

from weft.bad_input import BadInput

Metrics = dict[str, float]
Program = Callable[..., Metrics]

# program -> the module that has a function of that name
PROGRAMS = {
    "collective": "weft.reproduce.programs.collective",
    "loop": "weft.reproduce.programs.collective",
    "nbcbench": "weft.reproduce.programs.nbcbench",
    "compression": "weft.reproduce.programs.compression",
    "fft_planes": "weft.reproduce.programs.fft_planes",
    "poisson": "weft.reproduce.programs.poisson",
    "offload": "weft.reproduce.programs.offload",
    "library_loop": "weft.reproduce.programs.libraries",
    "levels": "weft.reproduce.programs.levels",
    "once": "weft.reproduce.programs.levels",
    "noisy": "weft.reproduce.programs.noise",
    "poisson_1d": "weft.reproduce.programs.poisson_1d",
    "iallreduce": "weft.reproduce.programs.reductions",
    "dgemm": "weft.reproduce.programs.dgemm",
    "pcg": "weft.reproduce.programs.pcg",
    "p3dfft": "weft.reproduce.programs.p3dfft",
    "awp": "weft.reproduce.programs.awp",
}


def program(name: str) -> Program:
    if name not in PROGRAMS:
        raise BadInput(f"there is no program {name}: choose one of {', '.join(PROGRAMS)}.")
    found: Program = getattr(importlib.import_module(PROGRAMS[name]), name)
    return found


def run(name: str, parameters: dict[str, Any]) -> Metrics:
    """Raises BadInput for parameters that the program does not have, or that are missing."""
    chosen = program(name)
    known = inspect.signature(chosen).parameters
    for key in parameters:
        if key not in known:
            raise BadInput(f"the program {name} has no {key}; it has {', '.join(known)}.")
    for key, parameter in known.items():
        if parameter.default is inspect.Parameter.empty and key not in parameters:
            raise BadInput(f"the program {name} needs {key}.")
    return chosen(**parameters)


def with_cost(machine: str, name: str, value: float) -> str:
    """A machine whose network has another cost."""
    model, _, rest = machine.partition(":")
    network, *levels = rest.split(";")
    kept = [item for item in network.split(",") if item and item.partition("=")[0] != name]
    return ";".join([f"{model}:{','.join([*kept, f'{name}={value:.12g}'])}", *levels])


def nodes_of(ranks: int, ranks_per_node: int, sockets: int = 1) -> str | None:
    """The topology of full nodes; none if each rank has a node of its own."""
    if ranks_per_node == 1:
        return None
    if ranks % ranks_per_node or ranks_per_node % sockets:
        raise BadInput(f"{ranks} ranks, {ranks_per_node} on a node with {sockets} sockets: choose multiples.")
    inner = f"socket:{sockets} core:{ranks_per_node // sockets}" if sockets > 1 else f"core:{ranks_per_node}"
    return f"node:{ranks // ranks_per_node} {inner}"
