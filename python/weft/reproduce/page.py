# SPDX-License-Identifier: BSD-3-Clause
"""Reproductions as one HTML page: for each study its picture, its numbers, and what became of the paper's claims."""

import base64
import io
from collections import Counter
from html import escape
from typing import Any

from weft.reproduce.judge import Verdict, show
from weft.reproduce.measure import MeasuredPoint
from weft.reproduce.simulate import Reproduction, because

STYLE = """
body { font: 15px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0 } td, th { padding: .2em .8em; border-bottom: 1px solid #ddd }
td.number { text-align: right } th { text-align: left } img { max-width: 100% }
.holds { color: #17692d } .wrong { color: #a11 } .open { color: #666 } .note { color: #555 }
"""
FEW, COLOURS = 6, 10  # series beside which a legend has room in the picture; and before colours come again
WIDE = 100  # from the least value to the most
CLASSES = {Verdict.holds: "holds", Verdict.does_not_hold: "wrong"}


def page(reproductions: list[Reproduction]) -> str:
    sections = [section(one) for one in reproductions]
    counts = Counter(judgement.verdict for one in reproductions for _, judgement in one.judgements)
    summary = "; ".join(f"{verdict.value}: {counts[verdict]}" for verdict in Verdict)
    rows = "".join(
        f'<tr><td><a href="#{one.study.name}">{one.study.name}</a></td><td>{escape(one.study.title)}</td>'
        f"<td>{escape(one.study.paper)}, {escape(one.study.figure)}</td><td>{verdicts(one)}</td></tr>"
        for one in reproductions
    )
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>The papers\' figures, simulated</title>'
        f"<style>{STYLE}</style><body><h1>The papers' figures, simulated</h1><p>Claims: {summary}.</p>"
        f"<table><tr><th>study</th><th>what</th><th>where</th><th>claims that hold</th></tr>{rows}</table>"
        + "".join(sections)
        + "</body></html>\n"
    )


def verdicts(one: Reproduction) -> str:
    judged = [judgement.verdict for _, judgement in one.judgements if judgement.verdict != Verdict.not_judged]
    return f"{judged.count(Verdict.holds)} of {len(judged)}"


def section(one: Reproduction) -> str:
    study = one.study
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in study.notes)
    claims = "".join(
        f"<tr><td>{escape(claim.says)}{' (unfavourable)' if claim.unfavourable else ''}</td>"
        f"<td>{escape(claim.where)}</td>"
        f"<td>{escape(judgement.paper)}</td><td>{escape(judgement.ours)}</td>"
        f'<td class="{CLASSES.get(judgement.verdict, "open")}">{judgement.verdict.value}'
        f"{': ' + escape(why) if (why := because(claim, judgement)) else ''}</td></tr>"
        for claim, judgement in one.judgements
    )
    return (
        f'<h2 id="{study.name}">{escape(study.title)}</h2><p>{escape(study.paper)}, {escape(study.figure)}; machine '
        f"{escape(study.machine)}.</p>{notes}{image(one)}{numbers(one)}{measured_in_words(one)}"
        "<table><tr><th>the paper says</th><th>where</th><th>paper</th><th>ours</th><th>verdict</th></tr>"
        f"{claims}</table>"
    )


def columns(one: Reproduction) -> list[tuple[str, dict[float, str]]]:
    """Of the table of a figure's numbers, by point: what was simulated, what the paper prints, what was measured."""
    metric = one.study.metric
    found = [
        (series.name, {point: show(one.results[series.name, point][metric]) for point in one.points})
        for series in one.study.series
    ]
    for name in dict.fromkeys(name for name, _, _ in one.printed):
        found.append((f"{name}, paper", {point: show(value) for series, point, value in one.printed if series == name}))
    for name, points in placed(one).items():
        found.append((f"{name}, measured", {point.point: str(point) for point in points}))
    return found


def placed(one: Reproduction) -> dict[str, list[MeasuredPoint]]:
    """Series -> what was measured at points of the axis."""
    names = dict.fromkeys(point.series for point in one.measured if point.point is not None)
    return {name: [point for point in one.measured if point.series == name] for name in names}


def rows(one: Reproduction) -> list[float]:
    """Points of that table: those that were simulated or measured."""
    return sorted({*one.points, *(point.point for point in one.measured if point.point is not None)})


