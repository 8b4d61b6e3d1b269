# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench latency`: one collective under the host MPI and under Weft, launched alternately."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import binary, compare, environment, installation, launch
from weft.console import BadInput, out, progress, say, table
from weft.units import parse_size

COLLECTIVES = ("barrier", "bcast", "reduce", "allreduce", "allgather", "alltoall")
METHODS = ("osu", "loop")
LAUNCH_TIMEOUT = 120.0


def run(
    question: Annotated[str, typer.Argument(metavar="latency", help="What to measure; so far latency.")],
    collective: Annotated[str, typer.Option(help="Such as allreduce, or iallreduce: start and wait.")] = "iallreduce",
    size: Annotated[str, typer.Option("--bytes", help="One rank's block: 8, 4K, 1M; a multiple of 8.")] = "8",
    ranks: Annotated[int, typer.Option("-n", "--ranks", min=1)] = 2,
    mpi: Annotated[str, typer.Option(metavar="openmpi|mpich|all")] = "openmpi",
    method: Annotated[
        str, typer.Option(metavar="osu|loop", help="osu: operations timed apart; loop: back to back.")
    ] = "loop",
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of launches, one of each contestant.")] = 10,
    iterations: Annotated[int | None, typer.Option(min=1, help="Per launch. [default: by size and ranks]")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One object per measurement, and a summary last.")] = False,
) -> None:
    """Measure the host MPI and Weft alternately (A B B A …), and say the ratio with its spread."""
    environment.check()
    check(question, collective, method, mpi)
    number = parse_size(size)
    if number % 8:
        raise BadInput(f"--bytes {size}: blocks are doubles, so that a multiple of 8 is needed.")
    if collective.endswith("barrier"):
        number = 0
    hosts = [installation.host(name) for name in (installation.NAMES if mpi == "all" else [mpi])]
    count = iterations or default_iterations(number, ranks)
    arguments = [collective, str(number), str(count), str(count // 10 + 1), method]
    records = []
    with launch.scratch_folder() as scratch, progress("Measuring", pairs * len(hosts)) as step:
        measured = {}
        for host in hosts:
            contest = Contest(host, ranks, arguments, scratch, records)
            measured[host.name] = compare.alternate(contest.under_host, contest.under_weft, pairs, step=step)
    summary = summarize(hosts, measured, arguments, ranks)
    if as_json:
        for record in [*records, summary]:
            print(json.dumps(record))
    else:
        show(hosts, measured, summary)


def check(question: str, collective: str, method: str, mpi: str) -> None:
    if question != "latency":
        raise BadInput(f"weft bench {question}: there is no such benchmark; use latency.")
    if collective.removeprefix("i") not in COLLECTIVES:
        raise BadInput(f"--collective {collective}: use one of {', '.join(COLLECTIVES)}, or its i-form.")
    if method not in METHODS:
        raise BadInput(f"--method {method}: use {' or '.join(METHODS)}.")
    if mpi != "all" and mpi not in installation.NAMES:
        raise BadInput(f"--mpi {mpi}: use {', '.join(installation.NAMES)} or all.")


def default_iterations(size: int, ranks: int) -> int:
    """About a tenth of a second to a second, with a core per rank."""
    many = 100_000 if ranks <= launch.physical_cores() else 5_000
    return max(20, min(many, 2_000_000_000 // (max(size, 1) * 20 + 20_000)))


class Contest:
    def __init__(
        self,
        host: installation.Host,
        ranks: int,
        arguments: list[str],
        scratch: Path,
        records: list[dict[str, Any]],
    ) -> None:
        self.host, self.ranks, self.scratch, self.records = host, ranks, scratch, records
        program = installation.application(f"bench_latency_{host.name}")
        if program is None:
            raise BadInput(f"the benchmark for {host.title} is not built: run `make build` with its headers installed.")
        self.program = binary.inspect([str(program), *arguments])

    def under_host(self) -> float:
        return self.measure(False)

    def under_weft(self) -> float:
        return self.measure(True)

    def measure(self, with_weft: bool) -> float:
        start = launch.Launch(self.host, self.ranks, self.program, with_weft)
        done = launch.capture(start, self.scratch, LAUNCH_TIMEOUT)
        who = "weft" if with_weft else "host"
        if done.returncode != 0:
            raise BadInput(
                f"{' '.join(self.program.words)} ({who}, {self.host.title}) ended with code {done.returncode}:\n"
                f"{done.stdout}{done.stderr}"
            )
        record = json.loads(done.stdout)
        self.records.append(record | {"mpi": self.host.title, "implementation": who} | compare.machine())
        return record["microseconds"]


def summarize(
    hosts: list[installation.Host], measured: dict[str, list[tuple[float, float]]], arguments: list[str], ranks: int
) -> dict[str, Any]:
    """With several hosts the ratio is Weft on its best one over the best of them, pair by pair."""

    def best(side: int) -> str:
        return min(measured, key=lambda name: compare.spread([pair[side] for pair in measured[name]]).median)

    best_host, best_weft = best(0), best(1)
    pairs = [(h[0], w[1]) for h, w in zip(measured[best_host], measured[best_weft], strict=True)]
    ratio = compare.ratios(pairs)
    titles = {host.name: host.title for host in hosts}
    return {
        "summary": "latency", "collective": arguments[0], "bytes": int(arguments[1]), "ranks": ranks,
        "method": arguments[4], "host": titles[best_host], "weft_on": titles[best_weft], "pairs": len(pairs),
        "host_microseconds": compare.spread([pair[0] for pair in pairs]).median,
        "weft_microseconds": compare.spread([pair[1] for pair in pairs]).median,
        "ratio": ratio.median, "ratio_low": ratio.low, "ratio_high": ratio.high,
    } | compare.machine()  # fmt: skip


def show(
    hosts: list[installation.Host], measured: dict[str, list[tuple[float, float]]], summary: dict[str, Any]
) -> None:
    title = f"{summary['collective']}, {summary['bytes']} bytes, {summary['ranks']} ranks, method {summary['method']}"
    shown = table(title, "MPI", "host us", "Weft us", "ratio", right=("host us", "Weft us", "ratio"))
    for host in hosts:
        pairs = measured[host.name]
        shown.add_row(
            host.title,
            str(compare.spread([pair[0] for pair in pairs])),
            str(compare.spread([pair[1] for pair in pairs])),
            str(compare.ratios(pairs)),
        )
    out.print(shown)
    say(f"Medians [quartiles] of {summary['pairs']} pairs of alternating launches; load {summary['load']}.")
    if len(hosts) > 1:
        say(f"Weft on {summary['weft_on']} over {summary['host']}: {summary['ratio']:.2f}")
