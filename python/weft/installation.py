# SPDX-License-Identifier: BSD-3-Clause
"""What is installed where: Weft's libraries, one per kind of host MPI, and the MPIs with their launchers.

Weft's library for a host is looked for in
  1. $WEFT_LIBRARY_DIR/<host>/libweft.so (abi/libweft-abi.so for the standard ABI)
  2. lib/<host>/libweft.so inside this package (installed, or the build folder's copy of the package)
  3. build/release/lib/<host>/libweft.so of the source tree that this package lies in

An MPI is found by its launcher: where the set-up puts those from PyPI (mpi/<host> in our Python's environment), in that
environment itself, and on PATH. What the launcher says of itself tells which MPI it is.
"""

import functools
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from weft.bad_input import BadInput

OPEN_MPI, MPICH, INTEL = "Open MPI", "MPICH", "Intel MPI"


@dataclass(frozen=True)
class Kind:
    """What one libweft.so serves."""

    makes: tuple[str, ...]  # OPEN_MPI, MPICH
    majors: range  # of the versions
    sonames: tuple[str, ...]  # by which programs name the C library


# In the order of preference for programs that do not say which MPI they want (scripts).
KINDS = {
    "openmpi": Kind((OPEN_MPI,), range(5), ("libmpi.so.40",)),
    "mpich": Kind((MPICH,), range(5), ("libmpich.so.12", "libmpi.so.12")),
    "openmpi5": Kind((OPEN_MPI,), range(5, 6), ("libmpi.so.40",)),
    "mpich5": Kind((MPICH,), range(5, 6), ("libmpi.so.12",)),
    "abi": Kind((OPEN_MPI, MPICH), range(5, 1000), ("libmpi_abi.so.1", "libmpi_abi.so.0")),
}
NAMES = tuple(KINDS)
TITLES = {
    "openmpi": "Open MPI 4",
    "mpich": "MPICH 4",
    "openmpi5": "Open MPI 5",
    "mpich5": "MPICH 5",
    "abi": "the standard ABI",
}
VERSIONS = {
    OPEN_MPI: re.compile(r"(?:OpenRTE\)|Open MPI\)|Open MPI:?|PRRTE\)?)\s+v?(\d+\.\d+[.\w]*)"),
    MPICH: re.compile(r"HYDRA.*?Version:\s+(\d+\.\S+)", re.DOTALL),
    INTEL: re.compile(r"Intel\(R\) MPI Library.*?Version\s+(\d+\.\S+)"),
}
# MPIs that Weft is not under, though their libraries have the names and the ABI of MPICH's: by what these say of
# themselves.
STRANGERS = {
    INTEL: b"Intel(R) MPI Library",
    "Cray MPICH": b"CRAY MPICH",
    "MVAPICH": b"MVAPICH",
    "ParaStation MPI": b"ParaStation",
}


@dataclass(frozen=True)
class Host:
    """One MPI on this machine, or its standard ABI."""

    name: str  # of its kind
    make: str  # OPEN_MPI, MPICH or, measured beside, INTEL
    launcher: Path  # its mpiexec
    version: str  # "4.1.4"
    library: Path | None  # Weft's libweft.so for it
    mpi_library: Path | None  # its own C library
    soname: str  # by which programs name that library, such as libmpi.so.40

    @property
    def title(self) -> str:
        title = f"{self.make} {self.version}"
        return f"the standard ABI of {title}" if self.name == "abi" else title


def library_path(host: str) -> Path | None:
    """Weft's library for this host, or None. An override that names nothing is an error, not a guess."""
    override = os.environ.get("WEFT_LIBRARY_DIR")
    if override:
        if not Path(override).is_dir():
            raise BadInput(f"WEFT_LIBRARY_DIR={override} is not a folder: name the one that has {NAMES[0]}/libweft.so.")
        folders = [Path(override)]
    else:
        package = Path(__file__).parent
        source = Path(__file__).resolve().parents[2]
        folders = [package / "lib", source / "build" / "release" / "lib"]
    file = "libweft-abi.so" if host == "abi" else "libweft.so"
    candidates = (folder / host / file for folder in folders)
    return next((path.absolute() for path in candidates if path.is_file()), None)


def application(name: str) -> Path | None:
    """A program that comes with Weft, such as pcg: in this package, or in the build of its source tree."""
    folders = [Path(__file__).parent / "bin", Path(__file__).resolve().parents[2] / "build" / "release" / "bin"]
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


@functools.cache
def identity(launcher: Path) -> tuple[str, str] | None:
    """The MPI that this launcher belongs to, and its version."""
    try:
        done = subprocess.run(
            [launcher, "--version"],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    for make, version in VERSIONS.items():
        if match := version.search(done.stdout + done.stderr):
            return make, match[1]
    return None


def launchers(name: str) -> Iterator[Path]:
    """Where a host of this kind may be started from, the likeliest first."""
    own = Path(sys.prefix) / "mpi"
    yield own / name / "bin/mpiexec"
    search = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    debian = "mpiexec.openmpi" if OPEN_MPI in KINDS[name].makes else "mpiexec.mpich"
    for word in (debian, "mpiexec", "mpirun"):
        if found := shutil.which(word, path=search):
            yield Path(found)
    yield from (own / other / "bin/mpiexec" for other in NAMES)


@functools.cache
def loader_cache() -> dict[str, str]:
    """Library name -> path, as the dynamic loader's cache has it."""
    ldconfig = shutil.which("ldconfig", path=os.pathsep.join([os.environ.get("PATH", ""), "/sbin", "/usr/sbin"]))
    if not ldconfig:
        return {}
    listing = subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=False).stdout
    found: dict[str, str] = {}
    for name, path in re.findall(r"^\s+(\S+) \(.*\) => (\S+)$", listing, re.MULTILINE):
        found.setdefault(name, path)
    return found


