# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench yardsticks`: the applications of this project on one node, each beside what is known to be good there: a
program that people use for the same, or the bandwidth of the memory."""

import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import compare, environment, virtual_hosts
from weft.bad_input import BadInput
from weft.bench import analysis, options
from weft.bench.analysis import Record
from weft.bench.app import ApplicationContest, RunError, contestants_of
from weft.bench.applications import STUDIES, program_of, write_words
from weft.bench.contest import Contestant, Task
from weft.bench.measurement import Measurement, measures
from weft.console import out, say, table
from weft.units import parse_numbers

KEYS = ("application", "ranks")
TIMEOUT = 300.0
Printed = dict[str, Any]


@dataclass(frozen=True)
class Yardstick:
    """What an application is given to do, and beside what. {folder} is where files lie, {ranks} how many ranks."""

    title: str
    arguments: Sequence[str]
    # The yardstick is one of three: seconds that follow from what the application prints, or a program's.
    limit: Callable[[Printed], float] | None = None
    other_arguments: Sequence[str] = ()  # of the same application, which then calls somebody else's library
    other_command: Sequence[str] = ()  # a program without MPI
    prepare: Callable[[Path], None] = lambda folder: None


def at_full_bandwidth(printed: Printed) -> float:
    return printed["seconds"] * printed["gigabytes_per_second"] / printed["triad_gigabytes_per_second"]


def pcg_at_full_bandwidth(printed: Printed) -> float:
    (solution,) = printed["algorithms"]
    return STUDIES["pcg"].read(printed)["seconds"] * solution["share_of_triad"]


def write_more_words(folder: Path) -> None:
    write_words(folder)
    text = (folder / "words").read_bytes()
    (folder / "words").write_bytes(3 * text)


FFT = ("-n", "128", "128", "128", "--test", "sine", "--repeat", "5", "--exchange")
YARDSTICKS = {
    "fft3d": Yardstick(
        "three variables of 128 x 128 x 128 complex points, forth and back; FFTW's own MPI transform",
        (*FFT, "blocking"),
        other_arguments=(*FFT, "fftw"),
    ),
    "compress": Yardstick(
        "43 MB of words to bzip2; pbzip2 with as many threads, from its start to its end",
        ("{folder}/words", "-o", "{folder}/words.bz2", "--force"),
        other_command=("pbzip2", "-p{ranks}", "-k", "-f", "{folder}/words"),
        prepare=write_more_words,
    ),
    "pcg": Yardstick(
        "algorithm 2, 80 x 80 x 80 points per rank; the same bytes at the rate of a stream triad",
        ("-n", "80", "80", "80", "--algorithm", "algorithm2", "--repeat", "3", "--bandwidth"),
        limit=pcg_at_full_bandwidth,
    ),
    "poisson": Yardstick(
        "conjugate gradients, 256 x 256 x 256 points, 30 iterations; the same bytes at the rate of a stream triad",
        ("-n", "256", "256", "256", "--iterations", "30", "--repeat", "3", "--bandwidth"),
        limit=at_full_bandwidth,
    ),
    "wave": Yardstick(
        "240 x 240 x 240 points between rigid walls, 15 steps; the same bytes at the rate of a stream triad",
        ("-n", "240", "240", "240", "--check", "standing", "--steps", "15", "--repeat", "3", "--bandwidth"),
        limit=at_full_bandwidth,
    ),
}


@measures(pairs=5, without=(*virtual_hosts.FIELDS, "milliseconds", "iterations", "plot"))
def run(
    application: Annotated[str, typer.Option(metavar="|".join(YARDSTICKS), help="Several: fft3d,compress.")] = ",".join(
        YARDSTICKS
    ),
    ranks: options.RankCounts = "2",
    mpi: options.Mpi = "openmpi",
    implementation: options.Implementations = "host,weft",
    *,
    measurement: Measurement,
) -> None:
    """Compare the applications, on one node, with programs that people use for the same, or with the memory."""
    environment.check()
    names = options.chosen_words("--application", application, *YARDSTICKS)
    for name in names:
        program_of(name)
        needed = YARDSTICKS[name].other_command
        if needed and shutil.which(needed[0]) is None:
            raise BadInput(f"{name} is compared with {needed[0]}, which is not here: install Debian's {needed[0]}.")
    who = list(dict.fromkeys(one for name in names for one in contestants_of(name, mpi, implementation)))
    counts = parse_numbers(ranks, "--ranks", 1)
    tasks = [Task(name, count, [name], lambda _: 1, lambda _: {}, TIMEOUT) for name in names for count in counts]
    contest = measurement.measure("Running", tasks, who, YardstickContest)
    measurement.finish(
        contest, "yardsticks", summarize(contest.records, measurement.pairs), lambda: show(contest.records)
    )


class YardstickContest(ApplicationContest):
    """The application's seconds, and those of its yardstick, measured beside it."""

    def _measured(self, task: Task, contestant: Contestant, item: str, pair: int) -> Record:
        yardstick, study = YARDSTICKS[task.program], STUDIES[task.program]

        def filled(words: Sequence[str]) -> list[str]:
            return self._filled(words, task, yardstick.prepare)

        def theirs() -> float:
            if yardstick.other_arguments:
                printed = self._printed(task, contestant, filled(yardstick.other_arguments))
                return float(study.read(printed)["seconds"])
            start = time.perf_counter()
            done = subprocess.run(filled(yardstick.other_command), capture_output=True, text=True, timeout=task.timeout)
            if done.returncode != 0:
                raise RunError(f"{yardstick.other_command[0]} ended with code {done.returncode}: {done.stderr}")
            return time.perf_counter() - start

        # Who goes first has the file in the caches, or not: in turns.
        other = theirs() if yardstick.limit is None and pair % 2 else None
        printed = self._printed(task, contestant, filled(yardstick.arguments))
        if yardstick.limit is not None:
            other = yardstick.limit(printed)
        elif other is None:
            other = theirs()
        read = study.read(printed)
        record = {
            "benchmark": "yardsticks", "application": task.program, "ranks": task.ranks, "right": read["right"],
            "seconds": read["seconds"], "yardstick_seconds": other, "ratio": read["seconds"] / other,
        }  # fmt: skip
        return record | {name: read[name] for name in ("points_per_second",) if name in read}


