# SPDX-License-Identifier: BSD-3-Clause
"""The WEFT_ variables, checked before a launch: a rank that does not understand one can only step aside."""

import os
import re
from collections.abc import Callable

from weft.console import BadInput, err

COLLECTIVES = ("barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall")
ENTRY = re.compile(r"([^:]+):([^:/]+)(?:/(\d+))?")


def boolean(value: str) -> str | None:
    return None if value in ("0", "1") else "use 0 or 1"


def seconds(value: str) -> str | None:
    return None if value.isdecimal() and int(value) >= 1 else "use a whole number of seconds, at least 1"


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


def anything(value: str) -> str | None:
    return None


# One check per variable of src/base/config.hpp, and those of the command line itself.
CHECKS: dict[str, Callable[[str], str | None]] = {
    "WEFT_ENABLE": boolean,
    "WEFT_REPRODUCIBLE": boolean,
    "WEFT_ROUNDS": boolean,
    "WEFT_TIMES": boolean,
    "WEFT_VERBOSE": boolean,
    "WEFT_HANDSHAKE_SECONDS": seconds,
    "WEFT_ALGORITHM": algorithms,
    "WEFT_LOG": anything,
    "WEFT_STATS": anything,
    "WEFT_MPI": anything,
    "WEFT_LIBRARY_DIR": anything,
    "WEFT_BUILD_DIR": anything,
}


def check() -> None:
    for name, value in os.environ.items():
        if not name.startswith("WEFT_") or value == "":
            continue
        if name not in CHECKS:
            err.print(f"weft: {name} is no variable that Weft reads: these are {', '.join(sorted(CHECKS))}.")
            continue
        problem = CHECKS[name](value)
        if problem:
            raise BadInput(f"{name}={value} is not understood: {problem}.")
