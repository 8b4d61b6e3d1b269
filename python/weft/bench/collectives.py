# SPDX-License-Identifier: BSD-3-Clause
"""The names that bench/harness/collective.c knows, and groups of them."""

NAMES = (
    "barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall",
    "alltoallv", "alltoallw", "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan",
    "neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw",
)  # fmt: skip
NONBLOCKING = tuple(f"i{name}" for name in NAMES)
PERSISTENT = tuple(f"{name}_init" for name in NAMES)
POINT_TO_POINT = ("sendrecv", "isend")
ALL = frozenset((*NAMES, *NONBLOCKING, *PERSISTENT, *POINT_TO_POINT))
GROUPS = {
    "blocking": NAMES,
    "nonblocking": NONBLOCKING,
    "persistent": PERSISTENT,
    "point_to_point": POINT_TO_POINT,
    "all": (*NAMES, *NONBLOCKING, *PERSISTENT, *POINT_TO_POINT),
}


def has_sizes(name: str) -> bool:
    return name not in ("barrier", "ibarrier", "barrier_init")
