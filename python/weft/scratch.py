# SPDX-License-Identifier: BSD-3-Clause
"""A folder for as long as a launch takes: for its log, its counters, and links to libraries.

Who is killed leaves it behind, and the next one takes it away. The lock in it tells the two apart: the kernel holds it
for as long as its owner lives, whatever process has the same number later.
"""

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

PREFIX = "weft-run-"
LOCK = "lock"


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    with contextlib.suppress(OSError):
        remove_abandoned()
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as name, locked(Path(name)) as made:
        yield made


@contextlib.contextmanager
def locked(made: Path) -> Iterator[Path]:
    """The lock has its name only when it is held, so that nobody finds it open while its owner lives. Without the name,
    on a file system that has no locks, the folder is nobody's to take away."""
    unnamed = made / f"{LOCK}.new"
    with unnamed.open("w") as file:
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            unnamed.rename(made / LOCK)
        yield made


def remove_abandoned() -> None:
    """Folders whose owners were killed; only this user's, and only where the lock says so."""
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            seen = left.lstat()
            if stat.S_ISDIR(seen.st_mode) and seen.st_uid == os.geteuid():
                remove_if_abandoned(left)


def remove_if_abandoned(left: Path) -> None:
    lock = os.open(left / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(lock, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(left)
