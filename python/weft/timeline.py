# SPDX-License-Identifier: BSD-3-Clause
"""Who did what when in a simulation: as text, as a picture, or for Chrome's viewer of traces."""

import json
from collections import defaultdict
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft.simulation import Bar, Simulated

WIDTH = 100  # columns of the text
MARKS = {"compute": "=", "wait": ".", "task": "#"}
COLOURS = {"compute": "#8fbcdb", "wait": "#eeeeee", "task": "#d9713c"}
ORDER = ("wait", "compute", "task")  # what is drawn later covers what was drawn before


def draw(result: "Simulated", form: str) -> str:
    """`form`: .txt, .svg or .json."""
    if form == ".json":
        return chrome_trace(result)
    return svg(result) if form == ".svg" else text(result)


def by_rank(result: "Simulated") -> "dict[int, list[Bar]]":
    ranks: dict[int, list[Bar]] = defaultdict(list)
    for bar in sorted(result.bars, key=lambda bar: (bar.rank, ORDER.index(bar.what), bar.begin_ns)):
        ranks[bar.rank].append(bar)
    return ranks


def text(result: "Simulated") -> str:
    """One line per rank: # moves an operation, = computes, . waits, each for some part of the time of a column."""
    finish = max(result.finish_ns, 1e-9)
    lines = [f"0 to {finish / 1000:,.3f} us: # moves an operation, = computes, . waits"]
    for rank, bars in by_rank(result).items():
        row = [" "] * WIDTH
        for bar in bars:
            first = min(int(bar.begin_ns / finish * WIDTH), WIDTH - 1)
            end = max(first + 1, min(round(bar.end_ns / finish * WIDTH), WIDTH))
            row[first:end] = MARKS[bar.what] * (end - first)
        lines.append(f"{rank:>6}  {''.join(row).rstrip()}")
    return "\n".join(lines) + "\n"


def svg(result: "Simulated") -> str:
    left, row_height, width = 50, 16, 1000
    finish = max(result.finish_ns, 1e-9)
    ranks = by_rank(result)
    height = row_height * (len(ranks) + 2)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 10}" height="{height}" '
        'font-family="sans-serif" font-size="11">'
    ]
    for row, (rank, bars) in enumerate(ranks.items()):
        top = row * row_height + 4
        parts.append(f'<text x="{left - 6}" y="{top + 10}" text-anchor="end">{rank}</text>')
        for bar in bars:
            begin, end = (left + time / finish * width for time in (bar.begin_ns, bar.end_ns))
            title = escape(f"{bar.what} {bar.operation}: {bar.begin_ns:g} to {bar.end_ns:g} ns")
            parts.append(
                f'<rect x="{begin:.2f}" y="{top}" width="{max(end - begin, 0.3):.2f}" height="{row_height - 4}" '
                f'fill="{COLOURS[bar.what]}"><title>{title}</title></rect>'
            )
    axis = row_height * len(ranks) + 16
    parts.append(f'<text x="{left}" y="{axis}">0</text>')
    parts.append(f'<text x="{left + width}" y="{axis}" text-anchor="end">{finish / 1000:,.3f} us</text>')
    for place, what in enumerate(ORDER):
        x = left + 60 + 120 * place
        parts.append(f'<rect x="{x}" y="{axis - 9}" width="10" height="10" fill="{COLOURS[what]}"/>')
        parts.append(f'<text x="{x + 14}" y="{axis}">{"moves an operation" if what == "task" else what}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def chrome_trace(result: "Simulated") -> str:
    """The trace event format: complete events (X), times in us, a thread for each rank and one for who moves its
    operations."""
    events = [
        {
            "name": f"{bar.what} {bar.operation}" if bar.what != "compute" else "compute",
            "ph": "X",
            "ts": bar.begin_ns / 1000,
            "dur": (bar.end_ns - bar.begin_ns) / 1000,
            "pid": bar.rank,
            "tid": 1 if bar.what == "task" else 0,
        }
        for bar in result.bars
    ]
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}) + "\n"
