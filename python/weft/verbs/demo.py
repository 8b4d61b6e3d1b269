# SPDX-License-Identifier: BSD-3-Clause
"""`weft demo`: the same PCG solver under the host MPI and under Weft, side by side: on one node, and, where they can be
had, on virtual hosts that are far apart."""

import contextlib
import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import binary, chart, compare, environment, installation, launch, scratch, statistics
from weft.bad_input import BadInput
from weft.console import err, out, print_json, progress, say, table
from weft.lab import Lab
from weft.option_fields import with_fields
from weft.virtual_hosts import VirtualHosts

ALGORITHMS = ("algorithm1", "algorithm2", "overlap", "pipelined")
ON_ONE_NODE, BETWEEN_HOSTS = "node", "hosts"  # the parts of the demo
GRIDS = {ON_ONE_NODE: (30, 30, 30), BETWEEN_HOSTS: (20, 20, 20)}
FAR_APART = VirtualHosts(hosts=4, delay="200us")
MOST_PAIRS = 15
LEAST_PAIRS = 3
LAUNCH_TIMEOUT = 170.0
LEAST_SHARE = 0.95  # of the solver's collective calls that Weft has to have executed
Pair = tuple[dict[str, Any], dict[str, Any]]  # what the solver reports per algorithm: under the host, under Weft


@with_fields(VirtualHosts, "network")
def run(
    ranks: Annotated[
        str | None,
        typer.Option(metavar="N,N", help="Numbers of ranks on one node. [default: the cores, and four times as many]"),
    ] = None,
    size: Annotated[
        tuple[int, int, int] | None,
        typer.Option(
            "-n",
            "--size",
            metavar="NX NY NZ",
            help="Grid points per rank. [default: 30 30 30 on one node, 20 20 20 between hosts]",
        ),
    ] = None,
    part: Annotated[
        str,
        typer.Option(
            metavar="node|hosts|all",
            help="Ranks on one node; one on each of several virtual hosts, 4 that are 200us apart unless the options "
            "below say otherwise; or both, where hosts can be had.",
        ),
    ] = "all",
    seconds: Annotated[float, typer.Option(min=1, help="How long to measure, in all.")] = 120.0,
    output: Annotated[Path, typer.Option(metavar="FILE.png", help="Where the chart goes.")] = Path("demo.png"),
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON instead of a table.")] = False,
    *,
    network: VirtualHosts,
) -> None:
    """The main job: PCG on a 27-point Laplacian, the same binary under the host MPI and under Weft, alternating."""
    environment.check()
    chart.load()
    if part not in (ON_ONE_NODE, BETWEEN_HOSTS, "all"):
        raise BadInput(f"--part {part}: use {ON_ONE_NODE}, {BETWEEN_HOSTS} or all.")
    is_asked_for = network != VirtualHosts()
    if is_asked_for and part == ON_ONE_NODE:
        raise BadInput("--part node has no hosts, and no network between them: drop one.")
    host = launch.choose_host(solver(GRIDS[ON_ONE_NODE]), None)
    results, missing = [], None
    with scratch.folder() as folder, contextlib.ExitStack() as hosts:
        lab = None
        if part != ON_ONE_NODE:
            try:
                lab = hosts.enter_context(dataclasses.replace(network, **defaults(network)).made())
            except BadInput as why:
                if is_asked_for or part == BETWEEN_HOSTS:
                    raise
                missing = str(why)
        counts = rank_counts(ranks) if part != BETWEEN_HOSTS else []
        places = [(count, None) for count in counts] + ([(lab.hosts, lab)] if lab else [])
        with progress("Solving", len(places) * MOST_PAIRS) as step:
            for count, where in places:
                grid = size or GRIDS[BETWEEN_HOSTS if where else ON_ONE_NODE]
                contest = Contest(host, count, grid, folder, where)
                results.append(contest.result(seconds / len(places), step))
    record = {
        "problem": {"name": "27-point Laplacian"},
        "mpi": host.title,
        "machine": compare.machine(),
        "results": results,
    }
    record |= {"no_hosts": missing} if missing else {}
    draw(record, output)
    if as_json:
        print_json(record | {"chart": str(output)})
    else:
        show(record, output)
    raise typer.Exit(0 if all(result["executed_by_weft"] >= LEAST_SHARE for result in results) else 1)


def defaults(network: VirtualHosts) -> dict[str, Any]:
    return {name: value for name, value in vars(FAR_APART).items() if getattr(network, name) is None}


