# SPDX-License-Identifier: BSD-3-Clause
"""Noise as an operating system's daemons make it: bench/noise/noise_injector.c, one process on every core."""

import contextlib
import itertools
import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from weft import installation
from weft.bad_input import BadInput
from weft.bench.analysis import Record
from weft.units import parse_durations, parse_numbers


@dataclass(frozen=True)
class Noise:
    """What keeps every core busy for a duration, so many times per second."""

    duration_us: float
    frequency_hz: int

    @property
    def share(self) -> float:
        """The share of a core's time that this noise takes."""
        return self.duration_us * self.frequency_hz / 1e6

    def __str__(self) -> str:
        return f"{self.duration_us:g} us at {self.frequency_hz} Hz"


def all_noises(durations: str, frequencies: str) -> list[Noise]:
    """Every duration at every frequency."""
    lengths, rates = parse_durations(durations, "--duration"), parse_numbers(frequencies, "--frequency", 1)
    return [Noise(*each) for each in itertools.product(lengths, rates)]


def check(noises: Sequence[Noise]) -> None:
    """The injector knows how much it may take from a core: a moment of each noise shows whether it refuses one."""
    core = min(os.sched_getaffinity(0))
    for noise in noises:
        tried = subprocess.run(
            command(noise, core, 0, 0.001), capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )
        if tried.returncode != 0:
            raise BadInput(
                f"--duration {noise.duration_us:g}us --frequency {noise.frequency_hz}, {100 * noise.share:.0f} % of "
                f"every core: {tried.stderr.strip()}"
            )


def injector() -> Path:
    found = installation.application("noise_injector")
    if found is None:
        raise BadInput("bench/noise/noise_injector is not built: run `make build`.")
    return found


@contextlib.contextmanager
def injected(noise: Noise | None, seconds: float) -> Iterator[list[Record]]:
    """Noise on every core that this process may use, while the block runs; `seconds` at the most. What every injector
    did is in the list afterwards. Each core's noise has its own phase: daemons of different cores do not wake up
    together."""
    started: list[subprocess.Popen[str]] = []
    said: list[Record] = []
    try:
        cores = sorted(os.sched_getaffinity(0)) if noise else []
        for place, core in enumerate(cores):
            started.append(start_injector(noise, core, place / len(cores), seconds))
        for process in started:
            process.stdout.readline()  # "ready", or nothing from one that refuses
        yield said
    finally:
        endings = [end(process) for process in started]
    for core_said, complaint, code in endings:
        if code != 0:
            raise BadInput(
                f"a noise injector ended with code {code}, and what was measured with it is void: {complaint}"
            )
        said.append(json.loads(core_said))


def command(noise: Noise, core: int, phase: float, seconds: float) -> list[str]:
    words = ["--core", core, "--frequency", noise.frequency_hz, "--duration", noise.duration_us]
    words += ["--phase", phase, "--seconds", seconds]
    return [str(injector()), *map(str, words)]


def start_injector(noise: Noise, core: int, phase: float, seconds: float) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(noise, core, phase, seconds),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # ctrl-C is for us; we end it
    )


def end(process: subprocess.Popen[str]) -> tuple[str, str, int]:
    """Its last words, its complaints and its code."""
    process.terminate()
    try:
        out_text, complaint = process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        out_text, complaint = process.communicate()
    return out_text, complaint.strip(), process.returncode
