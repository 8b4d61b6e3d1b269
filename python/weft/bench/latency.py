# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench latency`: how long collectives take under the host MPI and under Weft, launched alternately."""

import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import chart, compare, environment
from weft.bad_input import BadInput
from weft.bench import analysis, collectives, floor, options, states
from weft.bench.analysis import RIVAL, Point, Series
from weft.bench.contest import Task, collective_tasks, contestants
from weft.bench.measurement import Measurement, measures
from weft.chart import COLOURS, MARKERS, curve, figure
from weft.compare import Spread
from weft.console import err, out, say, table
from weft.units import parse_numbers, parse_sizes, show_size

METHODS = ("single", "osu", "loop", "sizes", "kinds")
KEYS = ("collective", "bytes", "ranks", "method")
SHORT = 8  # bytes: what fits into a cache line with its news, so that moving one is the floor


@measures(pairs=10, milliseconds=100.0)
def run(
    collective: options.Collectives = "iallreduce",
    size: options.Sizes = "8",
    ranks: options.RankCounts = "2",
    mpi: options.Mpi = "openmpi",
    implementation: Annotated[
        str,
        typer.Option(
            help="Some of host,host-thread,weft,weft-rounds,agent, and intel: Intel MPI by itself, if it is there."
        ),
    ] = "host,weft",
    method: Annotated[
        str,
        typer.Option(
            metavar="|".join(METHODS),
            help="single: each operation alone after a synchronised start, maximum over ranks; osu: timed one by one "
            "with barriers between; loop: back to back; sizes: the same, of thousands of sizes around --bytes in turn; "
            "kinds: the same, of up to five datatypes in turn. Several: osu,single.",
        ),
    ] = "single",
    start: Annotated[
        str | None,
        typer.Option(
            metavar="barrier|window|agreed",
            help="How operations of `single` start together: behind a barrier; at a time that all wait for; at one "
            "for which all sleep, agreed. [default: barrier; with --delay window]",
        ),
    ] = None,
    reduce: Annotated[str, typer.Option(metavar="min|median|mean|max", help="Over the operations of a launch.")] = (
        "median"
    ),
    buffers: options.Buffers = "rotating",
    datatype: Annotated[
        str,
        typer.Option(
            metavar="predefined|strided",
            help="What elements are of; strided: a derived datatype with gaps, as the column of a matrix has them.",
        ),
    ] = "predefined",
    heat_map: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A picture of all ratios at a glance: collectives by sizes, a panel per number of ranks and method.",
        ),
    ] = None,
    per_rank: Annotated[bool, typer.Option("--per-rank", help="Every rank's own times.")] = False,
    *,
    measurement: Measurement,
) -> None:
    """Measure collectives under the host MPI and under Weft alternately, and say the ratio with its spread."""
    environment.check()
    methods = options.chosen_words("--method", method, *METHODS)
    start = start or ("window" if measurement.takes_long else "barrier")
    options.check_word("--start", start, "barrier", "window", "agreed")
    options.check_word("--reduce", reduce, "min", "median", "mean", "max")
    options.check_word("--buffers", buffers, "hot", "rotating")
    options.check_word("--datatype", datatype, "predefined", "strided")
    if datatype == "strided" and "kinds" in methods:
        raise BadInput("--method kinds takes predefined datatypes in turn: leave out --datatype strided.")
    if heat_map is not None:
        if not {"host", "weft"} <= set(implementation.split(",")):
            raise BadInput("--heat-map shows ratios of Weft to the host: measure --implementation host,weft.")
        chart.load()
    names = options.chosen_collectives(collective)
    if datatype == "strided":
        names = without_reductions(names)
    sizes = parse_sizes(size)
    counts = parse_numbers(ranks, "--ranks", 1)
    who = contestants(mpi, implementation, [RIVAL])
    common = {
        "start": start, "reduce": reduce, "buffers": buffers, "datatype": datatype, "per-rank": int(per_rank),
    } | measurement.length  # fmt: skip
    crowded = {one: options.note_if_crowded(counts, one) for one in methods}
    tasks = [
        task
        for count in counts
        for one in dict.fromkeys(crowded[method](count) for method in methods)
        for task in collective_tasks("latency", [count], names, sizes, lambda _, one=one: common | {"method": one})
    ]
    if measurement.hosts is None and (min(sizes) <= SHORT or any("barrier" in name for name in names)):
        tasks.append(exchange_floor(measurement.milliseconds))
    contest = measurement.measure("Measuring", tasks, who)
    records = [record for record in contest.records if record["benchmark"] == "latency"]
    floors = {record["pair"]: record["value"] / 1e3 for record in contest.records if record["benchmark"] == "floor"}
    points = analysis.points(records, KEYS)
    apart = told_apart(records)
    summary = summarize(points, records, measurement.pairs, floors)
    if apart:
        summary["states"] = {state: one.entry() for state, one in apart.items()}
    if heat_map is not None:
        draw_heat_maps(groups_of_panels(points, apart), heat_map)
    measurement.finish(
        contest,
        "latency",
        summary,
        lambda: show(points, records, floors, apart, implementation, per_rank),
        lambda file: draw(points, file),
    )


