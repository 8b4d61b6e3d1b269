# SPDX-License-Identifier: BSD-3-Clause
"""Sessions, where the host has them: their communicators work, alone, beside MPI_COMM_WORLD and before it."""

import pytest


@pytest.mark.parametrize("when", ["alone", "beside", "before", "around"])
def test_sessions(every_mpi, when):
    if every_mpi.name == "openmpi":
        pytest.skip("Open MPI 4.1 has no sessions")
    if when == "before" and every_mpi.name in ("mpich", "openmpi5"):
        pytest.skip(f"MPI_Init after a whole session crashes in {every_mpi.title} itself")
    if when == "before" and every_mpi.name == "abi":
        pytest.skip("MPI_Init after a whole session hangs in MPICH 5 itself, in about one launch of a hundred")
    result = every_mpi.run(every_mpi.compile("sessions.c"), when, ranks=3)
    assert result.out.strip() == f"a session {when}"
    if when != "alone":  # of the world, by Weft
        assert result.counts["MPI_Iallreduce"]["weft"] > 0
    if when in ("beside", "before"):  # of the session, by the host
        assert any("session" in why for why in result.counts["MPI_Iallreduce"]["why"])
