# SPDX-License-Identifier: BSD-3-Clause
"""Sizes and ranges as people write them: 8, 4K, 1M (binary); 1-33; 0,8,1K-64K; 2,3,4; 50us,1ms."""

import re

from weft.bad_input import BadInput

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
MICROSECONDS = {"us": 1.0, "ms": 1e3, "s": 1e6}
DURATION = re.compile(r"(\d+(?:\.\d+)?)(us|ms|s)")
SIZE = re.compile(r"(\d+)([KMG]?)(?:i?B)?", re.IGNORECASE)


def parse_size(text: str, option: str = "--bytes") -> int:
    match = SIZE.fullmatch(text.strip())
    if not match:
        raise BadInput(f"{option} {text}: a size is a whole number with K, M or G if you like, such as 8, 4K or 1M.")
    return int(match[1]) * UNITS[match[2].upper()]


def parse_sizes(text: str, option: str = "--bytes") -> list[int]:
    """A range of sizes doubles: 1K-8K is 1K, 2K, 4K, 8K."""
    sizes: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        low, high = parse_size(first, option), parse_size(last if dash else first, option)
        if low > high:
            raise BadInput(f"{option} {part}: the range runs backwards; write {last}-{first}.")
        while low < high:
            sizes.add(low)
            low = low * 2 if low else 1
        sizes.add(high)
    return sorted(sizes)


def parse_durations(text: str, option: str) -> list[float]:
    """Durations in microseconds: 50us,1ms is 50, 1000."""
    durations: set[float] = set()
    for part in text.split(","):
        match = DURATION.fullmatch("0us" if part.strip() == "0" else part.strip())
        if not match:
            raise BadInput(f"{option} {part}: a duration is a number with its unit, such as 50us, 0.2ms or 1s.")
        durations.add(float(match[1]) * MICROSECONDS[match[2]])
    return sorted(durations)


def parse_numbers(text: str, option: str, least: int) -> list[int]:
    """A range of numbers has all of them: 1-4 is 1, 2, 3, 4."""
    numbers: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?", part)
        if not match:
            raise BadInput(f"{option} {text}: write whole numbers and ranges, such as 2,3,4 or 1-33.")
        low, high = int(match[1]), int(match[2] or match[1])
        if low > high:
            raise BadInput(f"{option} {part}: the range runs backwards; write {high}-{low}.")
        if low < least:
            raise BadInput(f"{option} {part}: the smallest possible value is {least}.")
        if high - low > 1 << 20:
            raise BadInput(f"{option} {part}: that is more than a million values; choose a smaller range.")
        numbers.update(range(low, high + 1))
    return sorted(numbers)


def show_duration(microseconds: float) -> str:
    return f"{microseconds / 1e3:g} ms" if microseconds >= 1e3 else f"{microseconds:g} us"


def show_size(size: int) -> str:
    """The shortest exact way: 8, 4K, 1M; 1000 stays 1000."""
    for unit in ("G", "M", "K"):
        if size and size % UNITS[unit] == 0:
            return f"{size // UNITS[unit]}{unit}"
    return str(size)


def show_numbers(numbers: list[int]) -> str:
    """The opposite of parse_numbers, for tables: 1-4,8."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
