# SPDX-License-Identifier: BSD-3-Clause
"""`weft explain`: which plan a call gets and why, round by round, as text or as a picture."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from weft.bad_input import BadInput
from weft.console import out, print_json, progress, say, table, write_or_print
from weft.device import who_moves
from weft.epochs import PutsTo, show_epoch
from weft.exchange import rounds_text, shorten, show_holdings, show_rounds
from weft.task_lists import QueueForm, show_task_lists
from weft.units import parse_size, show_size

if TYPE_CHECKING:
    from weft import _core

MOST_ROUNDS_SHOWN = 64
USUAL_FORM, USUAL_MAILBOX = QueueForm.waits_in_send_queues, "8K"


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What runs, what the library would run, and why."""

    algorithm: str
    options: "dict[str, int | str]"  # of the algorithm, as far as they are not what it takes anyway
    followed: "_core.Hierarchy | None"
    led: "_core.Hierarchy | None"  # the same with the root as the representative of its groups
    asked: bool  # rather than left to the planner
    by_rounds: bool
    choice: "_core.Choice"
    card: "_core.Card"
    cost: "_core.Cost"
    settings: "list[_core.SettingInEffect]"  # that are not the default

    @property
    def radix(self) -> int | str:
        return self.options.get("radix", 2)

    @property
    def place(self) -> str:
        if self.choice["one_node"]:
            return "all on one node, where they share memory"
        places = "on several nodes" if self.choice["hierarchy"] else "each by itself: this plan shares no memory"
        round_trip = self.choice["round_trip"]
        if round_trip is None:
            return places
        apart = f"{round_trip} us there and back" if round_trip else "taken to be near (WEFT_ROUND_TRIP)"
        return f"{places}; {apart}"

    @property
    def reason(self) -> str:
        choice = self.choice
        if not self.asked:
            return f"chosen because {choice['why']}"
        leader = self.options.get("leader", choice["leader"])
        if (choice["algorithm"], choice["radix"], choice["leader"]) == (self.algorithm, self.radix, leader):
            return f"as asked; the planner chooses it as well: {choice['why']}"
        options = ""
        if choice["algorithm"] == self.algorithm:
            options = f" with radix {choice['radix']}" if choice["radix"] != self.radix else ""
            options += f" with leader {choice['leader']}" if choice["leader"] != leader else ""
        return f"as asked; the planner would choose {choice['algorithm']}{options}: {choice['why']}"


class Format(StrEnum):
    text = "text"
    rounds = "rounds"
    svg = "svg"
    dot = "dot"
    goal = "goal"
    json = "json"
    schedule = "schedule"


