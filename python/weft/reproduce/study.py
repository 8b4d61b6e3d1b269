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

    [[measured]]                    # what this machine can measure of it: see measure.py
    …

    [[claim]]
    says = "the tree returns earlier"
    where = "section VI.C"
    kind = "order"                  # see judge.py
    …

A study without claims, claims of series or points that are not there, and series of programs, parameters or machines
that are not, are refused, with file and line.
"""

import difflib
import inspect
import itertools
import re
import typing
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from weft.bad_input import BadInput
from weft.core import _core, polite
from weft.installation import studies_folder
from weft.machine_file import machine_text
from weft.reproduce.judge import KINDS, is_number
from weft.reproduce.measure import Measured, read_measured
from weft.reproduce.programs import PROGRAMS, program
from weft.reproduce.source import Place, Record, Source, read_source


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
    place: Place = field(default=Place(), compare=False)


@dataclass(frozen=True)
class Claim:
    """What the paper says; `parameters` are those of its kind."""

    says: str
    where: str
    kind: str
    parameters: Record
    unfavourable: bool = False  # to the paper's own design
    because: str = ""  # why ours differs, if it does
    place: Place = field(default=Place(), compare=False)


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
    measured: tuple[Measured, ...] = ()
    place: Place = field(default=Place(), compare=False)
    axis_place: Place = field(default=Place(), compare=False)

    def blame(self, series: Series, point: float, problem: Exception) -> BadInput:
        """What a program says of its parameters, at the line of the one that it speaks of, as far as can be told: whose
        value it quotes; else has; else whose name it has."""
        said = str(problem)
        where = f"series {series.name} at {self.axis.name} = {point:g}: {said}"
        given = {"machine": self.machine} | series.parameters
        for speaks_of in (
            lambda key: f'"{given[key]}"' in said,
            lambda key: given[key] != point and re.search(rf"(?<![\w.]){re.escape(str(given[key]))}(?![\w.])", said),
            lambda key: key in said or key.replace("_", " ") in said,
        ):
            for key in filter(speaks_of, given):
                place = series.place if key in series.parameters else self.place
                return place.refuse(key, where)
        return self.axis_place.refuse("values", where)


def study_files() -> dict[str, Path]:
    return {file.stem: file for file in sorted(studies_folder().glob("*.toml"))}


def find_study(name: str) -> Path:
    files = study_files()
    if name in files:
        return files[name]
    path = Path(name)
    if path.suffix == ".toml" or path.name != name:
        if path.is_file():
            return path
        raise BadInput(f"{name}: there is no such file.")
    alike = difflib.get_close_matches(name, files, n=3)
    perhaps = f" Perhaps {' or '.join(alike)}?" if alike else ""
    raise BadInput(
        f"there is no study {name}: choose all, the path of a .toml file, or one that `weft reproduce` lists.{perhaps}"
    )


def read_study(file: Path) -> Study:
    source = read_source(file)
    top, document = source.place(), source.document
    axis = read_axis(source.place("axis"), top.take(document, "axis", dict))
    common = top.take(document, "common", dict, {})
    notes = tuple(top.take(document, "notes", list, []))
    if not all(isinstance(note, str) for note in notes):
        raise top.refuse("notes", "these are texts.")
    study = Study(
        name=file.stem,
        file=file,
        axis=axis,
        series=tuple(
            read_series(source.place("series", number, else_in="common"), common | table)
            for number, table in enumerate(source.tables("series"))
        ),
        claims=tuple(
            read_claim(source.place("claim", number), table) for number, table in enumerate(source.tables("claim"))
        ),
        measured=tuple(
            read_measured(source.place("measured", number), table)
            for number, table in enumerate(source.tables("measured"))
        ),
        notes=notes,
        unit=top.take(document, "unit", str, "us"),
        place=top,
        axis_place=source.place("axis"),
        **{key: top.take(document, key, str) for key in ("title", "paper", "figure", "machine", "metric")},
    )
    for key in document:
        raise top.refuse(key, "a study has nothing of that name.")
    check(study, source)
    return study


def read_axis(place: Place, table: Record) -> Axis:
    values = tuple(place.take(table, "values", list))
    axis = Axis(
        name=place.take(table, "name", str),
        values=values,
        tiny=tuple(place.take(table, "tiny", list, list(values[:2]))),
        unit=place.take(table, "unit", str, ""),
        is_logarithmic=place.take(table, "is_logarithmic", bool, False),
    )
    for key in table:
        raise place.refuse(key, "an axis has name, values, tiny, unit and is_logarithmic.")
    for key, points in (("values", axis.values), ("tiny", axis.tiny)):
        if not points:
            raise place.refuse(key, "an axis has at least one.")
        for point in points:
            if not is_number(point):
                raise place.refuse(key, f"{point!r} is no number.")
        for before, after in itertools.pairwise(points):
            if after <= before:
                raise place.refuse(key, f"{after:g} follows {before:g}: let them rise.")
    for point in axis.tiny:
        if point not in values:
            raise place.refuse("tiny", f"{point:g}: the axis has no such value.")
    if axis.is_logarithmic and values[0] <= 0:
        raise place.refuse("values", f"{values[0]:g} is on no logarithmic axis.")
    return axis


def read_series(place: Place, parameters: Record) -> Series:
    name = place.take(parameters, "name", str)
    return Series(name, place.take(parameters, "program", str), parameters, place)


def read_claim(place: Place, table: Record) -> Claim:
    return Claim(
        says=place.take(table, "says", str),
        where=place.take(table, "where", str),
        kind=place.take(table, "kind", str),
        unfavourable=place.take(table, "unfavourable", bool, False),
        because=place.take(table, "because", str, ""),
        parameters=table,
        place=place,
    )


def check(study: Study, source: Source) -> None:
    for key, what in (("series", study.series), ("claim", study.claims)):
        if not what:
            raise source.place().refuse(key, "a study has at least one.")
    counts = Counter(one.name for one in (*study.series, *study.measured))
    for series in reversed((*study.series, *study.measured)):
        if counts[series.name] > 1:
            raise series.place.refuse("name", f"{series.name}: two series have that name.")
    check_machine(study.place, study.machine)
    for one in study.series:
        check_program(study, one)
    for claim in study.claims:
        if claim.kind not in KINDS:
            raise claim.place.refuse("kind", f"{claim.kind}: no kind of claim; there are {', '.join(KINDS)}.")
        KINDS[claim.kind].check(study, claim)


def check_machine(place: Place, machine: str) -> None:
    try:
        with polite():
            _core.SimulatedMachine(machine_text(machine))
    except BadInput as problem:
        raise place.refuse("machine", str(problem).removeprefix("--machine ")) from problem


def check_program(study: Study, series: Series) -> None:
    place = series.place
    if series.program not in PROGRAMS:
        raise place.refuse("program", f"{series.program}: no program; there are {', '.join(PROGRAMS)}.")
    chosen = program(series.program)
    known, hints = inspect.signature(chosen).parameters, typing.get_type_hints(chosen)
    axis = study.axis.name
    if axis not in known:
        why = f"{axis}: the program {series.program} has no such parameter; it has {', '.join(known)}."
        raise study.axis_place.refuse("name", why)
    if axis in series.parameters:
        raise place.refuse(axis, "it is the axis, whose values it has.")
    for key, value in series.parameters.items():
        if key not in known:
            raise place.refuse(key, f"the program {series.program} has no such parameter; it has {', '.join(known)}.")
        if not fits(value, hints[key]):
            raise place.refuse(key, f"{value!r}: the program {series.program} takes {named(hints[key])}.")
    for point in study.axis.values:
        if not fits(point, hints[axis]):
            why = f"{point!r}: the program {series.program} takes {named(hints[axis])} for {axis}."
            raise study.axis_place.refuse("values", why)
    given = {"machine", axis, *series.parameters}
    for key, parameter in known.items():
        if parameter.default is inspect.Parameter.empty and key not in given:
            raise place.refuse("name", f"{series.name}: the program {series.program} needs {key}.")
    if "machine" in series.parameters:
        check_machine(place, series.parameters["machine"])


def fits(value: object, hint: object) -> bool:
    """A parameter's type is one, or one of several."""
    types = typing.get_args(hint) or (hint,)
    if isinstance(value, bool):
        return bool in types
    if isinstance(value, int | float):
        return is_number(value) and (float in types or (int in types and isinstance(value, int)))
    return str in types and isinstance(value, str)


def named(hint: object) -> str:
    words = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
    return " or ".join(words[one] for one in typing.get_args(hint) or (hint,) if one in words)
