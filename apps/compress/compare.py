#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compress beside bzip2, pbzip2 and lbzip2 on one file, in turns: seconds on the clock, and of the processors.

usage: compare.py PROGRAM [FILE] [--ranks N] [--repeat K]     without FILE: 40 MB of words made for this
"""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

WORDS = 6_500_000


def make_words(path: Path) -> None:
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 9))) for _ in range(3000)]
    path.write_text(" ".join(chance.choices(words, k=WORDS)))


def measured(command: list[str], source: Path, target: Path) -> tuple[float, float, int]:
    """Seconds on the clock, of the processors; bytes."""
    before = os.times()
    start = time.perf_counter()
    with target.open("wb") as out:
        subprocess.run([*command, source], stdout=out, stderr=subprocess.PIPE, check=True)
    seconds = time.perf_counter() - start
    after = os.times()
    used = after.children_user - before.children_user + after.children_system - before.children_system
    subprocess.run(["bzip2", "-t"], stdin=target.open("rb"), check=True)
    return seconds, used, target.stat().st_size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("file", nargs="?")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=5)
    given = parser.parse_args()
    mpiexec = shutil.which("mpiexec.openmpi") or "mpiexec"
    ours = [mpiexec, "-n", str(given.ranks), given.program]
    commands = {
        "bzip2": ["bzip2", "-k", "-c"],
        f"pbzip2 -p{given.ranks}": ["pbzip2", f"-p{given.ranks}", "-k", "-c"],
        f"lbzip2 -n{given.ranks}": ["lbzip2", f"-n{given.ranks}", "-k", "-c"],
        "compress, blocking": [*ours, "--exchange", "blocking"],
        "compress, pipelined": ours,
    }
    commands = {name: command for name, command in commands.items() if shutil.which(command[0])}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(given.file) if given.file else Path(folder) / "words"
        if not given.file:
            make_words(source)
        results = {name: [] for name in commands}
        for _ in range(given.repeat):
            for name, command in commands.items():
                results[name].append(measured(command, source, Path(folder) / "packed"))
    print(f"{'':<22}{'seconds':>10}{'processor s':>13}{'bytes':>12}")
    for name, runs in results.items():
        seconds, used, size = (statistics.median(column) for column in zip(*runs, strict=True))
        print(f"{name:<22}{seconds:>10.2f}{used:>13.2f}{size:>12.0f}")


main()