def run(
    collective: Annotated[
        str, typer.Argument(help="As in MPI's function names, lower case: allreduce, neighbor_alltoallv; or put.")
    ],
    ranks: Annotated[
        int | None, typer.Option(help="How many ranks; with --topology: one per place if not given.")
    ] = None,
    size: Annotated[str, typer.Option("--bytes", help="Size of one rank's block, or of the longest: 8, 4K, 1M.")] = "8",
    algorithm: Annotated[str | None, typer.Option(help="Instead of the planner's choice.")] = None,
    radix: Annotated[int | None, typer.Option(help="Of trees, recursive k-ing and dissemination.")] = None,
    bcast_radix: Annotated[int | None, typer.Option(help="Of the way down, if it is not the radix.")] = None,
    window: Annotated[int | None, typer.Option(help="Messages under way at a time; 32.")] = None,
    fragment: Annotated[
        str | None, typer.Option(help="A long message is cut into such pieces; as in the library.")
    ] = None,
    leader: Annotated[
        str | None,
        typer.Option(
            metavar="last|fixed", help="Who combines the values of a group in memory: the last to arrive, or one rank."
        ),
    ] = None,
    root: Annotated[int, typer.Option(help="Of bcast, reduce, gather(v) and scatter(v).")] = 0,
    element: Annotated[int | None, typer.Option(help="Bytes of one operand of a reduction; usually 8.")] = None,
    non_commutative: Annotated[
        bool, typer.Option("--non-commutative", help="Operands must stay in rank order.")
    ] = False,
    in_place: Annotated[bool, typer.Option("--in-place", help="As with MPI_IN_PLACE.")] = False,
    by_rounds: Annotated[
        bool, typer.Option("--by-rounds", help="As under WEFT_ROUNDS=1: each round waits for all of the one before.")
    ] = False,
    rank: Annotated[int | None, typer.Option(help="Show the schedule of this rank.")] = None,
    all_ranks: Annotated[bool, typer.Option("--all", help="Show the schedules of all ranks.")] = False,
    form: Annotated[Format, typer.Option("--format", help="What to show, and how.")] = Format.text,
    output: Annotated[Path | None, typer.Option(help="Write to this file.")] = None,
    topology: Annotated[
        str | None,
        typer.Option(help='Such as "node:2 core:4", or "machine" for this one; else all ranks are on one node.'),
    ] = None,
    hierarchy: Annotated[
        str | None, typer.Option(help="flat, or levels of the topology from near to far: node, socket+node.")
    ] = None,
    device: Annotated[
        str | None, typer.Option(metavar="none|agent", help="Who moves it: as WEFT_DEVICE says, if not given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The whole explanation as JSON.")] = False,
    task_lists: Annotated[bool, typer.Option("--task-lists", help="Show the queues of a network adapter.")] = False,
    queue_form: Annotated[
        QueueForm | None, typer.Option("--form", help=f"Of task lists: where waits stand; {USUAL_FORM}.")
    ] = None,
    most_tasks: Annotated[int | None, typer.Option(help="Of one task list; what is longer is cut.")] = None,
    mailbox: Annotated[str | None, typer.Option(help="Of task lists: the longest receive that has one; 8K.")] = None,
    to: Annotated[PutsTo | None, typer.Option(help="Of put: whom every rank puts to; next.")] = None,
    priced_on: Annotated[
        str | None,
        typer.Option("--machine", help="Of GOAL: what copies and reductions cost, as simulate takes it; else nothing."),
    ] = None,
) -> None:
    """Show which plan a call gets and why, the exchange by rounds, and who holds what after each."""
    from weft.core import _core, make_call, make_hierarchy, make_topology, polite

    if priced_on is not None and form is not Format.goal:
        raise BadInput(f"--machine {priced_on}: that is of a GOAL program; give --format goal, or leave it out.")
    if collective == "put":
        given = {"--algorithm": algorithm, "--radix": radix, "--bcast-radix": bcast_radix, "--window": window}
        given |= {"--fragment": fragment, "--leader": leader, "--hierarchy": hierarchy, "--topology": topology}
        given |= {"--element": element, "--device": device, "--root": root or None}
        given |= {"--in-place": in_place or None, "--by-rounds": by_rounds or None, "--mailbox": mailbox}
        given["--non-commutative"] = non_commutative or None
        shown_as = "json" if as_json else form.value
        drawn = list(range(ranks or 0)) if all_ranks else [rank or 0]
        show_epoch(ranks, size, to, queue_form or USUAL_FORM, most_tasks, drawn, shown_as, output, given)
        return
    if to is not None:
        raise BadInput(f"--to {to.value}: that is of put; leave it out.")
    if not task_lists:
        refuse_without_task_lists({"--form": queue_form, "--most-tasks": most_tasks, "--mailbox": mailbox})
    machine = make_topology(topology, ranks) if topology else None
    if ranks is None:
        if machine is None:
            raise BadInput("how many ranks? Give --ranks N (or a --topology, which has as many as places).")
        ranks = machine.ranks
    call = make_call(collective, ranks, parse_size(size), root, element, not non_commutative)
    tiers = make_hierarchy(machine, hierarchy)
    asked: dict[str, int | str | None] = {"radix": radix, "bcast_radix": bcast_radix, "window": window}
    asked["leader"] = leader
    asked["fragment"] = None if fragment is None else parse_size(fragment, "--fragment")
    options = {name: value for name, value in asked.items() if value is not None}
    with polite():
        choice = _core.choose(call, machine, hierarchy, by_rounds)
        decision = decide(_core, call, algorithm, options, tiers, choice, by_rounds)
        if form is Format.goal and rank is not None:
            raise BadInput(f"--rank {rank}: a GOAL program is of all ranks; leave the option out.")
        shows_schedules = (
            not task_lists and form is not Format.goal and (rank is not None or all_ranks or form is Format.schedule)
        )
        says_who_moves = (
            not task_lists and not shows_schedules and (as_json or (form is Format.text and output is None))
        )
        if device is not None and (not says_who_moves or form in (Format.svg, Format.dot, Format.goal)):
            raise BadInput(f"--device {device}: who moves a call is said in its explanation, as text or --json alone.")
        wanted = rank if shows_schedules and not all_ranks else None
        shown: dict[str, Any] = {"by_rounds": by_rounds, "in_place": in_place, "rank": wanted}
        if decision.asked:
            followed = {"hierarchy": decision.followed}
            schedules = _core.build(call, decision.algorithm, **decision.options, **followed, **shown)
        else:
            schedules = _core.build_chosen(call, machine, hierarchy, **shown)
        if task_lists:
            drawn = list(range(ranks)) if all_ranks else [rank or 0]
            longest = parse_size(mailbox or USUAL_MAILBOX, "--mailbox")
            shown_as = "json" if as_json else form.value
            show_task_lists(schedules, queue_form or USUAL_FORM, most_tasks, longest, drawn, shown_as, output)
        elif shows_schedules:
            write_or_print(schedules.json() if as_json or form is Format.json else schedules.text(), output)
        elif form is Format.svg:
            write_or_print(schedules.svg(), output)
        elif form is Format.dot:
            write_or_print(schedules.dot(), output)
        elif form is Format.goal:
            signal_bytes = parse_size(size) if collective == "barrier" else 0
            write_or_print(schedules.goal(**goal_costs(priced_on), signal_bytes=signal_bytes), output)
        elif form is Format.json and not as_json:
            write_or_print(schedules.json(), output)
        elif form is Format.rounds and not as_json:
            write_or_print(rounds_text(schedules, schedules.trace()), output)
        else:
            traffic = schedules.traffic(machine) if machine else []
            movers = _core.movers(schedules, machine, device)
            explain(decision, schedules, movers, traffic, str(machine or ""), as_json, output)


