# SPDX-License-Identifier: BSD-3-Clause
"""The flat algorithms that MPI libraries choose by size, as far as it is published: baselines for studies.

MPICH      Thakur, Rabenseifner, Gropp, Optimization of collective communication operations in MPICH (2005); what is
           made of it, such as MVAPICH2 and Cray MPI, has tables of its own that are not
Open MPI   ompi/mca/coll/tuned/coll_tuned_decision_fixed.c of those years
LibNBC     ompi/mca/coll/libnbc/nbc_iallreduce.c, nbc_ireduce.c of those years
"""

from weft.bad_input import BadInput
from weft.reproduce.programs import Metrics
from weft.reproduce.programs.collective import loop

# library, collective -> up to how many bytes which algorithm
DECISIONS: dict[tuple[str, str], tuple[tuple[float, str], ...]] = {
    ("mpich", "allreduce"): ((2048, "recursive_k_ing"), (float("inf"), "reduce_scatter_allgather")),
    ("open_mpi", "allreduce"): ((9999, "recursive_k_ing"), (float("inf"), "ring")),
    ("open_mpi", "reduce"): ((float("inf"), "n_ary_tree"),),  # in segments from 2 KiB on, which there is none for here
    ("libnbc", "allreduce"): ((65535, "k_nomial"), (float("inf"), "ring")),
    ("libnbc", "reduce"): ((float("inf"), "k_nomial"),),
}


def algorithm_of(library: str, collective: str, bytes: int) -> str:
    if (library, collective) not in DECISIONS:
        known = ", ".join(f"{one} {what}" for one, what in DECISIONS)
        raise BadInput(f"what {library} chooses for {collective} is not known here; there are {known}.")
    return next(algorithm for most, algorithm in DECISIONS[library, collective] if bytes <= most)


def library_loop(
    *,
    machine: str,
    library: str,
    collective: str,
    ranks: int,
    bytes: int = 8,
    ranks_per_node: int = 1,
    sockets: int = 1,
    repetitions: int = 20,
) -> Metrics:
    """As `loop`, by the library's algorithm for that size."""
    return loop(
        machine=machine,
        collective=collective,
        ranks=ranks,
        bytes=bytes,
        algorithm=algorithm_of(library, collective, int(bytes)),
        ranks_per_node=ranks_per_node,
        sockets=sockets,
        repetitions=repetitions,
    )