def solver(grid: Sequence[int]) -> binary.Program:
    found = installation.application("pcg")
    if found is None:
        raise BadInput(
            "the solver, pcg, is not built: it needs hypre. Install libhypre-dev, or set HYPRE_DIR to a hypre that was "
            "built for Open MPI, and run `make build`."
        )
    return binary.inspect([str(found), "-n", *map(str, grid), "--algorithm", "all", "--repeat", "3", "--json", "-"])


def rank_counts(text: str | None) -> list[int]:
    cores = launch.physical_cores()
    if text is None:
        return [cores, 4 * cores]
    if not all(word.isdecimal() and int(word) >= 1 for word in text.split(",")):
        raise BadInput(f"--ranks {text}: write whole numbers separated by commas, such as 2,8.")
    return [int(word) for word in text.split(",")]


class Contest:
    """The solver on one number of ranks, once under each contestant per call; between hosts Weft has its agent."""

    def __init__(
        self, host: installation.Host, ranks: int, grid: Sequence[int], folder: Path, lab: Lab | None = None
    ) -> None:
        self.host, self.ranks, self.grid, self.folder, self.lab = host, ranks, grid, folder, lab
        self.counters = folder / f"counters-{ranks}{'-hosts' if lab else ''}.json"

    def under_host(self) -> dict[str, Any]:
        return self.solve(False)

    def under_weft(self) -> dict[str, Any]:
        return self.solve(True)

    def solve(self, with_weft: bool) -> dict[str, Any]:
        variables = {"WEFT_STATS": str(self.counters)} if with_weft else {}
        if with_weft and self.lab:
            variables["WEFT_DEVICE"] = "agent"
        start = launch.Launch(self.host, self.ranks, solver(self.grid), with_weft, variables, lab=self.lab)
        done = launch.capture(start, self.folder, LAUNCH_TIMEOUT)
        if done.returncode != 0:
            who = "under Weft" if with_weft else f"under {self.host.title}"
            raise BadInput(
                f"pcg on {self.ranks} ranks {who} ended with code {done.returncode}:\n{done.stderr or done.stdout}"
            )
        report = json.loads(done.stdout)
        return {a["name"]: a for a in report["algorithms"]}

    def result(self, seconds: float, step: Any) -> dict[str, Any]:
        pairs = compare.alternate(self.under_host, self.under_weft, MOST_PAIRS, seconds, LEAST_PAIRS, step)
        check_agreement(self.ranks, [solved for pair in pairs for solved in pair])
        counts = statistics.read(self.counters)
        return {
            "ranks": self.ranks,
            "points_per_rank": list(self.grid),
            "lab": self.lab and self.lab.facts(),
            "where": str(self.lab) if self.lab else "one node",
            "pairs": len(pairs),
            "executed_by_weft": statistics.share_of_weft(counts) if counts else 0.0,
            "algorithms": [algorithm_summary(name, pairs) for name in ALGORITHMS],
        }


def algorithm_summary(name: str, pairs: list[Pair]) -> dict[str, Any]:
    def compared(section: str, entry: str) -> tuple[compare.Spread, compare.Spread, compare.Spread]:
        times = [[pair[side][name][section][entry] for pair in pairs] for side in (0, 1)]
        return compare.spread(times[0]), compare.spread(times[1]), compare.ratios(list(zip(*times, strict=True)))

    host, weft, ratio = compared("table", "solver_time")
    host_waits, weft_waits, waits_ratio = compared("breakdown", "allreduce_and_wait")
    return {
        "name": name,
        "iterations": pairs[0][1][name]["iterations"],
        "true_residual": pairs[0][1][name]["true_residual"],
        "host_seconds": vars(host),
        "weft_seconds": vars(weft),
        "ratio": vars(ratio),
        "host_allreduce_and_wait_seconds": vars(host_waits),
        "weft_allreduce_and_wait_seconds": vars(weft_waits),
        "waits_ratio": vars(waits_ratio),
    }


def check_agreement(ranks: int, solved: list[dict[str, Any]]) -> None:
    """Every solve, with and without Weft, takes as many iterations as hypre's own, give or take one."""
    reference = solved[0]["hypre"]["iterations"]
    for report in solved:
        for name, algorithm in report.items():
            if not algorithm["converged"] or abs(algorithm["iterations"] - reference) > 1:
                raise BadInput(
                    f"{name} on {ranks} ranks took {algorithm['iterations']} iterations where hypre takes {reference}: "
                    "the results differ, and no time is worth anything. Please report this."
                )


