# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of benchmarks, drawn only from measured points: the host MPI grey, Weft blue, one panel per question."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from weft import compare
from weft.bench.analysis import Point
from weft.chart import COLOURS
from weft.console import BadInput
from weft.units import show_size

STYLES = {"host": COLOURS["host"], "weft": COLOURS["weft"], "weft-rounds": "#93b4f5"}
MARKERS = ("o", "s", "^", "D")


def figure(file: Path, panels: int, title: str, draw: Callable[[int, Any], None], columns: int = 3) -> None:
    """Up to `columns` panels in a row; `draw(i, axes)` fills one. One legend for all."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

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
        handles, labels = axis.get_legend_handles_labels()
        legend |= dict(zip(labels, handles, strict=True))
    made.suptitle(title, fontsize=13, fontweight="bold")
    made.legend(legend.values(), legend.keys(), loc="lower center", ncols=max(1, min(4, len(legend))), frameon=False)
    further_lines = max(0, -(-len(legend) // 4) - 1)  # of the legend
    made.tight_layout(rect=(0, 0.05 + (0.03 + 0.06 * further_lines) / rows, 1, 1))
    try:
        made.savefig(file, dpi=130)
    except (OSError, ValueError) as problem:
        raise BadInput(f"{file} cannot be written: {problem}. Choose another --plot.") from problem
    finally:
        plt.close(made)


def curve(axis: Any, places: Sequence[float], spreads: Sequence[compare.Spread], **style: Any) -> None:
    """Medians as a line, quartiles as a band."""
    line = axis.plot(places, [s.median for s in spreads], markersize=4, linewidth=1.4, **style)[0]
    axis.fill_between(
        places, [s.low for s in spreads], [s.high for s in spreads], color=line.get_color(), alpha=0.18, linewidth=0
    )


def draw_latency(points: Sequence[Point], file: Path) -> None:
    """One panel per collective and number of ranks: time over size where there are several sizes."""
    panels = list(dict.fromkeys((p.key["collective"], p.key["ranks"]) for p in points))
    if not panels:
        return

    def draw(place: int, axis: Any) -> None:
        collective, ranks = panels[place]
        mine = [p for p in points if (p.key["collective"], p.key["ranks"]) == (collective, ranks)]
        sizes = [p.key["bytes"] for p in mine]
        mpis = list(dict.fromkeys(mpi for p in mine for _, mpi in p.series))
        for implementation, mpi in dict.fromkeys(key for p in mine for key in p.series):
            measured = [(p.key["bytes"], p.series.get((implementation, mpi))) for p in mine]
            known = [(size, compare.spread(list(series.values()))) for size, series in measured if series]
            curve(
                axis, [max(size, 1) for size, _ in known], [s for _, s in known],
                color=STYLES[implementation], marker=MARKERS[mpis.index(mpi) % len(MARKERS)],
                label=f"{implementation}, {mpi}",
            )  # fmt: skip
        axis.set_title(f"{collective}, {ranks} ranks", fontsize=11)
        axis.set_yscale("log")
        axis.set_ylabel("us")
        axis.set_xscale("log", base=2)
        axis.set_xticks([max(size, 1) for size in sizes], [show_size(size) for size in sizes])
        axis.set_xlabel("bytes")

    figure(file, len(panels), "Latency of collectives", draw)
