# SPDX-License-Identifier: BSD-3-Clause
"""The counters that the library writes at MPI_Finalize: per MPI function, summed over the ranks."""

import json
from pathlib import Path
from typing import Any

from weft.console import err, table


def read(file: Path) -> dict[str, Any] | None:
    """{"ranks": 4, "collectives": {"MPI_Iallreduce": {"weft": 200, "host": 0, "why": {}}, …}, "communicators":
    {"through shared memory": 3, …}, "why_communicators": {"by messages": "WEFT_NODE=0 switches …", …}, "plans":
    {"made": 4, "found": 196, "making_microseconds": 21.5}, "constructors": {"calls": 8, "microseconds": 90.1}}, or None
    if the program never came to MPI_Finalize. A function's entry also has "microseconds", which its calls by Weft took,
    "waited_microseconds", which they spent of that waiting for other ranks, and "like_recent", how many of them a
    recent call told all about, so that they had the shortest way. On several nodes there is "nodes":
    {"round_trip_microseconds": 412, "are_far": true, "share_cores": false}; "long_copies_on_first_node": "memory" or
    "kernel", who copies faster there; and with agents "agents": how often they woke up, and the CPU time of their
    threads."""
    try:
        return json.loads(file.read_text())
    except (OSError, ValueError):
        return None


def share_of_weft(counts: dict[str, Any], *functions: str) -> float:
    """Weft's share, from 0 to 1, of the calls of these functions (of all, if none is named); 0 without calls."""
    entries = [entry for name, entry in counts["collectives"].items() if not functions or name in functions]
    calls = sum(entry["weft"] + entry["host"] for entry in entries)
    return sum(entry["weft"] for entry in entries) / calls if calls else 0.0


def show_agents(agents: dict[str, Any]) -> None:
    said = f"weft: agents woke up {agents['wakes']} times and took {agents['microseconds']:.0f} us of CPU time"
    if agents["trigger_wakes"]:
        taken = f"{agents['trigger_microseconds']:.0f} us"
        said += f"; the threads that begin task lists, {agents['trigger_wakes']} times and {taken}"
    err.print(said, soft_wrap=True)


def show_nodes(nodes: dict[str, Any]) -> None:
    way = "few rounds of many messages" if nodes["are_far"] else "few messages"
    took = nodes["round_trip_microseconds"]
    said = f"weft: a message between nodes and its answer took {took} us: collectives have {way}"
    if nodes["share_cores"]:
        said += "; one machine runs all nodes, and has fewer processors than ranks"
    err.print(said, soft_wrap=True)


def each(microseconds: float, number: int) -> str:
    return f", {microseconds / number:.2f} us each" if number else ""


def show(file: Path) -> None:
    """Shows the counters on stderr, beside the program's own output."""
    counts = read(file)
    if counts is None:
        err.print(
            "weft: there are no counters: the program ended without MPI_Finalize, had sessions only, or ran "
            "without Weft."
        )
        return
    if not counts["collectives"]:
        err.print("weft: the program called no collective.")
        return
    shown = table(
        f"Collective calls, {counts['ranks']} ranks together", "function", "by Weft", "us each", "waiting",
        "by the host MPI", "why", right=("by Weft", "us each", "waiting", "by the host MPI"), to=err,
    )  # fmt: skip
    for name, entry in sorted(counts["collectives"].items()):
        why = "; ".join(f"{reason} ({number})" for reason, number in entry["why"].items())
        calls, waited = entry["weft"], entry["waited_microseconds"]
        times = (f"{entry['microseconds'] / calls:.2f}", f"{waited / calls:.2f}") if calls else ("", "")
        shown.add_row(name, str(calls), *times, str(entry["host"]), why)
    err.print(shown)
    plans, constructors = counts["plans"], counts["constructors"]
    took = each(plans["making_microseconds"], plans["made"])
    recent = sum(entry["like_recent"] for entry in counts["collectives"].values())
    err.print(
        f"weft: {plans['made']} plans made{took}, {plans['found']} found again; {recent} calls were like recent ones",
        soft_wrap=True,
    )
    took = each(constructors["microseconds"], constructors["calls"])
    err.print(
        f"weft: {constructors['calls']} constructors of communicators{took} besides the host's part", soft_wrap=True
    )
    if "nodes" in counts:
        show_nodes(counts["nodes"])
    if "agents" in counts:
        show_agents(counts["agents"])
    for way, number in counts["communicators"].items():
        why = counts["why_communicators"].get(way)
        err.print(f"weft: communicators {way}: {number}{f' ({why})' if why else ''}", markup=False, soft_wrap=True)
