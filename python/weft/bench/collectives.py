# SPDX-License-Identifier: BSD-3-Clause
"""MPI's collectives as the measuring programs call them, and groups of them."""

from collections.abc import Sequence

from weft import _core

NAMES = tuple(_core.collectives())
NONBLOCKING = tuple(f"i{name}" for name in NAMES)
PERSISTENT = tuple(f"{name}_init" for name in NAMES)
POINT_TO_POINT = ("sendrecv", "isend")
ONE_SIDED = ("put", "iput")
ALL = frozenset((*NAMES, *NONBLOCKING, *PERSISTENT, *POINT_TO_POINT, *ONE_SIDED))
GROUPS = {
    "blocking": NAMES,
    "nonblocking": NONBLOCKING,
    "persistent": PERSISTENT,
    "point_to_point": POINT_TO_POINT,
    "one_sided": ONE_SIDED,
    "all": (*NAMES, *NONBLOCKING, *PERSISTENT, *POINT_TO_POINT),
}


def has_sizes(name: str) -> bool:
    return name not in ("barrier", "ibarrier", "barrier_init")


def number_of_sizes(names: Sequence[str], sizes: Sequence[int]) -> int:
    """At how many of the sizes these collectives are measured, all together."""
    return sum(len(sizes) if has_sizes(name) else 1 for name in names)


def blocks(name: str) -> bool:
    """Whether it has no start and wait to compute between."""
    return name in NAMES or name in ("sendrecv", "put")


def reduces(name: str) -> bool:
    return "reduce" in name or "scan" in name
