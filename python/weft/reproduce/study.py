# SPDX-License-Identifier: BSD-3-Clause
"""A study: one figure or table of a paper, declared: what is simulated, over which axis, and what the paper says of it.

    title = "Offloaded reductions take longer, and are hidden"
    paper = "Kandalla et al., IPDPS 2012"
    figure = "figure 8"
    machine = "osu"                 # studies/machines/osu.toml
    metric = "latency_us"           # what the programs return and the figure draws
    notes = ["…"]                   # what is assumed, and where the paper contradicts itself

    [axis]
    name = "ranks"                  # the parameter of the programs that it is
    values = [16, 32, 64]
    tiny = [16]                     # for the tests

    [common]                        # parameters of all series
    program = "collective"
    bytes = 8

    [[series]]
    name = "recursive doubling"
    algorithm = "recursive_k_ing"

    [[claim]]
    says = "the tree returns earlier"
    where = "section VI.C"
    kind = "order"                  # see judge.py
    …

A study without claims, claims of series or points that are not there, and series of programs, parameters or machines
that are not, are refused, with file and line.
"""

import inspect
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weft.bad_input import BadInput
from weft.installation import studies_folder
from weft.machine_file import machine_text, read_toml

Record = dict[str, Any]


@dataclass(frozen=True)
class Axis:
    name: str
    values: tuple[float, ...]
    tiny: tuple[float, ...]
    unit: str = ""
    is_logarithmic: bool = False


@dataclass(frozen=True)
class Series:
    name: str
    program: str
    parameters: Record
    measured: bool = False  # on this machine, where that can be; else simulated


@dataclass(frozen=True)
class Claim:
    """What the paper says; `parameters` are those of its kind."""

    says: str
    where: str
    kind: str
    parameters: Record
    unfavourable: bool = False  # to the paper's own design
    because: str = ""  # why ours differs, if it does


@dataclass(frozen=True)
class Study:
    name: str
    file: Path
    title: str
    paper: str
    figure: str
    machine: str
    metric: str
    axis: Axis
    series: tuple[Series, ...]
    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()
    unit: str = ""

    def series_named(self, name: str) -> Series:
        return next(one for one in self.series if one.name == name)


@dataclass
class Reader:
    """A file's document, and where in it something stands."""

    file: Path
    text: str = field(repr=False)
    document: Record = field(repr=False)

    def refuse(self, key: str, why: str) -> BadInput:
        """With the line that has it as a key; else as a text; else anyhow."""
        lines = [line.strip() for line in self.text.splitlines()]
        for pattern in (rf"{re.escape(key)}\s*=", rf'.*"{re.escape(key)}"', rf".*{re.escape(key)}"):
            for number, line in enumerate(lines, 1):
                if re.match(pattern, line):
                    return BadInput(f"{self.file}:{number}: {key}: {why}")
        return BadInput(f"{self.file}: {key}: {why}")

    def take(self, table: Record, key: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
        value = table.pop(key, default)
        if value is None:
            raise self.refuse(key, "a study needs it here, and it is missing.")
        if not isinstance(value, kind):
            names = kind.__name__ if isinstance(kind, type) else " or ".join(one.__name__ for one in kind)
            raise self.refuse(key, f"{value!r} is no {names}.")
        return value


def study_files() -> dict[str, Path]:
    return {file.stem: file for file in sorted(studies_folder().glob("*.toml"))}


def find_study(name: str) -> Path:
    files = study_files()
    if name in files:
        return files[name]
    if Path(name).suffix == ".toml" and Path(name).is_file():
        return Path(name)
    raise BadInput(f"there is no study {name}: choose all, the path of a .toml file, or one of {', '.join(files)}.")


def read_study(file: Path) -> Study:
    text, document = read_toml(file)
    reader = Reader(file, text, document)
    axis = read_axis(reader, reader.take(document, "axis", dict))
    common = reader.take(document, "common", dict, {})
    series = tuple(read_series(reader, common, table) for table in reader.take(document, "series", list))
    claims = tuple(read_claim(reader, table) for table in reader.take(document, "claim", list))
    study = Study(
        name=file.stem,
        file=file,
        axis=axis,
        series=series,
        claims=claims,
        notes=tuple(reader.take(document, "notes", list, [])),
        unit=reader.take(document, "unit", str, "us"),
        **{key: reader.take(document, key, str) for key in ("title", "paper", "figure", "machine", "metric")},
    )
    for key in document:
        raise reader.refuse(key, "a study has nothing of that name.")
    check_names(reader, study)
    return study


def read_axis(reader: Reader, table: Record) -> Axis:
    values = tuple(reader.take(table, "values", list))
    axis = Axis(
        name=reader.take(table, "name", str),
        values=values,
        tiny=tuple(reader.take(table, "tiny", list, list(values[:2]))),
        unit=reader.take(table, "unit", str, ""),
        is_logarithmic=reader.take(table, "is_logarithmic", bool, False),
    )
    for key in table:
        raise reader.refuse(key, "an axis has name, values, tiny, unit and is_logarithmic.")
    if not values:
        raise reader.refuse("values", "an axis has at least one.")
    return axis


def read_series(reader: Reader, common: Record, table: Record) -> Series:
    parameters = common | table
    return Series(
        name=reader.take(parameters, "name", str),
        program=reader.take(parameters, "program", str),
        measured=reader.take(parameters, "measured", bool, False),
        parameters=parameters,
    )


def read_claim(reader: Reader, table: Record) -> Claim:
    return Claim(
        says=reader.take(table, "says", str),
        where=reader.take(table, "where", str),
        kind=reader.take(table, "kind", str),
        unfavourable=reader.take(table, "unfavourable", bool, False),
        because=reader.take(table, "because", str, ""),
        parameters=table,
    )


def check_names(reader: Reader, study: Study) -> None:
    from weft.reproduce.judge import KINDS

    names = [one.name for one in study.series]
    for name in names:
        if names.count(name) > 1:
            raise reader.refuse(name, "two series have that name.")
    check_machine(reader, study.machine)
    for one in study.series:
        check_program(reader, study, one)
    for claim in study.claims:
        if claim.kind not in KINDS:
            raise reader.refuse(claim.kind, f"no kind of claim; there are {', '.join(KINDS)}.")
        KINDS[claim.kind].check(reader, study, claim)


def check_machine(reader: Reader, machine: str) -> None:
    try:
        machine_text(machine)
    except BadInput as problem:
        raise reader.refuse(machine, str(problem)) from problem


def check_program(reader: Reader, study: Study, series: Series) -> None:
    from weft.reproduce.programs import PROGRAMS, program

    if series.program not in PROGRAMS:
        raise reader.refuse(series.program, f"no program; there are {', '.join(PROGRAMS)}.")
    known = inspect.signature(program(series.program)).parameters
    for key in (study.axis.name, *series.parameters):
        if key not in known:
            raise reader.refuse(key, f"the program {series.program} has no such parameter; it has {', '.join(known)}.")
    given = {"machine", study.axis.name, *series.parameters}
    for key, parameter in known.items():
        if parameter.default is inspect.Parameter.empty and key not in given:
            raise reader.refuse(series.name, f"the program {series.program} needs {key}.")
    if "machine" in series.parameters:
        check_machine(reader, series.parameters["machine"])