@dataclass
class State:
    """What was measured in one state of the machine."""

    line_ns: float  # that a cache line takes from one core to another
    points: list[Point]

    def mean(self) -> float | None:
        """The geometric mean of the points' medians: they may have no pair in common."""
        ratios = [ratio.median for point in self.points if (ratio := point.ratio())]
        return statistics.geometric_mean(ratios) if ratios else None

    def entry(self) -> dict[str, Any]:
        points = [
            analysis.entry(point) | {"verdict": analysis.verdict(point.ratio()), "compared": len(point.ratios())}
            for point in self.points
        ]
        return {"line_ns": self.line_ns, "ratio": self.mean(), "points": points}


def told_apart(records: list[dict[str, Any]]) -> dict[str, State]:
    """Nothing where the machine was in one state."""
    return {
        state: State(states.line_ns(mine), analysis.points(mine, KEYS))
        for state, mine in states.told_apart(records).items()
    }


def without_reductions(names: list[str]) -> list[str]:
    left_out = [name for name in names if collectives.reduces(name)]
    left = [name for name in names if name not in left_out]
    if not left:
        raise BadInput("--datatype strided: predefined operators have no derived datatypes. Use bcast, alltoallw, ...")
    if left_out:
        err.print("Without reductions: predefined operators have no derived datatypes.")
    return left


def exchange_floor(milliseconds: float) -> Task:
    return floor.task([SHORT], milliseconds, ["exchange"], once=True)


def over_floor(point: Point, floors: Series, implementation: str = "weft", mpi: str | None = None) -> Spread | None:
    """How many exchanges of two cache lines, as the same round of launches measured them, a short call takes."""
    times = point.of(implementation, mpi) if point.key["bytes"] <= SHORT else {}
    values = [times[pair] / floors[pair] for pair in times if pair in floors]
    return compare.spread(values) if values else None


def summarize(points: list[Point], records: list[dict[str, Any]], pairs: int, floors: Series) -> dict[str, Any]:
    """The last line. With several MPIs, a ratio is Weft on its best one over the best of them."""
    summary = analysis.summary(points, records, KEYS, pairs)
    for point, entry in zip(points, summary["points"], strict=True):
        entry["verdict"] = analysis.verdict(point.ratio())
        if point.of(RIVAL):
            entry |= analysis.spread_fields(f"ratio_to_{RIVAL}", point.ratio(to=RIVAL))
    if floors:
        summary |= analysis.spread_fields("floor_microseconds", compare.spread(list(floors.values())))
        for point, entry in zip(points, summary["points"], strict=True):
            if point.key["bytes"] <= SHORT:
                entry |= analysis.spread_fields("of_floor", over_floor(point, floors))
    if len(points) == 1:
        summary |= points[0].key
        for name, place in (("host", "host"), ("weft", "weft_on")):
            found = points[0].spread_of(name)
            if found is not None:
                summary |= {place: points[0].best(name), f"{name}_microseconds": found.median}
    return summary


