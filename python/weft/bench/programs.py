# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench programs`: whole programs that nobody wrote for this, unchanged, as Debian has them."""

import dataclasses
import functools
import re
import resource
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import binary, compare, environment, installation, launch, virtual_hosts
from weft.bad_input import BadInput
from weft.bench import analysis, options, program_inputs
from weft.bench.analysis import Record
from weft.bench.contest import Contest, Contestant, Task, contestants, too_long
from weft.bench.measurement import Measurement, measures
from weft.console import err, out, say, table
from weft.units import parse_numbers

KEYS = ("program", "ranks")
TIMEOUT = 600.0
ONE_THREAD = (("OMP_NUM_THREADS", "1"),)  # for each rank: what uses MPI and OpenMP would take all cores for each
CLOSE = 1e-6  # relative: sums over ranks may be taken in another order


@dataclass(frozen=True)
class Program:
    """A program and what it is given to do. In the words and files {folder} is where the files lie."""

    title: str
    package: str  # Debian's
    command: Callable[[installation.Host], str | Path | None]  # the file to start; None: not here
    arguments: Sequence[str]
    seconds: re.Pattern[str]  # in what it prints: how long it took by its own clock
    answers: re.Pattern[str]  # the numbers that must be the same under the host and under Weft
    files: dict[str, str] = field(default_factory=dict)
    prepared_by: Sequence[str] = ()  # a command that makes further files of these, once, in their folder


def on_path(name: str) -> Callable[[installation.Host], str | None]:
    return lambda _: shutil.which(name)


PROGRAMS = {
    "pdgesv": Program(
        "ScaLAPACK: a dense system, n = 1000, nb = 64",
        "libscalapack-openmpi-dev or libscalapack-mpich-dev, then `cmake --preset release` and `make build`",
        lambda host: installation.application(f"bench_pdgesv_{host.name}"),
        ("1000", "64", "5"),
        re.compile(r"solved in (\S+) s"),
        re.compile(r"info (\d+)"),
    ),
    "espresso": Program(
        "Quantum ESPRESSO: 2 atoms of silicon, 2 x 2 x 2 k-points",
        "quantum-espresso",
        on_path("pw.x"),
        ("-in", "{folder}/crystal.in"),
        re.compile(r"PWSCF\s+:.*CPU\s+([\d.]+)s WALL"),
        re.compile(r"!\s+total energy\s+=\s+(\S+) Ry"),
        {"atom.in": program_inputs.SILICON_ATOM, "crystal.in": program_inputs.SILICON_CRYSTAL},
        ("ld1.x", "-in", "atom.in"),
    ),
    "lammps": Program(
        "LAMMPS: 4,000 Lennard-Jones atoms, 400 steps, sums in each",
        "lammps",
        on_path("lmp"),
        ("-in", "{folder}/liquid.in", "-log", "none"),
        re.compile(r"Loop time of (\S+)"),
        re.compile(r"^ +400 +(\S+) +(\S+)", re.MULTILINE),
        {"liquid.in": program_inputs.LIQUID},
    ),
    "cp2k": Program(
        "CP2K: three molecules of water, local density",
        "cp2k",
        on_path("cp2k.psmp"),
        ("{folder}/waters.inp",),
        re.compile(r"^ CP2K +1 .* ([\d.]+)$", re.MULTILINE),
        re.compile(r"Total FORCE_EVAL .*: +(\S+)"),
        {"waters.inp": program_inputs.THREE_WATERS},
    ),
    "flow": Program(
        "OPM flow: water drives oil through five layers of rock",
        "libopm-simulators-bin",
        on_path("flow"),
        ("{folder}/OIL.DATA", "--output-dir={folder}/out"),
        re.compile(r"Solver time \(seconds\): +(\S+)"),
        re.compile(r"Overall Newton Iterations: +(\d+)"),
        {"OIL.DATA": program_inputs.OIL_AND_WATER},
    ),
    "liggghts": Program(
        "LIGGGHTS: 8,953 grains fall into a box, 3,000 steps",
        "liggghts",
        on_path("liggghts"),
        ("-in", "{folder}/grains.in", "-log", "none"),
        re.compile(r"Loop time of (\S+) on \d+ procs for 3000 steps"),
        re.compile(r"^ +3001 +(\d+) +(\S+)", re.MULTILINE),
        {"grains.in": program_inputs.GRAINS},
    ),
    "nwchem": Program(
        "NWChem: two molecules of water, B3LYP, cc-pVTZ",
        "nwchem-openmpi or nwchem-mpich",
        lambda host: shutil.which(f"nwchem.{host.name}"),
        ("{folder}/water.nw",),
        re.compile(r"Total times +cpu: +\S+ +wall: +([\d.]+)s"),
        re.compile(r"Total DFT energy += +(\S+)"),
        {"water.nw": program_inputs.WATER},
    ),
}


