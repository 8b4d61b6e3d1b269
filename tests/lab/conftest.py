# SPDX-License-Identifier: BSD-3-Clause
import pytest

from weft.bad_input import BadInput
from weft.lab import Lab


@pytest.fixture(autouse=True, scope="module")
def _labs_are_possible():
    try:
        with Lab(1):
            pass
    except BadInput as why:
        pytest.skip(str(why))
