# SPDX-License-Identifier: BSD-3-Clause
"""What all verbs say in the same way: errors, tables, progress, JSON."""

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from weft.bad_input import BadInput

LONG_WORD = 20  # characters: a text may be folded within it

out = Console(highlight=False, soft_wrap=True)  # long lines are left to the terminal: their ends are not lost
err = Console(stderr=True, highlight=False)


def error(message: str) -> None:
    err.print(Text.assemble(("weft: ", "bold red"), message), soft_wrap=True)


def say(message: str = "", style: str | None = None) -> None:
    """One line as it is: brackets are not markup."""
    out.print(Text(message, style=style or ""))


class FoldingTable(Table):
    """Wider than the console, it folds texts and headings, never numbers and names. Where that is not enough, its lines
    are left to the terminal as well."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        unlimited = options.update(width=1 << 20)
        excess = Measurement.get(console, unlimited, self).maximum - options.max_width
        if excess > 0:
            for column in self.columns:
                heading, *cells = (Measurement.get(console, unlimited, text) for text in (column.header, *column.cells))
                column.width = max(text.maximum for text in (heading, *cells))
                least = (cell.maximum if column.no_wrap else min(cell.minimum, LONG_WORD) for cell in cells)
                column.min_width = max([heading.minimum, *least])
                column.no_wrap = False  # for its heading: the cells have room
            if sum(column.width - column.min_width for column in self.columns) >= excess:
                for _ in range(excess):
                    foldable = (column for column in self.columns if column.width > column.min_width)
                    max(foldable, key=lambda column: column.width).width -= 1
            else:
                self.width = options.max_width + excess
        yield from super().__rich_console__(console, options)


def table(title: str, *columns: str, right: tuple[str, ...] = (), to: Console = out) -> Table:
    """Prints the title and makes the table for to.print; columns named in `right` hold numbers."""
    if title:
        to.print(Text(title, style="bold"))
    made = FoldingTable(box=SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=False, collapse_padding=True)
    for column in columns:
        whole = column in right or column in ("collective", "algorithm")
        justify = "right" if column in right else "left"
        made.add_column(column, justify=justify, overflow="fold", no_wrap=whole)
    return made


def show_columns(columns: list[tuple[str, list[str]]], right: tuple[str, ...] = ()) -> None:
    """A table without a title, from names and texts. What fits is laid out here: thousands of cells cost rich a second,
    for it looks for markup and folds in each."""
    widths = [max(len(text) for text in (name, *texts)) for name, texts in columns]
    if sum(widths) + 2 * (len(columns) - 1) > out.width:
        folding = table("", *(name for name, _ in columns), right=right)
        for row in zip(*(texts for _, texts in columns), strict=True):
            folding.add_row(*row)
        return out.print(folding)
    padded = [
        [f"{text:>{width}}" if name in right else f"{text:<{width}}" for text in (name, *texts)]
        for (name, texts), width in zip(columns, widths, strict=True)
    ]
    heading, *rows = ("  ".join(row) for row in zip(*padded, strict=True))
    return out.print(Text.assemble((heading, "bold"), "\n" + "─" * len(heading), *("\n" + row for row in rows)))


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


@contextlib.contextmanager
def progress_by_parts(title: str) -> Iterator[Callable[[str, int, int], None]]:
    """The same for work of several parts, one after the other, which is drawn when somebody says how far it is. Yields
    the function to call with what is done, how many of it, and of how many."""
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, auto_refresh=False, disable=not err.is_terminal) as bar:
        task = bar.add_task(title, total=None)
        before = ""

        def tell(what: str, done: int, total: int) -> None:
            nonlocal before
            if what != before:
                bar.reset(task, description=f"{title}: {what}", total=total)
                before = what
            bar.update(task, completed=min(done, total), total=total, refresh=True)

        yield tell
