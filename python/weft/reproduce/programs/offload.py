# SPDX-License-Identifier: BSD-3-Clause
"""Collectives that an adapter executes by task lists (Graham et al. 2011), and how much of them can be hidden, as their
benchmarks define it."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from weft.bad_input import BadInput
from weft.bench.overlap_formulas import TOLERANCE, percent, polling_based
from weft.core import _core, make_call, polite
from weft.reproduce.programs import Metrics, nodes_of
from weft.simulation import Collective, Conditions, MovedBy, blocking, overlapped, simulate

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
    radix: int = 2,
    moved_by: str = "adapter",
    in_node: str | None = None,
    ranks_per_node: int = 1,
    sockets: int = 1,
    poll_ns: float = 100.0,
    test: str = "wait-based",
    behind_work: bool = False,
) -> Metrics:
    """Of all ranks, or, with the algorithm of a step inside nodes, hierarchical: that step by the hosts, within the
    start (barriers), the algorithm between the first ranks of nodes, and again the step, within the wait. Flat lists
    go over the adapter inside nodes as well, at a network's costs.

    latency_us: start and wait, the slowest rank; behind work, what it adds to a computation that takes as long as that;
    available_percent: of the operation's time for work, by the test that
    is asked for, wait-based or polling-based, as bench/overlap defines them, with a look of poll_ns after each slice
    where the adapter moves; connections, sends, waits: of the list of the rank that has most, and of rank 0's
    """
    if test not in TESTS:
        raise BadInput(f"test {test}: choose one of {', '.join(TESTS)}.")
    ranks, bytes, mover = int(ranks), int(bytes), MovedBy(moved_by)
    own_node = min(ranks_per_node, ranks)
    topology = nodes_of(ranks, own_node, sockets if own_node == ranks_per_node else 1)
    # What moves while ranks compute.
    moved = Collective(
        collective=collective,
        ranks=ranks,
        bytes=bytes,
        algorithm=algorithm,
        options={"radix": radix},
        layout="leaders" if in_node else "all",
        layout_size=own_node if in_node else 1,
    )
    costs = machine.split(";")[0] if mover == MovedBy.adapter else machine
    after_us = 0.0
    if in_node and own_node > 1:
        step = Collective(
            collective=collective,
            ranks=ranks,
            bytes=bytes,
            algorithm=in_node,
            layout="blocks",
            layout_size=own_node,
        )
        after_us = simulate([step], blocking(), machine=machine, topology=topology).finish_ns / 1000
    before_us = after_us if collective == "barrier" else 0.0

    def beside(work_us: float, every_us: float) -> Took:
        conditions = Conditions(moved_by=mover, test_every_us=every_us)
        steps = overlapped(0, compute_us=work_us)
        done = simulate([moved], steps, machine=costs, topology=topology, conditions=conditions)
        return Took(before_us + done.finish_ns / 1000 + after_us, done.waited_ns.max() / 1000)

    pure_us = beside(0.0, 0.0).total_us
    if pure_us == 0:
        available = 0.0
    elif test == "wait-based":
        available = wait_based(beside, pure_us)
    else:
        available = polled(beside, pure_us, poll_ns / 1000 if mover == MovedBy.adapter else None)
    latency_us = beside(pure_us, 0.0).total_us - pure_us if behind_work else pure_us
    found = {"latency_us": latency_us, "available_percent": available}
    return found | (counted(moved) if mover == MovedBy.adapter else {})


@dataclass(frozen=True)
class Took:
    total_us: float
    waited_us: float  # for what moves by itself, the slowest rank


Beside = Callable[[float, float], Took]  # by the work, and what lies between tests


def wait_based(beside: Beside, pure_us: float) -> float:
    low, high = 0.0, TOLERANCE * pure_us
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        fits = beside(middle, 0.0).total_us <= TOLERANCE * pure_us
        low, high = (middle, high) if fits else (low, middle)
    return percent(low / (TOLERANCE * pure_us))


def polled(beside: Beside, pure_us: float, poll_us: float | None) -> float:
    """poll_us: what a look costs that does nothing else; None: they are tests, which move the operation."""
    slice_us = pure_us / SLICES
    whole_us = slice_us + (poll_us or 0.0)

    def slices(count: int) -> Took:
        return beside(count * whole_us, slice_us if poll_us is None else 0.0)

    low, high = 0, 8 * SLICES  # not enough, and enough, that nothing is left for the wait but a look
    while high - low > 1:
        middle = (low + high) // 2
        enough = slices(middle).waited_us <= max(poll_us or 0.0, REST * slice_us)
        low, high = (low, middle) if enough else (middle, high)
    return polling_based(high * slice_us, slices(high).total_us)


def counted(operation: Collective) -> Metrics:
    with polite():
        call = make_call(operation.collective, operation.members, operation.bytes, operation.root)
        lists = _core.build(call, str(operation.algorithm), radix=int(operation.options["radix"])).task_lists()
    document = json.loads(lists.json())["task_lists"]
    tasks = [[task["kind"] for part in one["lists"] for task in part] for one in document]
    peers = [sum(queue.startswith("QP ") for queue in one["queues"]) for one in document]
    return {
        "connections": float(max(peers)),
        "sends": float(tasks[0].count("send")),
        "waits": float(tasks[0].count("wait")),
    }
