# SPDX-License-Identifier: BSD-3-Clause
"""The compiled core as Python sees it. Bad input raises ValueError with a message for people."""

from collections.abc import Sequence
from typing import TypedDict

__version__: str

class Card(TypedDict):
    """One entry of the catalog."""

    collective: str
    name: str
    summary: str
    formula: str
    source: str
    options: list[str]  # what it may have beside its name: radix, bcast_radix, window, fragment, leader
    within_node: bool
    is_rooted: bool
    is_reduction: bool
    may_be_in_place: bool
    follows_hierarchy: bool

class FabricProvider(TypedDict):
    name: str
    devices: list[str]
    trouble: str

class FabricSurvey(TypedDict):
    version: str
    problem: str
    known_bad: str
    providers: list[FabricProvider]
    chosen: str

class Setting(TypedDict):
    name: str
    scope: str  # process, job, communicator
    info_key: str  # of MPI_Info; "" if there is none
    unit: str
    meaning: str
    allowed: str
    default: str

SettingInEffect = TypedDict("SettingInEffect", {"name": str, "value": str, "from": str})

class Choice(TypedDict):
    """What the planner chooses, and why."""

    algorithm: str
    radix: int
    fragment: int
    leader: str  # last, fixed
    hierarchy: Hierarchy | None
    one_node: bool  # all ranks share memory
    round_trip: int | None  # between nodes, in us, 0 if that is not known; None on one
    why: str

class Movers(TypedDict):
    """Who moves a call's operation while its ranks compute."""

    device: str  # none, agent
    takes_times: bool  # which leaves everything to the ranks
    shares_memory: bool  # all ranks are on one node
    senders: int  # ranks with messages
    takes_wire: bool  # these go between agents
    by_ranks: int  # senders that move their part themselves: some of it goes to nodes that their device does not join
    by_list: int  # senders whose agents run task lists
    longest_list: int  # in tasks
    why_no_list: str  # of the first sender that has none; "" where a node's memory takes part
    longest_message: int
    most_unasked: int  # longer messages wait for their receiver
    in_memory: int  # ranks that only use their node's memory
    copied_by_agents: int  # of these, in non-blocking operations
    most_copied: int  # by one of these
    copies_from: int  # so much or more is the agent's
    copies_in_a_crowd: bool  # also where ranks outnumber cores
    is_short: bool  # needs nobody's help within a node
    longest_short: int  # such a call, a power of two; 0: none, or of any size

class Cost(TypedDict):
    """What the busiest rank pays."""

    rounds: int
    messages: int
    sent_bytes: int
    reduced_bytes: int

