# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench network`: an application on slow networks and fast ones. Hoefler, Lumsdaine and Rehm (SC 2007) found
their Poisson solver as fast on Gigabit Ethernet as on InfiniBand, since all of its communication was hidden: is that
so?"""

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import compare, environment
from weft.bad_input import BadInput
from weft.bench import analysis, app, applications, options
from weft.bench.analysis import Point, Record, Series
from weft.bench.app import AppContest, app_task, form_and_condition, under
from weft.bench.applications import BLOCKING, STUDIES, Study
from weft.bench.contest import Contestant, Task
from weft.bench.measurement import Measurement, measures
from weft.chart import COLOURS, figure
from weft.compare import Spread, spread
from weft.console import out, say, table
from weft.lab import Lab, Link
from weft.units import parse_durations, parse_numbers, show_duration
from weft.virtual_hosts import FIELDS, megabits

KEYS = (*app.KEYS, "delay_us", "megabits")
FORM_COLOURS = ("#8a94a6", "#d97706", "#7c3aed", "#dc2626", "#0d9488", "#2563eb")
AS_GOOD = 1.1  # times the seconds on the fastest network


@measures(pairs=3, hosts=4, without=("milliseconds", "iterations", "delay", "bandwidth"))
def run(
    application: Annotated[str, typer.Argument(metavar="|".join(STUDIES), help="Which application.")] = "poisson",
    delay: Annotated[str, typer.Option(help="Between hosts, one way: 0,50us,1ms.")] = "0,50us,200us,1ms",
    bandwidth: Annotated[
        str, typer.Option(help="Of each host's link, in each direction: 10G,100M; none is without limit.")
    ] = "10G,1G,100M",
    ranks: options.RankCounts = "4",
    mpi: options.Mpi = "openmpi",
    implementation: Annotated[
        str, typer.Option(help="Overlapped under each of these, blocking under the first of them.")
    ] = "host,agent",
    exchange: Annotated[
        str | None,
        typer.Option(
            help="Of wave, besides blocking and one-sided: some of nonblocking,nocheck,neighbour,fence,lock, or all."
        ),
    ] = None,
    per_rank: app.PerRank = None,
    steps: app.Steps = None,
    points: app.Points = None,
    repeat: app.Repeat = None,
    *,
    measurement: Measurement,
) -> None:
    """Run an application blocking and overlapped over slow and fast networks: does overlap make them alike?

    Of wave: all exchanges that it has, unless --exchange names some.
    """
    environment.check()
    applications.check(application)
    if mpi == "all":
        raise BadInput("--mpi all: networks are compared on one MPI; ask once for each.")
    who = app.contestants_of(application, mpi, implementation)
    sizes = applications.sizes_of(application, per_rank=per_rank, steps=steps, points=points, repeat=repeat)
    forms = applications.forms_of(application, exchange, STUDIES[application].further)
    networks = all_networks(delay, bandwidth, measurement.link())

    def task(count: int, name: str, form: str) -> Task:
        once = form == BLOCKING or applications.is_measured_once(application, form)
        return app_task(application, count, under(form, name), sizes, once_per_mpi=once)

    counts = parse_numbers(ranks, "--ranks", 1)
    tasks = [task(count, name, form) for count in counts for name in networks for form in forms]
    with measurement.all_made(list(networks.values())) as labs:
        kind = functools.partial(NetworkContest, dict(zip(networks, labs, strict=True)))
        elsewhere = dataclasses.replace(measurement, **dict.fromkeys(FIELDS))  # each launch has its own of these labs
        contest = elsewhere.measure("Running", tasks, who, kind)
    summary = {"application": application, "hosts": measurement.hosts} | summarize(contest.records, measurement.pairs)
    measurement.finish(
        contest, "network", summary, lambda: show(contest.records), lambda file: draw(contest.records, file)
    )


def all_networks(delays: str, bandwidths: str, link: Link) -> dict[str, Link]:
    """Every delay at every bandwidth, the fastest network first, by name; `link` says what all have in common."""
    rates = {None if word.strip() == "none" else megabits(word) for word in bandwidths.split(",")}
    ordered = sorted(rates, key=lambda rate: -math.inf if rate is None else -rate)
    return {
        name_of(delay, rate): dataclasses.replace(link, delay_us=delay, megabits=rate)
        for delay in parse_durations(delays, "--delay")
        for rate in ordered
    }


def name_of(delay_us: float, rate: float | None) -> str:
    return f"{show_duration(delay_us)}, {show_rate(rate)}"


def show_rate(rate: float | None) -> str:
    return "no limit" if rate is None else f"{rate / 1e3:g} Gbit/s" if rate >= 1e3 else f"{rate:g} Mbit/s"


class NetworkContest(AppContest):
    """An item is a form over one of the networks."""

    benchmark = "network"

    def __init__(self, labs: Mapping[str, Lab], *about: Any) -> None:
        super().__init__(*about)
        self.labs = labs

    def _launch(self, task: Task, contestant: Contestant, items: list[str], pair: int) -> tuple[int, str | None]:
        self.lab = self.labs[form_and_condition(items[0])[1]]
        try:
            return super()._launch(task, contestant, items, pair)
        finally:
            self.lab = None


# ---- from records to what a slow network costs ----

Network = tuple[float, float | None]  # delay in us, Mbit/s
Who = tuple[str, str]  # form, implementation


def slowness(network: Network) -> tuple[float, float]:
    delay, rate = network
    return delay, -math.inf if rate is None else -rate


@dataclass(frozen=True)
class Sweep:
    """One number of ranks on one MPI, over all networks."""

    study: Study
    ranks: int
    mpi: str
    points: dict[tuple[str, Network], Point]  # by form and network

    @property
    def networks(self) -> list[Network]:
        """The fastest first."""
        return sorted({network for _, network in self.points}, key=slowness)

    @property
    def who(self) -> list[Who]:
        return list(dict.fromkeys((form, name) for (form, _), p in self.points.items() for name, _ in p.series))

    @property
    def forms(self) -> list[str]:
        return list(dict.fromkeys(form for form, _ in self.points))

    def title(self, who: Who) -> str:
        return f"{self.study.label(who[0])}, {who[1]}"

    def series(self, who: Who, network: Network) -> Series:
        form, name = who
        point = self.points.get((form, network))
        return point.series.get((name, self.mpi), {}) if point else {}

    def seconds(self, who: Who, network: Network) -> Spread | None:
        values = list(self.series(who, network).values())
        return spread(values) if values else None

    def ratio(self, who: Who, network: Network) -> Spread | None:
        """To its own seconds on the fastest network, in the same round of launches."""
        here, best = self.series(who, network), self.series(who, self.networks[0])
        ratios = [here[pair] / best[pair] for pair in here if pair in best]
        return spread(ratios) if ratios else None

    def as_good(self, who: Who) -> int:
        """How many of the slower networks are as good as the fastest."""
        ratios = [self.ratio(who, network) for network in self.networks[1:]]
        return sum(one is not None and one.median <= AS_GOOD for one in ratios)


def sweeps(records: Sequence[Record]) -> list[Sweep]:
    found: dict[tuple[str, int, str], dict[tuple[str, Network], Point]] = {}
    for point in analysis.points(records, KEYS, "seconds"):
        key = point.key
        for _, mpi in point.series:
            place = key["form"], (key["delay_us"], key["megabits"])
            found.setdefault((key["application"], key["ranks"], mpi), {})[place] = point
    return [Sweep(STUDIES[application], ranks, mpi, points) for (application, ranks, mpi), points in found.items()]


def summarize(records: Sequence[Record], pairs: int) -> dict[str, Any]:
    """`ratio` is that of the last contestant on the slowest network, on the first number of ranks; `as_good`, of how
    many of the slower networks each is at most 10 % slower."""
    found, entries = sweeps(records), []
    for sweep in found:
        for network in sweep.networks:
            entry: dict[str, Any] = {"ranks": sweep.ranks, "mpi": sweep.mpi}
            entry |= {"delay_us": network[0], "megabits": network[1]}
            for form, name in sweep.who:
                mine = (form, name), network
                entry |= analysis.spread_fields(f"{name}_{form}_seconds", sweep.seconds(*mine))
                entry |= analysis.spread_fields(f"{name}_{form}_ratio", sweep.ratio(*mine))
            entries.append(entry)
    first = found[0] if found else None
    return {
        "ratio": ratio.median if first and (ratio := first.ratio(first.who[-1], first.networks[-1])) else None,
        "as_good": {f"{name}_{form}": first.as_good((form, name)) for form, name in first.who} if first else {},
        "points": entries,
        "pairs": pairs,
        "wrong_answers": analysis.wrong(records, KEYS),
    }


# ---- for people ----


def show(records: Sequence[Record]) -> None:
    application, hosts = records[0]["application"], records[0]["hosts"]
    for sweep in sweeps(records):
        few = len(sweep.who) <= 4  # of more, the ratios do not fit into a line
        columns = [text for who in sweep.who for text in (f"{sweep.title(who)} s", *(["/ fastest"] if few else []))]
        heading = f"{application}, {sweep.ranks} ranks on {hosts} hosts, {sweep.mpi}"
        shown = table(heading, "delay", "bandwidth", *columns, right=("delay", *columns))
        for network in sweep.networks:
            cells = []
            for who in sweep.who:
                seconds = sweep.seconds(who, network)
                cells.append(f"{seconds.median:.4f}" if seconds else "-")
                cells += [str(sweep.ratio(who, network) or "-")] if few else []
            shown.add_row(show_duration(network[0]), show_rate(network[1]), *cells)
        out.print(shown)
        if slower := len(sweep.networks) - 1:
            for who in sweep.who:
                ratio = sweep.ratio(who, sweep.networks[-1])
                good = f"as good on {sweep.as_good(who)} of {slower} slower ones"
                say(f"{sweep.title(who)}: on the slowest network {ratio or '-'} times its seconds on the fastest;")
                say(f"  {good}.")
    say(f"{application}: {STUDIES[application].described(records[0])}.")
    say(f"As good: at most {100 * (AS_GOOD - 1):.0f} % slower than on the fastest. Medians [quartiles] over rounds of")
    say(f"launches, alternating, all networks in each; load {compare.machine()['load']}.")


def draw(records: Sequence[Record], file: Path) -> None:
    """Seconds over the delay, a panel for each bandwidth; over the bandwidth where there is one delay only. With full
    overlap a curve is flat. Of many forms each has a colour, and what is not the first implementation's is dashed."""
    panels = []
    for sweep in sweeps(records):
        delays, rates = (list(dict.fromkeys(network[at] for network in sweep.networks)) for at in (0, 1))
        if len(delays) > 1:
            panels += [
                (sweep, show_rate(rate), {show_duration(delay): (delay, rate) for delay in delays}) for rate in rates
            ]
        else:
            panels.append((sweep, show_duration(delays[0]), {show_rate(rate): (delays[0], rate) for rate in rates}))

    def fill(place: int, axis: Any) -> None:
        sweep, common, networks = panels[place]
        names, many = list(dict.fromkeys(name for _, name in sweep.who)), len(sweep.forms) > 2
        for who in sweep.who:
            form, name = who
            colour = FORM_COLOURS[sweep.forms.index(form) % len(FORM_COLOURS)] if many else COLOURS[name]
            known = [(at, one) for at, network in enumerate(networks.values()) if (one := sweep.seconds(who, network))]
            axis.errorbar(
                [at for at, _ in known], [s.median for _, s in known],
                yerr=[[s.median - s.low for _, s in known], [s.high - s.median for _, s in known]],
                color=colour, linestyle="--" if (names.index(name) > 0 if many else form == BLOCKING) else "-",
                marker="o", markersize=4, linewidth=1.4, elinewidth=1, label=sweep.title(who),
            )  # fmt: skip
        axis.set_xticks(range(len(networks)), list(networks))
        axis.set_ylabel("seconds")
        seen = [one.high for who in sweep.who for network in sweep.networks if (one := sweep.seconds(who, network))]
        axis.set_ylim(0, 1.05 * max(seen))
        axis.set_title(f"{records[0]['application']}, {sweep.ranks} ranks, {common}", fontsize=10)

    if panels:
        figure(file, len(panels), "Slow networks and fast ones", fill)
