# SPDX-License-Identifier: BSD-3-Clause
"""What all verbs say in the same way: errors, tables, progress, JSON."""

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


class BadInput(Exception):  # noqa: N818  (it is the user's input that is bad, not the program)
    """One clear message: what is wrong, where, and what to do. Ends the command with exit code 2."""


def error(message: str) -> None:
    err.print(Text.assemble(("weft: ", "bold red"), message), soft_wrap=True)


def say(message: str = "", style: str | None = None) -> None:
    """One line as it is: brackets are not markup, and long lines are left to the terminal."""
    out.print(Text(message, style=style or ""), soft_wrap=True)


def table(title: str, *columns: str, right: tuple[str, ...] = ()) -> Table:
    """Prints the title and makes the table for out.print; columns named in `right` hold numbers."""
    if title:
        say(title, "bold")
    made = Table(box=SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=False, collapse_padding=True)
    for column in columns:
        whole = column in right or column in ("collective", "algorithm")
        justify = "right" if column in right else "left"
        made.add_column(column, justify=justify, overflow="fold", no_wrap=whole)
    return made


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


def write_or_print(content: str, file: Path | None) -> None:
    if file is None:
        sys.stdout.write(content if content.endswith("\n") else content + "\n")
        return
    try:
        file.write_text(content)
    except OSError as problem:
        raise BadInput(f"{file} cannot be written: {problem.strerror}. Choose another --output.") from problem
    err.print(f"Written: {file}", soft_wrap=True)


@contextlib.contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on stderr, if a person is watching. Yields the function that counts one step."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(title, total=total)
        yield lambda: bar.advance(task)
