# SPDX-License-Identifier: BSD-3-Clause
"""`weft map`: which algorithm is fastest for how many ranks and bytes on a machine, and whether the planner knows."""

import json
from collections.abc import Sequence
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
    collective: Annotated[
        str | None,
        typer.Argument(help="allreduce, bcast, alltoall, allgather, reduce, …; with --summary several, or all."),
    ] = None,
    ranks: Annotated[str, typer.Option("--ranks", "-n", help="Numbers of ranks: 16,64,256,1024.")] = "16,64,256",
    size: Annotated[str, typer.Option("--bytes", help="Sizes of one rank's block: 8,1K,64K,1M.")] = "8,1K,64K,1M",
    machine: Annotated[
        str, typer.Option(help="As of `weft simulate`: loggops:L=…, a file, or one of ours.")
    ] = USUAL_MACHINE,
    ranks_per_node: Annotated[
        str, typer.Option("--ranks-per-node", help="On full nodes; with --summary several: 1,4,16.")
    ] = "1",
    sockets: Annotated[int, typer.Option(help="Of each node.", min=1)] = 1,
    summary: Annotated[
        bool, typer.Option("--summary", help="A line for each collective: what the planner's choices lose there.")
    ] = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw it.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, with the times of all algorithms.")] = False,
) -> None:
    """Simulate all algorithms of a collective: which is fastest where, and how much slower the planner's choice is."""
    from weft import algorithm_map

    if collective is None:
        raise BadInput("which collective? As in `weft map allreduce --ranks 16,64 --bytes 8,64K`.")
    numbers, sizes = parse_numbers(ranks, "--ranks", 2), parse_sizes(size)
    on_each = parse_numbers(ranks_per_node, "--ranks-per-node", 1)
    if summary:
        if plot is not None:
            raise BadInput("--plot draws one map: leave --summary out, and name one collective.")
        names = algorithm_map.COLLECTIVES if collective == "all" else collective.split(",")
        return summarise(names, numbers, sizes, machine, on_each, sockets, as_json)
    if len(on_each) > 1:
        raise BadInput(f"--ranks-per-node {ranks_per_node}: one number, or --summary for all of them together.")
    return show_one(collective, numbers, sizes, machine, on_each[0], sockets, plot, as_json)


def summarise(
    names: Sequence[str],
    numbers: list[int],
    sizes: list[int],
    machine: str,
    on_each: list[int],
    sockets: int,
    as_json: bool,
) -> None:
    from weft import algorithm_map

    questions = [
        (algorithm_map.Question(name, number, one, machine), here)
        for name in names
        for here in on_each
        for number in numbers
        if number % here == 0
        for one in (sizes if name != "barrier" else sizes[:1])
    ]
    cells: dict[str, list[Cell]] = {}
    with progress("simulating", len(questions)) as advance:
        for question, here in questions:
            cell = algorithm_map.compete(question, ranks_per_node=here, sockets=sockets)
            cells.setdefault(question.collective, []).append(cell)
            advance()
    if not cells:
        raise BadInput("no number of ranks fills nodes: choose multiples of --ranks-per-node.")
    if as_json:
        losses = [algorithm_map.loss(name, some) for name, some in cells.items()]
        print(json.dumps({"machine": machine, "ranks_per_node": on_each, "sockets": sockets, "losses": losses}))
        return
    rows = table(
        f"on {machine}: how many times as long as the fastest the planner's choices take",
        "collective",
        "cases",
        "mean",
        "worst",
        "there",
        right=("cases", "mean", "worst"),
    )
    for name, some in cells.items():
        worst = algorithm_map.worst(some)
        mean = f"{algorithm_map.geometric_mean(some):.2f}"
        where = f"{place_only(worst)}, {worst.ranks_per_node} on a node"
        rows.add_row(name, str(len(some)), mean, f"{worst.times_slower:.2f}", where)
    out.print(rows)
    mean = algorithm_map.geometric_mean([cell for some in cells.values() for cell in some])
    say(f"All together {mean:.2f} times as long (geometric mean).")


def show_one(
    collective: str,
    numbers: list[int],
    sizes: list[int],
    machine: str,
    ranks_per_node: int,
    sockets: int,
    plot: Path | None,
    as_json: bool,
) -> None:
    from weft import algorithm_map

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


def place_only(cell: "Cell") -> str:
    return f"{show_size(cell.question.bytes)} bytes on {cell.question.ranks:,} ranks"


def place(cell: "Cell") -> str:
    return f"{cell.times_slower:.2f} times: {place_only(cell)}"


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
