# SPDX-License-Identifier: BSD-3-Clause
"""Conjugate gradients with a diagonal preconditioner on a 27-point Laplacian, as Kandalla et al. (IPDPS 2012,
section V) have them: three reductions in each iteration, a product with the matrix behind an exchange of faces.

    algorithm 1     s = Ap  SDOTP  x  r  s = C^-1 r  GAMMA  I_PROD  p
    algorithm 2     w = L^-1 t  p  s = Ap  SDOTP  x  r  I_PROD  t = L^-1 r  GAMMA
    overlap         <GAMMA  w = L^-1 t  GAMMA>  p  s = Ap  <SDOTP  x  SDOTP>  r  <I_PROD  t = L^-1 r  I_PROD>

In capitals: what all ranks sum up, of which each has the local part before; < starts it, > has waited for it. An
iteration of overlap begins here where GAMMA is started, so that each has its end in the same one.
"""

import random
from dataclasses import dataclass

from weft.bad_input import BadInput
from weft.reproduce.programs import Metrics
from weft.reproduce.programs.poisson import most_cubic
from weft.reproduce.programs.reductions import Reduction
from weft.simulation import Conditions, Halo, Noise, Simulated, Step, simulate

UNKNOWNS = 60**3  # of a rank in table I, from which the times are: ms of one call, the mean over ranks
MATVEC = {"1": 41.77, "2": 42.37}
PRECONDITIONER = {"1": 7.74, "2": 1.89}
AXPY, SCALE = 1.35, 1.02
# Assumed: what i_prod took, 1.25 ms with its reduction, less that and some waiting; the same for those of two vectors.
LOCAL_DOT = 1.1
ITERATIONS, ITERATIONS_RANKS = 951, 256  # of the same table

HALO = 0
MOST_TRACED = 64  # ranks whose waits are told apart
DOTS = ("sdotp", "gamma", "iprod")


def random_noise(hertz: float, duration_us: float, seed: int) -> Noise:
    """So often on average, at random times, never twice at once; 5 s of it, over and over."""
    if hertz == 0 or duration_us == 0:
        return Noise()
    between_us = 1e6 / hertz - duration_us
    if between_us <= 0:
        raise BadInput(f"noise of {duration_us:g} us at {hertz:g} Hz: it has to leave some time.")
    drawn, length_us, at, trace = random.Random(seed), 5e6, 0.0, []
    while (at := at + drawn.expovariate(1 / between_us)) + duration_us < length_us:
        trace.append((at, duration_us))
        at += duration_us
    return Noise(trace=tuple(trace), length_us=length_us)


@dataclass(frozen=True)
class Kernels:
    """us of each call, of the fastest rank."""

    matvec: float
    preconditioner: float
    axpy: float
    p: float  # its update: a scale and an axpy
    dot: float

    @staticmethod
    def of(algorithm: str, unknowns: float, spread: float) -> "Kernels":
        kind = "1" if algorithm == "1" else "2"
        unit = 1000 * unknowns / UNKNOWNS / ((1 + spread) / 2)
        times = (MATVEC[kind], PRECONDITIONER[kind], AXPY, SCALE + AXPY, LOCAL_DOT)
        return Kernels(*(unit * time for time in times))


def iteration(algorithm: str, kernels: Kernels, reduction: Reduction) -> list[Step]:
    """With the exchange of faces as operation 0, and those of sdotp, gamma, i_prod after it."""
    count = len(reduction.operations)
    first = {dot: 1 + count * i for i, dot in enumerate(DOTS)}

    def work(us: float) -> list[Step]:
        return [("compute", us)]

    def summed(dot: str, behind: float = 0.0) -> list[Step]:
        between = work(behind) if behind else []
        return reduction.start(first[dot]) + between + reduction.wait(first[dot])

    local = work(kernels.dot)
    product: list[Step] = [("start", HALO), *work(kernels.matvec), ("wait", HALO), *local]
    axpy, p, preconditioner = work(kernels.axpy), work(kernels.p), work(kernels.preconditioner)
    if algorithm == "1":
        return [
            *(product + summed("sdotp") + axpy + axpy),
            *(preconditioner + local + summed("gamma") + local + summed("iprod") + p),
        ]
    if algorithm == "2":
        return [
            *(preconditioner + p + product + summed("sdotp") + axpy + axpy + local + summed("iprod")),
            *(preconditioner + local + summed("gamma")),
        ]
    if algorithm == "overlap":
        return [
            *(summed("gamma", kernels.preconditioner) + p + product + summed("sdotp", kernels.axpy)),
            *(axpy + local + summed("iprod", kernels.preconditioner) + local),
        ]
    raise BadInput(f"conjugate gradients by algorithm {algorithm}: choose 1, 2 or overlap.")


