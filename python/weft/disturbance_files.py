# SPDX-License-Identifier: BSD-3-Clause
"""What disturbs a simulated program, from files: traces of noise, and a number for each rank.

    # what a trace says, in us
    length 1000         after which it begins again
    0     12.5          an interruption: its begin and how long it takes
    400   200

Whatever stands behind a # is a comment."""

import math
from collections.abc import Iterator
from pathlib import Path

from weft.bad_input import BadInput
from weft.core import read_file
from weft.simulation import Noise


def lines_of(file: Path) -> Iterator[tuple[str, list[str]]]:
    """Of each line that says something: where it is, and its words."""
    for number, line in enumerate(read_file(file).splitlines(), 1):
        if words := line.partition("#")[0].split():
            yield f"{file}:{number}", words


def number_of(word: str, where: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1e9:
        raise BadInput(f"{where}: {word}: write a number from 0 to 1e9.")
    return value


def read_noise(file: Path) -> Noise:
    length = None
    trace: list[tuple[float, float]] = []
    over = 0.0  # when the last interruption is
    for where, words in lines_of(file):
        if len(words) != 2:
            raise BadInput(
                f"{where}: {' '.join(words)}: write `length US`, or the begin and length of an interruption."
            )
        value = number_of(words[1], where)
        if words[0] == "length":
            if length is not None:
                raise BadInput(f"{where}: the trace has its length already: write it once.")
            length = value
            continue
        begin = number_of(words[0], where)
        if value == 0 or begin < over:
            why = "takes no time" if value == 0 else f"begins before the one before it is over, at {over:g} us"
            raise BadInput(f"{where}: an interruption that {why}: write them in order, each apart.")
        over = begin + value
        trace.append((begin, value))
        if length is not None and over > length:
            raise BadInput(f"{where}: the interruption ends at {over:g} us, behind the trace's length, {length:g} us.")
    if length is None:
        raise BadInput(f"{file}: after what time does the trace begin again? Write a line such as `length 1000` (us).")
    if not trace:
        raise BadInput(f"{file}: a trace without interruptions: write begin and length of each, in us, one per line.")
    if over > length:
        raise BadInput(f"{file}: the last interruption ends at {over:g} us, behind the trace's length, {length:g} us.")
    if sum(duration for _, duration in trace) >= length:
        raise BadInput(f"{file}: interruptions all the time: noise has to leave some to the program.")
    return Noise(trace=tuple(trace), length_us=length)


def read_numbers(file: Path) -> list[float]:
    """One per line."""
    numbers = []
    for where, words in lines_of(file):
        if len(words) != 1:
            raise BadInput(f"{where}: {' '.join(words)}: write one number, for one rank.")
        numbers.append(number_of(words[0], where))
    return numbers
