# SPDX-License-Identifier: BSD-3-Clause
"""Reproductions as one HTML page: for each study its picture, its numbers, and what became of the paper's claims."""

import base64
import io
from collections import Counter
from html import escape
from typing import Any

from weft.reproduce.judge import Verdict, show
from weft.reproduce.simulate import Reproduction

STYLE = """
body { font: 15px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222 }
table { border-collapse: collapse; margin: 1em 0 } td, th { padding: .2em .8em; border-bottom: 1px solid #ddd }
td.number { text-align: right } th { text-align: left } img { max-width: 100% }
.holds { color: #17692d } .wrong { color: #a11 } .open { color: #666 } .note { color: #555 }
"""
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
        f"{': ' + escape(claim.because) if claim.because and judgement.verdict != Verdict.holds else ''}</td></tr>"
        for claim, judgement in one.judgements
    )
    return (
        f'<h2 id="{study.name}">{escape(study.title)}</h2><p>{escape(study.paper)}, {escape(study.figure)}; machine '
        f"{escape(study.machine)}.</p>{notes}{image(one)}{numbers(one)}"
        "<table><tr><th>the paper says</th><th>where</th><th>paper</th><th>ours</th><th>verdict</th></tr>"
        f"{claims}</table>"
    )


def numbers(one: Reproduction) -> str:
    head = "".join(f"<th>{escape(series.name)}</th>" for series in one.study.series)
    rows = "".join(
        f'<tr><td class="number">{point:,.10g}</td>'
        + "".join(
            f'<td class="number">{show(one.results[series.name, point][one.study.metric])}</td>'
            for series in one.study.series
        )
        + "</tr>"
        for point in one.points
    )
    return (
        f"<p>{escape(one.study.metric)}:</p><table><tr><th>{escape(one.study.axis.name)}</th>{head}</tr>{rows}</table>"
    )


def image(one: Reproduction) -> str:
    figure = picture(one)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    return f'<img alt="" src="data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}">'


def picture(one: Reproduction) -> Any:
    from weft.chart import load

    plt = load()
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    study = one.study
    for series in study.series:
        values = [one.results[series.name, point][study.metric] for point in one.points]
        axes.plot(one.points, values, marker="o", label=series.name)
    axes.set_xlabel(f"{study.axis.name}{f' ({study.axis.unit})' if study.axis.unit else ''}")
    axes.set_ylabel(study.metric.replace("_us", " (us)").replace("_percent", " (%)"))
    if min(metrics[study.metric] for metrics in one.results.values()) >= 0:
        axes.set_ylim(bottom=0)
    if study.axis.is_logarithmic:
        axes.set_xscale("log", base=2)
    axes.set_title(f"{study.paper}, {study.figure}: simulated")
    axes.legend()
    plt.close(figure)
    return figure
