# SPDX-License-Identifier: BSD-3-Clause
"""The applications of this project as benchmarks run them: what each is given to do, what its exchanges are called, and
what is read from what it prints."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weft import installation
from weft.bad_input import BadInput
from weft.bench import options
from weft.bench.analysis import Record

BLOCKING, OVERLAPPED, SKIPPED = FORMS = ("blocking", "overlapped", "skipped")


@dataclass(frozen=True)
class Study:
    """What an application is given to do. Where 4 hosts are 200 us apart, communication is some 30 % of the blocking
    form's time; of the Fourier transforms it is half, whatever their size."""

    title: str
    arguments: Sequence[str]  # {ranks} of them, {folder} for files, and what `sizes` has
    overlapped: str  # what its --exchange calls that form; blocking and skipped are so called by all
    # From the JSON object that it prints: seconds, waiting_seconds, and whether the answer is right, None if none is.
    read: Callable[[dict[str, Any]], Record]
    # Makes the files that the arguments name, in {folder}.
    prepare: Callable[[Path], None] = lambda folder: None
    sizes: Mapping[str, int] = field(default_factory=dict)  # what may be asked otherwise; in titles and arguments
    # Exchanges that there are besides, by their names; the usual ones are measured unless others are asked for.
    further: Sequence[str] = ()
    usual: Sequence[str] = ()
    # Forms that are the host MPI's whatever is under the program: measured once on each MPI.
    hosts_own: Sequence[str] = ()

    def exchange(self, form: str) -> str:
        return self.overlapped if form == OVERLAPPED else form

    def label(self, form: str) -> str:
        """How people read it: where there are several that overlap, by its name."""
        return self.exchange(form) if self.further else form

    def described(self, record: Record) -> str:
        """The title, with the sizes that were measured."""
        return self.title.format(**self.sizes | {name: record[name] for name in self.sizes if name in record})


def read_common(printed: dict[str, Any]) -> Record:
    return {name: printed[name] for name in ("seconds", "waiting_seconds", "right")}


def read_wave(printed: dict[str, Any]) -> Record:
    """`fingerprint` is of the bits of the answer, which no exchange, process grid or MPI changes."""
    return read_common(printed) | {name: printed[name] for name in ("fingerprint", "points_per_second")}


def read_pcg(printed: dict[str, Any]) -> Record:
    (solution,) = printed["algorithms"]
    right = solution["converged"] and solution["true_residual"] <= 1.1 * printed["tolerance"]
    return {
        "seconds": solution["table_max"]["solver_time"],
        "waiting_seconds": solution["breakdown"]["allreduce_and_wait"],
        "right": right,
    }


def write_words(folder: Path) -> None:
    """Ordinary text, as far as a compressor is concerned: words, frequent ones and rare ones."""
    choose = random.Random(1)
    vocabulary = ["".join(choose.choices("etaoinshrdlucmfwypvbgk", k=choose.randint(2, 9))) for _ in range(5000)]
    weights = [1 / rank for rank in range(1, len(vocabulary) + 1)]
    with (folder / "words").open("w") as file:
        for _ in range(40):
            file.write(" ".join(choose.choices(vocabulary, weights, k=60_000)) + "\n")


CUBE = ("{points}",) * 3
STUDIES = {
    "pcg": Study(
        "pipelined conjugate gradients, 27-point Laplacian, 25 x 25 x 25 points per rank; its reductions",
        ("-n", "25", "25", "25", "--algorithm", "pipelined", "--repeat", "{repeat}"),
        "overlapped",
        read_pcg,
        sizes={"repeat": 20},
    ),
    "fft3d": Study(
        "3-D Fourier transforms of 8 variables, forth and back, {points} x {points} x {points} points, in slabs; their "
        "transposes",
        ("-n", *CUBE, "-P", "{ranks}", "1", "--variables", "8", "--test", "sine", "--repeat", "{repeat}"),
        "pipelined",
        read_common,
        sizes={"points": 128, "repeat": 5},
    ),
    "compress": Study(
        "14 MB of words to bzip2, pieces of 25 kB; gathering what is compressed",
        (
            "{folder}/words",
            "-o",
            "{folder}/words.bz2",
            "--force",
            "--check",
            "--block",
            "25000",
            "--repeat",
            "{repeat}",
        ),
        "pipelined",
        read_common,
        write_words,
        sizes={"repeat": 3},
    ),
    "poisson": Study(
        "conjugate gradients for the Poisson equation, {points} x {points} x {points} points, 60 iterations; its halos",
        ("-n", *CUBE, "--iterations", "60", "--repeat", "{repeat}"),
        "neighbour",
        read_common,
        sizes={"points": 128, "repeat": 5},
    ),
    "wave": Study(
        "elastic waves below a free surface, {per_rank} x {per_rank} x {per_rank} points per rank, {steps} steps; its "
        "faces",
        ("--per-rank", "{per_rank}", "--steps", "{steps}", "--repeat", "{repeat}"),
        "one-sided",
        read_wave,
        sizes={"per_rank": 128, "steps": 30, "repeat": 3},
        further=("nonblocking", "nocheck", "neighbour", "fence", "lock"),
        usual=("nonblocking",),
        hosts_own=("blocking", "nonblocking", "fence", "lock"),
    ),
}


def check(application: str) -> None:
    if application not in STUDIES:
        raise BadInput(f"{application} is no application: use {' or '.join(STUDIES)}.")
    program_of(application)


def program_of(application: str, host: installation.Host | None = None) -> Path:
    """The program of this MPI; Open MPI's, which all have, if none is named."""
    is_open_mpi = host is None or (host.make == installation.OPEN_MPI and host.name != "abi")
    found = installation.application(application if is_open_mpi else f"{application}_{host.name}")
    if found is None:
        where = "" if is_open_mpi else f" for {host.title}"
        raise BadInput(
            f"{application} is not built{where}: see what apps/{application}/README.md says it needs, then `make "
            f"build`{'' if is_open_mpi else ', or take --mpi openmpi'}."
        )
    return found


def sizes_of(application: str, **asked: int | None) -> dict[str, int]:
    """The application's own, but for those that are asked for."""
    study = STUDIES[application]
    given = {name: value for name, value in asked.items() if value is not None}
    for name in given:
        if name not in study.sizes:
            those = " and ".join(one for one, other in STUDIES.items() if name in other.sizes)
            raise BadInput(f"--{name.replace('_', '-')} is of {those}: leave it away for {application}.")
    return dict(study.sizes) | given


def forms_of(application: str, asked: str | None, unless_asked: Sequence[str]) -> list[str]:
    """All forms that exchange something, in the order in which they are measured and shown. `asked`: --exchange."""
    study = STUDIES[application]
    further = list(unless_asked)
    if asked is not None and not study.further:
        raise BadInput(f"--exchange: {application} has only {BLOCKING} and {study.overlapped}, which are measured.")
    if asked is not None:
        words = [word for word in asked.split(",") if word not in (BLOCKING, study.overlapped)]  # always measured
        for word in words:
            options.check_word("--exchange", word, *study.further, "all")
        further = list(study.further if "all" in words else dict.fromkeys(words))
    return [BLOCKING, *further, OVERLAPPED]


def is_measured_once(application: str, form: str) -> bool:
    """Whether it is the same whatever is under the program."""
    return form == SKIPPED or form in STUDIES[application].hosts_own
