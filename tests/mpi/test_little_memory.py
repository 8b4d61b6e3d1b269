# SPDX-License-Identifier: BSD-3-Clause
"""Where shared memory is short, communicators do without, and programs run as before."""

import os
import shutil
import subprocess

import pytest
from mpi_programs import run_weft

pytestmark = pytest.mark.needs_memory

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

    def has_said_all(out):
        return out.endswith("cases\n")

    # MPICH 4.0 over TCP now and then never leaves MPI_Finalize, with and without Weft; by then all has been said.
    options = {"variables": WITHOUT_DEV_SHM[mpi.name], "code": None, "before": command, "is_complete": has_said_all}
    host = mpi.run(mpi.compile("reductions.c"), 1, 1, weft=False, **options)
    if not has_said_all(host.out):
        pytest.skip(f"the host itself does not start: {host.err[-200:]}")
    result = mpi.run(mpi.compile(program), *part, **options)
    assert has_said_all(result.out), result.err[-3000:]
    assert result.communicators["through shared memory"] > 0  # memfds take nothing of /dev/shm


@pytest.mark.parametrize(
    ("kib_per_rank", "expected"), [(1400, {"through shared memory", SHORT, "by messages"}), (60, {"by messages"})]
)
def test_a_budget_for_few_communicators(mpi, kib_per_rank, expected):
    variables = {"WEFT_NODE_MEMORY": f"{kib_per_rank * 2}K", "WEFT_NODE_RANK_BYTES": "32K"}
    result = mpi.run(mpi.compile("communicators.c"), variables=variables)
    assert set(result.communicators) == expected


@pytest.mark.parametrize(
    ("variables", "way", "why"),
    [
        (
            {"WEFT_NODE_MEMORY": "1200K", "WEFT_NODE_RANK_BYTES": "32K"},
            SHORT,
            "within WEFT_NODE_MEMORY=1200K earlier communicators left no room",
        ),
        ({"WEFT_NODE_RANK_BYTES": "0"}, SHORT, "WEFT_NODE_RANK_BYTES=0 leaves no room for blocks above 56 bytes"),
        ({"WEFT_NODE": "0"}, "by messages", "WEFT_NODE=0 switches shared memory off"),
        ({"WEFT_NODE_MEMORY": "120K"}, "by messages", "left no room within WEFT_NODE_MEMORY=120K"),
    ],
)
def test_stats_say_why_communicators_have_no_more(mpi, variables, way, why):
    program = mpi.compile("communicators.c")
    table = run_weft("run", "-n", 2, "--stats", "--", program, variables=variables).err
    (line,) = [line for line in table.splitlines() if line.startswith(f"weft: communicators {way}: ")]
    assert why in line


@pytest.mark.parametrize("limit", ["-v 6000000", "-f 3000000", "-f 600000"])
def test_limits_leave_room_for_less(mpi, limit):
    """A memfd beyond the limit of a file would end the process with a signal."""
    before = ["sh", "-c", f'ulimit {limit} && exec "$@"', "sh"]
    result = mpi.run(mpi.compile("communicators.c"), before=before)
    assert result.communicators["through shared memory"] > 0