def grid_of(result: dict[str, Any]) -> str:
    return " x ".join(map(str, result["points_per_rank"]))


def draw(record: dict[str, Any], output: Path) -> None:
    """The solver's time everywhere; between hosts also what of it is waiting."""
    panels = []
    for result in record["results"]:
        where = f"{result['ranks']} ranks on {record['machine']['cores']} cores"
        if result["lab"]:
            where = f"{result['lab']['hosts']} hosts, {result['lab']['delay_us']:g} us apart, with the agent"
        panels.append(bars(result, f"{where}\n{grid_of(result)} points per rank", "solver time (s)", "{}_seconds"))
        if result["lab"]:
            panels.append(
                bars(
                    result,
                    f"{where}\nAllreduce and Wait",
                    "waiting (s)",
                    "{}_allreduce_and_wait_seconds",
                    "waits_ratio",
                )
            )
    chart.draw(panels, "PCG, 27-point Laplacian", record["mpi"], output)


def bars(result: dict[str, Any], title: str, unit: str, key: str, ratio: str = "ratio") -> chart.Bars:
    def spreads(key: str) -> list[compare.Spread]:
        return [compare.Spread(**algorithm[key]) for algorithm in result["algorithms"]]

    names = [algorithm["name"] for algorithm in result["algorithms"]]
    return chart.Bars(title, unit, names, spreads(key.format("host")), spreads(key.format("weft")), spreads(ratio))


def show(record: dict[str, Any], output: Path) -> None:
    machine = record["machine"]
    for has_lab in (False, True):
        results = [result for result in record["results"] if bool(result["lab"]) == has_lab]
        if not results:
            continue
        where = results[0]["where"] + (", Weft with its agent" if has_lab else "")
        title = f"PCG, 27-point Laplacian, {grid_of(results[0])} points per rank, {where}; {record['mpi']}"
        out.print(solver_table(f"{title}, {machine['cpu']}, {machine['cores']} cores, load {machine['load']}", results))
    say("Medians. ratio: Weft over host within pairs of alternating launches, median [quartiles].")
    say("waits: milliseconds of the solver time spent in Allreduce and Wait; gone: how much of them Weft saves.")
    for result in record["results"]:
        say(verdict(result))
    if "no_hosts" in record:
        say(f"Nothing between hosts: {record['no_hosts']}")
    err.print(f"Chart: {output}", soft_wrap=True)


def solver_table(title: str, results: Sequence[dict[str, Any]]) -> Any:
    numbers = ("ranks", "iter", "host s", "Weft s", "ratio", "waits ms: host", "Weft", "gone")
    shown = table(title, "ranks", "algorithm", *numbers[1:], right=numbers)
    for result in results:
        for a in result["algorithms"]:
            shown.add_row(
                str(result["ranks"]), a["name"], str(a["iterations"]),
                f"{a['host_seconds']['median']:.3f}", f"{a['weft_seconds']['median']:.3f}",
                str(compare.Spread(**a["ratio"])),
                f"{1e3 * a['host_allreduce_and_wait_seconds']['median']:.2f}",
                f"{1e3 * a['weft_allreduce_and_wait_seconds']['median']:.2f}",
                f"{gone(a):.0f} %",
            )  # fmt: skip
    return shown


def gone(algorithm: dict[str, Any]) -> float:
    """How much of the host's waiting is no more, in per cent; below 0 there is more of it."""
    return 100 * (1 - algorithm["waits_ratio"]["median"])


def verdict(result: dict[str, Any]) -> str:
    """Plainly, also where Weft is slower: slower or faster is what the quartiles agree on."""
    words = {"faster": [], "slower": [], "no different": []}
    for a in result["algorithms"]:
        ratio = a["ratio"]
        word = "faster" if ratio["high"] < 1 else "slower" if ratio["low"] > 1 else "no different"
        words[word].append(f"{a['name']} ({ratio['median']:.2f})")
    parts = [f"Weft is {word} for {', '.join(names)}" for word, names in words.items() if names]
    share = f"{100 * result['executed_by_weft']:.0f} % of the collective calls executed by Weft"
    return f"{result['ranks']} ranks, {result['where']}: {'; '.join(parts)}. {result['pairs']} pairs, {share}."
