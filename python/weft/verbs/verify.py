# SPDX-License-Identifier: BSD-3-Clause
"""`weft verify`: prove the schedules of whole ranges of calls, or those in a file."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.bad_input import BadInput
from weft.console import out, print_json, progress, say, table
from weft.units import parse_numbers, parse_sizes, show_numbers, show_size

if TYPE_CHECKING:
    from weft import _core

MOST_FINDINGS_SHOWN = 20


def run(
    collective: Annotated[str, typer.Argument(help="A collective, or all.")] = "all",
    algorithm: Annotated[str, typer.Option(help="An algorithm of the catalog, or all.")] = "all",
    ranks: Annotated[str | None, typer.Option(help="Numbers and ranges: 2,4,8-33.  [default: 1-33]")] = None,
    size: Annotated[str, typer.Option("--bytes", help="Sizes and doubling ranges: 0,8,1K-64K.")] = "0,8,1K",
    radix: Annotated[str, typer.Option(help="For the algorithms that have one: 2,3,4.")] = "2,3,4",
    bcast_radix: Annotated[str, typer.Option(help="For those with one of its own on the way down.")] = "2,3",
    window: Annotated[str, typer.Option(help="For those that limit the messages under way at a time.")] = "2,32",
    fragment: Annotated[
        str | None,
        typer.Option(help="For those that cut long messages: sizes.  [default: 256, within a node 64K]"),
    ] = None,
    root: Annotated[str, typer.Option(help="A root of the rooted collectives, or all.")] = "all",
    element: Annotated[int | None, typer.Option(help="Bytes of one operand of a reduction; usually 8.")] = None,
    non_commutative: Annotated[
        bool,
        typer.Option("--non-commutative", help="Reductions: only operators that do not commute; else both kinds."),
    ] = False,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Only with MPI_IN_PLACE; else with and without.")
    ] = False,
    topology: Annotated[
        str | None, typer.Option(help='Such as "node:2 core:4": counts what crosses each level.')
    ] = None,
    hierarchy: Annotated[
        str | None,
        typer.Option(
            help="flat, or levels of the topology from near to far (node, socket+node): the algorithms over it."
        ),
    ] = None,
    schedule: Annotated[Path | None, typer.Option(help="Verify the schedules of all ranks in this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All results and findings as JSON.")] = False,
) -> None:
    """Prove that schedules do what their collective promises. Exit code 1 if one is not proved."""
    from weft.core import _core, make_hierarchy, make_topology

    machine = make_topology(topology, None) if topology else None
    make_hierarchy(machine, hierarchy)  # refuses at once what no number of ranks would make right
    if schedule is not None:
        if hierarchy is not None:
            raise BadInput(f"--hierarchy {hierarchy}: a file holds schedules that are made already; leave it out.")
        groups = [verify_file(_core, schedule, machine)]
    else:
        numbers = rank_counts(ranks, machine)
        sizes = parse_sizes(size)
        options: dict[str, list[Any]] = {
            "radix": parse_numbers(radix, "--radix", 2),
            "bcast_radix": parse_numbers(bcast_radix, "--bcast-radix", 2),
            "window": parse_numbers(window, "--window", 1),
            "fragment": parse_sizes(fragment, "--fragment") if fragment else [],
            "leader": ["last", "fixed"],
        }
        roots = None if root == "all" else parse_numbers(root, "--root", 0)
        orders = [False] if non_commutative else [True, False]
        places = [True] if in_place else [False, True]
        groups = [
            Group(card, list(cases(_core, card, numbers, sizes, options, roots, element, orders, places)), hierarchy)
            for card in chosen_algorithms(_core, collective, algorithm, hierarchy)
        ]
        if not any(group.cases for group in groups):
            raise BadInput("no call fits these options: the root must be below the number of ranks (--root, --ranks).")
        with progress("Proving", sum(len(group.cases) for group in groups)) as step:
            for group in groups:
                group.prove(_core, machine, step)
    if as_json:
        print_json(results(groups, machine))
    else:
        show(groups, machine)
    if any(group.findings for group in groups):
        raise typer.Exit(1)


@dataclass
class Case:
    """One call by one algorithm with one value for each of its options."""

    call: "_core.Call"
    options: dict[str, Any]
    in_place: bool

    def describe(self, card: dict[str, Any]) -> str:
        words = [str(self.call), "by", card["name"]]
        words += [f"{name}={value}" for name, value in self.options.items()]
        words += ["in place"] if self.in_place else []
        return " ".join(words)


@dataclass
class Group:
    """One row of the table: an algorithm and all its cases."""

    card: dict[str, Any]
    cases: list[Case]
    hierarchy: str | None = None
    proved: int = 0
    findings: list[dict[str, Any]] = field(default_factory=list)
    traffic: dict[str, list[int]] = field(default_factory=dict)  # level -> [messages, bytes], all cases together

    def prove(self, core: Any, machine: "_core.Topology | None", step: Callable[[], None]) -> None:
        from weft.core import make_hierarchy, polite

        for case in self.cases:
            with polite():
                ranks = machine and machine.with_ranks(case.call.ranks)
                tiers = make_hierarchy(ranks, self.hierarchy)
                plan = core.build(case.call, self.card["name"], in_place=case.in_place, hierarchy=tiers, **case.options)
            self.judge(plan, case.describe(self.card), machine)
            step()

    def judge(self, plan: "_core.Schedules", name: str, machine: "_core.Topology | None") -> None:
        report = plan.verify()
        self.proved += report.proved
        self.findings += [
            {"case": name, "rule": f.rule, "rank": f.rank, "task": f.task, "message": f.message}
            for f in report.findings
        ]
        if machine is not None:
            for level in plan.traffic(machine.with_ranks(plan.call.ranks)):
                total = self.traffic.setdefault(level.level, [0, 0])
                total[0] += level.messages
                total[1] += level.bytes


def rank_counts(ranks: str | None, machine: "_core.Topology | None") -> list[int]:
    if ranks is None:
        return [machine.ranks] if machine else list(range(1, 34))
    numbers = parse_numbers(ranks, "--ranks", 1)
    if machine and numbers[-1] > machine.places:
        raise BadInput(
            f"--ranks {ranks}: {numbers[-1]} ranks do not fit: `{machine}` has {machine.places} places; "
            "choose fewer ranks or a larger topology."
        )
    return numbers


def chosen_algorithms(core: Any, collective: str, algorithm: str, hierarchy: str | None) -> list[dict[str, Any]]:
    """Those that follow a hierarchy if there is one, else all others."""
    catalog = [card for card in core.catalog() if card["follows_hierarchy"] == (hierarchy is not None)]
    if hierarchy is None and any(card["name"] == algorithm for card in core.catalog() if card["follows_hierarchy"]):
        raise BadInput(f"--algorithm {algorithm}: give a --hierarchy as well, and the --topology that has it.")
    names = core.collectives()
    if collective != "all" and collective not in names:
        raise BadInput(f'there is no collective "{collective}": choose one of {", ".join(names)}, or all.')
    cards = [card for card in catalog if collective in ("all", card["collective"])]
    chosen = [card for card in cards if algorithm in ("all", card["name"])]
    if not chosen:
        known = ", ".join(sorted({card["name"] for card in cards}))
        raise BadInput(f"--algorithm {algorithm}: {collective} has no such algorithm: choose one of {known}, or all.")
    return chosen


def cases(
    core: Any,
    card: dict[str, Any],
    numbers: list[int],
    sizes: list[int],
    options: dict[str, list[Any]],
    roots: list[int] | None,
    element: int | None,
    orders: list[bool],
    places: list[bool],
) -> Iterator[Case]:
    """All calls that the algorithm takes; what makes no difference for its collective is not multiplied."""
    from weft.core import make_call

    collective, rooted, reduction = card["collective"], card["is_rooted"], card["is_reduction"]
    # Many short fragments take long to prove where each rank waits for all others at each of them.
    options = options | {"fragment": options["fragment"] or [64 << 10 if card["within_node"] else 256]}
    variants = [
        dict(zip(card["options"], values, strict=True))
        for values in itertools.product(*(options[name] for name in card["options"]))
    ]
    for ranks in numbers:
        rank_roots = [0] if not rooted else range(ranks) if roots is None else [r for r in roots if r < ranks]
        for root in rank_roots:
            for size in sizes if collective != "barrier" else [0]:
                for commutative in orders if reduction else [True]:
                    call = make_call(collective, ranks, size, root, element, commutative)
                    if not core.is_eligible(call, card["name"]):
                        continue
                    for variant in variants:
                        for in_place in places if card["may_be_in_place"] else [False]:
                            yield Case(call, variant, in_place)


def verify_file(core: Any, file: Path, machine: "_core.Topology | None") -> Group:
    from weft.core import polite, read_file

    text = read_file(file)
    try:
        with polite():
            plan = core.parse(text)
            if machine is not None:
                machine.with_ranks(plan.call.ranks)
    except BadInput as problem:
        raise BadInput(f"{file}: {problem}") from problem
    card = {"collective": plan.call.collective, "name": plan.algorithm or str(file), "options": []}
    group = Group(card, [Case(plan.call, {}, False)])
    group.judge(plan, f"{plan.call} in {file}", machine)
    return group


def results(groups: list[Group], machine: "_core.Topology | None") -> dict[str, Any]:
    return {
        "proved": not any(group.findings for group in groups),
        "cases": sum(len(group.cases) for group in groups),
        "topology": str(machine) if machine else None,
        "hierarchy": groups[0].hierarchy,
        "algorithms": [
            {
                "collective": group.card["collective"],
                "algorithm": group.card["name"],
                "cases": len(group.cases),
                "proved": group.proved,
                "traffic": {level: {"messages": n, "bytes": b} for level, (n, b) in group.traffic.items()},
                "findings": group.findings,
            }
            for group in groups
        ],
    }


def show(groups: list[Group], machine: "_core.Topology | None") -> None:
    shown = table(
        "Schedules", "collective", "algorithm", "options", "ranks", "bytes", "cases", "proved", "findings",
        right=("cases", "proved", "findings"),
    )  # fmt: skip
    for group in groups:
        calls = [case.call for case in group.cases]
        shown.add_row(
            group.card["collective"],
            group.card["name"],
            options_text(group),
            show_numbers([call.ranks for call in calls]),
            ",".join(show_size(size) for size in sorted({call.bytes for call in calls})),
            str(len(group.cases)),
            str(group.proved),
            str(len(group.findings)) if group.findings else "none",
        )
    out.print(shown)
    if machine is not None:
        show_traffic(groups, machine)
    total, proved = sum(len(group.cases) for group in groups), sum(group.proved for group in groups)
    show_findings([finding for group in groups for finding in group.findings])
    say()
    if proved == total:
        say(f"All {total} cases proved." if total > 1 else "Proved.", "bold green")
    else:
        say(f"{total - proved} of {total} cases are not proved.", "bold red")


def options_text(group: Group) -> str:
    """radix 2-4, window 2,32; leader fixed,last: all values of each."""
    values = {name: {case.options[name] for case in group.cases} for name in group.card["options"]}
    words = {name: ",".join(sorted(of)) for name, of in values.items() if name == "leader"}
    return "; ".join(f"{name} {words.get(name) or show_numbers(list(of))}" for name, of in values.items())


def show_traffic(groups: list[Group], machine: "_core.Topology") -> None:
    say()
    shown = table(
        f"What crosses each level of {machine}, all cases together",
        "collective", "algorithm", "nearest thing shared", "messages", "bytes", right=("messages", "bytes"),
    )  # fmt: skip
    for group in groups:
        for level, (messages, size) in group.traffic.items():
            shown.add_row(group.card["collective"], group.card["name"], level, str(messages), show_size(size))
    out.print(shown)


def show_findings(findings: list[dict[str, Any]]) -> None:
    if not findings:
        return
    several = len({one["case"] for one in findings}) > 1
    say()
    shown = table("Findings", "rule", "what", *["case"] * several)
    for one in findings[:MOST_FINDINGS_SHOWN]:
        shown.add_row(one["rule"], one["message"], *[one["case"]] * several)
    out.print(shown)
    if len(findings) > MOST_FINDINGS_SHOWN:
        say(f"… and {len(findings) - MOST_FINDINGS_SHOWN} more: --json lists all of them.")