def summarize(records: Sequence[Record], pairs: int) -> dict[str, Any]:
    entries = []
    for point in analysis.points(records, KEYS, "ratio"):
        for (implementation, mpi), series in point.series.items():
            entry = point.key | {"implementation": implementation, "mpi": mpi}
            entry |= analysis.spread_fields("ratio", compare.spread(list(series.values())))
            mine = analysis.grouped(records, *KEYS, "implementation", "mpi")[*point.key.values(), implementation, mpi]
            if YARDSTICKS[point.key["application"]].limit is not None:
                shares = [100 / record["ratio"] for record in mine]
                entry |= analysis.spread_fields("triad_percent", compare.spread(shares))
            if rate := rate_of(mine):
                entry |= analysis.spread_fields("points_per_second", rate)
            entries.append(entry)
    return {"points": entries, "pairs": pairs, "wrong_answers": analysis.wrong(records, KEYS)}


def rate_of(records: Sequence[Record]) -> compare.Spread | None:
    """Points per second, of applications that say so."""
    rates = [record["points_per_second"] for record in records if "points_per_second" in record]
    return compare.spread(rates) if rates else None


def show(records: Sequence[Record]) -> None:
    columns = ("seconds", "yardstick s", "ratio", "points/s")
    shown = table("Beside a yardstick, on one node", "application", "ranks", "under", *columns, right=columns)
    for (name, ranks, implementation, mpi), mine in analysis.grouped(records, *KEYS, "implementation", "mpi").items():
        seconds, other = (analysis.cell(analysis.median(mine, field), 4) for field in ("seconds", "yardstick_seconds"))
        shown.add_row(
            name, str(ranks), f"{implementation}, {mpi}", seconds, other,
            str(compare.spread([record["ratio"] for record in mine])),
            f"{rate.median / 1e6:.1f} M" if (rate := rate_of(mine)) else "",
        )  # fmt: skip
    out.print(shown)
    for name in dict.fromkeys(record["application"] for record in records):
        say(f"{name}: {YARDSTICKS[name].title}.")
    say("Seconds by the applications' own clocks, from their first work to their last. Medians, ratios within pairs of")
    say(f"launches, median [quartiles]. Load {compare.machine()['load']}.")
