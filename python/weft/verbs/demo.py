# SPDX-License-Identifier: BSD-3-Clause
"""`weft demo`: the same PCG solver under the host MPI and under Weft, side by side."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import binary, chart, compare, environment, installation, launch, scratch, statistics
from weft.bad_input import BadInput
from weft.console import err, out, print_json, progress, say, table

ALGORITHMS = ("algorithm1", "algorithm2", "overlap", "pipelined")
MOST_PAIRS = 15
LEAST_PAIRS = 3
LAUNCH_TIMEOUT = 170.0
LEAST_SHARE = 0.95  # of the solver's collective calls that Weft has to have executed


def run(
    ranks: Annotated[
        str | None, typer.Option(metavar="N,N", help="Numbers of ranks. [default: the cores, and four times as many]")
    ] = None,
    size: Annotated[
        tuple[int, int, int], typer.Option("-n", "--size", metavar="NX NY NZ", help="Grid points per rank.")
    ] = (30, 30, 30),
    seconds: Annotated[float, typer.Option(min=1, help="How long to measure, in all.")] = 120.0,
    output: Annotated[Path, typer.Option(metavar="FILE.png", help="Where the chart goes.")] = Path("demo.png"),
    as_json: Annotated[bool, typer.Option("--json", help="Everything as JSON instead of a table.")] = False,
) -> None:
    """The main job: PCG on a 27-point Laplacian, the same binary under the host MPI and under Weft, alternating."""
    environment.check()
    chart.load()
    program = binary.inspect([str(pcg()), "-n", *map(str, size), "--algorithm", "all", "--repeat", "3", "--json", "-"])
    host = launch.choose_host(program, None)
    counts = rank_counts(ranks)
    results = []
    with scratch.folder() as folder, progress("Solving", len(counts) * MOST_PAIRS) as step:
        for count in counts:
            contest = Contest(host, program, count, folder)
            pairs = compare.alternate(
                contest.under_host, contest.under_weft, MOST_PAIRS, seconds / len(counts), LEAST_PAIRS, step
            )
            results.append(summary(count, pairs, contest.executed_share()))
    record = {
        "problem": {"name": "27-point Laplacian", "points_per_rank": list(size)},
        "mpi": host.title,
        "machine": compare.machine(),
        "results": results,
    }
    draw(record, output)
    if as_json:
        print_json(record | {"chart": str(output)})
    else:
        show(record, output)
    raise typer.Exit(0 if all(result["executed_by_weft"] >= LEAST_SHARE for result in results) else 1)


def pcg() -> Path:
    found = installation.application("pcg")
    if found is None:
        raise BadInput(
            "the solver, pcg, is not built: it needs hypre. Install libhypre-dev, or set HYPRE_DIR to a hypre that was "
            "built for Open MPI, and run `make build`."
        )
    return found


def rank_counts(text: str | None) -> list[int]:
    cores = launch.physical_cores()
    if text is None:
        return [cores, 4 * cores]
    if not all(word.isdecimal() and int(word) >= 1 for word in text.split(",")):
        raise BadInput(f"--ranks {text}: write whole numbers separated by commas, such as 2,8.")
    return [int(word) for word in text.split(",")]


class Contest:
    """The solver on one number of ranks, once under each contestant per call."""

    def __init__(self, host: installation.Host, program: binary.Program, ranks: int, folder: Path) -> None:
        self.host, self.program, self.ranks, self.folder = host, program, ranks, folder
        self.counters = folder / f"counters-{ranks}.json"

    def under_host(self) -> dict[str, Any]:
        return self.solve(False)

    def under_weft(self) -> dict[str, Any]:
        return self.solve(True)

    def solve(self, with_weft: bool) -> dict[str, Any]:
        variables = {"WEFT_STATS": str(self.counters)} if with_weft else {}
        start = launch.Launch(self.host, self.ranks, self.program, with_weft, variables)
        done = launch.capture(start, self.folder, LAUNCH_TIMEOUT)
        if done.returncode != 0:
            who = "under Weft" if with_weft else f"under {self.host.title}"
            raise BadInput(
                f"pcg on {self.ranks} ranks {who} ended with code {done.returncode}:\n{done.stderr or done.stdout}"
            )
        report = json.loads(done.stdout)
        return {a["name"]: a for a in report["algorithms"]}

    def executed_share(self) -> float:
        counts = statistics.read(self.counters)
        return statistics.share_of_weft(counts) if counts else 0.0


def summary(ranks: int, pairs: list[tuple[dict[str, Any], dict[str, Any]]], share: float) -> dict[str, Any]:
    check_agreement(ranks, [solved for pair in pairs for solved in pair])
    return {
        "ranks": ranks,
        "pairs": len(pairs),
        "executed_by_weft": share,
        "algorithms": [algorithm_summary(name, pairs) for name in ALGORITHMS],
    }


def algorithm_summary(name: str, pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> dict[str, Any]:
    def times(of: int, *path: str) -> list[float]:
        values = []
        for pair in pairs:
            value: Any = pair[of][name]
            for key in path:
                value = value[key]
            values.append(value)
        return values

    host, weft = times(0, "table", "solver_time"), times(1, "table", "solver_time")
    waits = [compare.spread(times(side, "breakdown", "allreduce_and_wait")) for side in (0, 1)]
    return {
        "name": name,
        "iterations": pairs[0][1][name]["iterations"],
        "true_residual": pairs[0][1][name]["true_residual"],
        "host_seconds": vars(compare.spread(host)),
        "weft_seconds": vars(compare.spread(weft)),
        "ratio": vars(compare.ratios(list(zip(host, weft, strict=True)))),
        "host_allreduce_and_wait_seconds": waits[0].median,
        "weft_allreduce_and_wait_seconds": waits[1].median,
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


def draw(record: dict[str, Any], output: Path) -> None:
    def spreads(result: dict[str, Any], key: str) -> list[compare.Spread]:
        return [compare.Spread(**algorithm[key]) for algorithm in result["algorithms"]]

    panels = [
        chart.Bars(
            f"{result['ranks']} ranks on {record['machine']['cores']} cores",
            [algorithm["name"] for algorithm in result["algorithms"]],
            spreads(result, "host_seconds"),
            spreads(result, "weft_seconds"),
            spreads(result, "ratio"),
        )
        for result in record["results"]
    ]
    grid = " x ".join(map(str, record["problem"]["points_per_rank"]))
    chart.draw(panels, f"PCG, 27-point Laplacian, {grid} points per rank", "solver time (s)", record["mpi"], output)


def show(record: dict[str, Any], output: Path) -> None:
    machine = record["machine"]
    shown = table(
        f"PCG, 27-point Laplacian, {record['mpi']}, {machine['cpu']}, {machine['cores']} cores, load {machine['load']}",
        "ranks", "algorithm", "iter", "host s", "Weft s", "ratio", "waits ms: host", "Weft",
        right=("ranks", "iter", "host s", "Weft s", "ratio", "waits ms: host", "Weft"),
    )  # fmt: skip
    for result in record["results"]:
        for a in result["algorithms"]:
            shown.add_row(
                str(result["ranks"]), a["name"], str(a["iterations"]),
                f"{a['host_seconds']['median']:.3f}", f"{a['weft_seconds']['median']:.3f}",
                str(compare.Spread(**a["ratio"])),
                f"{1e3 * a['host_allreduce_and_wait_seconds']:.2f}",
                f"{1e3 * a['weft_allreduce_and_wait_seconds']:.2f}",
            )  # fmt: skip
    out.print(shown)
    say("Medians. ratio: Weft over host within pairs of alternating launches, median [quartiles].")
    say("waits: milliseconds of the solver time spent in Allreduce and Wait.")
    for result in record["results"]:
        say(verdict(result))
    err.print(f"Chart: {output}", soft_wrap=True)


def verdict(result: dict[str, Any]) -> str:
    """Plainly, also where Weft is slower: slower or faster is what the quartiles agree on."""
    words = {"faster": [], "slower": [], "no different": []}
    for a in result["algorithms"]:
        ratio = a["ratio"]
        word = "faster" if ratio["high"] < 1 else "slower" if ratio["low"] > 1 else "no different"
        words[word].append(f"{a['name']} ({ratio['median']:.2f})")
    parts = [f"Weft is {word} for {', '.join(names)}" for word, names in words.items() if names]
    share = f"{100 * result['executed_by_weft']:.0f} % of the collective calls executed by Weft"
    return f"{result['ranks']} ranks: {'; '.join(parts)}. {result['pairs']} pairs, {share}."
