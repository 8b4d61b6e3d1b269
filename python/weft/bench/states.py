# SPDX-License-Identifier: BSD-3-Clause
"""Which state the machine was in. In virtual machines two cores are near each other at one time and far at another
(40 or 290 ns per cache line), and that changes within seconds: contestants that met different states say nothing of
each other. A record that holds how long a line took before and after it tells them apart."""

from collections.abc import Sequence

from weft.bench.analysis import Record, grouped
from weft.compare import spread

FAR = 2.0  # times the line of a near state, and beyond
STATES = ("near", "far")
RARE = 0.1  # of the records: a state in which so few were measured is none
POINT = ("collective", "bytes", "method")
CONTESTANT = ("implementation", "mpi")


def lines(record: Record) -> list[float]:
    """Nanoseconds, as far as they are known."""
    return [record[name] for name in ("line_ns_before", "line_ns_after") if record.get(name) is not None]


def told_apart(records: Sequence[Record]) -> dict[str, list[Record]]:
    """The records of each state that the machine was in while so many ranks were measured; nothing if that was one,
    or is not known. A point that some contestants never measured in a state is not there: the others would be compared
    with nobody. What all measured of a point in the same round is a pair; of the rest, what each measured as its n-th.
    """
    found: dict[str, list[Record]] = {state: [] for state in STATES}
    for mine in grouped(records, "ranks").values():
        near = nearest(mine)
        states = [state_of(record, near) for record in mine]
        if min(states.count(state) for state in STATES) < RARE * len(mine):
            continue
        for wanted in STATES:
            met = complete([record for record, state in zip(mine, states, strict=True) if state == wanted], mine)
            found[wanted] += paired_again(met, 1 + max(record["pair"] for record in records))
    return {state: mine for state, mine in found.items() if mine}


def nearest(records: Sequence[Record]) -> float:
    """A line in the nearest state: a tenth of all took less."""
    values = sorted(line for record in records for line in lines(record))
    return values[len(values) // 10] if values else 0.0


def state_of(record: Record, near: float) -> str | None:
    """None if it is not known, or changed meanwhile."""
    states = ["far" if line >= FAR * near else "near" for line in lines(record)]
    return states[0] if states in (["near"] * 2, ["far"] * 2) else None


def complete(some: Sequence[Record], records: Sequence[Record]) -> list[Record]:
    """Of some of the records those of points that everybody has there who has them at all."""
    everybody = {key: set(grouped(point, *CONTESTANT)) for key, point in grouped(records, *POINT).items()}
    points = grouped(some, *POINT).items()
    return [one for key, point in points if set(grouped(point, *CONTESTANT)) == everybody[key] for one in point]


def paired_again(records: Sequence[Record], unused: int) -> list[Record]:
    """The rest of each point gets pairs from `unused` on."""
    found = []
    for point in grouped(records, *POINT).values():
        contestants = grouped(point, *CONTESTANT).values()
        common = set.intersection(*({record["pair"] for record in mine} for mine in contestants))
        for mine in contestants:
            found += [record for record in mine if record["pair"] in common]
            rest = [record for record in mine if record["pair"] not in common]
            found += [record | {"pair": unused + n} for n, record in enumerate(rest)]
    return found


def line_ns(records: Sequence[Record]) -> float:
    return spread([line for record in records for line in lines(record)]).median
