# SPDX-License-Identifier: BSD-3-Clause
"""What a program is: which MPI it was built for, whether it is a script, which sanitizers it needs.

The dynamic loader itself is asked for the libraries, so that dependencies of dependencies, run paths
and LD_LIBRARY_PATH count as they will when the program starts.
"""

import functools
import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from weft.bad_input import BadInput
from weft.installation import KINDS, TITLES

ELF_MAGIC = b"\x7fELF"
# Programs without MPI that start other programs or run scripts: the MPI is decided by what comes after them.
INTERPRETERS = re.compile(
    r"(i?python|pypy|perl|ruby|lua|octave|tclsh)[\d.]*(-cli)?|julia|R|Rscript|sh|bash|dash|zsh|env|nice|time|timeout|"
    r"taskset|numactl|valgrind|gdb|strace|ltrace|perf|catchsegv|xterm|uv|coverage|pytest"
)
LAUNCHERS = re.compile(r"(mpi(exec|run)|orterun|prterun|srun)([.-]\w+)*")
SANITIZERS = re.compile(r"lib(a|t|l|ub|hwa)san\.so")


@dataclass(frozen=True)
class NeededMpi:
    """The MPI that a file was linked with."""

    soname: str
    library: Path | None  # what the loader finds by this name
    by: Path  # the file


@dataclass(frozen=True)
class Program:
    """What stands behind `--` on the command line, looked at."""

    path: Path
    kind: str  # "binary", "script" or "interpreter"
    words: list[str]  # the command as the ranks run it
    mpi: NeededMpi | None = None  # if that can be seen
    libraries: dict[str, Path | None] = field(default_factory=dict)


def inspect(command: list[str]) -> Program:
    """Looks at the command's first word, and, where that only starts something else, at what follows."""
    path = find(command[0])
    if not is_elf(path):
        return Program(path, "script", [*interpreter_of(path), str(path), *command[1:]])
    words = [str(path), *command[1:]]
    libraries = needed_libraries(path)
    if mpi := mpi_needed_by(path):
        return Program(path, "binary", words, mpi, libraries)
    if INTERPRETERS.fullmatch(path.name):
        return Program(path, "interpreter", words, mpi_of_started_binary(command[1:]), libraries)
    raise BadInput(not_an_mpi_program(path, libraries))


def find(word: str) -> Path:
    """The program a shell would start; one without a slash may also lie in the current folder."""
    path = Path(word)
    found = path if "/" in word else Path(shutil.which(word) or path)
    if not found.exists():
        where = "" if "/" in word else ", neither on PATH nor in the current folder"
        raise BadInput(f"{word}: there is no such program{where}. Check the name, or give its full path.")
    if found.is_dir():
        raise BadInput(f"{word} is a folder: name the program inside it.")
    try:
        with found.open("rb"):
            pass
    except OSError as problem:
        raise BadInput(f"{word} cannot be read: {problem.strerror}. Check its permissions.") from problem
    if is_elf(found) and not os.access(found, os.X_OK):
        raise BadInput(f"{word} is not executable: `chmod +x {word}` if it is the program you mean.")
    return found.absolute()


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == ELF_MAGIC


def interpreter_of(path: Path) -> list[str]:
    """The words before a script: none where the kernel starts it, the words of its first line where it is not
    executable, our own Python for a .py without such a line."""
    with path.open("rb") as file:
        first = file.readline(500)
    if first.startswith(b"#!"):
        return [] if os.access(path, os.X_OK) else first[2:].decode(errors="replace").split()
    if path.suffix == ".py":
        return [own_python()]
    raise BadInput(
        f"{path} is neither a program nor a script: it has no ELF header, does not begin with #! "
        "and does not end with .py. Start it with its interpreter: `weft run … -- INTERPRETER FILE`."
    )


def own_python() -> str:
    import sys

    return sys.executable


@functools.cache
def own_loader() -> list[str]:
    """The dynamic loader of the GNU C library, if it is what our Python names in its ELF header."""
    with Path(own_python()).open("rb") as file:
        return [os.fsdecode(name) for name in re.findall(rb"\0(/[^\0]*/ld-linux[^\0/]*)\0", file.read(4096))[:1]]


@functools.cache
def needed_libraries(path: Path) -> dict[str, Path | None]:
    """All libraries that the loader will load, by name; None for one that it cannot find."""
    # ldd, which starts four processes, also knows what to do about files that our own loader cannot load.
    listers = [[*own_loader(), "--list"]] if own_loader() else []
    for lister in [*listers, [shutil.which("ldd") or "/usr/bin/ldd"]]:
        try:
            done = subprocess.run([*lister, str(path)], capture_output=True, text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired) as problem:
            raise BadInput(f"{path}: its libraries cannot be listed with {lister[0]}: {problem}.") from problem
        if done.returncode == 0:
            break
    lines = re.findall(r"^\s+(\S+) => (not found|\S+)", done.stdout, re.MULTILINE)
    return {Path(name).name: None if where == "not found" else Path(where) for name, where in lines}


def mpi_needed_by(path: Path) -> NeededMpi | None:
    libraries = needed_libraries(path)
    for kind in KINDS.values():
        for soname in kind.sonames:
            if soname in libraries:
                return NeededMpi(soname, libraries[soname], path.absolute())
    return None


def mpi_of_started_binary(words: list[str]) -> NeededMpi | None:
    """The MPI of the first word that names an MPI program, as in `env A=1 ./program` or `valgrind -q ./program`."""
    for word in words:
        path = Path(shutil.which(word) or word)
        if path.is_file() and os.access(path, os.X_OK) and is_elf(path) and (mpi := mpi_needed_by(path)):
            return mpi
    return None


def sanitizer_libraries(*library_lists: dict[str, Path | None]) -> list[Path]:
    """Run times that insist on coming first among the preloaded libraries."""
    found: dict[str, Path] = {}
    for libraries in library_lists:
        for name, path in libraries.items():
            if path is not None and SANITIZERS.match(name):
                found.setdefault(name, path)
    return list(found.values())


def not_an_mpi_program(path: Path, libraries: dict[str, Path | None]) -> str:
    if LAUNCHERS.fullmatch(path.name):
        return (
            f"{path} starts MPI programs itself, and so does `weft run`: write `weft run -n N -- PROGRAM` for "
            f"`{path.name} -n N PROGRAM`, or `{path.name} -n N env $(weft env PROGRAM) PROGRAM`."
        )
    other = next((name for name in libraries if re.match(r"lib(p?mpi|mpi_|msmpi|mpt)", name)), None)
    known = " or ".join(f"{TITLES[name]} ({kind.sonames[0]})" for name, kind in KINDS.items())
    if other:
        why = f"it is linked with {other}, which is neither of the MPIs that Weft knows: {known}"
        advice = "Build it with the mpicc of one of these."
    elif not libraries:
        why = "it is linked statically, and nothing can get between a program and an MPI that lies inside it"
        advice = "Link it with the MPI's shared library, that is, without -static."
    else:
        why = f"neither it nor a library of it is linked with {known}"
        advice = "Check the name; if it opens libraries that use MPI while it runs, start it through a script."
    return f"{path} is not an MPI program that Weft can be under: {why}. {advice}"
