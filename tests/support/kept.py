# SPDX-License-Identifier: BSD-3-Clause
"""What tests make once and keep in the build folder, whichever of pytest's workers asks first."""

import contextlib
import fcntl
import hashlib
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

BUILD = Path(__file__).resolve().parents[2] / "build"
PROGRAMS = BUILD / "test_programs"


@contextlib.contextmanager
def alone(what: str) -> Iterator[None]:
    """One process at a time, of all that run tests of this tree."""
    lock = PROGRAMS / "locks" / what
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def compiled(compiler: str, source: Path, flags: Sequence[str], target: Path) -> Path:
    """A program, compiled anew if its source, what lies beside that or the compiler has changed since."""
    with alone(str(target.relative_to(PROGRAMS)).replace("/", " ")):
        # A compiler's own date may be that of its package: what counts is when it came here.
        changed = max(Path(compiler).stat().st_ctime, *(file.stat().st_mtime for file in source.parent.iterdir()))
        if not target.is_file() or target.stat().st_mtime <= changed:
            target.parent.mkdir(parents=True, exist_ok=True)
            unfinished = target.with_suffix(".new")
            command = [compiler, *flags, str(source), "-o", str(unfinished)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
            assert done.returncode == 0, done.stderr
            unfinished.rename(target)
    return target


def answer(make: Callable[[], str], *inputs: object) -> str:
    """What `make` returns, once for all that it depends on: a path stands for its file, which may be replaced or
    compiled anew."""
    changes = [(file, file.stat().st_ctime_ns) for file in inputs if isinstance(file, Path)]
    file = PROGRAMS / "answers" / hashlib.sha256(repr((inputs, changes)).encode()).hexdigest()
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        made = make()
        with alone("answers"):
            file.write_text(made)
    return file.read_text()
