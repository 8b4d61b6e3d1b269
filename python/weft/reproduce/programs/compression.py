# SPDX-License-Identifier: BSD-3-Clause
"""Compression on all ranks, gathered (Hoefler, Lumsdaine, Rehm 2007, section 5.1)."""

from weft.bad_input import BadInput
from weft.reproduce.programs import Metrics, nodes_of
from weft.simulation import Collective, Conditions, Step, simulate


def compression(
    *,
    machine: str,
    ranks: int,
    input_bytes: float,
    alone_seconds: float,
    blocks: int = 1,
    outstanding: int = 0,
    algorithm: str = "linear",
    tests_per_block: int = 0,
    nodes: int | None = None,
    slowest: float = 1.0,
    seed: int = 1,
) -> Metrics:
    """Each rank compresses its share, in so many blocks, on a node of its own while there are nodes. outstanding = 0:
    MPI_Gather after each block; else MPI_Igather, by rounds, with so many on their way while the next block is
    compressed. What comes out is as long as what goes in, as of random data.

    total_us; speedup: over one rank, which gathers nothing; gain_percent: of the time that one blocking gather at the
    end takes; hidden_percent: at most, the share of a blocking run that is no compression
    """
    ranks, blocks, outstanding = int(ranks), int(blocks), int(outstanding)
    if blocks < 1 or outstanding < 0 or outstanding > blocks:
        raise BadInput(f"{blocks} blocks, {outstanding} outstanding: at least one block, at most all outstanding.")
    work_us = 1e6 * alone_seconds / ranks
    topology = nodes_of(ranks, -(-ranks // nodes)) if nodes else None

    def total_of(blocks: int, outstanding: int) -> float:
        if ranks == 1:
            return work_us
        one = int(input_bytes / ranks / blocks)
        gathers = [
            Collective(collective="gather", ranks=ranks, bytes=one, algorithm=algorithm, by_rounds=outstanding > 0)
            for _ in range(max(outstanding, 1))
        ]
        every_us = work_us / blocks / tests_per_block if outstanding and tests_per_block else 0.0
        conditions = Conditions(test_every_us=every_us, slowest=slowest, seed=seed)
        steps = pipeline(blocks, outstanding, work_us / blocks)
        done = simulate(gathers, steps, machine=machine, topology=topology, conditions=conditions)
        return done.finish_ns / 1000

    base_us, total_us = total_of(1, 0), total_of(blocks, outstanding)
    return {
        "total_us": total_us,
        "speedup": 1e6 * alone_seconds / total_us,
        "gain_percent": 100 * (base_us - total_us) / base_us,
        "hidden_percent": 100 * max(base_us - work_us * slowest, 0) / base_us,
    }


def pipeline(blocks: int, outstanding: int, block_us: float, first: int = 0) -> list[Step]:
    """Compute a block, start its operation; before a slot is used again, wait for what is in it. With none
    outstanding each is waited for at once."""
    steps: list[Step] = []
    slots = max(outstanding, 1)
    for block in range(blocks):
        steps.append(("compute", block_us))
        if outstanding and block >= slots:
            steps.append(("wait", first + block % slots))
        steps.append(("start", first + block % slots))
        if not outstanding:
            steps.append(("wait", first))
    if outstanding:
        steps += [("wait", first + block % slots) for block in range(max(blocks - slots, 0), blocks)]
    return steps
