# SPDX-License-Identifier: BSD-3-Clause
"""One collective, as benchmarks measure it: alone, behind a computation, and back to back."""

from typing import Any

from weft.reproduce.programs import Metrics, nodes_of
from weft.simulation import Collective, Conditions, MovedBy, Noise, blocking, overlapped, simulate


def given_options(**options: int | str | None) -> dict[str, int | str]:
    return {name: value for name, value in options.items() if value is not None}


def collective(
    *,
    machine: str,
    collective: str,
    ranks: int,
    bytes: int = 8,
    algorithm: str | None = None,
    hierarchy: str | None = None,
    ranks_per_node: int = 1,
    sockets: int = 1,
    moved_by: str = "host",
    by_rounds: bool = False,
    test_every_us: float = 0.0,
    compute_us: float | None = None,
    noise_hz: float = 0.0,
    noise_us: float = 0.0,
    skew_us: float = 0.0,
    slowest: float = 1.0,
    seed: int = 1,
    root: int = 0,
    radix: int | None = None,
    bcast_radix: int | None = None,
    fragment: int | None = None,
    leader: str | None = None,
) -> Metrics:
    """As NBCBench does it (Hoefler, Lumsdaine, Rehm 2007, section 4.1): first alone, then behind a computation that
    takes as long as it did, or compute_us.

    latency_us: of the call and the wait for it; start_us, wait_us: of each; the means over ranks
    overhead_us: of start, tests and wait beside the computation, the slowest rank's
    overlap_percent: 1 - overhead / latency of the slowest
    """
    operation = Collective(
        collective=collective,
        ranks=int(ranks),
        bytes=int(bytes),
        root=root,
        algorithm=algorithm,
        hierarchy=hierarchy,
        options=given_options(radix=radix, bcast_radix=bcast_radix, fragment=fragment, leader=leader),
        by_rounds=by_rounds,
    )
    given: dict[str, Any] = {"machine": machine, "topology": nodes_of(int(ranks), ranks_per_node, sockets)}

    def under(tests_us: float) -> Conditions:
        return Conditions(
            moved_by=MovedBy(moved_by),
            test_every_us=tests_us,
            noise=Noise(hertz=noise_hz, duration_us=noise_us),
            skew_us=skew_us,
            slowest=slowest,
            seed=seed,
        )

    alone = simulate([operation], blocking(), conditions=under(0.0), **given)
    own = alone.started_ns + alone.waited_ns
    work = own.max() / 1000 if compute_us is None else compute_us
    beside = simulate([operation], overlapped(0, compute_us=work), conditions=under(test_every_us), **given)
    # Tests stretch the computation: whatever it takes beyond the work is theirs.
    overhead = beside.started_ns + beside.waited_ns + beside.computed_ns - 1000 * work
    return {
        "latency_us": own.mean() / 1000,
        "start_us": alone.started_ns.mean() / 1000,
        "wait_us": alone.waited_ns.mean() / 1000,
        "overhead_us": overhead.max() / 1000,
        "overlap_percent": 100 * (1 - overhead.max() / own.max()),
        "total_us": beside.finish_ns / 1000,
    }


def loop(
    *,
    machine: str,
    collective: str,
    ranks: int,
    bytes: int = 8,
    algorithm: str | None = None,
    hierarchy: str | None = None,
    ranks_per_node: int = 1,
    sockets: int = 1,
    repetitions: int = 50,
    root: int = 0,
    radix: int | None = None,
    bcast_radix: int | None = None,
    fragment: int | None = None,
    leader: str | None = None,
) -> Metrics:
    """Blocking calls one after the other.

    loop_us: the time of all by their number, of the slowest rank; single_us: of one call
    """
    operation = Collective(
        collective=collective,
        ranks=int(ranks),
        bytes=int(bytes),
        root=root,
        algorithm=algorithm,
        hierarchy=hierarchy,
        options=given_options(radix=radix, bcast_radix=bcast_radix, fragment=fragment, leader=leader),
    )
    given: dict[str, Any] = {"machine": machine, "topology": nodes_of(int(ranks), ranks_per_node, sockets)}
    many = simulate([operation], blocking(), repetitions=repetitions, **given)
    one = simulate([operation], blocking(), **given)
    return {"loop_us": many.finish_ns / 1000 / repetitions, "single_us": one.finish_ns / 1000}
