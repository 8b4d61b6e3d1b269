# SPDX-License-Identifier: BSD-3-Clause
"""What is installed where: Weft's libraries, one per host MPI, and the MPIs with their launchers.

Weft's library for a host is looked for in
  1. $WEFT_LIBRARY_DIR/<host>/libweft.so
  2. lib/<host>/libweft.so inside this package (installed, or the build folder's copy of the package)
  3. build/release/lib/<host>/libweft.so of the source tree that this package lies in
"""

import functools
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from weft.console import BadInput

# In the order of preference for programs that do not say which MPI they want (scripts).
NAMES = ("openmpi", "mpich")
TITLES = {"openmpi": "Open MPI", "mpich": "MPICH"}
SONAMES = {"openmpi": ("libmpi.so.40", "libmpi.so.80"), "mpich": ("libmpich.so.12", "libmpi.so.12")}
VERSIONS = {
    "openmpi": re.compile(r"(?:OpenRTE\)|Open MPI\)|Open MPI:?|PRRTE\)?)\s+v?(\d+\.\d+[.\w]*)"),
    "mpich": re.compile(r"HYDRA.*?Version:\s+(\S+)", re.DOTALL),
}


@dataclass(frozen=True)
class Host:
    """One MPI on this machine."""

    name: str  # "openmpi" or "mpich"
    launcher: Path  # its mpiexec
    version: str  # "4.1.4"; "unknown" if the launcher does not say it in a known way
    library: Path | None  # Weft's libweft.so for it
    mpi_library: Path | None  # its own C library
    soname: str  # by which programs name that library, such as libmpi.so.40

    @property
    def title(self) -> str:
        return f"{TITLES[self.name]} {self.version}"


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
    candidates = (folder / host / "libweft.so" for folder in folders)
    return next((path.absolute() for path in candidates if path.is_file()), None)


def application(name: str) -> Path | None:
    """A program that comes with Weft, such as pcg: in this package, or in the build of its source tree."""
    folders = [Path(__file__).parent / "bin", Path(__file__).resolve().parents[2] / "build" / "release" / "bin"]
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def launcher_output(launcher: Path) -> str:
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
        return ""
    return done.stdout + done.stderr


def find_launcher(host: str) -> tuple[Path, str] | None:
    """This host's mpiexec and its version: in our Python's environment first, then on PATH."""
    search = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    for name in (f"mpiexec.{host}", "mpiexec", "mpirun"):
        found = shutil.which(name, path=search)
        if not found:
            continue
        match = VERSIONS[host].search(launcher_output(Path(found)))
        if match:
            return Path(found), match[1]
        if name == f"mpiexec.{host}":
            return Path(found), "unknown"
    return None


@functools.cache
def loader_cache() -> dict[str, Path]:
    """Library name -> path, as the dynamic loader's cache has it."""
    ldconfig = shutil.which("ldconfig", path=os.pathsep.join([os.environ.get("PATH", ""), "/sbin", "/usr/sbin"]))
    if not ldconfig:
        return {}
    listing = subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=False).stdout
    found: dict[str, Path] = {}
    for name, path in re.findall(r"^\s+(\S+) \(.*\) => (\S+)$", listing, re.MULTILINE):
        found.setdefault(name, Path(path))
    return found


def find_mpi_library(host: str, launcher: Path) -> tuple[Path | None, str]:
    """Beside the launcher first (an MPI may be installed twice), then where the loader looks."""
    prefixes = {launcher.parent.parent, launcher.resolve().parent.parent, Path(sys.prefix)}
    for prefix in (p for p in prefixes if p != Path("/usr")):
        for soname in SONAMES[host]:
            for folder in ("lib", "lib64"):
                if (prefix / folder / soname).exists():
                    return prefix / folder / soname, soname
    for soname in SONAMES[host]:
        if soname in loader_cache():
            return loader_cache()[soname], soname
    return None, SONAMES[host][0]


@functools.cache
def hosts() -> list[Host]:
    """The MPIs whose launcher is found, in the order of NAMES."""
    found = []
    for name in NAMES:
        launcher = find_launcher(name)
        if launcher is None:
            continue
        mpi_library, soname = find_mpi_library(name, launcher[0])
        found.append(Host(name, launcher[0], launcher[1], library_path(name), mpi_library, soname))
    return found


def host(name: str) -> Host:
    for one in hosts():
        if one.name == name:
            return one
    known = ", ".join(one.name for one in hosts()) or "none is installed"
    raise BadInput(f"there is no MPI called {name} on this machine ({known}): see `weft doctor`.")


def default_host() -> Host:
    """For scripts: WEFT_MPI if set, else the first MPI that Weft is built for, else the first one."""
    wanted = os.environ.get("WEFT_MPI")
    if wanted:
        return host(wanted)
    if not hosts():
        raise BadInput("no MPI is found: install one (Debian: libopenmpi-dev openmpi-bin, or libmpich-dev).")
    return next((one for one in hosts() if one.library), hosts()[0])


def last_log() -> Path:
    """Where `weft run` lets the library write, and `doctor` reads. WEFT_LOG overrides it."""
    if os.environ.get("WEFT_LOG"):
        return Path(os.environ["WEFT_LOG"])
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "weft" / "last.log"
