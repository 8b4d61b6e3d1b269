# SPDX-License-Identifier: BSD-3-Clause
"""Who did what when in a simulation: as text, as a picture, or for Chrome's viewer of traces. A rank has a row, and
below it one for each further processor, and for the agent or adapter that moves its operations, if something else than
the rank does."""

import json
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from weft.simulation import Bar, Simulated

WIDTH = 100  # columns of the text
MOST_LINES = 2000  # of what the text lists


class Look(NamedTuple):
    """Of bars of one kind."""

    mark: str  # in texts
    colour: str
    meaning: str


# In this order: what is drawn later covers what was drawn before.
LOOKS = {
    "wait": Look(".", "#eeeeee", "waits"),
    "step": Look("|", "#c9c3dd", "meets its node's group"),
    "compute": Look("=", "#8fbcdb", "computes"),
    "copy": Look(":", "#b5a642", "copies"),
    "calc": Look("*", "#7a9e7e", "calculates"),
    "reduce": Look("+", "#5b9e5b", "reduces"),
    "request": Look("?", "#e8b4c8", "requests"),
    "answer": Look("!", "#c77d9b", "answers requests"),
    "receive": Look("<", "#b0472b", "receives"),
    "send": Look(">", "#e39a5b", "sends"),
    "put": Look("^", "#d98cb3", "puts"),
}


def draw(result: "Simulated", form: str) -> str:
    """`form`: .txt, .svg or .json."""
    if form == ".json":
        return chrome_trace(result)
    return svg(result) if form == ".svg" else text(result)


def look_of(bar: "Bar") -> str:
    return "step" if bar.is_step else bar.kind


def name_of(bar: "Bar", several: bool) -> str:
    """What the bar shows, in words; `several`: operations, so that it says of which."""
    size = f"{bar.bytes:,} bytes"
    names = {
        "send": f"send {size} to rank {bar.peer}",
        "put": f"put {size} to rank {bar.peer}",
        "receive": f"receive {size} from rank {bar.peer}",
        "request": f"request to send {size} to rank {bar.peer}",
        "answer": f"answer to the request of rank {bar.peer}, {size}",
        "copy": f"copy {size}",
        "reduce": f"reduce {size}",
    }
    name = names.get(bar.kind, bar.kind)
    return f"{name}, operation {bar.operation}" if several and bar.kind != "compute" else name


def has_several(result: "Simulated") -> bool:
    return len(result.names) > 1


def rows_of(result: "Simulated") -> "dict[tuple[int, str], list[Bar]]":
    """By rank and who does it, "" for its first processor; from those that are drawn first."""
    rows: dict[tuple[int, str], list[Bar]] = {}
    for bar in result.bars:
        rows.setdefault((bar.rank, ""), [])
        rows.setdefault((bar.rank, row_of(bar)), []).append(bar)
    layers = list(LOOKS)
    for bars in rows.values():
        bars.sort(key=lambda bar: (layers.index(look_of(bar)), bar.begin_ns))
    return dict(sorted(rows.items(), key=lambda row: (row[0][0], place_of(row[0][1]))))


def row_of(bar: "Bar") -> str:
    return mover_of(bar) or (f"cpu {bar.cpu}" if bar.cpu else "")


def place_of(row: str) -> tuple[bool, int]:
    """Among those of a rank: its processors by their numbers, then who moves its operations."""
    word, _, number = row.partition(" ")
    return word not in ("", "cpu"), int(number or 0)


def mover_of(bar: "Bar") -> str:
    return "" if bar.by == "host" else str(bar.by)


def looks_in(bars: "Iterable[Bar]") -> list[Look]:
    present = {look_of(bar) for bar in bars}
    return [look for kind, look in LOOKS.items() if kind in present]


def text(result: "Simulated") -> str:
    """A line for each row, with a mark for each some part of the time of a column; then what they did, one by one."""
    finish = max(result.finish_ns, 1e-9)
    legend = ", ".join(f"{look.mark} {look.meaning}" for look in looks_in(result.bars))
    lines = [f"0 to {finish / 1000:,.3f} us: {legend}"]
    for (rank, row_name), bars in rows_of(result).items():
        row = [" "] * WIDTH
        for bar in bars:
            first = min(int(bar.begin_ns / finish * WIDTH), WIDTH - 1)
            end = max(first + 1, min(round(bar.end_ns / finish * WIDTH), WIDTH))
            row[first:end] = LOOKS[look_of(bar)].mark * (end - first)
        lines.append(f"{row_name or rank:>7}  {''.join(row).rstrip()}".rstrip())
    return "\n".join([*lines, "", *listed(result)]) + "\n"


