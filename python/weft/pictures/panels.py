# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of panels of which `weft plot` makes a picture. Each holds numbers only, and can draw itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from weft import chart

REST = "#e5e7eb"
FEW = 3  # labels that fit below their bars side by side


class Panel(Protocol):
    title: str

    def draw(self, axis: Any) -> None: ...


@dataclass(frozen=True)
class Curve:
    label: str
    x: Sequence[float]
    y: Sequence[float]
    colour: str
    style: str = "-"


@dataclass(frozen=True)
class Curves:
    title: str
    x_is: str
    y_is: str
    curves: Sequence[Curve]
    logarithmic: bool = False
    level: tuple[str, float] | None = None  # what a dashed line across the panel means, and where it is

    def draw(self, axis: Any) -> None:
        for curve in self.curves:
            axis.plot(curve.x, curve.y, color=curve.colour, linestyle=curve.style, linewidth=1.3, label=curve.label)
        if self.level is not None:
            axis.axhline(self.level[1], color="#374151", linewidth=0.9, linestyle="--", label=self.level[0])
        if self.logarithmic:
            axis.set_yscale("log")
        axis.set_xlabel(self.x_is)
        axis.set_ylabel(self.y_is)
        axis.legend(fontsize=7, frameon=False)


@dataclass(frozen=True)
class Stacks:
    """A bar for each label, of parts in seconds that add up; what the parts leave of the whole is grey."""

    title: str
    labels: Sequence[str]
    parts: Mapping[str, Sequence[float]]
    colours: Mapping[str, str]
    whole: Sequence[float] | None = None

    def draw(self, axis: Any) -> None:
        bottom = [0.0] * len(self.labels)
        shown = [(name, heights, self.colours[name]) for name, heights in self.parts.items() if any(heights)]
        if self.whole is not None:
            sums = map(sum, zip(*self.parts.values(), strict=True))
            shown.append(("other", [max(0.0, w - s) for w, s in zip(self.whole, sums, strict=True)], REST))
        for name, heights, colour in shown:
            axis.bar(range(len(self.labels)), heights, 0.7, bottom=bottom, color=colour, label=name)
            bottom = [b + h for b, h in zip(bottom, heights, strict=True)]
        name_bars(axis, self.labels)
        axis.yaxis.set_major_formatter(chart.with_prefix("s"))
        axis.set_ylabel("mean over ranks")
        axis.set_ylim(0, 1.45 * max(bottom) or 1)  # room for the legend
        axis.legend(fontsize=7, frameon=False, ncols=2, loc="upper right")


@dataclass(frozen=True)
class Bars:
    """For each label a bar of each kind, side by side."""

    title: str
    unit: str
    labels: Sequence[str]
    kinds: Mapping[str, Sequence[float]]
    colours: Mapping[str, str]
    level: tuple[str, float] | None = None

    def draw(self, axis: Any) -> None:
        width = 0.8 / len(self.kinds)
        for number, (kind, heights) in enumerate(self.kinds.items()):
            places = [at + (number - (len(self.kinds) - 1) / 2) * width for at in range(len(self.labels))]
            axis.bar(places, heights, width, color=self.colours[kind], label=kind)
        if self.level is not None:
            axis.axhline(self.level[1], color="#374151", linewidth=0.9, linestyle="--", label=self.level[0])
        name_bars(axis, self.labels)
        axis.set_ylabel(self.unit)
        axis.margins(y=0.3)
        axis.set_ylim(bottom=0)
        axis.legend(fontsize=7, frameon=False, loc="upper right")


@dataclass(frozen=True)
class Image:
    title: str
    pixels: Any  # a 2-D array, the row y = 0 at the bottom

    def draw(self, axis: Any) -> None:
        shown = axis.imshow(self.pixels, cmap="inferno", origin="lower", zorder=1)  # above the lines of the panel
        axis.figure.colorbar(shown, ax=axis, fraction=0.046)
        axis.set_xlabel("x")
        axis.set_ylabel("y")


@dataclass(frozen=True)
class SignedImage:
    """A field of both signs: white is zero, and colours end at `limit`."""

    title: str
    pixels: Any
    limit: float
    x_is: str
    y_is: str
    downwards: bool  # row 0 is at the top

    def draw(self, axis: Any) -> None:
        origin = "upper" if self.downwards else "lower"
        scale = {"vmin": -self.limit, "vmax": self.limit}
        shown = axis.imshow(self.pixels, cmap="RdBu_r", origin=origin, zorder=1, **scale)
        axis.figure.colorbar(shown, ax=axis, fraction=0.046)
        axis.set_xlabel(self.x_is)
        axis.set_ylabel(self.y_is)


def name_bars(axis: Any, labels: Sequence[str]) -> None:
    crowded = len(labels) > FEW or max(map(len, labels)) > 36 // len(labels)
    turned = {"rotation": 35, "ha": "right"} if crowded else {}
    axis.set_xticks(range(len(labels)), labels, fontsize=8, **turned)
    margin = 0.6 if len(labels) > 1 else 1.2  # a bar by itself is no wall
    axis.set_xlim(-margin, len(labels) - 1 + margin)


def draw(panels: Sequence[Panel], title: str, file: Path, option: str) -> None:
    def fill(place: int, axis: Any) -> None:
        panels[place].draw(axis)
        axis.set_title(panels[place].title, fontsize=10)

    columns = 2 if len(panels) == 4 else 3
    chart.figure(file, len(panels), title, fill, columns, option, common_legend=False)
