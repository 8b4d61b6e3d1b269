# SPDX-License-Identifier: BSD-3-Clause
"""Which MPI a library belongs to, and which launcher and libweft.so go with it."""

from pathlib import Path

import pytest

from weft import installation
from weft.bad_input import BadInput
from weft.bench import contest

INTEL = "Intel(R) MPI Library for Linux* OS, Version 2021.19.0 Build 20260929"
HYDRA = "HYDRA build details:\n    Version:                                 "


def install(prefix: Path, said: str, *sonames: str) -> Path:
    """An MPI whose launcher says this of its version; its library's folder."""
    launcher = prefix / "bin" / "mpiexec"
    launcher.parent.mkdir(parents=True)
    launcher.write_text(f"#!/bin/sh\ncat <<end\n{said}\nend\n")
    launcher.chmod(0o755)
    for soname in sonames:
        (prefix / "lib").mkdir(exist_ok=True)
        (prefix / "lib" / soname).touch()
    return prefix / "lib"


@pytest.mark.parametrize(
    ("said", "soname", "name", "title"),
    [
        ("mpiexec (OpenRTE) 4.1.4", "libmpi.so.40", "openmpi", "Open MPI 4.1.4"),
        ("mpiexec (Open MPI) 5.0.11", "libmpi.so.40", "openmpi5", "Open MPI 5.0.11"),
        (f"{HYDRA}4.3.2", "libmpi.so.12", "mpich", "MPICH 4.3.2"),
        (f"{HYDRA}5.0.2", "libmpi.so.12", "mpich5", "MPICH 5.0.2"),
        (f"{HYDRA}5.0.2", "libmpi_abi.so.1", "abi", "the standard ABI of MPICH 5.0.2"),
        ("mpiexec (Open MPI) 6.0.0", "libmpi_abi.so.1", "abi", "the standard ABI of Open MPI 6.0.0"),
    ],
)
def test_an_mpi_is_found_beside_its_library(tmp_path, said, soname, name, title):
    library = install(tmp_path, said, soname) / soname
    host = installation.host_of_library(soname, library)
    assert (host.name, host.title) == (name, title)
    assert (host.launcher, host.mpi_library) == (tmp_path / "bin" / "mpiexec", library)
    assert host.library == installation.library_path(name)


def test_not_every_mpi_offers_the_standard_abi(tmp_path):
    install(tmp_path, "mpiexec (Open MPI) 5.0.11", "libmpi.so.40")
    assert installation.host_at(tmp_path / "bin" / "mpiexec", "abi") is None


def test_a_launcher_that_says_nothing_known_is_none(tmp_path):
    install(tmp_path, "an mpiexec", "libmpi.so.40")
    assert installation.host_at(tmp_path / "bin" / "mpiexec", "openmpi") is None


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Intel(R) MPI Library 2021.19.0 for Linux* OS", "Intel MPI"),
        ("MPI VERSION    : CRAY MPICH version 8.1.26 (ANL base 3.4a2)", "Cray MPICH"),
        ("MVAPICH2 Version      :\t2.3.7", "MVAPICH"),
    ],
)
@pytest.mark.parametrize("soname", ["libmpi.so.12", "libmpi_abi.so.1"])
def test_an_mpi_with_the_abi_of_another_is_named_and_refused(tmp_path, words, name, soname):
    library = install(tmp_path, INTEL, soname) / soname
    library.write_bytes(b"\x7fELF\0" + words.encode() + b"\0")
    with pytest.raises(BadInput, match=rf"{library} is {name}'s.*Run the program on MPICH's {soname}"):
        installation.host_of_library(soname, library)


def test_intel_mpi_is_found_to_be_measured_beside(tmp_path, monkeypatch):
    folder = install(tmp_path / "mpi" / "intel", INTEL, "libmpi.so.12")
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    rival = contest.rival()
    assert rival.host.title == "Intel MPI 2021.19.0"
    assert rival.host.library is None
    assert dict(rival.variables)["LD_LIBRARY_PATH"].split(":")[0] == str(folder)


def test_intel_mpi_is_missed_with_the_command_that_gets_it(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    monkeypatch.setattr("shutil.which", lambda *_, **__: None)
    with pytest.raises(BadInput, match=rf"Intel MPI is not found.*pip install --prefix {tmp_path}/mpi/intel impi-rt"):
        contest.contestants("openmpi", "host,weft,intel", ["intel"])