def show(
    points: list[Point],
    records: list[dict[str, Any]],
    floors: Series,
    apart: dict[str, State],
    implementations: str,
    per_rank: bool,
) -> None:
    names = implementations.split(",")
    others = analysis.compared_with_host(names)
    rival = RIVAL if {RIVAL, "weft"} <= set(names) else None
    mpis = list(dict.fromkeys(record["mpi"] for record in records if record["implementation"] != RIVAL or not others))
    figures = [*(f"{name} us" for name in names), *(f"{name}/host" for name in others)]
    figures += [f"weft/{rival}"] if rival else []
    of_floor = "weft/floor" if floors and "weft" in names else None
    judged = "weft" in others
    methods = list(dict.fromkeys(record["method"] for record in records))
    shown = table(
        f"Latency, {', '.join(mpis)}, method {', '.join(methods)}, {records[0]['buffers']} buffers, "
        f"{records[0]['datatype']} datatypes",
        "collective", "bytes", "ranks", *(["method"] if len(methods) > 1 else []),
        *(["MPI"] if len(mpis) > 1 else []), *figures,
        *(["weft is"] if judged else []), *([of_floor] if of_floor else []),
        right=("bytes", "ranks", *figures, "weft/floor"),
    )  # fmt: skip
    for point in points:
        for mpi in mpis:
            times = [point.spread_of(name, None if name == RIVAL else mpi) for name in names]
            if not any(times):
                continue
            shown.add_row(
                point.key["collective"], show_size(point.key["bytes"]), str(point.key["ranks"]),
                *([point.key["method"]] if len(methods) > 1 else []), *([mpi] if len(mpis) > 1 else []),
                *(with_width(time) if time else "-" for time in times),
                *(str(point.ratio(name, mpi) or "-") for name in others),
                *([str(point.ratio("weft", mpi, rival) or "-")] if rival else []),
                *([analysis.verdict(point.ratio("weft", mpi)) or "-"] if judged else []),
                *([str(over_floor(point, floors, mpi=mpi) or "-")] if of_floor else []),
            )  # fmt: skip
    out.print(shown)
    say("Times: medians over launches ± half the distance of the quartiles. Ratios: within pairs of alternating")
    say(f"launches, median [quartiles]; same: the quartiles have 1 between them. Load {records[-1]['load']}.")
    if judged and (sentence := analysis.verdicts_in_words(points, name_of)):
        say(sentence)
    if rival and (sentence := analysis.verdicts_in_words(points, name_of, rival)):
        say(sentence)
    if floors:
        floor_us = compare.spread(list(floors.values()))
        say(
            f"Floor: two cores exchange a cache line each in {floor_us} us, as the same rounds of launches measured it."
        )
    if len(mpis) > 1:
        options.show_best(points, name_of, lambda point: floors_text(over_floor(point, floors)))
    if judged and apart:
        show_states(apart)
    if per_rank:
        show_ranks(records)


def show_states(apart: dict[str, State]) -> None:
    shown = table(
        "The same, told apart by how far the cores were from each other",
        "collective", "bytes", "ranks", "method", "cores", "host us", "weft us", "weft/host", "weft is", "pairs",
        right=("bytes", "ranks", "host us", "weft us", "weft/host", "pairs"),
    )  # fmt: skip
    rows = [(state, point) for state, one in apart.items() for point in one.points if point.ratio()]
    order = list(dict.fromkeys(tuple(point.key.values()) for _, point in rows))
    for state, point in sorted(rows, key=lambda row: order.index(tuple(row[1].key.values()))):
        times = [point.spread_of(name) for name in ("host", "weft")]
        shown.add_row(
            point.key["collective"], show_size(point.key["bytes"]), str(point.key["ranks"]), point.key["method"], state,
            *(with_width(time) for time in times if time), str(point.ratio()), analysis.verdict(point.ratio()),
            str(len(point.ratios())),
        )  # fmt: skip
    out.print(shown)
    for state, one in apart.items():
        mean = one.mean()
        sentence = analysis.verdicts_in_words(one.points, name_of, mean=f"{mean:.2f}") if mean else None
        say(f"Cores {state}: a cache line takes {one.line_ns:.0f} ns from one to the other.")
        if sentence:
            say(sentence)


def name_of(key: dict[str, Any]) -> str:
    return f"{key['collective']} {show_size(key['bytes'])} on {key['ranks']} ranks, {key['method']}"


def floors_text(floors: Spread | None) -> str:
    return f"; {floors} floors" if floors else ""


def with_width(time: Spread) -> str:
    return f"{time.median:.2f} ±{50 * (time.high - time.low) / time.median:.0f}%"