def goal_costs(machine: str | None) -> dict[str, float]:
    from weft.core import _core
    from weft.machine_file import machine_text

    if machine is None:
        return {}
    costs = _core.SimulatedMachine(machine_text(machine))
    return {"copy_ns_per_byte": costs.copy_ns_per_byte, "reduce_ns_per_byte": costs.reduce_ns_per_byte}


def refuse_without_task_lists(options: dict[str, Any]) -> None:
    for option, value in options.items():
        if value is not None:
            raise BadInput(f"{option} {value}: that is of task lists; give --task-lists as well, or leave it out.")


def decide(
    core: Any,
    call: "_core.Call",
    algorithm: str | None,
    options: dict[str, int | str],
    hierarchy: "_core.Hierarchy | None",
    choice: "_core.Choice",
    by_rounds: bool,
) -> Decision:
    """`algorithm`, `options` and `hierarchy` are those asked for; `choice` is the planner's."""
    asked = algorithm is not None or hierarchy is not None
    if algorithm is None and hierarchy is not None:
        algorithm = "hierarchical"
    if algorithm is None:
        hierarchy = choice["hierarchy"]
    name = algorithm or choice["algorithm"]
    card = next((a for a in core.catalog() if a["collective"] == call.collective and a["name"] == name), None)
    for option, value in options.items():
        if card is not None and option not in card["options"]:
            words = option.replace("_", "-")
            raise BadInput(f"--{words} {value}: {call.collective} by {name} has no {words}; leave the option out.")
    if hierarchy is None and algorithm is not None and card is not None and card["follows_hierarchy"]:
        raise BadInput(f"--algorithm {name}: give a --hierarchy as well, such as node, and the --topology that has it.")
    chosen = {"radix": choice["radix"], "fragment": choice["fragment"]} if name == choice["algorithm"] else {}
    used = chosen | options
    cost = core.cost(call, name, hierarchy=hierarchy, **used)  # refuses a name that is not in the catalog
    assert card is not None
    return Decision(
        algorithm=name,
        options=used,
        followed=hierarchy,
        led=hierarchy and hierarchy.led_by(call.root),
        asked=asked or bool(options),
        by_rounds=by_rounds,
        choice=choice,
        card=card,
        cost=cost,
        settings=[s for s in core.settings_in_effect() if s["from"] != "default"],
    )


