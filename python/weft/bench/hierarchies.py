# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench hierarchies`: what each further level of a hierarchy gains, or costs.

Figures 17 and 18 of the Cheetah paper (seed 4): one level against two, two against three.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import environment, installation
from weft.bench import analysis, options
from weft.bench.analysis import Point
from weft.bench.contest import Contestant, collective_tasks
from weft.bench.measurement import Measurement, measures
from weft.chart import curve, figure
from weft.console import out, say, table
from weft.units import parse_sizes, show_size

KEYS = ("collective", "bytes", "ranks")
SHADES = ("#8a94a6", "#bfd3fb", "#7ea6f8", "#2563eb", "#1e3a8a", "#0f1d45")  # the host's, then deeper and deeper


@measures(pairs=10, milliseconds=50.0, without=("iterations",))
def run(
    topology: Annotated[
        str, typer.Option(metavar="TEXT", help="Which of this machine's ranks pretend to be near one another.")
    ] = "node:2 socket:2 core:2",
    depths: Annotated[str, typer.Option(help="Hierarchies, each one level deeper than the one before.")] = (
        "flat,node,socket+node"
    ),
    collective: options.Collectives = "barrier,bcast,reduce,allreduce",
    size: options.Sizes = "8,1K,64K,1M",
    mpi: options.Mpi = "openmpi",
    *,
    measurement: Measurement,
) -> None:
    """Measure collectives over hierarchies of several depths alternately, and what each level gains."""
    from weft.core import make_hierarchy, make_topology

    environment.check()
    machine = make_topology(topology, None)
    deep = depths.split(",")
    for depth in deep:
        make_hierarchy(machine, depth)
    options.check_word("--mpi", mpi, *installation.NAMES)
    host = installation.host(mpi)
    who = [Contestant("host", host), *(contestant(depth, topology, host) for depth in deep)]
    names, sizes = options.chosen_collectives(collective), parse_sizes(size)
    common = {"method": "osu", "milliseconds": measurement.milliseconds}
    tasks = collective_tasks("latency", [machine.ranks], names, sizes, lambda _: common)
    contest = measurement.measure("Measuring", tasks, who)
    points = analysis.points(contest.records, KEYS)
    summary = {
        "topology": topology,
        "depths": deep,
        "points": [point.key | gains_of(point, deep) for point in points],
        "pairs": measurement.pairs,
        "wrong_answers": analysis.wrong(contest.records, KEYS),
    }
    measurement.finish(
        contest,
        "hierarchies",
        summary,
        lambda: show(points, deep, topology, host.title),
        lambda file: draw(points, ["host", *deep], file),
    )


def contestant(depth: str, topology: str, host: installation.Host) -> Contestant:
    return Contestant(depth, host, (("WEFT_HIERARCHY", depth), ("WEFT_TOPOLOGY", topology)))


def steps(depths: Sequence[str]) -> list[tuple[str, str]]:
    """Each depth and the one before; the first against the host MPI."""
    return list(zip(depths, ["host", *depths], strict=False))


def gains_of(point: Point, depths: Sequence[str]) -> dict[str, Any]:
    return {
        key: value
        for depth, before in steps(depths)
        for key, value in analysis.spread_fields(f"{depth}/{before}", point.ratio(depth, to=before)).items()
    }


def show(points: Sequence[Point], depths: Sequence[str], topology: str, title: str) -> None:
    times = [f"{name} us" for name in ("host", *depths)]
    ratios = [f"{depth} / {before}" for depth, before in steps(depths)]
    shown = table(
        f"Hierarchies on {topology}, {title}, method osu", "collective", "bytes", *times, *ratios,
        right=("bytes", *times, *ratios),
    )  # fmt: skip
    for point in points:
        spreads = [point.spread_of(name) for name in ("host", *depths)]
        shown.add_row(
            point.key["collective"], show_size(point.key["bytes"]),
            *(f"{spread.median:.2f}" if spread else "-" for spread in spreads),
            *(str(point.ratio(depth, to=before) or "-") for depth, before in steps(depths)),
        )  # fmt: skip
    out.print(shown)
    say("Ratios: within rounds of alternating launches, median [quartiles]; below 1 the level gains.")


def draw(points: Sequence[Point], names: Sequence[str], file: Path) -> None:
    panels = list(dict.fromkeys(point.key["collective"] for point in points))

    def fill(place: int, axis: Any) -> None:
        mine = [point for point in points if point.key["collective"] == panels[place]]
        for number, name in enumerate(names):
            known = [(max(point.key["bytes"], 1), found) for point in mine if (found := point.spread_of(name))]
            curve(
                axis, [size for size, _ in known], [spread for _, spread in known], color=SHADES[number % len(SHADES)],
                marker="o", label=name,
            )  # fmt: skip
        axis.set_title(f"{panels[place]}, {mine[0].key['ranks']} ranks", fontsize=11)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        sizes = [point.key["bytes"] for point in mine]
        axis.set_xticks([max(size, 1) for size in sizes], [show_size(size) for size in sizes])
        axis.set_xlabel("bytes")
        axis.set_ylabel("us")

    figure(file, len(panels), "Latency by the depth of the hierarchy", fill)
