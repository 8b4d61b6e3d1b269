# SPDX-License-Identifier: BSD-3-Clause
"""Options that benchmarks share, and what their values may be."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from weft import installation, launch
from weft.bad_input import BadInput
from weft.bench import collectives
from weft.bench.analysis import Point
from weft.console import err, say

Collectives = Annotated[
    str, typer.Option("--collective", help="Names as in `iallreduce,allreduce_init`; blocking, nonblocking, all, …")
]
Sizes = Annotated[str, typer.Option("--bytes", help="One rank's block: 8, 4K, 8,1K-64K (doubling).")]
RankCounts = Annotated[str, typer.Option("-n", "--ranks", help="Numbers of ranks: 2, 2,4, 2-8.")]
Mpi = Annotated[str, typer.Option(metavar="|".join([*installation.NAMES, "all"]))]
Implementations = Annotated[
    str,
    typer.Option(
        "--implementation",
        help="Some of host,host-thread,weft,weft-rounds,agent,agent-flat,agent-two-level,agent-copies,agent-no-copies.",
    ),
]
Buffers = Annotated[
    str, typer.Option(metavar="hot|rotating", help="One pair of buffers, or enough to outgrow a cache.")
]
Computation = Annotated[
    str,
    typer.Option(
        metavar="burn|sleep",
        help="Computation: CPU time; or time away from MPI without a core, for ranks that outnumber the cores.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="One object per measurement, and a summary last.")]


def note_if_crowded(ranks: Sequence[int], method: str) -> Callable[[int], str]:
    """The method for a number of ranks: where they outnumber the cores, no start can be synchronised."""
    cores = launch.physical_cores()
    if method == "single" and max(ranks) > cores:
        err.print(f"More ranks than the {cores} cores: no synchronised start, the mean of a loop is reported there.")
    return lambda count: "loop" if method == "single" and count > cores else method


def chosen_collectives(text: str) -> list[str]:
    """Names, groups (blocking, nonblocking, persistent, all), in the order given."""
    chosen: dict[str, None] = {}
    for word in text.split(","):
        for name in collectives.GROUPS.get(word, [word]):
            if name not in collectives.ALL:
                raise BadInput(
                    f"--collective {name}: use {', '.join(collectives.NAMES)}, with i before it or _init behind it, "
                    f"sendrecv, isend, put, iput, or a group: {', '.join(collectives.GROUPS)}."
                )
            chosen[name] = None
    return list(chosen)


def overlapping_collectives(text: str) -> list[str]:
    """As chosen_collectives(), but blocking ones are refused: they leave no time to compute."""
    names = chosen_collectives(text)
    for name in names:
        if collectives.blocks(name):
            raise BadInput(
                f"--collective {name} blocks: it has no start and wait to compute between. Use a non-blocking form "
                "(iallreduce), a persistent one (allreduce_init), isend, iput, or the groups nonblocking and "
                "persistent."
            )
    return names


def check_word(option: str, word: str, *allowed: str) -> None:
    if word not in allowed:
        raise BadInput(f"{option} {word}: use {' or '.join(allowed)}.")


def chosen_words(option: str, text: str, *allowed: str) -> list[str]:
    words = text.split(",")
    for word in words:
        check_word(option, word, *allowed)
    return words


def show_best(
    points: Sequence[Point], name: Callable[[dict[str, Any]], str], more: Callable[[Point], str] = lambda _: ""
) -> None:
    """A line for each, by the name of its key; and what more there is to say."""
    for point in points:
        ratio = point.ratio()
        if ratio:
            say(f"{name(point.key)}: Weft on {point.best('weft')} over {point.best('host')}: {ratio}{more(point)}")
