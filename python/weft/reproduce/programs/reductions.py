# SPDX-License-Identifier: BSD-3-Clause
"""Reductions of 8 bytes that the adapter executes, as Kandalla et al. (IPDPS 2012, section IV) design them.

    design           inside the start                    meanwhile               inside the wait
    blocking         reduce in the node, recursive
                     doubling of leaders, broadcast      -                       -
    flat             -                                   lists of all ranks      -
    two-level        reduce in the node, by the host     lists of the leaders    broadcast in the node, by the host

The lists are those of recursive doubling, or (`reduce_degree` and `bcast_degree`) of a tree up and one down. Ranks
without a part in the leaders' lists do not wait for these, but for their leader's broadcast.
"""

import json
from dataclasses import dataclass

from weft.bad_input import BadInput
from weft.core import _core, make_call, polite
from weft.reproduce.programs import Metrics, nodes_of
from weft.simulation import Collective, MovedBy, Simulated, Step, blocking, simulate

DESIGNS = ("blocking", "flat", "two-level")
BYTES = 8  # ConnectX-2 calculates with scalars


@dataclass(frozen=True, kw_only=True)
class Reduction:
    design: str
    ranks: int
    ranks_per_node: int
    reduce_degree: int = 0  # 0: recursive doubling
    bcast_degree: int = 0

    def __post_init__(self) -> None:
        if self.design not in DESIGNS:
            raise BadInput(f"a reduction of design {self.design}: choose {', '.join(DESIGNS)}.")
        if self.ranks % self.ranks_per_node or self.ranks == self.ranks_per_node:
            raise BadInput(f"{self.ranks} ranks, {self.ranks_per_node} on a node: choose two full nodes or more.")

    @property
    def is_flat(self) -> bool:
        return self.design == "flat"

    @property
    def topology(self) -> str | None:
        return nodes_of(self.ranks, self.ranks_per_node)

    @property
    def algorithm(self) -> str:
        return "k_nomial" if self.reduce_degree else "recursive_k_ing"

    @property
    def options(self) -> "dict[str, int | str]":
        if not self.reduce_degree:
            return {"radix": 2}
        return {"radix": self.reduce_degree, "bcast_radix": self.bcast_degree or self.reduce_degree}

    @property
    def across(self) -> Collective:
        """What goes from node to node, or, in the flat design, all of it."""
        return Collective(
            collective="allreduce",
            ranks=self.ranks,
            bytes=BYTES,
            algorithm=self.algorithm,
            options=self.options,
            moved_by=MovedBy.host if self.design == "blocking" else MovedBy.adapter,
            layout="all" if self.is_flat else "leaders",
            layout_size=1 if self.is_flat else self.ranks_per_node,
        )

    def in_node(self, collective: str, algorithm: str) -> Collective:
        return Collective(
            collective=collective,
            ranks=self.ranks,
            bytes=BYTES,
            algorithm=algorithm,
            moved_by=MovedBy.host,
            layout="blocks",
            layout_size=self.ranks_per_node,
        )

    @property
    def operations(self) -> list[Collective]:
        if self.is_flat:
            return [self.across]
        return [self.in_node("reduce", "fan_in"), self.across, self.in_node("bcast", "fan_out")]

    def start(self, first: int) -> list[Step]:
        """What the call does, if its operations have numbers from `first` on."""
        if self.is_flat:
            return [("start", first)]
        steps = [*blocking(first), ("start", first + 1)]
        return steps + self.end(first) if self.design == "blocking" else steps

    def wait(self, first: int) -> list[Step]:
        """What the wait for it does."""
        return [] if self.design == "blocking" else self.end(first)

    def end(self, first: int) -> list[Step]:
        return [("wait", first)] if self.is_flat else [("wait", first + 1), *blocking(first + 2)]

    def list_lengths(self) -> list[int]:
        """Tasks that each rank posts which has lists."""
        members = self.across.members
        with polite():
            built = _core.build(make_call("allreduce", members, BYTES), self.algorithm, **self.options)
            lists = json.loads(built.task_lists().json())["task_lists"]
        return [sum(len(part) for part in one["lists"]) for one in lists]


def own_ns(simulated: Simulated) -> float:
    """In calls, the mean over ranks."""
    return float((simulated.started_ns + simulated.waited_ns).mean())


def iallreduce(
    *,
    machine: str,
    ranks: int,
    design: str,
    ranks_per_node: int = 8,
    reduce_degree: int = 0,
    bcast_degree: int = 0,
    post_task_us: float = 0.0,
) -> Metrics:
    """One reduction, not overlapped; means over ranks. Posting costs post_task_us for each task of a rank's list, which
    the machine, for which a list is one thing to post, does not have.

    start_us: until the call returns; wait_us: of the wait for it; latency_us: of both
    tasks: in the lists of a rank that has some
    """
    ranks = int(ranks)
    reduction = Reduction(
        design=design,
        ranks=ranks,
        ranks_per_node=ranks_per_node,
        reduce_degree=reduce_degree,
        bcast_degree=bcast_degree,
    )
    topology = reduction.topology
    operations = reduction.operations
    steps = reduction.start(0) + reduction.wait(0)
    total = own_ns(simulate(operations, steps, machine=machine, topology=topology)) / 1000
    if design == "blocking":
        return {"latency_us": total, "start_us": total, "wait_us": 0.0, "tasks": 0.0}
    start = simulate([reduction.across], blocking(), machine=machine, topology=topology).started_ns.mean() / 1000
    if not reduction.is_flat:
        start += own_ns(simulate(operations[:1], blocking(), machine=machine, topology=topology)) / 1000
    lengths = reduction.list_lengths()
    posting = post_task_us * sum(lengths) / ranks
    return {
        "latency_us": total + posting,
        "start_us": start + posting,
        "wait_us": total - start,
        "tasks": sum(lengths) / len(lengths),
    }
