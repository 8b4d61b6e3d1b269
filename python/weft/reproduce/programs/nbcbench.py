# SPDX-License-Identifier: BSD-3-Clause
"""NBCBench (Hoefler, Lumsdaine, Rehm 2007, section 4): an operation that the host moves by tests, each of which looks
at all requests that are out."""

from collections import Counter

from weft.core import _core, make_call, polite
from weft.reproduce.programs import Metrics, with_cost
from weft.reproduce.programs.collective import collective as measured


def nbcbench(
    *,
    machine: str,
    collective: str,
    ranks: int,
    bytes: int,
    algorithm: str,
    by_rounds: bool = True,
    test_ns: float = 0.0,
    request_ns: float = 0.0,
    tests: int = 0,
    bytes_per_test: float = 0.0,
    without_tests: bool = False,
    blocking: bool = False,
) -> Metrics:
    """As the program `collective`, behind a computation that takes as long as the slowest rank alone, with so many
    tests, or one for each bytes_per_test that a rank sends or receives; or without any, however many are asked for. A
    test costs test_ns, and request_ns for each request that is out, on the mean of the busiest rank's rounds. Blocking:
    nothing of it is beside the computation.

    requests: out at a time, at most, of a rank's; rounds; test_us: one test's cost; tests: how many
    """
    ranks, bytes = int(ranks), int(bytes)
    outstanding, moved = counted(collective, ranks, bytes, algorithm, by_rounds)
    mean = sum(outstanding) / max(len(outstanding), 1)
    cost_ns = test_ns + request_ns * mean
    costs = with_cost(machine, "test", cost_ns)
    given = {"machine": costs, "collective": collective, "ranks": ranks, "bytes": bytes, "algorithm": algorithm}
    alone_us = measured(**given, by_rounds=by_rounds, compute_us=0.0)["total_us"]
    count = max(moved / bytes_per_test, 1.0) if bytes_per_test else float(tests)
    count = 0.0 if without_tests or blocking else count
    every_us = alone_us / (count + 0.5) if count else 0.0  # none at the end, where the wait is
    metrics = measured(**given, by_rounds=by_rounds, test_every_us=every_us)
    if blocking:
        metrics |= {"overhead_us": alone_us, "overlap_percent": 0.0, "total_us": 2 * alone_us}
    return metrics | {
        "requests": max(outstanding, default=0),
        "rounds": len(outstanding),
        "test_us": cost_ns / 1000,
        "tests": count,
    }


def counted(collective: str, ranks: int, bytes: int, algorithm: str, by_rounds: bool = True) -> tuple[list[int], int]:
    """By round, the requests of the rank that has most in all; and the bytes that it sends and receives."""
    with polite():
        trace = _core.build(make_call(collective, ranks, bytes), algorithm, by_rounds=by_rounds).trace()
    requests: list[Counter[int]] = []
    moved: Counter[int] = Counter()
    for one in trace.rounds:
        ends = [end for message in one.messages for end in (message.sender, message.receiver)]
        requests.append(Counter(ends))
        for message in one.messages:
            moved[message.sender] += message.bytes
            moved[message.receiver] += message.bytes
    busiest = max(range(ranks), key=lambda rank: sum(count[rank] for count in requests))
    return [count[busiest] for count in requests], moved[busiest]
