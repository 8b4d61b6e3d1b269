# SPDX-License-Identifier: BSD-3-Clause
"""All points of a study, and the verdicts on its claims."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from weft.bad_input import BadInput
from weft.machine_file import machine_text
from weft.reproduce.judge import Judgement, Results, judge
from weft.reproduce.programs import run
from weft.reproduce.study import Claim, Series, Study


@dataclass(frozen=True)
class Reproduction:
    study: Study
    results: Results
    judgements: tuple[tuple[Claim, Judgement], ...]

    @property
    def points(self) -> list[float]:
        return sorted({point for _, point in self.results})

    @property
    def record(self) -> dict[str, Any]:
        return {
            "study": self.study.name,
            "title": self.study.title,
            "paper": self.study.paper,
            "figure": self.study.figure,
            "machine": self.study.machine,
            "axis": self.study.axis.name,
            "metric": self.study.metric,
            "notes": list(self.study.notes),
            "points": [
                {"series": series, self.study.axis.name: point} | metrics
                for (series, point), metrics in self.results.items()
            ],
            "claims": [
                {
                    "says": claim.says,
                    "where": claim.where,
                    "unfavourable": claim.unfavourable,
                    "paper": judgement.paper,
                    "ours": judgement.ours,
                    "verdict": judgement.verdict.value,
                    "because": claim.because,
                }
                for claim, judgement in self.judgements
            ],
        }


def point_of(study: Study, series: Series, point: float) -> dict[str, float]:
    parameters = {"machine": machine_text(study.machine)} | series.parameters | {study.axis.name: point}
    if series.parameters.get("machine"):
        parameters["machine"] = machine_text(series.parameters["machine"])
    try:
        metrics = run(series.program, parameters)
    except BadInput as problem:
        raise BadInput(f"{study.file}: series {series.name} at {study.axis.name} = {point:g}: {problem}") from problem
    if study.metric not in metrics:
        raise BadInput(f"{study.file}: metric {study.metric}: {series.program} has {', '.join(metrics)}.")
    return metrics


def reproduce(study: Study, *, tiny: bool = False, advance: Callable[[], None] = lambda: None) -> Reproduction:
    """`tiny`: at few points, for tests. `advance` is called after each."""
    results: Results = {}
    for series in study.series:
        for point in study.axis.tiny if tiny else study.axis.values:
            results[series.name, point] = point_of(study, series, point)
            advance()
    judgements = tuple((claim, judge(study, claim, results)) for claim in study.claims)
    return Reproduction(study, results, judgements)
