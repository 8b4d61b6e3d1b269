# SPDX-License-Identifier: BSD-3-Clause
"""What wave writes beside its JSON: seismograms, planes of its field, and folders of them, which become films."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft import chart
from weft.bad_input import BadInput
from weft.pictures.panels import Curve, Curves, Panel, SignedImage

VELOCITIES = {"vx": "#2563eb", "vy": "#16a34a", "vz": "#dc2626"}
MOST_RECEIVERS = 6  # of which each gets a panel
SNAPSHOT = re.compile(r"(v[xyz]|[xyz]{2})_([xyz])_(\d+)")
FRAMES_PER_SECOND = 12
SHOWN_SHARE = 99.5  # per cent of the values lie within the scale of colours: what is at the source would hide the rest


def is_seismograms(array: Any) -> bool:
    return array.dtype.names == ("t", *VELOCITIES) and array.ndim == 2 and array.size > 0


def seismogram_panels(name: str, array: Any) -> list[Panel]:
    """One panel for each receiver, up to a few."""
    found: list[Panel] = []
    for number, rows in enumerate(array[:MOST_RECEIVERS]):
        curves = [Curve(one, rows["t"], rows[one], colour) for one, colour in VELOCITIES.items()]
        found.append(Curves(f"{name}, receiver {number}", "s", "m/s", curves))
    return found


def snapshot_panel(name: str, plane: Any, limit: float | None = None) -> SignedImage | None:
    """The plane of a file that is named as wave names them: COMPONENT_AXIS_STEP."""
    match = SNAPSHOT.fullmatch(Path(name).stem)
    if match is None or plane.ndim != 2:
        return None
    component, axis, step = match.groups()
    across, down = [one for one in "xyz" if one != axis]
    title = f"{component} across {axis}, step {int(step)}"
    return SignedImage(title, plane, scale_of([plane]) if limit is None else limit, across, down, down == "z")


def scale_of(planes: Sequence[Any]) -> float:
    import numpy as np

    return float(max(np.percentile(np.abs(plane), SHOWN_SHARE) for plane in planes)) or 1.0


@dataclass(frozen=True)
class Film:
    title: str
    frames: Sequence[SignedImage]


def read_film(folder: Path) -> Film:
    """The planes in a folder, in the order of their steps; of one component and one axis."""
    import numpy as np

    files = sorted(file for file in folder.iterdir() if file.suffix == ".npy" and SNAPSHOT.fullmatch(file.stem))
    if not files:
        raise BadInput(f"{folder} has no planes in it: run wave with --snapshots {folder} --snapshot-every N.")
    kinds = list(dict.fromkeys(file.stem.rsplit("_", 1)[0] for file in files))
    if len(kinds) > 1:
        raise BadInput(
            f"{folder} has planes of {' and '.join(kinds)}: a film shows one of them; use a folder for each."
        )
    planes = []
    for file in files:
        try:
            planes.append(np.load(file, allow_pickle=False))
        except (OSError, ValueError, EOFError) as problem:
            raise BadInput(f"{file} is no array of NumPy's, or damaged: {problem}. Write it again.") from problem
        if planes[-1].ndim != 2 or planes[-1].shape != planes[0].shape:
            raise BadInput(f"{file} has another shape than {files[0].name}: a folder is for one run.")
    limit = scale_of(planes)
    panels = [snapshot_panel(file.name, plane, limit) for file, plane in zip(files, planes, strict=True)]
    frames = [panel for panel in panels if panel is not None]
    return Film(f"{frames[0].title.split(',')[0]}, {len(frames)} planes", frames)


def draw_film(film: Film, file: Path) -> None:
    plt = chart.load()
    from matplotlib.animation import FuncAnimation, PillowWriter

    made, axis = plt.subplots(figsize=(5.6, 4.6))
    film.frames[0].draw(axis)
    shown = axis.images[0]

    def show(number: int) -> list[Any]:
        shown.set_data(film.frames[number].pixels)
        axis.set_title(film.frames[number].title, fontsize=10)
        return [shown]

    try:
        FuncAnimation(made, show, frames=len(film.frames)).save(file, writer=PillowWriter(fps=FRAMES_PER_SECOND))
    except OSError as problem:
        raise BadInput(f"{file} cannot be written: {problem.strerror}. Choose another --output.") from problem
    finally:
        plt.close(made)
