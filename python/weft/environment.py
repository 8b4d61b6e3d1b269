# SPDX-License-Identifier: BSD-3-Clause
"""The WEFT_ variables, checked before a launch: a rank that does not understand one can only step aside."""

import os
import re
from collections.abc import Callable

from weft.console import BadInput, err

COLLECTIVES = ("barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall")
ENTRY = re.compile(r"([^:]+):([^:/]+)(?:/(\d+))?")


def algorithms(value: str) -> str | None:
    for entry in value.split(","):
        match = ENTRY.fullmatch(entry)
        if not match or (match[3] is not None and int(match[3]) < 2):
            return (
                "write COLLECTIVE:ALGORITHM or COLLECTIVE:ALGORITHM/RADIX (a radix is at least 2), separated by commas"
            )
        if match[1] not in COLLECTIVES:
            return f'there is no collective "{match[1]}": choose one of {", ".join(COLLECTIVES)}'
        known = known_algorithms(match[1])
        if known and match[2] not in known:
            return f'{match[1]} has no algorithm "{match[2]}": choose one of {", ".join(known)}'
    return None


def known_algorithms(collective: str) -> list[str]:
    """From the catalog; none known if the compiled core is not there to be asked."""
    try:
        from weft.core import _core
    except BadInput:
        return []
    return [card["name"] for card in _core.catalog() if card["collective"] == collective]


def topology(value: str) -> str | None:
    try:
        from weft.core import make_topology

        make_topology(value, None)
    except BadInput as problem:
        return str(problem)
    return None


# The variables of the command line itself.
OWN = ("WEFT_MPI", "WEFT_LIBRARY_DIR", "WEFT_BUILD_DIR")
# Checks that go beyond what the library's own table of settings says.
FURTHER: dict[str, Callable[[str], str | None]] = {"WEFT_ALGORITHM": algorithms, "WEFT_TOPOLOGY": topology}


def checks() -> dict[str, Callable[[str], str | None]]:
    """One per variable; none if the compiled core is not there to be asked."""
    try:
        from weft.core import _core
    except BadInput:
        return {}
    own: dict[str, Callable[[str], str | None]] = {name: lambda value: None for name in OWN}
    return own | {setting["name"]: setting["problem"] for setting in _core.settings()} | FURTHER


def check() -> None:
    known = checks()
    for name, value in os.environ.items():
        if not name.startswith("WEFT_") or value == "":
            continue
        if known and name not in known:
            err.print(f"weft: {name} is no variable that Weft reads: these are {', '.join(sorted(known))}.")
            continue
        problem = known[name](value) if known else None
        if problem:
            raise BadInput(f"{name}={value} is not understood: {problem}.")
