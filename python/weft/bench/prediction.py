# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench prediction`: how long Weft's schedules take between virtual hosts, beside what the simulator says of the
same schedules on a machine with the parameters that `weft bench logp` finds there."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import compare, environment, machine_file, probes
from weft.bad_input import BadInput
from weft.bench import analysis, loggops, logp, options
from weft.bench.analysis import Point, Record, cell
from weft.bench.contest import Contestant, collective_tasks, contestants
from weft.bench.logp import NETWORK
from weft.bench.measurement import Measurement, measures
from weft.chart import figure
from weft.console import out, say, table
from weft.core import _core, polite
from weft.units import parse_numbers, parse_sizes, show_size

# By collective: an algorithm whose schedule does not depend on what MPI_Init measured, as in WEFT_ALGORITHM.
ALGORITHMS = {
    "bcast": "k_nomial:2",
    "allreduce": "recursive_k_ing:2",
    "alltoall": "pairwise",
    "allgather": "bruck:2",
    "barrier": "dissemination:2",
}
KEYS = ("collective", "algorithm", "bytes", "ranks", "hosts")


@measures(pairs=3, milliseconds=100.0, hosts=16, without=("plot",))
def run(
    collective: Annotated[str, typer.Option(help=f"Some of {', '.join(ALGORITHMS)}.")] = ",".join(ALGORITHMS),
    algorithm: Annotated[
        str, typer.Option(help="Other algorithms, and radices: bcast=n_ary_tree:3,alltoall=bruck.")
    ] = "",
    size: options.Sizes = "8,1K,16K,128K,1M",
    ranks: options.RankCounts = "2,4,8,16",
    mpi: options.Mpi = "openmpi",
    machine: Annotated[
        str | None, typer.Option(help="As `weft simulate` takes it. [default: what is measured there before]")
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", metavar="FILE.png", help="Draw it.")] = None,
    *,
    measurement: Measurement,
) -> None:
    """Compare the times of Weft's schedules between hosts, without a device, with those that the simulator predicts."""
    environment.check()
    measurement = dataclasses.replace(measurement, plot=plot)
    if mpi == "all":
        raise BadInput("--mpi all: a machine is of one MPI; ask once for each.")
    names = options.chosen_words("--collective", collective, *ALGORITHMS)
    algorithms = chosen_algorithms(names, algorithm)
    sizes, counts = parse_sizes(size), parse_numbers(ranks, "--ranks", 2)
    hosts = measurement.hosts or 1
    for count in counts:
        if count > hosts and count % hosts != 0:
            raise BadInput(f"--ranks {count} --hosts {hosts}: use as many ranks on each host.")
    levels: dict[str, logp.Level] = {}
    if machine is None and hosts < 2:
        raise BadInput(f"--hosts {hosts}: the network is measured between two hosts; use more, or give a --machine.")
    if machine is not None:
        machine = machine_file.machine_text(machine)
        with polite():
            given = _core.SimulatedMachine(machine)
            machine = given.text if given.cores else given.with_cores(probes.usable_cores(), "network").text
    else:
        found, levels = logp.measure(logp.SIZES, mpi, 16, measurement)
        if NETWORK not in levels:
            raise BadInput(f"there is no machine: {'; '.join(one['failed'] for one in found.failures)}.")
        machine = loggops.machine_text(logp.parameters_of(levels), probes.usable_cores())
    common = {"method": "single", "start": "agreed", "reduce": "median"} | measurement.length
    tasks = collective_tasks("latency", counts, names, sizes, lambda _: common)
    contest = measurement.measure("Measuring", tasks, [contestant(mpi, algorithms)])
    for record in contest.records:
        record["algorithm"] = algorithms[record["collective"]]
    points = analysis.points(contest.records, KEYS)
    predicted = [predict(machine, **point.key) for point in points]
    summary = {"machine": machine, "levels": {name: level.facts() for name, level in levels.items()}}
    summary |= summarize(points, predicted) | {"pairs": measurement.pairs}
    summary["wrong_answers"] = analysis.wrong(contest.records, KEYS)
    measurement.finish(
        contest,
        "prediction",
        summary,
        lambda: show(points, predicted, contest.records, summary),
        lambda file: draw(points, predicted, file),
    )


def contestant(mpi: str, algorithms: dict[str, str]) -> Contestant:
    """Weft, whose ranks move their messages themselves, each as if it were alone on its node."""
    (weft,) = contestants(mpi, "weft")
    words = ",".join(f"{name}={algorithm}" for name, algorithm in algorithms.items())
    variables = {"WEFT_DEVICE": "none", "WEFT_ALGORITHM": words, "WEFT_HIERARCHY": "flat", "WEFT_NODE": "0"}
    return dataclasses.replace(weft, variables=tuple(variables.items()))


def chosen_algorithms(names: Sequence[str], text: str) -> dict[str, str]:
    chosen = {name: ALGORITHMS[name] for name in names}
    for word in filter(None, text.split(",")):
        name, equals, algorithm = word.partition("=")
        if not equals or name not in chosen:
            raise BadInput(
                f"--algorithm {word}: write COLLECTIVE=NAME or COLLECTIVE=NAME:RADIX for {', '.join(names)}."
            )
        chosen[name] = algorithm
    return chosen


def predict(machine_text: str, collective: str, algorithm: str, ranks: int, bytes: int, hosts: int) -> float:
    """Microseconds of one call that all ranks begin at once. As many ranks on each host, which is a node."""
    from weft.simulation import simulate_collective

    name, _, radix = algorithm.partition(":")
    return (
        simulate_collective(
            collective,
            ranks=ranks,
            bytes=bytes,
            algorithm=name,
            radix=int(radix) if radix else None,
            machine=machine_text,
            topology=f"node:{hosts} core:{ranks // hosts}",
        ).finish_ns
        / 1e3
    )


def error(point: Point, predicted: float) -> float:
    """Of what was measured; above 0 where the prediction takes longer."""
    return predicted / measured(point) - 1


def measured(point: Point) -> float:
    return point.spread_of("weft").median


def summarize(points: Sequence[Point], predicted: Sequence[float]) -> dict[str, Any]:
    """Errors without their signs but in `points`; the median over points, and over those of each collective."""
    errors = [error(*pair) for pair in zip(points, predicted, strict=True)]

    def over(collective: str | None) -> float | None:
        mine = [
            abs(e) for e, p in zip(errors, points, strict=True) if collective in (None, p.key["collective"])
        ]  # fmt: skip
        return compare.spread(mine).median if mine else None

    return {
        "median_error": over(None),
        "median_errors": {name: over(name) for name in dict.fromkeys(point.key["collective"] for point in points)},
        "points": [
            point.key
            | analysis.spread_fields("measured_us", point.spread_of("weft"))
            | {"predicted_us": foretold, "error": off}
            for point, foretold, off in zip(points, predicted, errors, strict=True)
        ],
    }


def show(
    points: Sequence[Point], predicted: Sequence[float], records: Sequence[Record], summary: dict[str, Any]
) -> None:
    columns = ("measured us", "predicted us", "error")
    title = f"Predicted and measured, Weft on {records[0]['mpi']}, no device"
    shown = table(
        title, "collective", "algorithm", "bytes", "ranks", "hosts", *columns,
        right=("bytes", "ranks", "hosts", *columns),
    )  # fmt: skip
    for point, foretold in zip(points, predicted, strict=True):
        key = point.key
        row = [key["collective"], key["algorithm"], show_size(key["bytes"]), str(key["ranks"]), str(key["hosts"])]
        shown.add_row(*row, str(point.spread_of("weft")), cell(foretold), f"{100 * error(point, foretold):+.0f} %")
    out.print(shown)
    if points:
        each = ", ".join(f"{name} {100 * off:.0f} %" for name, off in summary["median_errors"].items())
        say(f"Median error of {len(points)} points: {100 * summary['median_error']:.0f} % ({each}).")
    say("Measured: each operation alone, from a time for which all ranks sleep to the end of the slowest; medians")
    say(f"[quartiles] over launches. Machine: {summary['machine']}")
    if any(record.get("all_late") for record in records):
        say("Where ranks outnumber the cores by far some of them begin late, and wait for a core.")
    say(f"Load {records[-1]['load']}.")


def draw(points: Sequence[Point], predicted: Sequence[float], file: Path) -> None:
    """A panel for each collective: measured over bytes with its quartiles, predicted as a line, by ranks."""
    panels = list(dict.fromkeys(point.key["collective"] for point in points))

    def fill(place: int, axis: Any) -> None:
        mine = [(p, t) for p, t in zip(points, predicted, strict=True) if p.key["collective"] == panels[place]]
        for at, ranks in enumerate(sorted({point.key["ranks"] for point, _ in mine})):
            of_ranks = sorted(
                ((p.key["bytes"], p.spread_of("weft"), t) for p, t in mine if p.key["ranks"] == ranks),
                key=lambda one: one[0],
            )
            sizes = [max(size, 1) for size, _, _ in of_ranks]
            axis.errorbar(
                sizes, [s.median for _, s, _ in of_ranks],
                yerr=[[s.median - s.low for _, s, _ in of_ranks], [s.high - s.median for _, s, _ in of_ranks]],
                color=f"C{at}", linestyle="none", marker="o", markersize=4, label=f"{ranks} ranks, measured",
            )  # fmt: skip
            axis.plot(sizes, [t for _, _, t in of_ranks], color=f"C{at}", linewidth=1.4, label="predicted")
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_xlabel("bytes")
        axis.set_ylabel("us")
        axis.set_title(panels[place], fontsize=10)

    if panels:
        figure(file, len(panels), "Predicted and measured", fill)