def measured_notes(one: Reproduction) -> list[str]:
    """What measured points are, for whoever reads them beside the others."""
    notes = []
    for series in one.study.measured:
        points = [point for point in one.measured if point.series == series.name]
        if points:
            load = sum(point.load for point in points) / len(points)
            launches = max(point.count for point in points)
            aside = "".join(f" {point} {series.unit};" for point in points if point.point is None)
            notes.append(
                f"{series.name}, measured:{aside} weft bench {series.command}; median [quartiles] of {launches} "
                f"launches, load {load:.1f}; not judged. {series.differs}"
            )
    return notes


def measured_in_words(one: Reproduction) -> str:
    return "".join(f'<p class="note">{escape(note)}</p>' for note in measured_notes(one))


def numbers(one: Reproduction) -> str:
    cells = columns(one)
    head = "".join(f"<th>{escape(name)}</th>" for name, _ in cells)
    body = "".join(
        f'<tr><td class="number">{point:,.10g}</td>'
        + "".join(f'<td class="number">{escape(values.get(point, ""))}</td>' for _, values in cells)
        + "</tr>"
        for point in rows(one)
    )
    return (
        f"<p>{escape(one.study.metric)}:</p><table><tr><th>{escape(one.study.axis.name)}</th>{head}</tr>{body}</table>"
    )


def image(one: Reproduction) -> str:
    figure = picture(one)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    return f'<img alt="" src="data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}">'


def picture(one: Reproduction) -> Any:
    from weft.chart import load

    plt = load()
    study = one.study
    is_crowded = len(study.series) + len(placed(one)) > FEW
    figure, axes = plt.subplots(figsize=(9 if is_crowded else 7, 4), layout="constrained")
    colours = {}
    for number, series in enumerate(study.series):
        values = [one.results[series.name, point][study.metric] for point in one.points]
        marker = "o" if number < COLOURS else "D"
        colours[series.name] = axes.plot(one.points, values, marker=marker, label=series.name)[0].get_color()
    draw_printed(one, axes, colours)
    draw_measured(one, axes)
    axes.set_xlabel(f"{study.axis.name}{f' ({study.axis.unit})' if study.axis.unit else ''}")
    axes.set_ylabel(study.metric.replace("_us", " (us)").replace("_percent", " (%)"))
    if study.axis.is_logarithmic:
        axes.set_xscale("log", base=2)
    scale(one, axes)
    how = "simulated, and measured here" if placed(one) else "simulated"
    axes.set_title(f"{study.paper}, {study.figure}: {how}")
    if is_crowded:
        figure.legend(loc="outside right upper", fontsize="small")
    else:
        axes.legend()
    plt.close(figure)
    return figure


def scale(one: Reproduction, axes: Any) -> None:
    """From 0 on; logarithmic, as the axis is, where most points would lie on the floor."""
    values = [metrics[one.study.metric] for metrics in one.results.values()]
    positive = [value for value in values if value > 0]
    if min(values) < 0:
        return
    is_wide = positive and max(positive) > WIDE * min(positive) and not one.study.metric.endswith("_percent")
    if one.study.axis.is_logarithmic and is_wide:
        axes.set_yscale("symlog", linthresh=min(positive)) if min(values) == 0 else axes.set_yscale("log")
    if axes.get_yscale() != "log":
        axes.set_ylim(0, max(axes.get_ylim()[1], 1.05 * max(values)))


def draw_printed(one: Reproduction, axes: Any, colours: dict[str, Any]) -> None:
    """The paper's numbers: stars, each in the colour of its series."""
    for number, (series, point, value) in enumerate(one.printed):
        label = "the paper" if number == 0 else None
        style = {"marker": "*", "markersize": 14, "markeredgecolor": "black", "linestyle": "none", "zorder": 5}
        axes.plot([point], [value], color=colours[series], label=label, **style)


def draw_measured(one: Reproduction, axes: Any) -> None:
    for name, points in placed(one).items():
        spreads = [point.spread for point in points]
        apart = [[each.median - each.low for each in spreads], [each.high - each.median for each in spreads]]
        style = {"marker": "s", "linestyle": ":", "capsize": 3, "label": f"{name}, measured"}
        axes.errorbar([point.point for point in points], [each.median for each in spreads], yerr=apart, **style)
