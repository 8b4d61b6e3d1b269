# SPDX-License-Identifier: BSD-3-Clause
"""Collectives that an adapter executes by task lists (Graham et al. 2011), and how much of them can be hidden, as their
benchmarks define it."""

import json
from collections.abc import Callable

from weft.bad_input import BadInput
from weft.bench.overlap_formulas import TOLERANCE, percent, polling_based
from weft.core import _core, make_call, polite
from weft.reproduce.programs import Metrics, nodes_of
from weft.simulation import Collective, Conditions, MovedBy, Simulated, Step, simulate

SLICES = 10  # of work, in the time that an operation takes alone
REST = 0.1  # of a slice
HALVINGS = 12
TESTS = ("wait-based", "polling-based")


def offload(
    *,
    machine: str,
    collective: str,
    ranks: int,
    bytes: int = 0,
    algorithm: str,
    radix: int | None = None,
    moved_by: str = "adapter",
    by_rounds: bool = False,
    ranks_per_node: int = 1,
    sockets: int = 1,
    poll_ns: float = 100.0,
    test: str = "wait-based",
) -> Metrics:
    """Flat lists go over the adapter inside nodes as well, at a network's costs.

    latency_us: start and wait, the slowest rank; available_percent: of the operation's time for work, by the test that
    is asked for, wait-based or polling-based, as bench/overlap defines them, with a look of poll_ns after each slice
    where the adapter moves; connections, sends, waits: of the list of the rank that has most, and of rank 0's
    """
    if test not in TESTS:
        raise BadInput(f"test {test}: choose one of {', '.join(TESTS)}.")
    ranks, bytes = int(ranks), int(bytes)
    mover = MovedBy(moved_by)
    options: dict[str, int | str] = {} if radix is None else {"radix": radix}
    operation = Collective(
        collective=collective, ranks=ranks, bytes=bytes, algorithm=algorithm, options=options, by_rounds=by_rounds
    )
    topology = nodes_of(ranks, min(ranks_per_node, ranks), sockets if ranks >= ranks_per_node else 1)

    costs = machine.split(";")[0] if mover == MovedBy.adapter else machine

    def beside(work_us: float, every_us: float = 0.0) -> Simulated:
        steps: list[Step] = [("start", 0), ("compute", work_us), ("wait", 0)]
        conditions = Conditions(moved_by=mover, test_every_us=every_us)
        return simulate([operation], steps, machine=costs, topology=topology, conditions=conditions)

    pure_us = beside(0.0).finish_ns / 1000
    found = {"latency_us": pure_us}
    if test == "wait-based":
        found["available_percent"] = wait_based(beside, pure_us)
    else:
        found["available_percent"] = polled(beside, pure_us, poll_ns / 1000 if mover == MovedBy.adapter else None)
    return found | (counted(operation) if mover == MovedBy.adapter else {})


Beside = Callable[[float, float], Simulated]  # by the work, and what lies between tests


def wait_based(beside: Beside, pure_us: float) -> float:
    low, high = 0.0, TOLERANCE * pure_us
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        fits = beside(middle, 0.0).finish_ns <= 1000 * TOLERANCE * pure_us
        low, high = (middle, high) if fits else (low, middle)
    return percent(low / (TOLERANCE * pure_us))


def polled(beside: Beside, pure_us: float, poll_us: float | None) -> float:
    """poll_us: what a look costs that does nothing else; None: they are tests, which move the operation."""
    slice_us = pure_us / SLICES
    whole_us = slice_us + (poll_us or 0.0)

    def slices(count: int) -> Simulated:
        return beside(count * whole_us, slice_us if poll_us is None else 0.0)

    low, high = 0, 8 * SLICES  # not enough, and enough, that nothing is left for the wait but a look
    while high - low > 1:
        middle = (low + high) // 2
        enough = slices(middle).waited_ns.max() <= 1000 * max(poll_us or 0.0, REST * slice_us)
        low, high = (low, middle) if enough else (middle, high)
    return polling_based(high * slice_us, slices(high).finish_ns / 1000)


def counted(operation: Collective) -> Metrics:
    with polite():
        call = make_call(operation.collective, operation.ranks, operation.bytes, operation.root)
        radix = int(operation.options.get("radix", 2))
        lists = _core.build(call, str(operation.algorithm), radix=radix).task_lists()
    document = json.loads(lists.json())["task_lists"]
    tasks = [[task["kind"] for part in one["lists"] for task in part] for one in document]
    peers = [sum(queue.startswith("QP ") for queue in one["queues"]) for one in document]
    return {
        "connections": float(max(peers, default=0)),
        "sends": float(tasks[0].count("send")) if tasks else 0.0,
        "waits": float(tasks[0].count("wait")) if tasks else 0.0,
    }
