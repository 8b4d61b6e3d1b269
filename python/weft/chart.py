# SPDX-License-Identifier: BSD-3-Clause
"""Bar charts of two contestants, drawn only from measured records."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weft.compare import Spread
from weft.console import BadInput

COLOURS = {"host": "#8a94a6", "weft": "#2563eb"}


@dataclass(frozen=True)
class Bars:
    """One panel: a pair of bars per label."""

    title: str
    labels: Sequence[str]
    host: Sequence[Spread]
    weft: Sequence[Spread]
    ratios: Sequence[Spread]


def draw(panels: Sequence[Bars], title: str, unit: str, host_name: str, file: Path) -> None:
    """Medians with quartiles as whiskers, the ratio of medians within pairs written above Weft's bar."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(panels), figsize=(5.2 * len(panels), 4.2), squeeze=False)
    for axis, panel in zip(axes[0], panels, strict=True):
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
        axis.set_ylabel(unit)
        axis.set_ylim(bottom=0)
        axis.margins(y=0.15)
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(axis="y", color="#e5e7eb")
        axis.set_axisbelow(True)
    figure.suptitle(title, fontsize=13, fontweight="bold")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=2, frameon=False)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    try:
        figure.savefig(file, dpi=150)
    except (OSError, ValueError) as problem:
        raise BadInput(f"{file} cannot be written: {problem}. Choose another --output.") from problem
    finally:
        plt.close(figure)
