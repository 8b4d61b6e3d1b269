# SPDX-License-Identifier: BSD-3-Clause
"""Each test that asks for `mpi` runs once per MPI."""

import shutil

import pytest
from mpi_programs import Mpi

TITLES = {"openmpi": "Open MPI", "mpich": "MPICH"}
MPIS = {}


def pytest_configure(config):
    config.addinivalue_line("markers", "measures_memory: not under a sanitizer, which keeps memory of its own")
    config.addinivalue_line("markers", "mpi4py_suite: mpi4py's own tests, from its source distribution on PyPI")


@pytest.fixture(params=["openmpi", "mpich"])
def mpi(request, tmp_path_factory):
    name = request.param
    if not shutil.which(f"mpicc.{name}") or not shutil.which(f"mpiexec.{name}"):
        pytest.skip(f"{TITLES[name]} is not installed (no mpicc.{name} or mpiexec.{name})")
    if name not in MPIS:
        MPIS[name] = Mpi(name, tmp_path_factory.mktemp(name))
    return MPIS[name]
