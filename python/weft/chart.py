# SPDX-License-Identifier: BSD-3-Clause
"""Pictures, drawn only from measured records: the host MPI grey, Weft blue."""

import math
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from weft.bad_input import BadInput
from weft.compare import Spread

COLOURS = {
    "host": "#8a94a6",
    "weft": "#2563eb",
    "weft-rounds": "#93b4f5",
    "host-thread": "#c084fc",
    "agent": "#16a34a",
    "agent-flat": "#0d9488",
    "agent-two-level": "#84cc16",
    "agent-copies": "#16a34a",
    "agent-no-copies": "#d97706",
    "intel": "#d97706",
}
MARKERS = ("o", "s", "^", "D")  # one for each MPI


def load() -> ModuleType:
    """pyplot, for files. A question that ends in a picture asks for it first: a measurement takes minutes."""
    try:
        import matplotlib as mpl

        mpl.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError as problem:
        raise BadInput(
            f"pictures (of --plot and --heat-map, of `weft plot`, `weft demo` and `weft bench report`) are drawn by "
            f"matplotlib, which cannot be loaded ({problem}): "
            f"run `{shlex.quote(sys.executable)} -m pip install matplotlib`."
        ) from problem
    return plt


def figure(
    file: Path,
    panels: int,
    title: str,
    draw: Callable[[int, Any], None],
    columns: int = 3,
    option: str = "--plot",
    common_legend: bool = True,
) -> None:
    """Up to `columns` panels in a row; `draw(i, axes)` fills one. One legend for all, unless each has its own.
    `option` named the file."""
    plt = load()
    columns = min(panels, columns)
    rows = -(-panels // columns)
    made, axes = plt.subplots(rows, columns, figsize=(4.6 * columns, 3.6 * rows + 0.8), squeeze=False)
    legend: dict[str, Any] = {}
    for place, axis in enumerate(axes.flat):
        if place >= panels:
            axis.set_axis_off()
            continue
        draw(place, axis)
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(color="#e5e7eb")
        axis.set_axisbelow(True)
        handles, labels = axis.get_legend_handles_labels() if common_legend else ([], [])
        legend |= dict(zip(labels, handles, strict=True))
    made.suptitle(title, fontsize=13, fontweight="bold")
    below = 0.0  # of the picture's height, for the legend
    if common_legend:
        in_a_line = max(1, min(4, 2 * columns, len(legend)))
        made.legend(legend.values(), legend.keys(), loc="lower center", ncols=in_a_line, frameon=False)
        further_lines = max(0, -(-len(legend) // in_a_line) - 1)
        below = 0.05 + (0.03 + 0.06 * further_lines) / rows
    made.tight_layout(rect=(0, below, 1, 1))
    save(made, file, option)


@dataclass(frozen=True)
class HeatMap:
    """One panel: a ratio for some of the pairs of row and column, blue below 1 and red above."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    ratios: Mapping[tuple[str, str], float]


def heat_maps(file: Path, panels: Sequence[HeatMap], title: str, note: str, option: str) -> None:
    """The panels side by side, every ratio written into its cell. `option` named the file."""
    plt = load()
    tallest, widest = max(len(panel.rows) for panel in panels), max(len(panel.columns) for panel in panels)
    made, axes = plt.subplots(
        1, len(panels), figsize=((2.2 + 0.62 * widest) * len(panels), 1.5 + 0.27 * tallest), squeeze=False
    )
    for axis, panel in zip(axes.flat, panels, strict=True):
        grid = [[panel.ratios.get((row, column), math.nan) for column in panel.columns] for row in panel.rows]
        axis.imshow(
            [[math.log2(ratio) for ratio in line] for line in grid], cmap="RdBu_r", vmin=-2, vmax=2, aspect="auto"
        )
        for y, line in enumerate(grid):
            for x, ratio in enumerate(line):
                if not math.isnan(ratio):
                    dark = abs(math.log2(ratio)) > 1.2
                    axis.text(x, y, f"{ratio:.2f}", ha="center", va="center", fontsize=7, color="w" if dark else "k")
        axis.set_xticks(range(len(panel.columns)), panel.columns, fontsize=8)
        axis.set_yticks(range(len(panel.rows)), panel.rows, fontsize=8)
        axis.set_title(panel.title, fontsize=10)
        axis.spines[:].set_visible(False)
        axis.tick_params(length=0)
    made.suptitle(title, fontsize=12, fontweight="bold")
    made.text(0.5, 0.01, note, ha="center", fontsize=8, color="#4b5563")
    made.tight_layout(rect=(0, 0.03, 1, 1))
    save(made, file, option)


def save(made: Any, file: Path, option: str) -> None:
    """Writes the picture and forgets it."""
    try:
        made.savefig(file, dpi=130)
    except (OSError, ValueError) as problem:
        raise BadInput(f"{file} cannot be written: {problem}. Choose another {option}.") from problem
    finally:
        load().close(made)


def with_prefix(unit: str) -> Any:
    """How an axis writes small values: 0.00002 s is 20 µs."""
    load()
    from matplotlib.ticker import EngFormatter

    return EngFormatter(unit)


def curve(axis: Any, places: Sequence[float], spreads: Sequence[Spread], **style: Any) -> None:
    """Medians as a line, quartiles as a band."""
    line = axis.plot(places, [s.median for s in spreads], markersize=4, linewidth=1.4, **style)[0]
    axis.fill_between(
        places, [s.low for s in spreads], [s.high for s in spreads], color=line.get_color(), alpha=0.18, linewidth=0
    )


@dataclass(frozen=True)
class Bars:
    """One panel: a pair of bars per label."""

    title: str
    unit: str
    labels: Sequence[str]
    host: Sequence[Spread]
    weft: Sequence[Spread]
    ratios: Sequence[Spread]


def draw(panels: Sequence[Bars], title: str, host_name: str, file: Path) -> None:
    """Medians with quartiles as whiskers, the ratio of medians within pairs written above Weft's bar."""

    def fill(place: int, axis: Any) -> None:
        panel = panels[place]
        for side, (name, values) in enumerate((("host", panel.host), ("weft", panel.weft))):
            places = [i + (side - 0.5) * 0.38 for i in range(len(panel.labels))]
            medians = [value.median for value in values]
            whiskers = [
                [value.median - value.low for value in values],
                [value.high - value.median for value in values],
            ]
            label = host_name if name == "host" else f"{host_name} with Weft"
            axis.bar(
                places, medians, 0.36, label=label, color=COLOURS[name], yerr=whiskers, ecolor="#374151", capsize=3
            )
        for i, (value, ratio) in enumerate(zip(panel.weft, panel.ratios, strict=True)):
            axis.annotate(f"{ratio.median:.2f}", (i + 0.19, value.high), ha="center", va="bottom", fontsize=9)
        axis.set_xticks(range(len(panel.labels)), panel.labels)
        axis.set_title(panel.title, fontsize=11)
        axis.set_ylabel(panel.unit)
        axis.set_ylim(bottom=0)
        axis.margins(y=0.15)

    figure(file, len(panels), title, fill, len(panels), "--output")
