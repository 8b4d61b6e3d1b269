# SPDX-License-Identifier: BSD-3-Clause
"""`weft simulate`: how long a collective takes on a machine that need not be there, to a million ranks."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from weft.bad_input import BadInput
from weft.console import err, out, progress_by_parts, say, table
from weft.epochs import PutsTo
from weft.units import parse_durations, parse_size, show_size

USUAL_MACHINE = "example"
USUAL_HERTZ = 1000.0
DRAWN_RANKS = 32
FREE_STEPS = (
    "weft: what ranks of a node do together in memory takes no time here: the machine has no l, as in node:l=100."
)


def one_duration(text: str, option: str) -> float:
    durations = parse_durations(text, option)
    if len(durations) != 1:
        raise BadInput(f"{option} {text}: give one duration, such as 50us.")
    return durations[0]


def missing(question: str) -> str:
    raise BadInput(question)


def places_of(topology: str | None) -> int:
    if topology is None:
        raise BadInput("how many ranks? Give --ranks N (or a --topology, which has as many as places).")
    from weft.core import make_topology

    return make_topology(topology, None).ranks


def refuse(given: dict[str, Any], why: str) -> None:
    for option, value in given.items():
        if value is not None:
            raise BadInput(f"{why}: leave out {option}.")


def refuse_what_has_no_effect(effects: dict[str, tuple[bool, bool, str]]) -> None:
    """By option: whether it is given, whether it has an effect, and what it is for."""
    for option, (is_given, has_effect, purpose) in effects.items():
        if is_given and not has_effect:
            raise BadInput(f"{option} {purpose}, or leave it out.")


def refuse_options_that_it_lacks(collective: str, algorithm: str, options: dict[str, int | str]) -> None:
    from weft.core import _core

    card = next((one for one in _core.catalog() if (one["collective"], one["name"]) == (collective, algorithm)), None)
    for option in options:
        if card is not None and option not in card["options"]:
            words = option.replace("_", "-")
            raise BadInput(f"--{words}: {collective} by {algorithm} has no {words}; leave the option out.")


def run(
    collective: Annotated[
        str | None, typer.Argument(help="As in MPI's function names, lower case: allreduce, barrier; or put.")
    ] = None,
    ranks: Annotated[
        int | None, typer.Option("--ranks", "-n", help="How many; with --topology: one per place.")
    ] = None,
    size: Annotated[
        str, typer.Option("--bytes", help="Size of one rank's block; of a barrier's messages: 8, 4K, 1M.")
    ] = "8",
    algorithm: Annotated[str | None, typer.Option(help="Instead of the planner's choice.")] = None,
    radix: Annotated[int | None, typer.Option(help="Of trees, recursive k-ing and dissemination.")] = None,
    bcast_radix: Annotated[int | None, typer.Option(help="Of the way down, if it is not the radix.")] = None,
    leader: Annotated[
        str | None, typer.Option(metavar="last|fixed", help="Who combines the values of a group in memory.")
    ] = None,
    root: Annotated[int, typer.Option(help="Of bcast, reduce, gather and scatter.")] = 0,
    to: Annotated[PutsTo | None, typer.Option(help="Of put: whom every rank puts to; next.")] = None,
    by_rounds: Annotated[bool, typer.Option("--by-rounds", help="Each round waits for all of the one before.")] = False,
    goal: Annotated[
        Path | None, typer.Option(help="A program in GOAL from this file, instead of a collective.")
    ] = None,
    machine: Annotated[
        str,
        typer.Option(
            help="loggops:L=2500,o=1500,g=1000,G=6,S=65535 (ns, ns per byte, bytes), with levels: ;node:L=300,o=100; a "
            "file; or the name of one of ours: example."
        ),
    ] = USUAL_MACHINE,
    topology: Annotated[
        str | None, typer.Option(help='Where ranks sit: "node:64 core:16"; else each on a node of its own.')
    ] = None,
    cores: Annotated[
        int | None, typer.Option(help="Of each node, for whose ranks they may be too few; else one for each.")
    ] = None,
    hierarchy: Annotated[
        str | None, typer.Option(help="flat, or levels of the topology from near to far: node, socket+node.")
    ] = None,
    moved_by: Annotated[
        str, typer.Option("--moved-by", metavar="host|agent|adapter", help="Who moves it while its ranks compute.")
    ] = "host",
    compute: Annotated[str, typer.Option(help="Between its start and the wait for it: 500us.")] = "0us",
    test_every: Annotated[str, typer.Option(help="While it computes the host calls MPI_Test so often: 20us.")] = "0us",
    shares_core: Annotated[
        bool, typer.Option("--shares-core", help="What an agent does its rank cannot compute.")
    ] = False,
    repeat: Annotated[int, typer.Option(help="So often, one after the other.", min=1)] = 1,
    noise: Annotated[str, typer.Option(help="Each processor is taken away for so long: 200us,")] = "0us",
    hertz: Annotated[float | None, typer.Option(help="so often a second.", show_default="1000")] = None,
    noise_trace: Annotated[
        Path | None, typer.Option(help="Instead of --noise: begin and length of interruptions, in us, a line each.")
    ] = None,
    skew: Annotated[str, typer.Option(help="Ranks begin at times from 0 to that, drawn evenly: 50us.")] = "0us",
    begins: Annotated[
        Path | None, typer.Option(help="Instead of --skew: when each rank begins, in us, a line each.")
    ] = None,
    slowest: Annotated[float, typer.Option(help="Ranks compute from 1 to so many times as long.")] = 1.0,
    slow_down: Annotated[
        Path | None, typer.Option(help="Instead of --slowest: how many times as long each rank computes, a line each.")
    ] = None,
    spread: Annotated[float, typer.Option(help="Each computation, beside that, drawn anew.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Of all that is drawn.", min=0)] = 1,
    timeline: Annotated[
        Path | None,
        typer.Option(help=f"What the first {DRAWN_RANKS} ranks do when: FILE.txt, .svg, or .json (Chrome's trace)."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, on the last line.")] = False,
) -> None:
    """Simulate a collective from the schedules that would run, under LogGOPS, with computation and noise."""
    from weft import simulation
    from weft.disturbance_files import read_noise, read_numbers

    if timeline is not None and timeline.suffix not in (".txt", ".svg", ".json"):
        raise BadInput(f"--timeline {timeline}: the name ends in .txt, .svg or .json, which says how it is drawn.")
    if moved_by not in list(simulation.MovedBy):
        raise BadInput(f"--moved-by {moved_by}: choose host, agent or adapter.")
    work = one_duration(compute, "--compute")
    tests, pause = one_duration(test_every, "--test-every"), one_duration(noise, "--noise")
    refuse_what_has_no_effect(
        {
            "--shares-core": (shares_core, moved_by == "agent", "is for agents: give --moved-by agent as well"),
            "--test-every": (tests > 0, work > 0, "is for hosts that compute meanwhile: give --compute as well"),
            f"--test-every with --moved-by {moved_by}": (tests > 0, moved_by == "host", "tests nothing: use host"),
            "--slowest": (slowest != 1, work > 0, "is of computations: give --compute as well"),
            "--spread": (spread != 1, work > 0, "is of computations: give --compute as well"),
            "--hertz": (hertz is not None, pause > 0, "is of regular noise: give --noise as well"),
            "--noise-trace": (noise_trace is not None, pause == 0, "and --noise: give one of them"),
            "--begins": (begins is not None, one_duration(skew, "--skew") == 0, "and --skew: give one of them"),
            "--slow-down without --compute": (slow_down is not None, work > 0, "has no effect: give that as well"),
            "--slow-down": (slow_down is not None, slowest == 1, "and --slowest: give one of them"),
        }
    )
    options: dict[str, int | str] = {
        name: value
        for name, value in {"radix": radix, "bcast_radix": bcast_radix, "leader": leader}.items()
        if value is not None
    }
    of_collectives = {"--algorithm": algorithm, "--hierarchy": hierarchy}
    of_collectives |= {f"--{name.replace('_', '-')}": value for name, value in options.items()}
    of_collectives |= {"--root": root or None, "--by-rounds": by_rounds or None}
    operation: simulation.Collective | simulation.Puts | simulation.Goal
    if goal is not None:
        given = {"a collective": collective, "--ranks": ranks, "--to": to}
        refuse(given | of_collectives, "--goal: the program says that itself")
        operation = simulation.Goal(file=goal)
    elif collective == "put":
        refuse(of_collectives, "put: an epoch has none of a collective's options")
        operation = simulation.Puts(ranks=ranks or places_of(topology), bytes=parse_size(size), to=to or PutsTo.next)
    else:
        refuse({"--to": to}, "only put says to whom")
        operation = simulation.Collective(
            collective=collective or missing("which collective? As in `weft simulate allreduce --ranks 1024`."),
            ranks=ranks or places_of(topology),
            bytes=parse_size(size),
            root=root,
            algorithm=algorithm,
            hierarchy=hierarchy,
            options=options,
            by_rounds=by_rounds,
        )
        if algorithm is not None:
            refuse_options_that_it_lacks(operation.collective, algorithm, options)
    conditions = simulation.Conditions(
        moved_by=simulation.MovedBy(moved_by),
        test_every_us=tests,
        shares_core=shares_core,
        noise=read_noise(noise_trace)
        if noise_trace
        else simulation.Noise(hertz=USUAL_HERTZ if hertz is None else hertz, duration_us=pause),
        skew_us=one_duration(skew, "--skew"),
        begins_us=read_numbers(begins) if begins else None,
        slowest=slowest,
        slow_down=read_numbers(slow_down) if slow_down else None,
        spread=spread,
        seed=seed,
    )
    with progress_by_parts("simulating") as progress:
        result = simulation.simulate(
            [operation],
            simulation.overlapped(0, compute_us=work) if work else simulation.blocking(),
            machine=machine,
            topology=topology,
            cores=cores,
            conditions=conditions,
            repetitions=repeat,
            traced_ranks=DRAWN_RANKS if timeline else 0,
            details=not as_json or timeline is not None,
            progress=progress,
        )
    if result.free_steps:
        if result.finish_ns == 0:
            raise simulation.takes_no_time(result.names[0], machine)
        err.print(FREE_STEPS, soft_wrap=True)
    if timeline is not None:
        draw_timeline(result, timeline)
    question: dict[str, Any] = {"ranks": len(result.finished_ns), "machine": machine}
    if not isinstance(operation, simulation.Goal):
        question |= {"collective": collective, "bytes": operation.bytes}
    if as_json:
        print(json.dumps(question | result.record))
        return
    show(question, result, work * repeat)


def draw_timeline(result: Any, file: Path) -> None:
    from weft.simulation import save
    from weft.timeline import draw

    save(file, draw(result, file.suffix))
    if len(result.finished_ns) > DRAWN_RANKS:
        ranks = f"the first {DRAWN_RANKS} of {len(result.finished_ns):,} ranks"
        err.print(f"{file}: {ranks} are drawn.", soft_wrap=True, markup=False)


def show(question: dict[str, Any], result: Any, work_us: float) -> None:
    what = f"{question['collective']} of {show_size(question['bytes'])} bytes" if "bytes" in question else "a program"
    say(f"{what} on {question['ranks']:,} ranks by {result.names[0]}")
    rows = table("", "", "us", right=("us",))
    rows.add_row("until the last rank is through", f"{result.finish_ns / 1000:,.3f}")
    for what, times in (
        ("a rank in the call that starts it, mean", result.started_ns),
        ("a rank computing, mean", result.computed_ns),
        ("a rank waiting, mean", result.waited_ns),
        ("a rank waiting, most", result.waited_ns),
    ):
        value = times.max() if what.endswith("most") else times.mean()
        if value > 0:
            rows.add_row(what, f"{value / 1000:,.3f}")
    if work_us:
        rows.add_row("beyond the computation alone", f"{result.finish_ns / 1000 - work_us:,.3f}")
    out.print(rows)
    rate = result.events / result.seconds / 1e6 if result.seconds else 0
    say(
        f"{result.messages:,} messages, {result.events:,} tasks: schedules in {result.generation_seconds:.3g} s, "
        f"simulated in {result.seconds:.3g} s ({rate:.3g} million tasks a second), {result.peak_bytes / 1e6:,.3g} MB"
    )
