# SPDX-License-Identifier: BSD-3-Clause
"""`weft map`: which algorithm is fastest for how many ranks and bytes on a machine, and whether the planner knows."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft.bad_input import BadInput
from weft.console import out, progress, say, table
from weft.units import parse_numbers, parse_sizes, show_size

if TYPE_CHECKING:
    from weft.algorithm_map import Cell

USUAL_MACHINE = "example"


def run(
    collective: Annotated[str | None, typer.Argument(help="allreduce, bcast, alltoall, allgather, reduce, …")] = None,
    ranks: Annotated[str, typer.Option("--ranks", "-n", help="Numbers of ranks: 16,64,256,1024.")] = "16,64,256",
    size: Annotated[str, typer.Option("--bytes", help="Sizes of one rank's block: 8,1K,64K,1M.")] = "8,1K,64K,1M",
    machine: Annotated[
        str, typer.Option(help="As of `weft simulate`: loggops:L=…, a file, or one of ours.")
    ] = USUAL_MACHINE,
    ranks_per_node: Annotated[int, typer.Option("--ranks-per-node", help="On full nodes.", min=1)] = 1,
    sockets: Annotated[int, typer.Option(help="Of each node.", min=1)] = 1,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw it.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, with the times of all algorithms.")] = False,
) -> None:
    """Simulate all algorithms of a collective: which is fastest where, and how much slower the planner's choice is."""
    from weft import algorithm_map

    if collective is None:
        raise BadInput("which collective? As in `weft map allreduce --ranks 16,64 --bytes 8,64K`.")
    numbers, sizes = parse_numbers(ranks, "--ranks", 2), parse_sizes(size)
    if plot is not None:
        from weft import chart

        chart.load()
    cells = []
    with progress("simulating", len(numbers) * len(sizes)) as advance:
        for number in numbers:
            for one in sizes:
                question = algorithm_map.Question(collective, number, one, machine)
                cells.append(algorithm_map.compete(question, ranks_per_node=ranks_per_node, sockets=sockets))
                advance()
    where = f"on {machine}, {ranks_per_node} on a node" if ranks_per_node > 1 else f"on {machine}"
    if plot is not None:
        algorithm_map.draw(cells, plot, f"{collective} {where}")
    mean, worst = algorithm_map.geometric_mean(cells), algorithm_map.worst(cells)
    if as_json:
        print(
            json.dumps(
                {
                    "collective": collective,
                    "machine": machine,
                    "ranks_per_node": ranks_per_node,
                    "sockets": sockets,
                    "mean_times_slower": mean,
                    "worst_times_slower": worst.times_slower,
                    "cells": [cell.record for cell in cells],
                }
            )
        )
        return
    show(f"{collective} {where}: the fastest, and what the planner chooses", cells)
    say(
        f"The planner's choice takes {mean:.2f} times as long as the fastest (geometric mean), at worst {place(worst)}."
    )
    if left := sorted({name for cell in cells for name in cell.left_out}):
        say(f"Not simulated where they send too many messages, or do not fit: {', '.join(left)}.")


def place(cell: "Cell") -> str:
    question = cell.question
    return f"{cell.times_slower:.2f} times: {show_size(question.bytes)} bytes on {question.ranks:,} ranks"


def show(title: str, cells: "list[Cell]") -> None:
    from weft.algorithm_map import short

    rows = table(
        title,
        "ranks",
        "bytes",
        "fastest",
        "us",
        "the planner's",
        "its us",
        "times",
        right=("ranks", "bytes", "us", "its us", "times"),
    )
    before = None
    for cell in cells:
        question = cell.question
        is_same = cell.planned.label == cell.fastest.label
        rows.add_row(
            f"{question.ranks:,}" if question.ranks != before else "",
            show_size(question.bytes),
            short(cell.fastest.label),
            f"{cell.fastest.us:,.1f}",
            "the same" if is_same else short(cell.planned.label),
            "" if is_same else f"{cell.planned.us:,.1f}",
            "" if is_same else f"{cell.times_slower:.2f}",
        )
        before = question.ranks
    out.print(rows)
