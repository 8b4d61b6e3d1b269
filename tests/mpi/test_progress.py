# SPDX-License-Identifier: BSD-3-Clause
"""Progress goes both ways: Weft moves while the program sits in the host, the host moves while it waits in Weft."""

import pytest

OVER_TCP = {
    "openmpi": {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self"},
    "mpich": {"UCX_TLS": "tcp,self"},
}
CALLS = ["recv", "probe", "mprobe", "iprobe", "ssend", "sendrecv", "wait", "waitall", "waitany", "waitsome", "test"]


@pytest.mark.parametrize("names", ["mpi", "pmpi"])
@pytest.mark.parametrize("ranks", [2, 4])
def test_the_standards_progress_example(mpi, ranks, names):
    mpi.both(mpi.compile("progress_example.c"), names, ranks=ranks)


# MPICH 4.0 over TCP now and then never leaves MPI_Finalize, with and without Weft; by then all has been said.
@pytest.mark.parametrize("program", ["progress_example.c", "large_send.c", "sitting.c"])
def test_progress_over_tcp(mpi, program):
    may_hang = {"code": None, "is_complete": lambda out: out.endswith("\n")} if mpi.name == "mpich" else {}
    mpi.both(mpi.compile(program), ranks=2, variables=OVER_TCP[mpi.name], **may_hang)


@pytest.mark.parametrize("ranks", [2, 3])
def test_a_large_message_moves_while_a_collective_waits(mpi, ranks):
    mpi.run_taken(mpi.compile("large_send.c"), ranks=ranks)


def test_waits_move_the_host_beside_a_collective_that_came_too_early(mpi):
    topology = {"WEFT_TOPOLOGY": "node:2 core:2,1", "WEFT_HIERARCHY": "flat"}
    mpi.run_taken(mpi.compile("unexpected.c"), ranks=3, variables=topology)


def test_what_was_sent_before_a_barrier_is_there_after_it(mpi):
    mpi.both(mpi.compile("first_look.c"))


@pytest.mark.parametrize("call", CALLS)
def test_a_rank_in_a_host_call_does_its_part(mpi, call):
    mpi.run_taken(mpi.compile("sitting.c"), call, ranks=4)


@pytest.mark.parametrize(
    "what", ["dup", "dup_of_unserved", "intercomm_create", "intercomm_merge", "intercomm_dup", "intercomm_split"]
)
def test_a_rank_in_a_constructor_does_its_part(every_mpi, what):
    if what == "intercomm_create" and every_mpi.name == "mpich5":
        pytest.skip("MPI_Intercomm_create of MPICH 5 alone moves no collective of the host's")
    every_mpi.run_taken(every_mpi.compile("constructing.c"), what)


@pytest.mark.parametrize("ranks", [2, 5])
def test_a_start_hides_no_collective(mpi, ranks):
    mpi.run_taken(mpi.compile("lazy.c"), ranks=ranks)
