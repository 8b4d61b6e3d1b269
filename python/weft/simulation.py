# SPDX-License-Identifier: BSD-3-Clause
"""How long programs of computation and collectives take on a machine that need not be there.

    operation = Collective(collective="allreduce", ranks=65536, bytes=8, algorithm="recursive_k_ing")
    result = simulate([operation], overlapped(0, compute_us=500), machine="loggops:L=2500,o=1500,g=1000,G=6")
    result.finish_ns, result.waited_ns.mean()

Times are in ns, as the machine's parameters are, but for what a program computes and what disturbs it: us. The
model, LogGOPS with a node's memory, an adapter and agents, is that of src/executor/simulator.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.bad_input import BadInput
from weft.core import _core, make_call, make_hierarchy, make_topology, polite, read_file
from weft.epochs import PutsTo
from weft.machine_file import machine_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Step = tuple[str, float]  # ("compute", us), ("start", operation), ("wait", operation)
OPTIONS = {"radix": int, "bcast_radix": int, "window": int, "fragment": int, "leader": str}  # of a collective


class MovedBy(StrEnum):
    """Who moves an operation while its rank computes."""

    host = "host"
    agent = "agent"
    adapter = "adapter"


@dataclass(frozen=True, kw_only=True)
class Collective:
    """One collective of a program. Without an algorithm the planner's choice, on the topology if there is one, else
    with each rank on a node of its own. Layout: who carries it out together; "all", or of blocks of layout_size ranks
    each by itself ("blocks"), each column across them ("columns"), or the first ones ("leaders")."""

    collective: str
    ranks: int  # of the program
    bytes: int = 0
    root: int = 0
    algorithm: str | None = None
    hierarchy: str | None = None
    options: "dict[str, int | str]" = field(default_factory=dict)  # of OPTIONS, if its algorithm has them
    by_rounds: bool = False
    layout: str = "all"
    layout_size: int = 1
    moved_by: MovedBy | None = None  # None: as the conditions say

    @property
    def members(self) -> int:
        if self.layout == "all":
            return self.ranks
        return self.layout_size if self.layout == "blocks" else self.ranks // max(self.layout_size, 1)

    def operation(
        self, machine: "_core.SimulatedMachine", topology: "_core.Topology | None", lists: bool
    ) -> "_core.Operation":
        call = make_call(self.collective, self.members, self.bytes, self.root)
        follows = None
        if self.algorithm is not None and self.hierarchy is not None:
            follows = make_hierarchy(topology, self.hierarchy)
        elif self.algorithm is None and (self.options or (topology is None and self.hierarchy)):
            raise BadInput("options and hierarchies are for an --algorithm: name one.")
        check_options(self.options)
        with polite():
            return _core.operation(
                call,
                machine,
                self.algorithm,
                **self.options,
                hierarchy=follows,
                topology=topology,
                depth=self.hierarchy,
                by_rounds=self.by_rounds,
                task_lists=lists,
                layout=self.layout,
                layout_size=self.layout_size,
                ranks=self.ranks,
            )


def check_options(options: "dict[str, int | str]") -> None:
    for name, value in options.items():
        if name not in OPTIONS:
            raise BadInput(f"options: there is no {name!r}; there are {', '.join(OPTIONS)}.")
        if isinstance(value, bool) or not isinstance(value, OPTIONS[name]):
            wanted = "last or fixed" if OPTIONS[name] is str else "a whole number"
            raise BadInput(f"options: {name} = {value!r}: give {wanted}.")
        if isinstance(value, int) and abs(value) >= 1 << 31:
            raise BadInput(f"options: {name} = {value}: numbers are below 2^31.")


@dataclass(frozen=True, kw_only=True)
class Halo:
    """The exchange of faces with the neighbours on a grid of ranks; bytes of a face, by dimension."""

    dims: tuple[int, ...]
    bytes: tuple[int, ...]
    periodic: bool = False
    moved_by: MovedBy | None = None  # None: as the conditions say

    @property
    def ranks(self) -> int:
        return math.prod(self.dims)

    def operation(
        self, _machine: "_core.SimulatedMachine", _topology: "_core.Topology | None", _lists: bool
    ) -> "_core.Operation":
        with polite():
            return _core.halo(list(self.dims), list(self.bytes), self.periodic)


@dataclass(frozen=True, kw_only=True)
class Puts:
    """An access epoch: post, start, a put of so many bytes by every rank to those, complete and wait."""

    ranks: int
    bytes: int
    to: PutsTo = PutsTo.next
    moved_by: MovedBy | None = None  # None: as the conditions say

    def operation(
        self, machine: "_core.SimulatedMachine", _topology: "_core.Topology | None", lists: bool
    ) -> "_core.Operation":
        call = make_call("neighbor_alltoall", self.ranks, self.bytes)
        with polite():
            return _core.puts(call, machine, to_neighbors=self.to == PutsTo.neighbors, task_lists=lists)


@dataclass(frozen=True, kw_only=True)
class Goal:
    """A program in GOAL (Hoefler, Siebert, Lumsdaine 2009), as one operation that is started and waited for."""

    file: Path

    def operation(self, _machine: object, _places: object, _lists: bool) -> "_core.Operation":
        text = read_file(self.file)
        try:
            return _core.goal_operation(text, str(self.file))
        except ValueError as problem:
            raise BadInput(f"{self.file}: {problem}") from problem


@dataclass(frozen=True, kw_only=True)
class Noise:
    """What processors do besides: for `duration_us`, so often a second, from a phase of each rank's own on; or a trace
    of (begin, duration) in us, over and over each `length_us`."""

    hertz: float = 0.0
    duration_us: float = 0.0
    trace: tuple[tuple[float, float], ...] = ()
    length_us: float = 0.0

    @property
    def interruptions(self) -> tuple[list[tuple[float, float]], float]:
        if self.trace:
            return list(self.trace), self.length_us
        if self.hertz == 0 or self.duration_us == 0:
            return [], 0.0
        return [(0.0, self.duration_us)], 1e6 / self.hertz


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """Under which a program runs. Skew: ranks begin at times from 0 to that; slowest: a rank's computations take from
    1 to so many times as long; spread: each one does, drawn anew. All are drawn evenly from the seed, unless it is said
    by rank, shape (ranks,): begins_us, when each begins; slow_down, how many times as long its computations take."""

    moved_by: MovedBy = MovedBy.host
    test_every_us: float = 0.0
    shares_core: bool = False
    noise: Noise = field(default_factory=Noise)
    skew_us: float = 0.0
    begins_us: "Sequence[float] | NDArray[np.float64] | None" = None
    slowest: float = 1.0
    slow_down: "Sequence[float] | NDArray[np.float64] | None" = None
    spread: float = 1.0
    seed: int = 1

    def by_rank(self, ranks: int) -> dict[str, list[float]]:
        """What is given by rank, as the core has it."""
        for name, drawn, values in (
            ("begins_us", self.skew_us != 0, self.begins_us),
            ("slow_down", self.slowest != 1, self.slow_down),
        ):
            if drawn and values is not None:
                other = "skew_us" if name == "begins_us" else "slowest"
                raise BadInput(f"{name} says of each rank what {other} would draw: leave out one of them.")
        return {
            "begins": one_each(self.begins_us, "begins_us", ranks, most=1e9),
            "slow_down": one_each(self.slow_down, "slow_down", ranks, most=1e6),
        }


def one_each(values: "Sequence[float] | NDArray[np.float64] | None", name: str, ranks: int, most: float) -> list[float]:
    """A value from 0 to `most` for each rank; none if none are given."""
    import numpy as np

    if values is None:
        return []
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise BadInput(f"{name}: give one number for each of the {ranks} ranks ({problem}).") from problem
    if array.shape != (ranks,):
        raise BadInput(f"{name}: values of shape {array.shape} for {ranks} ranks: give one for each, shape ({ranks},).")
    wrong = np.flatnonzero(~((array >= 0) & (array <= most)))
    if wrong.size:
        rank = int(wrong[0])
        raise BadInput(f"{name}: {array[rank]:g} for rank {rank}: values from 0 to {most:g} are possible.")
    return array.tolist()


@dataclass(frozen=True)
class Bar:
    """What a rank, or who moves its operations, did from when to when."""

    rank: int
    # compute; wait, for an operation; of its tasks: send, receive, request (before a long message) and the receiver's
    # answer, put, copy, reduce, calc (GOAL's); or a step of a node's group: exchange, deliver, prefix, fan_in, fan_out.
    kind: str
    operation: int
    peer: int | None  # of a message
    bytes: int  # of a task
    by: MovedBy  # the rank itself (host), its agent, or the adapter
    cpu: int  # which of its processors: a rank of a GOAL program may have several
    begin_ns: float
    end_ns: float

    @property
    def is_step(self) -> bool:
        return self.kind in ("exchange", "deliver", "prefix", "fan_in", "fan_out")


@dataclass(frozen=True)
class Simulated:
    finish_ns: float  # of the last rank
    events: int  # tasks
    messages: int
    sent_bytes: int  # as they are paid for: those of a barrier's messages as well
    generation_seconds: float  # that it took to make the schedules,
    seconds: float  # and to simulate them
    state_bytes: int  # of the simulation at most, beyond
    queue_bytes: int  # its queue of events
    names: tuple[str, ...]  # of the operations' algorithms
    # By rank, shape (ranks,), in ns: its end, and its time in MPI_I… calls, computing and in MPI_Wait.
    finished_ns: "NDArray[np.float64]"
    started_ns: "NDArray[np.float64]"
    computed_ns: "NDArray[np.float64]"
    waited_ns: "NDArray[np.float64]"
    bars: tuple[Bar, ...] = ()  # of the ranks that were asked for
    free_steps: int = 0  # of nodes' groups, which took no time, since the machine's lines (l) cost nothing

    @property
    def peak_bytes(self) -> int:
        return self.state_bytes + self.queue_bytes

    @property
    def record(self) -> dict[str, Any]:
        return {
            "finish_ns": self.finish_ns,
            "events": self.events,
            "events_per_second": self.events / self.seconds if self.seconds else None,
            "peak_bytes": self.peak_bytes,
            "state_bytes": self.state_bytes,
            "queue_bytes": self.queue_bytes,
            "messages": self.messages,
            "sent_bytes": self.sent_bytes,
            "generation_seconds": self.generation_seconds,
            "seconds": self.seconds,
            "algorithms": list(self.names),
        }


def overlapped(operation: int = 0, *, compute_us: float = 0.0) -> list[Step]:
    """Start, compute, wait: blocking if there is nothing to compute."""
    return [("start", operation), ("compute", compute_us), ("wait", operation)]


def blocking(operation: int = 0) -> list[Step]:
    return [("start", operation), ("wait", operation)]


def simulate(
    operations: "Sequence[Collective | Halo | Puts | Goal]",
    steps: Sequence[Step],
    *,
    machine: str,
    topology: str | None = None,
    cores: int | None = None,
    conditions: Conditions | None = None,
    repetitions: int = 1,
    traced_ranks: int = 0,
    details: bool = True,
    progress: Callable[[str, int, int], None] | None = None,
) -> Simulated:
    """Each rank does the steps, so often. `machine`: a text, the name of one of ours, or a file; `topology`: where
    ranks sit, else each on a node of its own; `cores`: of a node, if they are not as the machine says. Without details
    there are no times by rank but their ends, and it takes less memory. `progress` hears ten times a second what is
    done ("schedules", then "tasks"), how many of them, and of how many, more or less. Raises BadInput for what cannot
    be, also for a program in which somebody waits for ever."""
    given = conditions or Conditions()
    if not operations:
        raise BadInput("a program without operations: give at least one.")
    with polite():
        costs = _core.SimulatedMachine(machine_text(machine))
        if cores is not None:
            costs = costs.with_cores(cores)
    first = operations[0]
    ranks = None if isinstance(first, Goal) else first.ranks  # a topology has as many places as a GOAL program ranks
    places = make_topology(topology, ranks) if topology else None
    movers = [(None if isinstance(one, Goal) else one.moved_by) or given.moved_by for one in operations]
    made = [one.operation(costs, places, by == MovedBy.adapter) for one, by in zip(operations, movers, strict=True)]
    barriers = [one.bytes for one in operations if isinstance(one, Collective) and one.collective == "barrier"]
    if given.shares_core and MovedBy.agent not in movers:
        raise BadInput("sharing the core is for agents: let an agent move an operation, or leave it out.")
    noise, length = given.noise.interruptions
    with polite():
        result = _core.simulate(
            made,
            [(what, float(value)) for what, value in steps],
            costs,
            repetitions=repetitions,
            topology=places,
            moved_by=given.moved_by,
            movers=[mover.value for mover in movers],
            test_every=given.test_every_us,
            shares_core=given.shares_core,
            noise=noise,
            noise_length=length,
            skew=given.skew_us,
            slowest=given.slowest,
            **given.by_rank(made[0].ranks),
            spread=given.spread,
            signal_bytes=max(barriers, default=0),
            seed=given.seed,
            details=details,
            traced_ranks=traced_ranks,
            progress=progress,
        )
    return Simulated(
        finish_ns=result.finish_ns,
        events=result.tasks,
        messages=result.messages,
        sent_bytes=result.bytes,
        generation_seconds=result.generation_seconds,
        seconds=result.seconds,
        state_bytes=result.state_bytes,
        queue_bytes=result.queue_bytes,
        names=tuple(one.name for one in made),
        finished_ns=result.finished_ns,
        started_ns=result.started_ns,
        computed_ns=result.computed_ns,
        waited_ns=result.waited_ns,
        bars=tuple(Bar(*bar[:5], MovedBy(bar[5]), *bar[6:]) for bar in result.bars) if traced_ranks else (),
        free_steps=result.free_steps,
    )


def takes_no_time(name: str, machine: str) -> BadInput:
    return BadInput(
        f"{name} takes no time on {machine}: what ranks of a node do together has no cost there. Give the machine a "
        f"node: ;node:L=300,o=100,l=100 after the network's, or [node] in its file."
    )


def simulate_collective(
    collective: str,
    *,
    ranks: int,
    bytes: int,
    machine: str,
    algorithm: str | None = None,
    radix: int | None = None,
    topology: str | None = None,
    hierarchy: str | None = None,
) -> Simulated:
    """One blocking call."""
    options: dict[str, int | str] = {} if radix is None else {"radix": radix}
    call = Collective(
        collective=collective, ranks=ranks, bytes=bytes, algorithm=algorithm, hierarchy=hierarchy, options=options
    )
    return simulate([call], blocking(), machine=machine, topology=topology)


def save(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise BadInput(f"{path} cannot be written: {problem.strerror}.") from problem