def explain(
    decision: Decision,
    schedules: "_core.Schedules",
    movers: "_core.Movers",
    traffic: "list[_core.Traffic]",
    topology: str,
    as_json: bool,
    output: Path | None,
) -> None:
    most_rounds = None if as_json or output is not None else MOST_ROUNDS_SHOWN
    with progress("Proving and tracing", 2) as step, ThreadPoolExecutor(1) as beside:
        tracing = beside.submit(schedules.trace, most_rounds)
        report = schedules.verify()
        step()
        trace = tracing.result()
        step()
    if as_json:
        facts = explanation(schedules.call, decision, movers, report, trace, traffic, topology)
        if output is None:
            return print_json(facts)
        import json

        return write_or_print(json.dumps(facts, indent=2), output)
    if output is not None:
        return write_or_print(rounds_text(schedules, trace), output)
    show_decision(decision, schedules, movers, report)
    show_hierarchy(decision.led)
    show_traffic(traffic, topology)
    show_rounds(decision.cost["rounds"], trace)
    show_holdings(schedules.call, trace)
    return None


def explanation(
    call: "_core.Call",
    decision: Decision,
    movers: "_core.Movers",
    report: "_core.Report",
    trace: "_core.Trace",
    traffic: "list[_core.Traffic]",
    topology: str,
) -> dict[str, Any]:
    keys = ("collective", "ranks", "bytes", "root", "element", "commutative")
    return {
        "call": {key: getattr(call, key) for key in keys},
        "algorithm": decision.algorithm,
        "radix": decision.radix if "radix" in decision.card["options"] else None,
        "options": {name: value for name, value in decision.options.items() if name in decision.card["options"]},
        "hierarchy": decision.led and {"depth": decision.led.depth, "tiers": decision.led.tiers},
        "by_rounds": decision.by_rounds,
        "one_node": decision.choice["one_node"],
        "settings": decision.settings,
        "why": decision.reason,
        "summary": decision.card["summary"],
        "formula": decision.card["formula"],
        "source": decision.card["source"],
        "cost": decision.cost,
        "device": {**movers, "says": who_moves(movers, decision.card["is_reduction"])},
        "messages": report.messages,
        "bytes_sent": report.bytes_sent,
        "bracket": report.bracket,
        "proved": report.proved,
        "findings": [{"rule": f.rule, "rank": f.rank, "task": f.task, "message": f.message} for f in report.findings],
        "topology": topology or None,
        "traffic": [{"level": t.level, "messages": t.messages, "bytes": t.bytes} for t in traffic],
        "initially": trace.initially,
        "rounds": [
            {
                "messages": [
                    {"from": m.sender, "to": m.receiver, "bytes": m.bytes, "what": m.what} for m in r.messages
                ],
                "node_steps": r.node_steps,
                "holds": r.holds,
            }
            for r in trace.rounds
        ],
    }


def show_decision(
    decision: Decision, schedules: "_core.Schedules", movers: "_core.Movers", report: "_core.Report"
) -> None:
    cost = decision.cost
    say(str(schedules.call), "bold")
    say(f"  plan      {schedules.algorithm}: {decision.card['summary']}")
    say(f"  why       {decision.reason}")
    say(
        f"  cost      {cost['rounds']} rounds; the busiest rank sends {cost['messages']} messages, "
        f"{show_size(cost['sent_bytes'])} bytes, and combines {show_size(cost['reduced_bytes'])} bytes"
    )
    letters = "n ranks, m bytes, k radix, w window, f fragment, g per reduced byte"
    say(f"  formula   {decision.card['formula']}  (LogGP: {letters})")
    say(f"  source    {decision.card['source']}")
    for label, line in zip_longest(["device"], who_moves(movers, decision.card["is_reduction"]), fillvalue=""):
        say(f"  {label:<9} {line}")
    say(f"  ranks     {decision.place}")
    for setting in decision.settings:
        say(f"  setting   {setting['name']}={setting['value']}  ({setting['from']})")
    if report.bracket:
        say(f"  bracket   {shorten(report.bracket, 300)}")
    proof = "correct" if report.proved else f"{len(report.findings)} findings; `weft verify` lists them"
    say(
        f"  proof     {proof}; all ranks together send {report.messages} messages, "
        f"{show_size(report.bytes_sent)} bytes\n"
    )


def show_traffic(traffic: "list[_core.Traffic]", topology: str) -> None:
    if not traffic:
        return
    shown = table(f"Messages on {topology}", "nearest thing shared", "messages", "bytes", right=("messages", "bytes"))
    for level in traffic:
        shown.add_row(level.level, str(level.messages), show_size(level.bytes))
    out.print(shown, "")


def show_hierarchy(hierarchy: "_core.Hierarchy | None") -> None:
    if hierarchy is None:
        return
    say(f"Hierarchy {hierarchy.depth}: each line joins the representatives of the groups below it", "bold")
    for line in hierarchy.text().splitlines():
        say("  " + line)
    say()
