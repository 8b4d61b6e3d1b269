# SPDX-License-Identifier: BSD-3-Clause
"""What `weft explain put` shows: an access epoch in which every rank puts to others, as an adapter executes it."""

from enum import StrEnum
from pathlib import Path
from typing import Any

from weft.bad_input import BadInput
from weft.console import write_or_print
from weft.task_lists import QueueForm, show_task_lists
from weft.units import parse_size


class PutsTo(StrEnum):
    next = "next"
    neighbors = "neighbors"  # on a periodic grid


def show_epoch(
    ranks: int | None,
    size: str,
    to: PutsTo | None,
    form: QueueForm,
    most_tasks: int | None,
    drawn: list[int],
    shown_as: str,
    output: Path | None,
    given: dict[str, Any],
) -> None:
    """Its task lists, or with `--format schedule` the schedules they are made of; `given` are other options."""
    from weft.core import _core, make_call, polite

    for option, value in given.items():
        if value is not None:
            raise BadInput(f"{option}: an epoch of puts has none; leave it out.")
    if ranks is None:
        raise BadInput("how many ranks? Give --ranks N.")
    call = make_call("neighbor_alltoall", ranks, parse_size(size))
    with polite():
        schedules = _core.epoch(call, to_neighbors=to is PutsTo.neighbors)
        if shown_as == "schedule":
            return write_or_print(schedules.text(), output)
        return show_task_lists(schedules, form, most_tasks, 0, drawn, shown_as, output)
