# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench …` as a user calls it, tiny."""

import json

import pytest
from command_line import ENVIRONMENT, answer, refusal, weft

from weft import installation

# One MPI of each kind: differences between versions of an MPI are no matter of the benchmarks.
BUILT = [host.name for host in installation.hosts() if host.name in ("openmpi", "mpich") and host.library
         and installation.application(f"bench_latency_{host.name}")]  # fmt: skip
needs_bench = pytest.mark.skipif(not BUILT, reason="the benchmarks are not built")
needs_two_mpis = pytest.mark.skipif(len(BUILT) < 2, reason="needs two MPIs")


def bench(*arguments):
    return weft("bench", *arguments, **ENVIRONMENT)


def measured(*arguments):
    """The records and the summary of a run that has to succeed."""
    *records, summary = map(json.loads, answer("bench", *arguments, "--json", **ENVIRONMENT).splitlines())
    return records, summary


def refused(*arguments):
    """What it says about a question that makes no sense."""
    return refusal("bench", *arguments)
