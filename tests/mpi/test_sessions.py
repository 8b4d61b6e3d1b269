# SPDX-License-Identifier: BSD-3-Clause
"""Sessions, where the host has them: their communicators work, alone, beside MPI_COMM_WORLD and before it."""

import warnings

import pytest


def run(mpi, when, **how):
    return mpi.run(mpi.compile("sessions.c"), when, ranks=3, **how)


def run_again_if_it_hangs(mpi, when):
    """MPI_Init after a whole session can hang in MPICH 5 itself: see sessions.c, whose nap makes it rare."""
    try:
        return run(mpi, when, timeout=20)
    except pytest.fail.Exception as hang:
        warnings.warn(f"tried again: {hang}", stacklevel=2)
        return run(mpi, when, timeout=20)


@pytest.mark.parametrize("when", ["alone", "beside", "before", "around"])
def test_sessions(every_mpi, when):
    if every_mpi.name == "openmpi":
        pytest.skip("Open MPI 4.1 has no sessions")
    if when == "before" and every_mpi.name in ("mpich", "openmpi5"):
        pytest.skip(f"MPI_Init after a whole session crashes in {every_mpi.title} itself")
    result = run_again_if_it_hangs(every_mpi, when) if when == "before" else run(every_mpi, when)
    assert result.out.strip() == f"a session {when}"
    if when != "alone":  # of the world, by Weft
        assert result.counts["MPI_Iallreduce"]["weft"] > 0
    if when in ("beside", "before"):  # of the session, by the host
        assert any("session" in why for why in result.counts["MPI_Iallreduce"]["why"])
