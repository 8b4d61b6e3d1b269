# SPDX-License-Identifier: BSD-3-Clause
"""Where shared memory is short, communicators do without, and programs run as before."""

import os
import shutil
import subprocess

import pytest

# The hosts' own shared memory is larger than that.
WITHOUT_DEV_SHM = {
    "openmpi": {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self"},
    "mpich": {"UCX_TLS": "tcp,self"},
}
SHORT = "short blocks through shared memory, others by messages"


def small_dev_shm():
    """A command that runs another one where /dev/shm has 64 KiB, or why there is none."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return None, "needs root and unshare"
    script = 'mount -t tmpfs -o size=64k tmpfs /dev/shm && exec "$@"'
    command = ["unshare", "--mount", "sh", "-c", script, "sh"]
    tried = subprocess.run([*command, "true"], capture_output=True, text=True, check=False)
    return command, f"no mount namespace: {tried.stderr}" if tried.returncode else None


@pytest.mark.parametrize(("program", "part"), [("movement.c", (3, 5)), ("reductions.c", (2,))])
def test_64_kib_of_dev_shm(mpi, program, part):
    command, why_not = small_dev_shm()
    if why_not:
        pytest.skip(why_not)
    options = {"variables": WITHOUT_DEV_SHM[mpi.name], "code": None, "before": command}
    host = mpi.run(mpi.compile("reductions.c"), 1, 1, weft=False, **options)
    if host.code != 0:
        pytest.skip(f"the host itself does not start: {host.err[-200:]}")
    # MPICH 4.0 over TCP now and then never leaves MPI_Finalize, with and without Weft; by then all has been said.
    result = mpi.run(mpi.compile(program), *part, is_complete=lambda out: out.endswith("cases\n"), **options)
    assert result.out.endswith("cases\n"), result.err[-3000:]
    assert result.communicators["through shared memory"] > 0  # memfds take nothing of /dev/shm


@pytest.mark.parametrize(
    ("kib_per_rank", "expected"), [(600, {"through shared memory", SHORT, "by messages"}), (60, {"by messages"})]
)
def test_a_budget_for_few_communicators(mpi, kib_per_rank, expected):
    variables = {"WEFT_NODE_MEMORY": f"{kib_per_rank * 2}K", "WEFT_NODE_SLOT_BYTES": "32K"}
    result = mpi.run(mpi.compile("communicators.c"), variables=variables)
    assert set(result.communicators) == expected
