# SPDX-License-Identifier: BSD-3-Clause
"""The settings, checked before a launch: a library that does not understand one can only step aside."""

import os

from weft.bad_input import BadInput

# The variables of the command line itself.
OWN = ("WEFT_MPI", "WEFT_LIBRARY_DIR", "WEFT_BUILD_DIR")


def check(ranks: int | None = None) -> None:
    """Refuses wrong values in the environment and the tuning file, and a topology that is too small for the ranks.
    Nothing is known to be wrong where the compiled core is not there to be asked."""
    try:
        from weft.core import _core, polite
    except BadInput:
        return
    with polite():
        _core.check_settings(ranks)
    known = [*OWN, *(setting["name"] for setting in _core.settings())]
    unknown = [name for name, value in os.environ.items() if name.startswith("WEFT_") and value and name not in known]
    if unknown:
        from weft.console import err  # rich takes longer to load than a launch

        for name in unknown:
            err.print(f"weft: {name} is no variable that Weft reads: these are {', '.join(sorted(known))}.")
