# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench latency`: how long collectives take under the host MPI and under Weft, launched alternately."""

from typing import Annotated, Any

import typer

from weft import environment, launch
from weft.bench import analysis, collectives, options
from weft.bench.contest import Contest, Task, contestants
from weft.bench.plots import draw_latency
from weft.compare import Spread, spread
from weft.console import BadInput, out, progress, say, table
from weft.units import parse_durations, parse_numbers, parse_sizes, show_size

METHODS = ("single", "osu", "loop")
KEYS = ("collective", "bytes", "ranks")


def run(
    collective: options.Collectives = "iallreduce",
    size: options.Sizes = "8",
    ranks: options.RankCounts = "2",
    mpi: options.Mpi = "openmpi",
    implementation: options.Implementations = "host,weft",
    method: Annotated[
        str,
        typer.Option(
            metavar="|".join(METHODS),
            help="single: each operation alone after a synchronised start, maximum over ranks; osu: timed one by one "
            "with barriers between; loop: back to back.",
        ),
    ] = "single",
    start: Annotated[
        str | None,
        typer.Option(
            metavar="barrier|window",
            help="How the operations of `single` start together. [default: barrier; with --delay window]",
        ),
    ] = None,
    reduce: Annotated[str, typer.Option(metavar="min|median|mean|max", help="Over the operations of a launch.")] = (
        "median"
    ),
    buffers: Annotated[
        str, typer.Option(metavar="hot|rotating", help="One pair of buffers, or enough to outgrow a cache.")
    ] = "rotating",
    per_rank: Annotated[bool, typer.Option("--per-rank", help="Every rank's own times.")] = False,
    pairs: options.Pairs = 10,
    milliseconds: options.Milliseconds = 100.0,
    iterations: options.Iterations = None,
    hosts: options.Hosts = None,
    delay: options.Delay = None,
    loss: options.Loss = None,
    as_json: options.AsJson = False,
    plot: options.Plot = None,
    results: options.Results = None,
) -> None:
    """Measure collectives under the host MPI and under Weft alternately, and say the ratio with its spread."""
    environment.check()
    check("--method", method, METHODS)
    slow = delay is not None and max(parse_durations(delay, "--delay")) > 0
    start = start or ("window" if slow else "barrier")  # a barrier's skew is the network's delay
    check("--start", start, ("barrier", "window"))
    check("--reduce", reduce, ("min", "median", "mean", "max"))
    check("--buffers", buffers, ("hot", "rotating"))
    names = options.chosen_collectives(collective)
    sizes = parse_sizes(size)
    counts = parse_numbers(ranks, "--ranks", 1)
    who = contestants(mpi, implementation)
    method_for = options.note_if_crowded(counts, method)
    common = ["--bytes", ",".join(map(str, sizes)), "--start", start, "--reduce", reduce, "--buffers", buffers]
    common += ["--milliseconds", str(milliseconds), "--iterations", str(iterations or 0)]
    common += ["--per-rank", str(int(per_rank))]
    tasks = [
        Task(
            "latency",
            count,
            names,
            lambda name: len(sizes) if collectives.has_sizes(name) else 1,
            lambda some, count=count: ["--collectives", ",".join(some), "--method", method_for(count), *common],
        )
        for count in counts
    ]
    with (
        options.virtual_hosts(hosts, delay, loss) as lab,
        launch.scratch_folder() as scratch,
        progress("Measuring", pairs * len(tasks) * len(who)) as step,
    ):
        contest = Contest(who, scratch, lab)
        contest.measure(tasks, pairs, step)
    points = analysis.points(contest.records, KEYS)
    summary = summarize(points, contest.records, pairs)
    if plot is not None:
        draw_latency(points, plot)
    options.finish(
        contest, "latency", summary, as_json, results, lambda: show(points, contest.records, implementation, per_rank)
    )


def check(option: str, word: str, allowed: tuple[str, ...]) -> None:
    if word not in allowed:
        raise BadInput(f"{option} {word}: use {' or '.join(allowed)}.")