def waits_ms(result: Simulated, ranks: int, iterations: int, operations: int) -> dict[str, float]:
    """In waits for the halo and for each sum, per iteration, the mean over the ranks that were traced."""
    names = ["halo"] + [dot for dot in DOTS for _ in range(operations)]
    sums = dict.fromkeys(names, 0.0)
    for bar in result.bars:
        if bar.kind == "wait":
            sums[names[bar.operation]] += bar.end_ns - bar.begin_ns
    return {name: total / 1e6 / ranks / iterations for name, total in sums.items()}


def pcg(
    *,
    machine: str,
    algorithm: str,
    ranks: float,
    n: float,
    design: str = "blocking",
    ranks_per_node: int = 8,
    reduce_degree: int = 0,
    bcast_degree: int = 0,
    spread: float = 1.0,
    slowest: float = 1.0,
    noise_hz: float = 0.0,
    noise_us: float = 0.0,
    random_noise_times: bool = True,
    iterations: int = 20,
    traced: bool = False,
    seed: int = 1,
) -> Metrics:
    """n^3 unknowns on each rank. Some iterations are simulated; the whole has 951 of them at n = 60 on 256 ranks (table
    I), and as many times more as the whole grid is longer.

    seconds: of all iterations; iteration_ms
    degradation_percent: how much longer it takes than without noise
    if traced: sdotp_ms, gamma_ms, iprod_ms: local part and waiting for the sum, per iteration; wait_ms: waiting of the
    three; allreduce_percent, waitall_percent, compute_percent: of the time, in sums, halos and computations
    """
    ranks, count = int(ranks), int(iterations)
    reduction = Reduction(
        design=design,
        ranks=ranks,
        ranks_per_node=ranks_per_node,
        reduce_degree=reduce_degree,
        bcast_degree=bcast_degree,
    )
    kernels = Kernels.of(algorithm, n**3, max(spread, slowest))
    face = 8 * int(n) ** 2
    operations = [Halo(dims=most_cubic(ranks), bytes=(face, face, face)), *(3 * reduction.operations)]
    steps = iteration(algorithm, kernels, reduction)

    def run(noise: Noise, traced_ranks: int) -> Simulated:
        return simulate(
            operations,
            steps,
            machine=machine,
            topology=reduction.topology,
            conditions=Conditions(spread=spread, slowest=slowest, noise=noise, seed=seed),
            repetitions=count,
            traced_ranks=traced_ranks,
        )

    regular = Noise(hertz=noise_hz, duration_us=noise_us)
    noise = random_noise(noise_hz, noise_us, seed) if random_noise_times else regular
    traced_ranks = min(ranks, MOST_TRACED) if traced else 0
    result = run(noise, traced_ranks)
    iteration_ms = result.finish_ns / 1e6 / count
    whole = ITERATIONS * n / 60 * (ranks / ITERATIONS_RANKS) ** (1 / 3)
    metrics = {"seconds": whole * iteration_ms / 1000, "iteration_ms": iteration_ms}
    if noise_hz and noise_us:
        metrics["degradation_percent"] = 100 * (result.finish_ns / run(Noise(), 0).finish_ns - 1)
    if traced:
        waits = waits_ms(result, traced_ranks, count, len(reduction.operations))
        total = float(result.finished_ns.mean()) / 1e6 / count
        computed = float(result.computed_ns.mean()) / 1e6 / count
        local = kernels.dot / 1000 * (1 + spread) / 2
        metrics |= {f"{dot}_ms": local + waits[dot] for dot in DOTS}
        metrics["wait_ms"] = sum(waits[dot] for dot in DOTS)
        metrics |= {
            "allreduce_percent": 100 * (total - computed - waits["halo"]) / total,
            "waitall_percent": 100 * waits["halo"] / total,
            "compute_percent": 100 * computed / total,
        }
    return metrics
