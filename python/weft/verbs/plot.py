# SPDX-License-Identifier: BSD-3-Clause
"""`weft plot`: a picture of what programs wrote: the applications' --json, a slice, the records of `weft bench`."""

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import chart, scratch
from weft.bad_input import BadInput
from weft.console import err, print_json
from weft.pictures import panels, waves
from weft.pictures.applications import PROGRAMS
from weft.pictures.panels import Curve, Curves, Image, Panel

ARRAY = b"\x93NUMPY"
DAMAGE = (ArithmeticError, AttributeError, KeyError, IndexError, TypeError, ValueError)
READABLE = f"weft plot draws what {', '.join(PROGRAMS)} write with --json, arrays (.npy), and the records of weft bench"


@dataclass(frozen=True)
class Source:
    file: Path
    kind: str  # an application's name, "array" or "records"
    content: Any


def run(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…", help="Written with --json or --slice, by weft bench, or a folder of wave's planes."
        ),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="PICTURE.png", help="Also .pdf or .svg.")],
    as_json: Annotated[bool, typer.Option("--json", help="Say what was read and drawn, as JSON.")] = False,
) -> None:
    """Draw what programs wrote: weft plot blocking.json overlapped.json -o picture.png

    Several files of one application stand side by side in the same panels.
    """
    chart.load()
    check(output, files)
    if any(file.is_dir() for file in files):
        titles, sources = draw_film(files, output), [Source(file, "snapshots", None) for file in files]
    else:
        titles, sources = draw(files, output)
    read_as = [{"file": str(source.file), "recognised": source.kind} for source in sources]
    if as_json:
        print_json({"picture": str(output), "panels": titles, "files": read_as})
    else:
        err.print(f"Written: {output}", soft_wrap=True, markup=False)


def draw(files: Sequence[Path], output: Path) -> tuple[list[str], list[Source]]:
    """The titles of what was drawn, and from what."""
    sources = [read(file) for file in files]
    if any(source.kind == "records" for source in sources):
        titles = draw_records(sources, output)
    else:
        found = all_panels(sources)
        titles = [panel.title for panel in found]
        panels.draw(found, title(sources), output, "--output")
    return titles, sources


def draw_film(files: Sequence[Path], output: Path) -> list[str]:
    if len(files) > 1:
        raise BadInput(f"{', '.join(map(str, files))}: a film is of one folder: give it alone.")
    film = waves.read_film(files[0])
    waves.draw_film(film, output)
    return [film.title]


def check(output: Path, files: Sequence[Path]) -> None:
    for file in files:
        if file.resolve() == output.resolve():
            raise BadInput(f"--output {output} is one of the files to draw: choose another name.")
    if not output.parent.is_dir():
        raise BadInput(f"--output {output}: there is no folder {output.parent}: make it, or choose another.")
    if any(file.is_dir() for file in files):
        if output.suffix != ".gif":
            raise BadInput(f"--output {output}: a folder of planes becomes a film, whose name ends in .gif.")
        return
    kinds = chart.load().gcf().canvas.get_supported_filetypes()
    chart.load().close("all")
    if output.suffix.removeprefix(".") not in kinds:
        raise BadInput(f"--output {output}: a picture's name ends in one of .{', .'.join(sorted(kinds))}.")


# ---- reading ----


def read(file: Path) -> Source:
    try:
        content = file.read_bytes()
    except OSError as problem:
        raise BadInput(f"{file} cannot be read: {problem.strerror}.") from problem
    if content.startswith(ARRAY) or file.suffix == ".npy":
        return Source(file, "array", read_array(file))
    try:
        text = content.decode()
    except UnicodeDecodeError as problem:
        raise BadInput(f"{file} is neither text nor an array of NumPy's: {READABLE}.") from problem
    if not text.strip():
        raise BadInput(f"{file} is empty: the program did not come to its end. Run it again with --json.")
    try:
        found = json.loads(text)
    except json.JSONDecodeError as problem:
        if (records := read_records(text)) is not None:
            return Source(file, "records", records)
        raise BadInput(
            f"{file} is damaged, or not JSON: line {problem.lineno}, column {problem.colno}: {problem.msg}. Run the "
            f"program again with --json: {READABLE}."
        ) from problem
    if is_record(found):
        return Source(file, "records", [found])
    program = found.get("program") if isinstance(found, dict) else None
    if program not in PROGRAMS:
        what = f"an object of {program!r}" if program else "JSON that does not say of which program it is"
        raise BadInput(f"{file} is {what}: {READABLE}.")
    return Source(file, program, found)


