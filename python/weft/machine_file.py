# SPDX-License-Identifier: BSD-3-Clause
"""Machines by name: files that say what everything costs, each number with its source.

    name = "odin"
    title = "128 nodes of two dual-core Opteron 270, InfiniBand (LibNBC, section 4)"
    [network]
    L = { ns = 5400, source = "…" }         # or: assumed = "why"
    [node]
    …

The parameters are those of a machine's text (src/executor/simulator/machine.hpp): L o g G O S l c gamma of each level,
of the machine wake start start_rank test test_op post poll task loop calc calc_byte nic switch, which stand with the
network, and cores, which stand with the level whose parts have so many, `cores = { is = 16, source = "…" }`.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft.bad_input import BadInput
from weft.core import _core, read_file
from weft.installation import machine_folder

LEVELS = ("network", "device", "node", "socket", "numa", "l3", "l2", "core")


@dataclass(frozen=True)
class Parameter:
    """One number of a machine: in ns, ns per byte, or bytes."""

    level: str
    name: str
    value: float | str
    source: str  # where it is from,
    assumed: str  # or why it is taken to be that, if no source says it


@dataclass(frozen=True)
class MachineFile:
    name: str
    title: str
    parameters: tuple[Parameter, ...]

    @property
    def text(self) -> str:
        parts = []
        for level in LEVELS:
            items = ",".join(f"{one.name}={one.value}" for one in self.parameters if one.level == level)
            if level == "network":
                parts.append(f"loggops:{items}")
            elif items:
                parts.append(f"{level}:{items}")
        return ";".join(parts)


def machine_files() -> dict[str, Path]:
    """Ours, by name."""
    return {file.stem: file for file in sorted(machine_folder().glob("*.toml"))}


def machine_text(machine: str) -> str:
    """The text of a machine: of a text that is one already, of a file, or of one of ours."""
    if ":" in machine.split("/", maxsplit=1)[0]:
        return machine
    ours = machine_files()
    file = ours.get(machine, Path(machine))
    if machine not in ours and not file.is_file():
        names = ", ".join(ours) or "none"
        raise BadInput(
            f"--machine {machine}: there is no such machine. Give loggops:L=2500,o=1500,g=1000,G=6 (ns), a file, or "
            f"one of ours: {names}."
        )
    return read_machine(file).text


def read_toml(file: Path) -> tuple[str, dict[str, Any]]:
    """Its text, and what that says."""
    text = read_file(file)
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise BadInput(f"{file}: {problem}.") from problem


def line_of(text: str, level: str | None, key: str) -> int | None:
    """Where a key stands, of a level or before all of them; or, if it is a level, where that begins."""
    section: str | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[\s*\"?([^\]\"]*?)\"?\s*\]", line):
            section = header[1]
            if section in (key, f"{level}.{key}"):
                return number
        elif section == level and re.match(rf"\s*\"?{re.escape(key)}\"?\s*[=.]", line):
            return number
    return None


def read_machine(file: Path) -> MachineFile:
    text, document = read_toml(file)

    def refuse(level: str | None, key: str, why: str) -> BadInput:
        line = line_of(text, level, key)
        return BadInput(f"{file}:{line}: {key}: {why}" if line else f"{file}: {key}: {why}")

    for key in ("name", "title"):
        if not isinstance(document.get(key), str):
            raise refuse(None, key, "a machine has one, a text.")
    parameters = []
    for level, items in document.items():
        if level in ("name", "title"):
            continue
        if level not in LEVELS or not isinstance(items, dict):
            raise refuse(None, level, f"there is no such level; there are {', '.join(LEVELS)}.")
        for name, item in items.items():
            try:
                parameters.append(parameter_of(level, name, item))
            except ValueError as problem:
                raise refuse(level, name, f"{str(problem).rstrip('.')}.") from problem
    made = MachineFile(document["name"], document["title"], tuple(parameters))
    try:
        _core.SimulatedMachine(made.text)
    except ValueError as problem:  # with what its parameters are together
        raise BadInput(f"{file}: {problem}.") from problem
    return made


def parameter_of(level: str, name: str, item: Any) -> Parameter:
    """Raises ValueError: what is wrong with it."""
    unit = _core.SimulatedMachine.unit_of(name)
    if not isinstance(item, dict) or ("source" in item) == ("assumed" in item):
        raise ValueError(f'write {{ {unit} = …, source = "…" }}, or assumed = "why" where no source has it')
    values = {key: value for key, value in item.items() if key not in ("source", "assumed")}
    if list(values) != [unit]:
        what = "is (nic: rank or node; cores: a number)" if unit == "is" else unit
        raise ValueError(f"give its value as {what}, and nothing else; here is {', '.join(values) or 'none'}")
    why = item.get("source", item.get("assumed"))
    if not isinstance(why, str) or not why.strip():
        raise ValueError(
            f"{'source' if 'source' in item else 'assumed'} = {why!r}: a text says where the number is from"
        )
    value = values[unit]
    if name != "nic" and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise ValueError(f"{unit} = {value!r}: give a number")
    own, other = f"{name}={value}", "o=1" if name == "L" else "L=1"  # S alone, for one, is no machine
    _core.SimulatedMachine(f"loggops:{other},{own}" if level == "network" else f"loggops:L=1;{level}:{own}")
    return Parameter(level, name, value, item.get("source", ""), item.get("assumed", ""))
