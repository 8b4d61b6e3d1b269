# SPDX-License-Identifier: BSD-3-Clause
"""Runs modules of mpi4py's own tests and prints, from rank 0, what became of each test on each rank, as JSON.

suite.py all|numpy FOLDER MODULE…

The tests hand over every buffer as arrays of six kinds, which MPI does not see. With `numpy` they use one kind.
"""

import json
import sys
import unittest


class Outcomes(unittest.TestResult):
    """Test -> ok, skipped, failed."""

    def __init__(self):
        super().__init__()
        self.by_test = {}

    def stopTest(self, test):  # noqa: N802
        super().stopTest(test)
        self.by_test.setdefault(test.id(), "ok")

    def addSkip(self, test, reason):  # noqa: N802
        self.by_test[test.id()] = "skipped"

    def addFailure(self, test, err):  # noqa: N802
        self.by_test[test.id()] = f"failed: {err[1]}"

    addError = addFailure  # noqa: N815


arrays, folder, *modules = sys.argv[1:]
sys.path.insert(0, folder)
import arrayimpl  # noqa: E402
from mpi4py import MPI  # noqa: E402

if arrays == "numpy":
    arrayimpl.ArrayBackends[:] = [arrayimpl.ArrayNumPy]
outcomes = Outcomes()
unittest.defaultTestLoader.loadTestsFromNames(modules).run(outcomes)
gathered = MPI.COMM_WORLD.gather(outcomes.by_test)
if gathered:
    print(json.dumps(gathered))
