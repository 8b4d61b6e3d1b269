# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench logp`: the parameters of LogGOPS of the host MPI's messages, within a node, within its nearer parts and
between two hosts, as the simulator takes them."""

import dataclasses
import itertools
import math
import os
import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import compare, environment, installation, probes
from weft.bad_input import BadInput
from weft.bench import analysis, floor, loggops, options
from weft.bench.analysis import Record
from weft.bench.contest import Contest, Contestant, Task, contestants
from weft.bench.loggops import Memory, Parameters, Times
from weft.bench.measurement import Measurement, measures
from weft.compare import Spread
from weft.console import err, out, say, table
from weft.core import _core
from weft.units import parse_sizes, show_size
from weft.virtual_hosts import FIELDS

SIZES = "1,16,64-1M"
IN_MEMORY = 64 << 10  # bytes: the block by which copying and adding are measured
BUSY = 1.5  # times the fastest message
FIELDS_OF_TIMES = ("one_way", "gap", "send", "call", "receive")
OF_SWITCH = ("forward", "own_send", "own_receive")  # between virtual hosts only
NODE, NETWORK = "node", "network"
# As the table has them: what they are of, and their unit.
MEANINGS = {
    "L": ("latency", "ns"),
    "o_s": ("processor, to send", "ns"),
    "o_r": ("processor, to receive", "ns"),
    "g": ("gap between messages", "ns"),
    "G": ("gap per byte, of long messages", "ns/B"),
    "G_eager": ("gap per byte, of eager messages", "ns/B"),
    "O_s": ("processor per byte, to send", "ns/B"),
    "O_r": ("processor per byte, to receive", "ns/B"),
    "O": ("processor per byte, in the machine", "ns/B"),
    "S": ("longer messages wait for their receiver", "B"),
    "forward": ("of a core, for the switch", "ns"),
    "forward_wake": ("beside that, if it sleeps", "ns"),
    "forward_byte": ("of a core per byte, for the switch", "ns/B"),
    "spin": (f"{loggops.LOOKS} looks of a rank that waits", "ns"),
    "spin_rank": ("beside that, for each rank", "ns"),
}
OF_MEMORY = {
    "line": ("l", "a line from core to core", "ns"),
    "copy": ("c", "copying what another core wrote", "ns/B"),
    "reduce": ("gamma", "adding it to doubles of one's own", "ns/B"),
    "hand_over": ("switch", "a core that a process yields to another", "ns"),
}


@measures(pairs=5, milliseconds=50.0, without=("iterations", "plot"))
def run(
    size: Annotated[str, typer.Option("--bytes", help="Of the messages: 1,64,1K-64K (doubling).")] = SIZES,
    mpi: options.Mpi = "openmpi",
    count: Annotated[int, typer.Option(min=2, max=64, help="Messages in a row: n of PRTT(n, d, s).")] = 16,
    machine_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the machine there: FILE.toml for `weft simulate`, else its text."),
    ] = None,
    *,
    measurement: Measurement,
) -> None:
    """Measure LogGOPS' L, o, g, G, O and S of the host MPI's messages, on this node, at each of its levels (socket,
    cache), and, with --hosts, between two."""
    environment.check()
    contest, levels = measure(size, mpi, count, measurement)
    parameters, cores = parameters_of(levels), probes.usable_cores()
    text = loggops.machine_text(parameters, cores)
    summary = {"machine": text, "levels": {name: level.facts() for name, level in levels.items()}}
    summary |= {"pairs": measurement.pairs, "wrong_answers": analysis.wrong(contest.records, ("level", "bytes"))}
    if machine_file is not None and levels:
        if machine_file.suffix == ".toml":
            write(loggops.machine_file(parameters, *title_and_source(contest), cores), machine_file)
        else:
            write(text + "\n", machine_file)
    measurement.finish(contest, "logp", summary, lambda: show(levels, text, contest.records))


def measure(size: str, mpi: str, count: int, measurement: Measurement) -> tuple[Contest, dict[str, "Level"]]:
    """Of the network if hosts are asked for, of this node, and of its parts, from far to near; the records of all."""
    if mpi == "all":
        raise BadInput("--mpi all: a machine is of one MPI; ask once for each.")
    options.check_word("--mpi", mpi, *installation.NAMES)
    if measurement.hosts == 1:
        raise BadInput("--hosts 1: a network is measured between two hosts; use --hosts 2, or leave it away.")
    sizes = parse_sizes(size)
    if min(sizes) < 1:
        raise BadInput("--bytes 0: a message of LogGP has a first byte; use 1.")
    if len(sizes) < 2 or max(sizes) * count > 1 << 31:
        raise BadInput(f"--bytes {size}: use at least two sizes, and {count} of the longest within 2 GB.")
    who = contestants(mpi, "host")
    messages = Task(
        "logp",
        2,
        ["eager", "look", "messages"],
        {"eager": 1, "look": 1, "messages": len(sizes)}.__getitem__,
        lambda some: {"items": some, "bytes": sizes, "count": count, "milliseconds": measurement.milliseconds},
    )
    here = dataclasses.replace(measurement, **dict.fromkeys(FIELDS)) if measurement.hosts else measurement
    in_memory = floor.task([IN_MEMORY], measurement.milliseconds, ["one_way", "copy", "reduce", "hand_over"])
    contest: Contest | None = None
    for level, cores in cores_by_level().items():
        tasks = [dataclasses.replace(task, variables=pinned(cores)) for task in (messages, in_memory)]
        contest = continued(contest, here, f"Within the {level}", tasks, who, level)
    if measurement.hosts is not None:
        looks = Task("logp", measurement.hosts, ["look"], lambda _: 1, lambda some: {"items": some})
        tasks = [messages, looks] if measurement.hosts > 2 else [messages]
        contest = continued(contest, measurement, "Between hosts", tasks, who, NETWORK)
    assert contest is not None
    found = {}
    names = dict.fromkeys(record["level"] for record in contest.records)
    for name in sorted(names, key=lambda name: name != NETWORK):  # which is the farthest
        level = level_of([record for record in contest.records if record["level"] == name])
        if level:
            found[name] = level
        else:
            why = "no line goes through what was measured: the machine is too busy, or too few sizes are eager"
            contest.failures.append({"failed": f"the parameters of the {name}: {why}", "output": ""})
    # Without the node its nearer parts say nothing: cores that share none of these would be taken to cost as much.
    known = found if NODE in found else {name: level for name, level in found.items() if name == NETWORK}
    return contest, known


def continued(
    before: Contest | None, where: Measurement, title: str, tasks: list[Task], who: list[Contestant], level: str
) -> Contest:
    """What was measured before, and this level behind it; after an interruption nothing more is measured."""
    if before is not None and before.interrupted:
        return before
    contest = where.measure(title, tasks, who)
    for one in [*contest.records, *contest.failures]:
        one["level"] = level
    if before is not None:
        contest.records[:0], contest.failures[:0] = before.records, before.failures
    return contest


Cores = tuple[int, int]


def cores_by_level() -> dict[str, Cores | None]:
    """Two of the processors that this process may use, by the nearest level that both are in, from far to near. The
    farthest stands for the node; nothing is said of it where there is no nearer one or where nobody knows."""
    try:
        machine = _core.detect_machine()
    except ValueError:  # without hwloc
        return {NODE: None}
    return pairs_of_cores(machine.topology, machine.cpus, os.sched_getaffinity(0))


def pairs_of_cores(topology: _core.Topology, cpus: Sequence[int], usable: Collection[int]) -> dict[str, Cores | None]:
    places = [place for place, cpu in enumerate(cpus) if cpu in usable]
    pairs: dict[str, Cores] = {}
    for a, b in itertools.combinations(places, 2):
        pairs.setdefault(topology.nearest(a, b), (cpus[a], cpus[b]))
    farthest, *nearer = sorted(pairs, key=lambda level: len(topology.groups(level))) or [NODE]
    if not nearer:
        return {NODE: None}
    return {NODE: pairs[farthest]} | {level: pairs[level] for level in nearer}


def pinned(cores: Cores | None) -> dict[str, str]:
    """As bench/harness/cores.h reads it."""
    return {} if cores is None else {"WEFT_BENCH_CORES": ",".join(map(str, cores))}


def parameters_of(levels: Mapping[str, "Level"]) -> dict[str, Parameters]:
    return {name: level.parameters for name, level in levels.items()}


def title_and_source(contest: Contest) -> tuple[str, str]:
    machine = contest.records[-1]
    where = str(contest.lab or "one node")
    return f"{machine['cpu']}, {machine['mpi']}, {where}", f"weft bench logp, {machine['revision']}"


def write(text: str, file: Path) -> None:
    try:
        file.write_text(text)
    except OSError as problem:
        raise BadInput(f"--machine-file {file} cannot be written: {problem.strerror}. Choose another.") from problem
    err.print(f"Machine: {file}", soft_wrap=True)


# ---- from records to parameters ----


@dataclass(frozen=True)
class Level:
    """Parameters by the medians over launches; their spread by those of each launch alone."""

    parameters: Parameters
    spreads: dict[str, Spread]
    variable: str | None  # of the MPI, that says what S is, and its value
    variable_bytes: int | None

    def facts(self) -> dict[str, Any]:
        """For the last line."""
        one = self.parameters
        values = {name: getattr(one, name) for name in (*MEANINGS, "o")}
        memory = {OF_MEMORY[name][0]: value for name, value in dataclasses.asdict(one.memory).items()} if one.memory \
            else {}  # fmt: skip
        spreads = {f"{name}_{end}": getattr(s, end) for name, s in self.spreads.items() for end in ("low", "high")}
        said = {"residuals": one.residuals, "errors": one.errors, "notes": one.notes}
        return values | memory | spreads | said | {"variable": self.variable, "variable_bytes": self.variable_bytes}


def level_of(records: Sequence[Record]) -> Level | None:
    whole = loggops.parameters(times_of(records))
    if whole is None:
        return None
    whole.memory = memory_of(records)
    launches = [loggops.parameters(times_of(mine)) for mine in analysis.grouped(records, "pair").values()]
    spreads = {
        name: compare.spread([float(value) for one in launches if one and (value := getattr(one, name)) is not None])
        for name in MEANINGS
        if getattr(whole, name) is not None and any(one and getattr(one, name) is not None for one in launches)
    }
    slower = compare.spread([r["one_way_ns"] / r["least_one_way_ns"] for r in records if r.get("least_one_way_ns")])
    if slower.median > BUSY:
        whole.notes.append(f"messages took {slower.median:.1f} times as long as the fastest: the machine is busy")
    said = next((record for record in records if "variable" in record), {})
    looked = [r["found_bytes"] for r in records if "variable" in r and r["found_bytes"] != r["eager_bytes"]]
    if looked:
        where = ", ".join("none" if size is None else f"{size:.0f}" for size in looked)
        whole.notes.append(f"{said['variable']} is believed: looking found other limits in some launches ({where})")
    return Level(whole, spreads, said.get("variable"), said.get("variable_bytes"))


def times_of(records: Sequence[Record]) -> Times:
    mine = [record for record in records if record["benchmark"] == "logp"]
    by_size = analysis.grouped([record for record in mine if record["item"] == "messages"], "bytes")
    # A node's messages go by no switch, though a lab may be there beside.
    between_hosts = any(record.get("hosts") for record in mine)
    fields = (*FIELDS_OF_TIMES, *OF_SWITCH) if between_hosts else FIELDS_OF_TIMES
    times: dict[str, dict[int, float]] = {name: {} for name in fields}
    for (size,), of_size in by_size.items():
        for name, points in times.items():
            value = analysis.median(of_size, f"{name}_ns")
            if value is not None:
                points[size] = value
    limits = [record["eager_bytes"] for record in mine if record["item"] == "eager"]
    # One that some launch found; without a limit is beyond all others.
    limit = statistics.median_low([math.inf if one is None else one for one in limits]) if limits else math.inf
    looks = [record for record in mine if record["item"] == "look" and between_hosts]
    look = {ranks: analysis.median(some, "look_ns") for (ranks,), some in analysis.grouped(looks, "ranks").items()}
    crowd = {
        ranks: value
        for (ranks,), some in analysis.grouped(looks, "ranks").items()
        if (value := analysis.median(some, "forward_ns")) is not None
    }
    return Times(**times, look=look, crowd=crowd, eager=int(limit) if math.isfinite(limit) else None)


def memory_of(records: Sequence[Record]) -> Memory | None:
    """A floor in GB/s is so many bytes in a ns."""
    floors = floor.floors_of([record for record in records if record["benchmark"] == "floor"])
    medians = {item: found.median for (item, _, _), found in floors.items()}
    if not {"one_way", "copy", "reduce"} <= set(medians):
        return None
    return Memory(medians["one_way"], 1 / medians["copy"], 1 / medians["reduce"], medians.get("hand_over"))


# ---- for people ----


def show(levels: dict[str, Level], text: str, records: Sequence[Record]) -> None:
    shown = table(
        f"LogGOPS of messages, {records[0]['mpi']}", "parameter", *levels, "unit", "what", right=tuple(levels)
    )
    for name, (what, unit) in MEANINGS.items():
        shown.add_row(name, *(cell(level, name) for level in levels.values()), unit, what)
    for name, (symbol, what, unit) in OF_MEMORY.items():
        memories = [level.parameters.memory for level in levels.values()]
        values = [getattr(m, name) if m else None for m in memories]
        shown.add_row(symbol, *("-" if value is None else f"{value:.3g}" for value in values), unit, what)
    out.print(shown)
    say("Of medians over launches [quartiles of those by each launch]. A machine's o is the mean of o_s and o_r.")
    for name, level in levels.items():
        one = level.parameters
        lines = ", ".join(f"{line.replace('_', ' ')} {100 * off:.0f} %" for line, off in one.residuals.items())
        say(f"{name}: residuals of the lines: {lines}.")
        off = ", ".join(f"{100 * error:.0f} % in {kind} ones" for kind, error in one.errors.items())
        say(f"{name}: single messages of such a machine take more or less time than measured by {off} (median).")
        if level.variable:
            say(f"{name}: {level.variable} is {show_size(level.variable_bytes or 0)}.")
        for note in one.notes:
            say(f"{name}: {note}.", "yellow")
    say(f"cores: {probes.usable_cores()}, which all ranks share, also those of virtual hosts.")
    if NETWORK not in levels:
        say("Without --hosts this is all there is of the machine: its ranks are on one node.")
    say(f"Machine: {text}")
    say(f"Load {records[-1]['load']}.")


def cell(level: Level, name: str) -> str:
    value = getattr(level.parameters, name)
    if value is None:
        return "no limit" if name == "S" else "-"
    if name == "S":
        return str(value)
    width = level.spreads.get(name)
    return f"{value:.3g}" + (f" [{width.low:.3g}, {width.high:.3g}]" if width else "")
