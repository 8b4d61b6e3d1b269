# SPDX-License-Identifier: BSD-3-Clause
"""What `weft explain` shows of an exchange: who sends what to whom, and who holds what after each round."""

from typing import TYPE_CHECKING

from weft.console import out, say, show_columns, table
from weft.units import show_size

if TYPE_CHECKING:
    from weft import _core

MOST_RANKS_SHOWN = 64


def shorten(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 4] + " ..."


def message_lines(messages: "list[_core.TraceMessage]") -> list[str]:
    """One entry per sender: "0 → 1,2"."""
    receivers: dict[int, list[str]] = {}
    for message in messages:
        receivers.setdefault(message.sender, []).append(str(message.receiver))
    return [f"{sender} → {','.join(to)}" for sender, to in receivers.items()]


def show_rounds(counted: int, trace: "_core.Trace") -> None:
    """`counted`: how many the cost counts."""
    if not trace.rounds:
        return say("Nothing travels: every rank has what it needs.")
    shown = table("Who sends to whom", "round", "messages", "bytes each", right=("round", "bytes each"))
    for number, one in enumerate(trace.rounds):
        lines = message_lines(one.messages)
        more = len(lines) - MOST_RANKS_SHOWN
        pairs = "   ".join(lines[:MOST_RANKS_SHOWN]) + (f"   … and {more} more senders" if more > 0 else "")
        sizes = sorted({m.bytes for m in one.messages})
        each = (
            ""
            if not sizes
            else show_size(sizes[0])
            if len(sizes) == 1
            else f"{show_size(sizes[0])}-{show_size(sizes[-1])}"
        )
        shown.add_row(str(number), "; ".join([*one.node_steps, pairs] if pairs else one.node_steps), each)
    out.print(shown)
    if trace.is_cut:
        say(f"… and more rounds than these {len(trace.rounds)}: --json has all of them.", "dim")
    elif counted > len(trace.rounds):
        say(f"What one rank sends one after another shares a round here; the cost counts {counted}.", "dim")
    say()
    return None


def show_holdings(call: "_core.Call", trace: "_core.Trace") -> None:
    """A row per rank, a column per round, as many as fit side by side; the rest below."""
    columns = [("before", trace.initially)] + [(f"round {i}", r.holds) for i, r in enumerate(trace.rounds)]
    columns = [(name, [shorten(text, 40) for text in texts[:MOST_RANKS_SHOWN]]) for name, texts in columns]
    ranks = min(call.ranks, MOST_RANKS_SHOWN)
    numbers = ("rank", [str(rank) for rank in range(ranks)])
    say("Who holds what after each round (contributions, by the rank they come from)", "bold")
    while columns:
        width, take = 8, 0
        while take < len(columns) and (take == 0 or width + cell_width(columns[take]) <= out.width):
            width += cell_width(columns[take])
            take += 1
        show_columns([numbers, *columns[:take]], right=("rank",))
        columns = columns[take:]
    if ranks < call.ranks:
        say(f"… and {call.ranks - ranks} more ranks: --json has all of them.")


def cell_width(column: tuple[str, list[str]]) -> int:
    name, texts = column
    return 3 + max(len(name), *(len(text) for text in texts))


def rounds_text(schedules: "_core.Schedules", trace: "_core.Trace") -> str:
    """The exchange in plain lines, for files and for comparison."""
    lines = [f"{schedules.call} by {schedules.algorithm}", "before: " + holdings(trace.initially)]
    for number, one in enumerate(trace.rounds):
        lines.append(f"round {number}")
        lines += [f"  {step}" for step in one.node_steps]
        lines += [f"  {m.sender} -> {m.receiver}: {m.bytes} bytes: {m.what}" for m in one.messages]
        lines.append("  after: " + holdings(one.holds))
    return "\n".join(lines) + "\n"


def holdings(holds: list[str]) -> str:
    return "; ".join(f"{rank} has {text}" for rank, text in enumerate(holds))
