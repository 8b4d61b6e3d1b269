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

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft.bad_input import BadInput
from weft.core import read_file
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


def read_machine(file: Path) -> MachineFile:
    text, document = read_toml(file)

    def refuse(key: str, why: str) -> BadInput:
        lines = [
            number for number, line in enumerate(text.splitlines(), 1) if line.strip().startswith((key, f"[{key}"))
        ]
        where = f"{file}:{lines[0]}" if lines else str(file)
        return BadInput(f"{where}: {key}: {why}")

    for key in ("name", "title"):
        if not isinstance(document.get(key), str):
            raise refuse(key, "a machine has one, a text.")
    parameters = []
    for level, items in document.items():
        if level in ("name", "title"):
            continue
        if level not in LEVELS or not isinstance(items, dict):
            raise refuse(level, f"there is no such level; there are {', '.join(LEVELS)}.")
        parameters += [parameter_of(level, name, item, refuse) for name, item in items.items()]
    return MachineFile(document["name"], document["title"], tuple(parameters))


def parameter_of(level: str, name: str, item: Any, refuse: Any) -> Parameter:
    if not isinstance(item, dict) or ("source" in item) == ("assumed" in item):
        raise refuse(name, 'write { ns = …, source = "…" }, or assumed = "why" where no source has it.')
    values = [item[unit] for unit in ("ns", "ns_per_byte", "bytes", "is") if unit in item]
    if len(values) != 1 or len(item) != 2:
        raise refuse(name, "give one value: ns, ns_per_byte, bytes, or is (nic: rank or node; cores: a number).")
    return Parameter(level, name, values[0], item.get("source", ""), item.get("assumed", ""))
