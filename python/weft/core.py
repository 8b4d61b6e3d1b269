# SPDX-License-Identifier: BSD-3-Clause
"""The compiled core, with the command line's manners: its refusals become BadInput."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from weft.bad_input import BadInput

try:
    from weft import _core
except ImportError as problem:
    raise BadInput(f"the compiled core cannot be loaded ({problem}): build Weft with `make build`") from problem

__all__ = ["_core", "element_for", "make_call", "make_hierarchy", "make_topology", "polite", "read_file"]


@contextlib.contextmanager
def polite() -> Iterator[None]:
    """The core's messages say what, where and what to do; only the traceback is too much."""
    try:
        yield
    except (ValueError, MemoryError) as problem:
        raise BadInput(str(problem) or "there is not enough memory: choose fewer ranks") from problem


def element_for(size: int) -> int:
    """The operand size that a reduction of this many bytes most likely has."""
    return next(element for element in (8, 4, 2, 1) if size % element == 0)


def make_call(
    collective: str,
    ranks: int,
    size: int,
    root: int = 0,
    element: int | None = None,
    commutative: bool = True,
) -> _core.Call:
    if max(ranks, abs(root), element or 1) >= 1 << 31 or size >= 1 << 62:
        raise BadInput("a number is too large: ranks, roots and elements are below 2^31")
    with polite():
        return _core.Call(
            collective,
            ranks=ranks,
            bytes=size,
            root=root,
            element=element_for(size) if element is None else element,
            commutative=commutative,
        )


def make_topology(text: str, ranks: int | None) -> _core.Topology:
    """The topology of a text, or, for the word "machine", of this machine; without `ranks`, one per place."""
    with polite():
        topology = _core.detect_machine().topology if text == "machine" else _core.Topology(text)
        return topology if ranks is None else topology.with_ranks(ranks)


def make_hierarchy(machine: _core.Topology | None, depth: str | None) -> _core.Hierarchy | None:
    if depth is None:
        return None
    if machine is None:
        raise BadInput(f'--hierarchy {depth}: of which machine? Give a --topology, such as "node:2 core:4".')
    with polite():
        return _core.Hierarchy(machine, depth)


def read_file(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as problem:
        raise BadInput(f"{file} cannot be read: {problem.strerror}.") from problem
    except UnicodeDecodeError as problem:
        raise BadInput(f"{file} is not text: byte {problem.start} is not UTF-8.") from problem