def read_array(file: Path) -> Any:
    import numpy as np  # matplotlib brings it

    try:
        found = np.load(file, allow_pickle=False)
        if not isinstance(found, np.ndarray):
            raise ValueError("it is an archive of several")
    except (OSError, ValueError, EOFError, MemoryError) as problem:
        raise BadInput(f"{file} is no array of NumPy's, or damaged: {problem}. Write it again.") from problem
    if waves.is_seismograms(found):
        return found
    if found.dtype.kind not in "iuf" or not 1 <= found.ndim <= 3 or not found.size:
        shape = " x ".join(map(str, found.shape))
        raise BadInput(f"{file} is an array {shape} of {found.dtype}: drawn are real ones of 1 to 3 dimensions.")
    return found


def read_records(text: str) -> list[dict[str, Any]] | None:
    """The records among lines of JSON; None where lines are something else."""
    try:
        lines = [json.loads(line) for line in text.splitlines()]
    except json.JSONDecodeError:
        return None
    return [line for line in lines if is_record(line)] or None


def is_record(value: Any) -> bool:
    return isinstance(value, dict) and "benchmark" in value


# ---- drawing ----


def all_panels(sources: Sequence[Source]) -> list[Panel]:
    found: list[Panel] = []
    kinds = list(dict.fromkeys(source.kind for source in sources))
    for kind in kinds:
        mine = [source for source in sources if source.kind == kind]
        if kind == "array":
            found += [panel for source in mine for panel in array_panels(source)]
            continue
        for source in mine:
            with_complaint(source, [("", source.content)])
        its_panels = with_complaint(mine[0], list(zip(labels(mine), (one.content for one in mine), strict=True)))
        if len([kind for kind in kinds if kind != "array"]) > 1:
            its_panels = [dataclasses.replace(panel, title=f"{kind}: {panel.title}") for panel in its_panels]
        found += its_panels
    return found


def with_complaint(source: Source, runs: list[tuple[str, dict[str, Any]]]) -> list[Panel]:
    try:
        return PROGRAMS[source.kind](runs)
    except DAMAGE as problem:
        raise BadInput(
            f"{source.file} is an object of {source.kind}, but a damaged one, or of another version "
            f"({about(problem)}): run {source.kind} again with --json."
        ) from problem


def about(problem: Exception) -> str:
    return f"{problem} is missing" if isinstance(problem, KeyError) else str(problem)


def labels(sources: Sequence[Source]) -> list[str]:
    """What tells the runs of an application apart: a single one is named by its exchange, several by their files."""
    if len(sources) == 1:
        return [str(sources[0].content.get("exchange", sources[0].file.stem))]
    stems = [source.file.stem for source in sources]
    return stems if len(set(stems)) == len(stems) else [str(source.file) for source in sources]


def array_panels(source: Source) -> list[Panel]:
    """A curve, an image, of a field [z][y][x] the plane in its middle, or the curves of seismograms."""
    field, name = source.content, source.file.name
    if waves.is_seismograms(field):
        return waves.seismogram_panels(name, field)
    if field.ndim == 1:
        return [Curves(name, "place", "value", [Curve("value", range(len(field)), field, "#2563eb")])]
    if (plane := waves.snapshot_panel(name, field)) is not None:
        return [plane]
    if field.ndim == 2:
        return [Image(name, field)]
    middle = field.shape[0] // 2
    return [Image(f"{name}, plane z = {middle}", field[middle])]


def title(sources: Sequence[Source]) -> str:
    kinds = dict.fromkeys(source.kind for source in sources if source.kind != "array")
    ranks = list(dict.fromkeys(str(s.content.get("ranks")) for s in sources if s.kind != "array"))
    named = ", ".join(kinds) or sources[0].file.name
    return f"{named}, {' and '.join(ranks)} ranks" if ranks else named


def draw_records(sources: Sequence[Source], output: Path) -> list[str]:
    from weft.pictures import records  # loads what measures

    if len(sources) > 1:
        raise BadInput(
            f"{', '.join(str(one.file) for one in sources)}: a file of records fills a picture by itself: give it "
            "alone, and others in a call of their own."
        )
    (source,) = sources
    with scratch.folder() as folder:
        drawn = folder / output.name
        try:
            question = records.draw(source.content, source.file, drawn)
        except DAMAGE as problem:
            raise BadInput(
                f"{source.file} has records that are damaged, or of another version ({about(problem)}): measure again."
            ) from problem
        if not drawn.is_file():
            raise BadInput(f"{source.file} has no right answer whose time could be drawn: measure again.")
        try:
            output.write_bytes(drawn.read_bytes())
        except OSError as problem:
            raise BadInput(f"{output} cannot be written: {problem.strerror}. Choose another --output.") from problem
    return [question]
