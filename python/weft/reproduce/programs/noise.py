# SPDX-License-Identifier: BSD-3-Clause
"""Computations, each followed by a collective, on processors that are taken away at times."""

from typing import Any

from weft.reproduce.programs import Metrics, nodes_of
from weft.simulation import Collective, Conditions, Noise, blocking, simulate


def noisy(
    *,
    machine: str,
    ranks: int,
    noise_hz: float,
    noise_us: float,
    compute_us: float = 1000.0,
    collective: str = "allreduce",
    algorithm: str | None = None,
    bytes: int = 8,
    ranks_per_node: int = 1,
    repetitions: int = 20,
    seed: int = 1,
) -> Metrics:
    """slowdown_percent: by how much longer it takes than without noise, of the slowest rank
    amplification: that by the share of time that noise takes: 1 if nobody waits for another's
    """
    operation = Collective(collective=collective, ranks=int(ranks), bytes=int(bytes), algorithm=algorithm)
    given: dict[str, Any] = {
        "machine": machine,
        "topology": nodes_of(int(ranks), ranks_per_node),
        "repetitions": repetitions,
        "details": False,
    }
    steps = [("compute", compute_us), *blocking()]
    quiet = simulate([operation], steps, **given).finish_ns
    under = Conditions(noise=Noise(hertz=noise_hz, duration_us=noise_us), seed=seed)
    slowdown = simulate([operation], steps, conditions=under, **given).finish_ns / quiet - 1
    return {
        "slowdown_percent": 100 * slowdown,
        "amplification": slowdown / (noise_hz * noise_us / 1e6),
        "iteration_us": quiet / 1000 / repetitions,
    }
