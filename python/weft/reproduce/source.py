# SPDX-License-Identifier: BSD-3-Clause
"""A study's file, and where in it something stands: what is wrong with it is said with file and line."""

import re
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weft.bad_input import BadInput
from weft.core import read_file

Record = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """A table of a file: the document itself (""), [axis], the third [[claim]]."""

    file: Path = Path()
    lines: dict[str, int] = field(default_factory=dict, repr=False, compare=False)  # key -> line; "": its heading

    def refuse(self, key: str, why: str) -> BadInput:
        """At the line of the key, or, if there is none, of the table's heading."""
        line = self.lines.get(key, self.lines.get("", 1))
        return BadInput(f"{self.file}:{line}: {key}: {why}")

    def take(self, table: Record, key: str, kind: type, default: Any = None) -> Any:
        """Out of the table, so that what is left in the end is what nobody knows."""
        value = table.pop(key, default)
        if value is None:
            raise self.refuse(key, "a study needs it here, and it is missing.")
        if not isinstance(value, kind):
            raise self.refuse(key, f"{value!r} is no {kind.__name__}.")
        return value


@dataclass(frozen=True)
class Source:
    file: Path
    document: Record
    headings: dict[tuple[str, int], dict[str, int]]

    def place(self, table: str = "", number: int = 0, *, else_in: str | None = None) -> Place:
        """`else_in`: of a table whose keys count for this one as well, where this one has none of its own."""
        lines = self.headings.get((table, number), {})
        if else_in is not None:
            shared = self.headings.get((else_in, 0), {})
            lines = {key: line for key, line in shared.items() if key} | lines
        return Place(self.file, lines)

    def tables(self, key: str) -> list[Record]:
        """Those of an array of tables; none if it is not there."""
        found = self.place().take(self.document, key, list, [])
        if not all(isinstance(one, dict) for one in found):
            raise self.place().refuse(key, f"these are tables: [[{key}]].")
        return found


def read_source(file: Path) -> Source:
    text = read_file(file)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        found = re.search(r"at line (\d+)", str(problem))
        line = found[1] if found else str(len(text.splitlines()) or 1)  # at the end of the document
        raise BadInput(f"{file}:{line}: {problem}.") from problem
    return Source(file, document, headings_of(text))


def headings_of(text: str) -> dict[tuple[str, int], dict[str, int]]:
    """(table, which of that name) -> its keys' lines. By the lines alone: tomllib does not say where anything stood."""
    counts: Counter[str] = Counter()
    found: dict[tuple[str, int], dict[str, int]] = {("", 0): {}}
    lines = found["", 0]
    for number, line in enumerate(text.splitlines(), 1):
        if heading := re.match(r"\s*\[\[?\s*(\w+)\s*\]\]?\s*(#.*)?$", line):
            lines = found[heading[1], counts[heading[1]]] = {"": number}
            counts[heading[1]] += 1
        elif key := re.match(r"\s*(\w+)\s*=", line):
            lines.setdefault(key[1], number)
    return found
