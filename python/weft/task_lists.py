# SPDX-License-Identifier: BSD-3-Clause
"""What `weft explain --task-lists` shows: the queues that an adapter would execute."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from weft.bad_input import BadInput
from weft.console import write_or_print

if TYPE_CHECKING:
    from weft import _core


class QueueForm(StrEnum):
    waits_in_send_queues = "waits-in-send-queues"
    management_queue = "management-queue"


def show_task_lists(
    schedules: "_core.Schedules",
    form: QueueForm,
    most_tasks: int | None,
    longest_mailbox: int,
    ranks: list[int],
    shown_as: str,
    output: Path | None,
) -> None:
    """Of these ranks; what is said of all is said first."""
    if shown_as not in ("text", "json", "svg"):
        raise BadInput(f"--format {shown_as}: task lists are shown as text, json or svg.")
    if most_tasks is not None and not 2 <= most_tasks < 1 << 32:
        raise BadInput(f"--most-tasks {most_tasks}: a list has from 2 to 2^32-1 tasks.")
    lists = schedules.task_lists(form=form.value, most_tasks=most_tasks, longest_mailbox=longest_mailbox)
    if shown_as == "svg":
        return write_or_print(lists.svg(ranks), output)
    report = lists.verify()
    if shown_as == "json":
        facts = {
            "collective": schedules.call.collective,
            "ranks": schedules.call.ranks,
            "bytes": schedules.call.bytes,
            "algorithm": schedules.algorithm,
            "form": form.value,
            "steps": lists.steps(),
            "proved": report.proved,
        }
        return write_or_print(json.dumps(facts | json.loads(lists.json()), indent=2), output)
    proof = "correct, as raised from the lists" if report.proved else report.findings[0].message
    lines = [
        f"{schedules.call} by {schedules.algorithm}: {form.value.replace('-', ' ')}",
        f"  most of a rank  {lists.most()}",
        f"  steps           {lists.steps()}: messages and loop-backs on the critical path",
        f"  proof           {proof}",
        "",
    ]
    return write_or_print("\n".join(lines) + "\n" + "\n".join(lists.draw(rank) for rank in ranks), output)