def show_ranks(records: list[dict[str, Any]]) -> None:
    """Medians over launches, one line per rank; split where the library tells when the first data came."""
    columns = ("us", "first data us", "rest us")
    shown = table("Each rank's own time", "collective", "bytes", "who", "rank", *columns,
                  right=("bytes", "rank", *columns))  # fmt: skip
    launches = analysis.grouped(records, "collective", "bytes", "implementation", "mpi", "ranks")
    for (name, size, implementation, mpi, ranks), mine in launches.items():
        for rank in range(ranks):
            whole = median_of_rank(mine, "per_rank_microseconds", rank)
            first = median_of_rank(mine, "per_rank_first_data_microseconds", rank)
            rest = whole - first if whole is not None and first is not None else None
            cells = [analysis.cell(value) for value in (whole, first, rest)]
            shown.add_row(name, show_size(size), f"{implementation}, {mpi}, {ranks} ranks", str(rank), *cells)
    out.print(shown)


def median_of_rank(launches: list[dict[str, Any]], field: str, rank: int) -> float | None:
    """None where the field is not known: the host MPI tells nothing of its operations."""
    return analysis.median([{field: record[field][rank]} for record in launches if field in record], field)


def groups_of_panels(points: list[Point], apart: dict[str, State]) -> dict[str, list[Point]]:
    """The points by state, and those of numbers of ranks that were in one state alone."""
    told = {point.key["ranks"] for one in apart.values() for point in one.points if point.ratio()}
    groups = {"": [point for point in points if point.key["ranks"] not in told]}
    return groups | {f", cores {state}": one.points for state, one in apart.items()}


def draw_heat_maps(groups: dict[str, list[Point]], file: Path) -> None:
    """The ratio to the host of every point that has one; with several MPIs of the best Weft to the best host. Each
    group's name stands behind the title of its panels."""
    panels = [panel for name, points in groups.items() for panel in heat_map_panels(points, name)]
    if panels:
        chart.heat_maps(
            file, panels, "Weft's time / the host's", "below 1, blue: Weft is faster; columns: bytes", "--heat-map"
        )


def heat_map_panels(points: list[Point], name_of_group: str) -> list[chart.HeatMap]:
    ratios = {tuple(p.key[name] for name in KEYS): ratio.median for p in points if (ratio := p.ratio())}
    panels = []
    for ranks, method in dict.fromkeys((ranks, method) for _, _, ranks, method in ratios):
        mine = {key: ratio for key, ratio in ratios.items() if key[2:] == (ranks, method)}
        sizes = sorted({size for _, size, _, _ in mine})
        cells = {(name, show_size(size)): ratio for (name, size, _, _), ratio in mine.items()}
        rows = list(dict.fromkeys(name for name, _, _, _ in mine))
        title = f"{ranks} ranks, {method}{name_of_group}"
        panels.append(chart.HeatMap(title, rows, [show_size(size) for size in sizes], cells))
    return panels


def draw(points: list[Point], file: Path) -> None:
    """One panel per collective, number of ranks and method: time over size where there are several sizes."""
    panels = list(dict.fromkeys((p.key["collective"], p.key["ranks"], p.key["method"]) for p in points))
    if not panels:
        return

    def fill(place: int, axis: Any) -> None:
        collective, ranks, method = panels[place]
        mine = [p for p in points if (p.key["collective"], p.key["ranks"], p.key["method"]) == panels[place]]
        sizes = [p.key["bytes"] for p in mine]
        mpis = list(dict.fromkeys(mpi for p in mine for _, mpi in p.series))
        for implementation, mpi in dict.fromkeys(key for p in mine for key in p.series):
            known = [(p.key["bytes"], found) for p in mine if (found := p.spread_of(implementation, mpi))]
            curve(
                axis, [max(size, 1) for size, _ in known], [s for _, s in known],
                color=COLOURS[implementation], marker=MARKERS[mpis.index(mpi) % len(MARKERS)],
                label=f"{implementation}, {mpi}",
            )  # fmt: skip
        axis.set_title(f"{collective}, {ranks} ranks, {method}", fontsize=11)
        axis.set_yscale("log")
        axis.set_ylabel("us")
        axis.set_xscale("log", base=2)
        axis.set_xticks([max(size, 1) for size in sizes], [show_size(size) for size in sizes])
        axis.set_xlabel("bytes")

    figure(file, len(panels), "Latency of collectives", fill)
