# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench report`: every question once, as one Markdown page with tables and plots. `make bench` runs it."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from weft import chart, compare, environment
from weft.bad_input import BadInput
from weft.console import err, say

TABLE_WIDTH = 132  # columns of a table on the page


@dataclass(frozen=True)
class Section:
    title: str
    about: str
    arguments: Sequence[str]  # of weft bench
    picture: str | None = "--plot"  # the option that draws one
    called: str | None = None  # where the question is asked more than once

    @property
    def name(self) -> str:
        return self.called or self.arguments[0]


COLLECTIVES = "barrier,bcast,reduce,allreduce,allgather,alltoall"
SECTIONS = (
    Section(
        "All collectives",
        "Every blocking collective at many sizes, as OSU's benchmarks time them.",
        ("latency", "--collective", "blocking", "--bytes", "1,16,256,4K,64K,1M", "--ranks", "2,8", "--method", "osu",
         "--buffers", "hot", "--pairs", "5", "--milliseconds", "3"),
        picture="--heat-map",
        called="all",
    ),
    Section(
        "What the hardware allows",
        "Two ranks in shared memory, without any MPI in what is timed. The last line is the error of the clock.",
        ("floor", "--pairs", "5", "--milliseconds", "50"),
        picture=None,
    ),
    Section(
        "Latency",
        "Time of one operation; non-blocking ones are started and waited for.",
        ("latency", "--collective", f"{COLLECTIVES},i{COLLECTIVES.replace(',', ',i')}", "--bytes", "8,4K,64K,1M",
         "--ranks", "2,8", "--pairs", "80", "--milliseconds", "5"),
    ),
    Section(
        "Overlap",
        "How much of a non-blocking collective hides behind computation, by five definitions.",
        ("overlap", "--collective", "iallreduce,ibcast,ialltoall", "--bytes", "8,64K", "--pairs", "5"),
    ),
    Section(
        "Overhead",
        "CPU time that an operation costs, and under Weft what it is spent on.",
        ("overhead", "--collective", "iallreduce,ialltoall", "--bytes", "8,64K", "--ranks", "2,4", "--pairs", "5"),
    ),
    Section(
        "Skew",
        "What the punctual ranks lose when one is late.",
        ("skew", "--collective", "allreduce,iallreduce", "--by", "10us,100us", "--pairs", "5"),
    ),
    Section(
        "DGEMM",
        "A matrix product between start and wait of an MPI_Iallreduce.",
        ("dgemm", "--sizes", "10,30,100,300,1000", "--pairs", "5"),
    ),
    Section(
        "Noise",
        "The slow-down by an injector of noise on every core.",
        ("noise", "--duration", "50us,200us", "--frequency", "20,1000", "--pairs", "5"),
    ),
    Section(
        "Guidelines",
        "No collective should be slower than what it could be made of.",
        ("guidelines", "--ranks", "2", "--pairs", "5", "--milliseconds", "10"),
        picture=None,
    ),
)  # fmt: skip


def run(
    output: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the page, its pictures and records go.")] = Path(
        "results"
    ),
    only: Annotated[str | None, typer.Option(help="Some of the questions: floor,latency,…")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="One pair of tiny launches each: does everything work?")
    ] = False,
) -> None:
    """Measure everything, and write one page about it."""
    environment.check()
    sections = chosen(only)
    if any(section.picture for section in sections):
        chart.load()
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise BadInput(f"{output} cannot be made: {problem.strerror}. Choose another --output.") from problem
    page = output / "report.md"
    begin = time.monotonic()
    failed = []
    text = heading()
    try:
        for number, section in enumerate(sections, 1):
            err.print(f"[{number}/{len(sections)}] {section.title}", markup=False)
            added, done = measure(section, output, quick)
            text += added
            failed += [] if done else [section.name]
            page.write_text(text)
    except KeyboardInterrupt:
        err.print("Interrupted: the page holds what was measured so far.")
    minutes = (time.monotonic() - begin) / 60
    page.write_text(f"{text}\nMeasured in {minutes:.1f} minutes.\n")
    say(f"Report: {page} ({minutes:.1f} minutes)")
    if failed:
        say(f"Not everything was measured: {', '.join(failed)}.", "red")
        raise typer.Exit(1)


def chosen(only: str | None) -> list[Section]:
    known = {section.name: section for section in SECTIONS}
    if only is None:
        return list(SECTIONS)
    for name in only.split(","):
        if name not in known:
            raise BadInput(f"--only {name}: use some of {', '.join(known)}, separated by commas.")
    return [known[name] for name in only.split(",")]


def heading() -> str:
    machine = compare.machine()
    facts = ", ".join(f"{name} {value}" for name, value in machine.items())
    return f"# Weft and the host MPI, measured side by side\n\n{facts}\n"


def measure(section: Section, folder: Path, quick: bool) -> tuple[str, bool]:
    """The section's Markdown, and whether everything in it succeeded."""
    plot = folder / f"{section.name}.png"
    arguments = [*section.arguments, "--results", str(folder)]
    if section.picture:
        arguments += [section.picture, str(plot)]
    if quick:
        arguments += ["--pairs", "1", "--milliseconds", "1"]
    command = [sys.executable, "-m", "weft", "bench", *arguments]
    plain = {"COLUMNS": str(TABLE_WIDTH), "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=os.environ | plain)
    shown = " ".join(["weft", "bench", *section.arguments])
    text = f"\n## {section.title}\n\n{section.about}\n"
    if section.picture and plot.exists():
        text += f"\n![{section.title}]({plot.name})\n"
    text += f"\n```\n$ {shown}\n{done.stdout.rstrip()}\n```\n"
    if done.returncode != 0:
        text += f"\nThis ended with code {done.returncode}; what is above is what was measured.\n"
    return text, done.returncode == 0