@measures(pairs=5, without=(*virtual_hosts.FIELDS, "milliseconds", "iterations", "plot"))
def run(
    program: Annotated[
        str, typer.Option(metavar="|".join(PROGRAMS), help="Several: pdgesv,lammps. Those that are not here are named.")
    ] = ",".join(PROGRAMS),
    ranks: options.RankCounts = "2,4,8",
    mpi: options.Mpi = "openmpi",
    *,
    measurement: Measurement,
) -> None:
    """Run whole programs of Debian's under the host MPI and under Weft alternately: their time, and their CPU time."""
    environment.check()
    names = options.chosen_words("--program", program, *PROGRAMS)
    who = [dataclasses.replace(one, variables=ONE_THREAD) for one in contestants(mpi, "host,weft")]
    missing = [name for name in names if not all(is_here(PROGRAMS[name], one.host) for one in who)]
    lines = [f"{name} is not here for {who[0].host.title}: install {PROGRAMS[name].package}." for name in missing]
    if missing == names:
        raise BadInput(" ".join(lines))
    for line in lines:
        err.print(line, soft_wrap=True)
    names = [name for name in names if name not in missing]
    counts = parse_numbers(ranks, "--ranks", 1)
    tasks = [Task(name, count, [name], lambda _: 1, lambda _: {}, TIMEOUT) for name in names for count in counts]
    contest = measurement.measure("Running", tasks, who, ProgramContest)
    points = analysis.points(contest.records, KEYS, "seconds")
    summary = analysis.summary(points, contest.records, KEYS, measurement.pairs)
    for entry, point in zip(summary["points"], analysis.points(contest.records, KEYS, "cpu_seconds"), strict=True):
        entry |= analysis.spread_fields("cpu_ratio", point.ratio())
    measurement.finish(contest, "programs", summary, lambda: show(contest.records))


def is_here(program: Program, host: installation.Host) -> bool:
    """Whether it is installed, for this MPI, and what prepares it as well."""
    file = program.command(host)
    if file is None or (program.prepared_by and shutil.which(program.prepared_by[0]) is None):
        return False
    needed = binary.mpi_needed_by(Path(file))
    return needed is not None and installation.host_of_library(needed.soname, needed.library).name == host.name


class ProgramContest(Contest):
    """One record per launch: what the program says of itself, and what its processes took."""

    def _launch(self, task: Task, contestant: Contestant, items: list[str], pair: int) -> tuple[int, str | None]:
        program = PROGRAMS[task.program]
        folder = self._folder(task.program, functools.partial(prepare, program))
        words = [str(program.command(contestant.host)), *(word.format(folder=folder) for word in program.arguments)]
        before = cpu_seconds()
        try:
            start = self._start(task, contestant, binary.inspect(words))
            done = launch.capture(start, self.scratch, task.timeout)
        except subprocess.TimeoutExpired as problem:
            return 0, too_long(problem)
        seconds, answers = program.seconds.search(done.stdout), program.answers.search(done.stdout)
        if done.returncode != 0 or seconds is None or answers is None:
            return 0, f"ended with code {done.returncode}: {done.stdout[-500:]} {done.stderr}"
        record = {
            "benchmark": "programs", "program": task.program, "ranks": task.ranks, "seconds": float(seconds[1]),
            "cpu_seconds": cpu_seconds() - before, "answers": [float(answer) for answer in answers.groups()],
        }  # fmt: skip
        self._keep([record | {"right": self._agrees(record)}], task, contestant, pair)
        return 1, None

    def _agrees(self, record: Record) -> bool:
        """Whether the answers are those of the first launch on so many ranks."""
        first = next((one for one in self.records if all(one[key] == record[key] for key in KEYS)), record)
        pairs = zip(record["answers"], first["answers"], strict=True)
        return all(abs(mine - theirs) <= CLOSE * max(1.0, abs(theirs)) for mine, theirs in pairs)


def prepare(program: Program, folder: Path) -> None:
    for file, text in program.files.items():
        (folder / file).write_text(text.replace("{folder}", str(folder)))
    if program.prepared_by:
        done = subprocess.run(program.prepared_by, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise BadInput(f"{' '.join(program.prepared_by)} failed: {done.stdout[-500:]}{done.stderr[-500:]}")


def cpu_seconds() -> float:
    """Of everything that this process has started and that has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def show(records: Sequence[Record]) -> None:
    columns = ("host s", "weft s", "weft/host", "host CPU s", "weft CPU s", "CPU weft/host")
    mpi = records[0]["mpi"]
    shown = table(f"Programs, {mpi}", "program", "ranks", *columns, right=("ranks", *columns))
    both: list[dict[str, Any]] = [
        {tuple(point.key.values()): point for point in analysis.points(records, KEYS, value)}
        for value in ("seconds", "cpu_seconds")
    ]
    for key, wall in both[0].items():
        cpu = both[1][key]
        shown.add_row(
            key[0], str(key[1]),
            *(text_of(point, who) for point in (wall, cpu) for who in ("host", "weft", "ratio")),
        )  # fmt: skip
    out.print(shown)
    for name in dict.fromkeys(record["program"] for record in records):
        say(f"{name}: {PROGRAMS[name].title}.")
    say("Seconds by each program's own clock, without its start; CPU seconds of all its processes, with it. Medians,")
    say(f"ratios within pairs of launches, median [quartiles]. Load {compare.machine()['load']}.")


def text_of(point: analysis.Point, what: str) -> str:
    if what == "ratio":
        return str(point.ratio() or "-")
    found = point.spread_of(what)
    return f"{found.median:.3f}" if found else "-"
