# SPDX-License-Identifier: BSD-3-Clause
"""Who moves operations while programs compute, in words: for `weft explain` of one call, for `weft doctor` of all."""

from typing import TYPE_CHECKING, Any

from weft.units import parse_size, show_size

if TYPE_CHECKING:
    from weft import _core

RANKS = "the ranks themselves, whenever they are inside MPI"
LEFT = "agent, which leaves this to the ranks, whenever they are inside MPI"
NOBODY = "it needs nobody: each rank says what it has when it starts, and reads the others' when it waits"
WAKES = 200  # from which the median is taken


def who_moves(movers: "_core.Movers", is_reduction: bool) -> list[str]:
    """What moves a call, and how much of it is hidden behind computation: a line each."""
    if not movers["senders"] and not movers["in_memory"]:
        return [f"{movers['device']}: nothing has to be moved"]
    if movers["device"] == "none":
        lines = [f"none: {RANKS}"]
        if movers["is_short"] and not movers["senders"]:
            lines.append(f"as short as this, {NOBODY}")
        return lines
    if movers["takes_times"]:
        return [f"agent, but under WEFT_TIMES=1: {RANKS}, whose times are taken"]
    if movers["shares_memory"]:
        return within_node(movers, is_reduction)
    return over_wire(movers, is_reduction)


def within_node(movers: "_core.Movers", is_reduction: bool) -> list[str]:
    if movers["senders"]:
        return [
            LEFT,
            "agents are connected between nodes; messages within one are the host's",
        ]
    up_to, copies_from = show_size(movers["longest_short"]), show_size(movers["copies_from"])
    short = f"up to {up_to} bytes it needs nobody; " if movers["longest_short"] else ""
    if movers["copied_by_agents"]:
        is_all = movers["copied_by_agents"] == movers["in_memory"]
        return [
            f"agent: {copied_by(movers)}",
            f"hidden{', of any size' if is_all else ' as far as agents do it'}; {short}what copies less than "
            f"{copies_from} bytes on a rank is left to it (WEFT_AGENT_BYTES), and so is a blocking one",
            *left_to_ranks(movers, is_reduction),
        ]
    if movers["is_short"]:
        longer = (
            f"hidden up to {up_to} bytes; longer ones are the ranks', or, where a rank copies {copies_from} bytes or "
            "more in a non-blocking one (WEFT_AGENT_BYTES), its agent's"
        )
        return [f"agent, which this does not take: {NOBODY}", longer if movers["longest_short"] else "hidden"]
    return [
        LEFT,
        f"{short}of longer ones agents do what copies {copies_from} bytes or more on a rank (WEFT_AGENT_BYTES), and "
        f"this copies {show_size(movers['most_copied'])}",
    ]


def copied_by(movers: "_core.Movers") -> str:
    """What agents do within a node."""
    copiers, ranks = movers["copied_by_agents"], movers["in_memory"]
    whose = "each rank's agent" if copiers == ranks else f"the agents of {copiers} of these {ranks} ranks"
    crowd = "also where ranks outnumber cores" if movers["copies_in_a_crowd"] else "unless ranks outnumber cores"
    return f"what a non-blocking or persistent one copies and combines within a node is done by {whose}, {crowd}"


def over_wire(movers: "_core.Movers", is_reduction: bool) -> list[str]:
    by_ranks, listed, others = movers["by_ranks"], movers["by_list"], movers["in_memory"]
    senders = movers["senders"] - by_ranks
    if not senders:
        return [f"agent, but what hosts without the device send and receive is moved by {RANKS}"]
    lists = f"as task lists of up to {movers['longest_list']} tasks"
    how = lists if listed == senders else "as their schedules"
    if listed < senders and not movers["why_no_list"]:
        how += ", with steps in nodes' memory"
    if 0 < listed < senders:
        how = f"{listed} of them {lists}, the others as their schedules"
    who = f"the agents of {counted(senders)} that send and receive for their nodes" if others else "each rank's agent"
    if by_ranks:
        who = f"the agents of {counted(senders)}"
    lines = [f"agent: over the wire, moved by {who}, {how}"]
    if by_ranks:
        lines.append(f"{counted(by_ranks)} with messages to or from hosts that the device does not join: {RANKS}")
    if movers["why_no_list"]:
        lines.append(f"no lists: {movers['why_no_list']}")
    if others:
        lines.append(f"{counted(others)} with nothing to send: through the memory of their nodes; {by_mates(movers)}")
    lines.append("hidden over the wire, of any size: agents are in the processes that have the buffers")
    lines.append(how_messages_go(movers))
    return [*lines, *left_to_ranks(movers, is_reduction)]