def summarize(points: list[analysis.Point], records: list[dict[str, Any]], pairs: int) -> dict[str, Any]:
    """With several MPIs, Weft on its best one over the best of them."""
    summary = analysis.summary(points) | {"pairs": pairs, "wrong_answers": analysis.wrong(records, KEYS)}
    if len(points) == 1:
        best = {name: points[0].best(name) for name in ("host", "weft")}
        summary |= points[0].key | {"method": records[0]["method"]}
        for name, found in best.items():
            if found is not None:
                summary |= {
                    {"host": "host", "weft": "weft_on"}[name]: found[0],
                    f"{name}_microseconds": spread(list(found[1].values())).median,
                }
    return summary


def show(points: list[analysis.Point], records: list[dict[str, Any]], implementations: str, per_rank: bool) -> None:
    names = implementations.split(",")
    others = [name for name in names if name != "host"] if "host" in names else []
    mpis = list(dict.fromkeys(record["mpi"] for record in records))
    times = [f"{name} us" for name in names]
    ratios = [f"{name}/host" for name in others]
    method = ", ".join(dict.fromkeys(record["method"] for record in records))
    shown = table(
        f"Latency, {', '.join(mpis)}, method {method}, {records[0]['buffers']} buffers",
        "collective", "bytes", "ranks", *(["MPI"] if len(mpis) > 1 else []), *times, *ratios,
        right=("bytes", "ranks", *times, *ratios),
    )  # fmt: skip
    for point in points:
        for mpi in mpis:
            series = [point.series.get((name, mpi)) for name in names]
            if not any(series):
                continue
            shown.add_row(
                point.key["collective"], show_size(point.key["bytes"]), str(point.key["ranks"]),
                *([mpi] if len(mpis) > 1 else []),
                *(with_width(spread(list(values.values()))) if values else "-" for values in series),
                *(str(point.ratio(name, mpi) or "-") for name in others),
            )  # fmt: skip
    out.print(shown)
    say("Times: medians over launches ± half the distance of the quartiles. Ratios: within pairs of alternating")
    say(f"launches, median [quartiles]. Load {records[-1]['load']}.")
    if len(mpis) > 1:
        show_best(points)
    for what in analysis.wrong(records, KEYS):
        say(f"WRONG ANSWER: {what}; its times are left out.", "red")
    if per_rank:
        show_ranks(records)


def with_width(time: Spread) -> str:
    return f"{time.median:.2f} ±{50 * (time.high - time.low) / time.median:.0f}%"


def show_best(points: list[analysis.Point]) -> None:
    for point in points:
        ours, theirs, ratio = point.best("weft"), point.best("host"), point.ratio()
        if ours and theirs and ratio:
            what = f"{point.key['collective']} {show_size(point.key['bytes'])} on {point.key['ranks']} ranks"
            say(f"{what}: Weft on {ours[0]} over {theirs[0]}: {ratio}")


def show_ranks(records: list[dict[str, Any]]) -> None:
    """Medians over launches, one line per rank; split where the library tells when the first data came."""
    columns = ("us", "first data us", "rest us")
    shown = table("Each rank's own time", "collective", "bytes", "who", "rank", *columns,
                  right=("bytes", "rank", *columns))  # fmt: skip
    grouped: dict[tuple[str, int, str], list[dict[str, Any]]] = {}
    for record in records:
        who = f"{record['implementation']}, {record['mpi']}, {record['ranks']} ranks"
        grouped.setdefault((record["collective"], record["bytes"], who), []).append(record)
    for (name, size, who), launches in grouped.items():
        for rank in range(launches[0]["ranks"]):
            whole = median_of_rank(launches, "per_rank_microseconds", rank)
            first = median_of_rank(launches, "per_rank_first_data_microseconds", rank)
            rest = whole - first if whole is not None and first is not None else None
            cells = ["-" if value is None else f"{value:.2f}" for value in (whole, first, rest)]
            shown.add_row(name, show_size(size), who, str(rank), *cells)
    out.print(shown)


def median_of_rank(launches: list[dict[str, Any]], field: str, rank: int) -> float | None:
    """None where the field is not known: the host MPI tells nothing of its operations."""
    values = [record[field][rank] for record in launches if field in record and record[field][rank] is not None]
    return spread(values).median if values else None
