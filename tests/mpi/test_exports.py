# SPDX-License-Identifier: BSD-3-Clause
"""What libweft.so shows to the loader: MPI functions that the host has as well, weft_*, and next to no needs."""

import re
import subprocess

from weft import installation

ALLOWED_NEEDS = {
    "openmpi": {"libmpi.so.40"},
    "mpich": {"libmpich.so.12", "libmpi.so.12"},
    "openmpi5": {"libmpi.so.40"},
    "mpich5": {"libmpi.so.12"},
    "abi": {"libmpi_abi.so.1"},
}
GLIBC = re.compile(r"(libc|libm|libpthread|libdl|librt|ld-linux.*)\.so\.\d+")
SANITIZER = re.compile(r"lib(a|ub|t|l)san\.so")


def symbols(library):
    listing = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    return {line.split()[-1].split("@")[0] for line in listing.stdout.splitlines()}


def needed(library):
    listing = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True)
    return re.findall(r"\(NEEDED\).*\[(.+)\]", listing.stdout)


def test_only_the_hosts_own_symbols_are_wrapped(every_mpi):
    host = installation.host(every_mpi.name)
    ours = {name for name in symbols(host.library) if not name.startswith("weft_")}
    listed = {"MPI_Init", "MPI_Finalize", "MPI_Iallreduce", "MPI_Type_free", "MPI_Comm_split"}
    assert listed <= ours
    # The host's C and Fortran libraries, as a Fortran program loads them; not every MPI comes with Fortran.
    has_fortran = every_mpi.tool("mpifort") is not None
    program = every_mpi.compile("fortran.F90", "-DUSE_F08") if has_fortran else every_mpi.compile("movement.c")
    loaded = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    theirs = set()
    for path in re.findall(r"=> (\S*lib(?:mpi|mpich)\S*)", loaded):
        theirs |= symbols(path)
    assert not ours - theirs
    assert "MPI_Get_version" not in ours


def test_it_needs_its_mpi_and_glibc_only(every_mpi):
    names = needed(installation.host(every_mpi.name).library)
    allowed = ALLOWED_NEEDS[every_mpi.name]
    assert allowed & set(names)
    extra = [n for n in names if n not in allowed and not GLIBC.fullmatch(n)]
    assert [n for n in extra if not SANITIZER.match(n)] == []