def find_mpi_library(name: str, launcher: Path) -> tuple[Path | None, str]:
    """Beside the launcher first (an MPI may be installed twice), then where the loader looks."""
    sonames = KINDS[name].sonames
    for prefix in (launcher.parent.parent, launcher.resolve().parent.parent):
        for soname in sonames if prefix != Path("/usr") else ():
            for folder in ("lib", "lib64"):
                if (prefix / folder / soname).exists():
                    return prefix / folder / soname, soname
    for soname in sonames:
        if soname in loader_cache():
            return Path(loader_cache()[soname]), soname
    return None, sonames[0]


def host_at(launcher: Path, name: str) -> Host | None:
    """The host of this kind that this launcher starts, if it is one."""
    mpi_library, soname = find_mpi_library(name, launcher)
    if not launcher.is_file() or (name == "abi" and mpi_library is None):  # not every MPI offers that
        return None
    known = identity(launcher)
    if known is None:
        return None
    make, version = known
    if make not in KINDS[name].makes or int(version.split(".")[0]) not in KINDS[name].majors:
        return None
    return Host(name, make, launcher, version, library_path(name), mpi_library, soname)


@functools.cache
def find(name: str) -> Host | None:
    found = (host_at(launcher, name) for launcher in launchers(name))
    return next((host for host in found if host), None)


def hosts() -> list[Host]:
    """The MPIs whose launcher is found, in the order of NAMES."""
    return [found for name in NAMES if (found := find(name))]


def host(name: str) -> Host:
    found = find(name)
    if found:
        return found
    known = ", ".join(one.name for one in hosts()) or "none is installed"
    raise BadInput(f"there is no MPI called {name} on this machine ({known}): see `weft doctor`.")


def stranger_in(library: Path) -> str | None:
    """The MPI that this library belongs to, if it is none of those that Weft knows."""
    text = library.read_bytes()
    return next((make for make, words in STRANGERS.items() if words in text), None)


def rival() -> Host:
    """Intel MPI, to be measured beside Weft, which is never under it. It runs what is built for MPICH, whose ABI it
    has."""
    own = Path(sys.prefix) / "mpi/intel"
    for launcher in (own / "bin/mpiexec", Path(shutil.which("mpiexec") or "")):
        library = launcher.resolve().parent.parent / "lib/libmpi.so.12"
        known = identity(launcher) if launcher.is_file() and library.is_file() else None
        if known and known[0] == INTEL:
            return Host("mpich5", INTEL, launcher, known[1], None, library, library.name)
    raise BadInput(
        f"{INTEL} is not found: put its mpiexec on PATH, or get it from PyPI (its licence is Intel's own): "
        f"{sys.executable} -m pip install --prefix {own} impi-rt"
    )


def host_of_library(soname: str, file: Path | None) -> Host:
    """The MPI whose C library a program needs: the one that was found with this very file, else the one that the file
    lies beside, else the first whose library has this name."""
    names = [name for name in NAMES if soname in KINDS[name].sonames]
    for name in names if file else ():
        found = find(name)
        if found and found.mpi_library and found.mpi_library.samefile(file):
            return found
    if file and (stranger := stranger_in(file)):
        raise BadInput(
            f"{file} is {stranger}'s, and Weft is under Open MPI and MPICH only. Run the program on MPICH's {soname}, "
            "which has the same ABI (put its folder first into LD_LIBRARY_PATH), or without Weft, by its own mpiexec."
        )
    for name in names if file else ():
        if found := host_at(file.parent.parent / "bin/mpiexec", name):
            return found
    for name in names:
        if found := find(name):
            return found
    return host(names[0])


def default_host() -> Host:
    """For scripts: WEFT_MPI if set, else the first MPI that Weft is built for, else the first one."""
    wanted = os.environ.get("WEFT_MPI")
    if wanted:
        return host(wanted)
    found = next((one for name in NAMES if library_path(name) and (one := find(name))), None)
    if found is None and not hosts():
        raise BadInput("no MPI is found: install one (Debian: libopenmpi-dev openmpi-bin, or libmpich-dev).")
    return found or hosts()[0]


def last_log() -> Path:
    """Where `weft run` lets the library write, and `doctor` reads. WEFT_LOG overrides it."""
    if os.environ.get("WEFT_LOG"):
        return Path(os.environ["WEFT_LOG"])
    return cache_folder() / "last.log"


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "weft"


def studies_folder() -> Path:
    """The studies of the papers' figures, as the package has them, beside the machines that they are about."""
    return Path(__file__).parent / "studies"


def machine_folder() -> Path:
    return studies_folder() / "machines"