def listed(result: "Simulated") -> list[str]:
    ordered = sorted(result.bars, key=lambda bar: (bar.rank, bar.begin_ns, bar.end_ns, list(LOOKS).index(look_of(bar))))
    lines = [f"{'rank':>7} {'from':>14} {'to us':>14}"]
    for bar in ordered[:MOST_LINES]:
        what = name_of(bar, has_several(result))
        by = f" (by its {row_of(bar)})" if mover_of(bar) else f" (on {row_of(bar)})" if bar.cpu else ""
        lines.append(f"{bar.rank:>7} {bar.begin_ns / 1000:>14,.3f} {bar.end_ns / 1000:>14,.3f}  {what}{by}")
    if len(ordered) > MOST_LINES:
        lines.append(f"and {len(ordered) - MOST_LINES:,} more, which a timeline of the name FILE.json has")
    return lines


def svg(result: "Simulated") -> str:
    left, row_height, width = 60, 16, 1000
    finish = max(result.finish_ns, 1e-9)
    rows = rows_of(result)
    height = row_height * (len(rows) + 3)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 10}" height="{height}" '
        'font-family="sans-serif" font-size="11">'
    ]
    for row, ((rank, row_name), bars) in enumerate(rows.items()):
        top = row * row_height + 4
        parts.append(f'<text x="{left - 6}" y="{top + 10}" text-anchor="end">{row_name or rank}</text>')
        for bar in bars:
            begin, end = (left + time / finish * width for time in (bar.begin_ns, bar.end_ns))
            name = name_of(bar, has_several(result))
            title = escape(f"{name}: {bar.begin_ns:g} to {bar.end_ns:g} ns")
            parts.append(
                f'<rect x="{begin:.2f}" y="{top}" width="{max(end - begin, 0.3):.2f}" height="{row_height - 4}" '
                f'fill="{LOOKS[look_of(bar)].colour}"><title>{title}</title></rect>'
            )
    axis = row_height * len(rows) + 16
    parts.append(f'<text x="{left}" y="{axis}">0</text>')
    parts.append(f'<text x="{left + width}" y="{axis}" text-anchor="end">{finish / 1000:,.3f} us</text>')
    x, below = left, axis + row_height
    for look in looks_in(result.bars):
        parts.append(f'<rect x="{x}" y="{below - 9}" width="10" height="10" fill="{look.colour}"/>')
        parts.append(f'<text x="{x + 14}" y="{below}">{escape(look.meaning)}</text>')
        x += 30 + 7 * len(look.meaning)
    return "\n".join([*parts, "</svg>"]) + "\n"


def chrome_trace(result: "Simulated") -> str:
    """The trace event format: complete events (X), times in us, a process for each rank. Its threads: the rank, who
    moves its operations, its node's group, since bars of one thread may lie within one another but not overlap, and
    its further processors."""
    threads: dict[tuple[int, int], str] = {}
    events = []
    for bar in result.bars:
        thread = 2 if bar.is_step else 1 if mover_of(bar) else 2 + bar.cpu if bar.cpu else 0
        threads[bar.rank, thread] = "its node's group" if bar.is_step else row_of(bar) or "rank"
        events.append(
            {
                "name": name_of(bar, has_several(result)),
                "cat": bar.kind,
                "ph": "X",
                "ts": bar.begin_ns / 1000,
                "dur": (bar.end_ns - bar.begin_ns) / 1000,
                "pid": bar.rank,
                "tid": thread,
                "args": {"operation": bar.operation, "peer": bar.peer, "bytes": bar.bytes},
            }
        )
    named = [
        {"name": kind, "ph": "M", "pid": rank, "tid": thread, "args": {"name": name}}
        for (rank, thread), own in sorted(threads.items())
        for kind, name in (("process_name", f"rank {rank}"), ("thread_name", own))
    ]
    return json.dumps({"traceEvents": [*named, *events], "displayTimeUnit": "ns"}) + "\n"