def by_mates(movers: "_core.Movers") -> str:
    if movers["copied_by_agents"]:
        return copied_by(movers)
    copied, copies_from = show_size(movers["most_copied"]), show_size(movers["copies_from"])
    return f"they copy at most {copied} bytes, which they do themselves: agents do {copies_from} and more"


def how_messages_go(movers: "_core.Movers") -> str:
    longest, unasked = show_size(movers["longest_message"]), show_size(movers["most_unasked"])
    if movers["longest_message"] <= movers["most_unasked"]:
        return f"messages of at most {longest} bytes: up to {unasked} they may go before their receiver has begun"
    return (
        f"messages of up to {longest} bytes: above {unasked} they wait at their sender until their receiver has begun, "
        "and then go without a copy in user space"
    )


def left_to_ranks(movers: "_core.Movers", is_reduction: bool) -> list[str]:
    """What no other thread than a rank's own may do."""
    if not movers["longest_message"] and not movers["most_copied"]:
        return []
    operators = ", or by an operator of the program's, or one that only the host applies" if is_reduction else ""
    return [f"with buffers that are packed as they travel{operators}: the ranks alone"]


def counted(ranks: int) -> str:
    return f"{ranks} rank{'' if ranks == 1 else 's'}"


def device_here(settings: "list[_core.SettingInEffect]", cores: int, wake_ns: int) -> dict[str, Any]:
    """What a job that starts here would have, and what is to be known of agents on this machine."""
    of = {setting["name"]: setting for setting in settings}
    device, agent_bytes = of["WEFT_DEVICE"], of["WEFT_AGENT_BYTES"]
    facts: dict[str, Any] = {
        "name": device["value"],
        "from": device["from"],
        "agent_bytes": parse_size(agent_bytes["value"]),
        "cores": cores,
        "ranks_with_a_core_to_spare": cores - 1,
        "copies_in_a_crowd": agent_bytes["from"] != "default",
        "wake_us": wake_ns / 1000,
        "wakes": WAKES,
    }
    return {**facts, "says": [what_is_set(facts), *where_agents_run(facts), what_waking_costs(facts)]}


def what_is_set(facts: dict[str, Any]) -> str:
    if facts["name"] == "none":
        return f"none ({facts['from']}): {RANKS}; WEFT_DEVICE=agent gives each process a thread for that"
    return (
        f"{facts['name']} ({facts['from']}): a thread of each process goes on while the program computes, with what "
        "goes between nodes, and with long non-blocking operations within one"
    )


def where_agents_run(facts: dict[str, Any]) -> list[str]:
    cores = facts["cores"]
    if cores == 1:
        spare = "1 core usable: none to spare for agents, which take their time from the ranks"
    else:
        most = cores - 1
        spare = (
            f"{cores} cores usable: one is to spare for agents with up to {counted(most)}; they run on cores that no "
            "rank is bound to, and on their rank's own"
        )
    crowd = "the ranks" if not facts["copies_in_a_crowd"] else "agents all the same, as WEFT_AGENT_BYTES is given"
    return [spare, f"more than {counted(cores)} here: long operations within the node are done by {crowd}"]


def what_waking_costs(facts: dict[str, Any]) -> str:
    return (
        f"waking an agent takes {facts['wake_us']:.1f} us here (median of {facts['wakes']}), so that operations within "
        f"a node of which a rank copies less than {show_size(facts['agent_bytes'])} bytes are left to the ranks "
        "(WEFT_AGENT_BYTES)"
    )