class Call:
    """What all ranks of one collective call have in common."""

    def __init__(
        self,
        collective: str,
        *,
        ranks: int,
        bytes: int = 0,
        root: int = 0,
        element: int = 1,
        commutative: bool = True,
    ) -> None: ...
    @property
    def collective(self) -> str: ...
    @property
    def ranks(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def root(self) -> int: ...
    @property
    def element(self) -> int: ...
    @property
    def commutative(self) -> bool: ...
    def __str__(self) -> str: ...

class Finding:
    @property
    def rule(self) -> str: ...
    @property
    def rank(self) -> int: ...
    @property
    def task(self) -> int | None: ...
    @property
    def message(self) -> str: ...

class Report:
    @property
    def findings(self) -> list[Finding]: ...
    @property
    def bracket(self) -> str: ...
    @property
    def messages(self) -> int: ...
    @property
    def bytes_sent(self) -> int: ...
    @property
    def proved(self) -> bool: ...

class TraceMessage:
    @property
    def sender(self) -> int: ...
    @property
    def receiver(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def what(self) -> str: ...

class TraceRound:
    @property
    def messages(self) -> list[TraceMessage]: ...
    @property
    def node_steps(self) -> list[str]: ...
    @property
    def holds(self) -> list[str]: ...

class Trace:
    @property
    def initially(self) -> list[str]: ...
    @property
    def rounds(self) -> list[TraceRound]: ...
    @property
    def complete(self) -> bool: ...
    @property
    def is_cut(self) -> bool: ...

class Traffic:
    @property
    def level(self) -> str: ...
    @property
    def messages(self) -> int: ...
    @property
    def bytes(self) -> int: ...

class TaskLists:
    """The task lists of all ranks of one call."""

    def draw(self, rank: int) -> str: ...
    def svg(self, ranks: Sequence[int]) -> str: ...
    def json(self, indent: int = 2) -> str: ...
    def most(self) -> str: ...
    def steps(self) -> int: ...
    def verify(self) -> Report: ...

class Topology:
    def __init__(self, text: str) -> None: ...
    @property
    def ranks(self) -> int: ...
    @property
    def places(self) -> int: ...
    def with_ranks(self, ranks: int) -> Topology: ...
    def nearest(self, a: int, b: int) -> str: ...
    def groups(self, level: str) -> list[list[int]]: ...
    def json(self) -> str: ...
    def tree(self) -> str: ...
    def __str__(self) -> str: ...

class Tier(TypedDict):
    """What one level joins: groups of ranks, by memory or by messages."""

    level: str
    joined: str
    groups: list[list[int]]

class Hierarchy:
    """The topology's ranks in groups, the groups' representatives in groups again, from near to far."""

    def __init__(self, topology: Topology, depth: str) -> None: ...
    @property
    def depth(self) -> str: ...
    @property
    def tiers(self) -> list[Tier]: ...
    def led_by(self, rank: int) -> Hierarchy: ...
    def text(self) -> str: ...

class Machine:
    @property
    def topology(self) -> Topology: ...
    @property
    def cpus(self) -> list[int]: ...  # by place: the first processor of its core
    @property
    def hwloc_version(self) -> str: ...

class Schedules:
    """The schedules of one call: of all ranks in order, or of a single one."""

    def __len__(self) -> int: ...
    @property
    def call(self) -> Call: ...
    @property
    def algorithm(self) -> str: ...
    def text(self) -> str: ...
    def svg(self) -> str: ...
    def dot(self) -> str: ...
    def goal(self, *, copy_ns_per_byte: float = 0.0, reduce_ns_per_byte: float = 0.0, signal_bytes: int = 0) -> str: ...
    def json(self, indent: int = 2) -> str: ...
    def trace(self, most_rounds: int | None = None) -> Trace: ...
    def verify(self) -> Report: ...
    def traffic(self, topology: Topology) -> list[Traffic]: ...
    def task_lists(
        self, *, form: str = "waits-in-send-queues", most_tasks: int | None = None, longest_mailbox: int = 8192
    ) -> TaskLists: ...

def epoch(call: Call, *, to_neighbors: bool = False) -> Schedules: ...  # of the call's ranks and bytes
def build(
    call: Call,
    algorithm: str,
    *,
    radix: int = 2,
    bcast_radix: int = 0,
    window: int = 32,
    fragment: int | None = None,
    leader: str = "",
    in_place: bool = False,
    rank: int | None = None,
    hierarchy: Hierarchy | None = None,
    by_rounds: bool = False,
) -> Schedules: ...
def build_chosen(
    call: Call,
    topology: Topology | None = None,
    depth: str | None = None,
    by_rounds: bool = False,
    in_place: bool = False,
    rank: int | None = None,
) -> Schedules: ...
def parse(text: str) -> Schedules: ...
def choose(
    call: Call, topology: Topology | None = None, depth: str | None = None, by_rounds: bool = False
) -> Choice: ...
def cost(
    call: Call,
    algorithm: str,
    *,
    radix: int = 2,
    bcast_radix: int = 0,
    window: int = 32,
    fragment: int | None = None,
    leader: str = "",
    hierarchy: Hierarchy | None = None,
) -> Cost: ...
def is_eligible(call: Call, algorithm: str) -> bool: ...
def settings() -> list[Setting]: ...
def settings_in_effect() -> list[SettingInEffect]: ...
def check_settings(ranks: int | None = None) -> None: ...
def catalog() -> list[Card]: ...
def collectives() -> list[str]: ...
def detect_machine() -> Machine: ...
def movers(schedules: Schedules, topology: Topology | None = None, device: str | None = None) -> Movers: ...
def wake_cost(times: int) -> int: ...
def survey_fabric(wire: str, interface: str) -> FabricSurvey: ...

class SimulatedMachine:
    """What everything costs in a simulation (src/executor/simulator/machine.hpp)."""

    def __init__(self, text: str) -> None: ...
    @staticmethod
    def unit_of(name: str) -> str: ...  # of a parameter: ns, ns_per_byte, bytes; is for a word or a number
    @property
    def text(self) -> str: ...
    @property
    def cores(self) -> int: ...  # 0: each rank has its own
    @property
    def copy_ns_per_byte(self) -> float: ...
    @property
    def reduce_ns_per_byte(self) -> float: ...
    def with_cores(self, cores: int, level: str = "node") -> SimulatedMachine: ...  # of each part of the level

class Operation:
    """One operation of a simulated program, on all ranks."""

    @property
    def name(self) -> str: ...
    @property
    def ranks(self) -> int: ...

def operation(
    call: Call,
    machine: SimulatedMachine,
    algorithm: str | None = None,
    *,
    radix: int = 2,
    bcast_radix: int = 0,
    window: int = 32,
    fragment: int | None = None,
    leader: str = "",
    hierarchy: Hierarchy | None = None,
    topology: Topology | None = None,
    depth: str | None = None,
    by_rounds: bool = False,
    task_lists: bool = False,
    form: str = "waits-in-send-queues",
    most_tasks: int | None = None,
    layout: str = "all",  # blocks, columns, leaders
    layout_size: int = 1,
    ranks: int | None = None,  # of the program
) -> Operation: ...
def goal_operation(text: str, file: str) -> Operation: ...  # file: of the text, for messages
def puts(
    call: Call, machine: SimulatedMachine, *, to_neighbors: bool = False, task_lists: bool = False
) -> Operation: ...
def halo(dims: Sequence[int], bytes: Sequence[int], periodic: bool = False) -> Operation: ...

class SimulatedProgram:
    """Times in ns; arrays by rank, of shape (ranks,)."""

    @property
    def finish_ns(self) -> float: ...
    @property
    def tasks(self) -> int: ...
    @property
    def free_steps(self) -> int: ...  # of groups, among the tasks, if the machine's lines cost nothing
    @property
    def messages(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def scripts(self) -> int: ...  # kinds of ranks
    @property
    def state_bytes(self) -> int: ...
    @property
    def queue_bytes(self) -> int: ...
    @property
    def generation_seconds(self) -> float: ...
    @property
    def seconds(self) -> float: ...
    @property
    def finished_ns(self) -> object: ...  # a numpy array of float64
    @property
    def begun_ns(self) -> object: ...  # a numpy array of float64
    @property
    def started_ns(self) -> object: ...  # a numpy array of float64
    @property
    def computed_ns(self) -> object: ...  # a numpy array of float64
    @property
    def waited_ns(self) -> object: ...  # a numpy array of float64
    @property
    def bars(
        self,
    ) -> list[tuple[int, str, int, int | None, int, str, int, float, float]]: ...  # Bar's fields in simulation.py

def simulate(
    operations: Sequence[Operation],
    steps: Sequence[tuple[str, float]],
    machine: SimulatedMachine,
    *,
    repetitions: int = 1,
    topology: Topology | None = None,
    moved_by: str = "host",
    movers: Sequence[str] = [],  # of each operation, where they differ
    test_every: float = 0.0,
    shares_core: bool = False,
    noise: Sequence[tuple[float, float]] = [],
    noise_length: float = 0.0,
    skew: float = 0.0,
    begins: Sequence[float] = [],  # of each rank, instead of the skew
    slowest: float = 1.0,
    slow_down: Sequence[float] = [],  # of each rank, instead of slowest
    spread: float = 1.0,
    signal_bytes: int = 0,
    seed: int = 1,
    details: bool = True,
    traced_ranks: int = 0,
    progress: object | None = None,  # a function of what is done, how much of it, and of how much
) -> SimulatedProgram: ...
