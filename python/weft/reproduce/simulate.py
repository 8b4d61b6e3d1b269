# SPDX-License-Identifier: BSD-3-Clause
"""All points of a study, and the verdicts on its claims."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from weft.bad_input import BadInput
from weft.machine_file import machine_text
from weft.reproduce.judge import KINDS, Judgement, Results, judge
from weft.reproduce.measure import Bench, MeasuredPoint
from weft.reproduce.programs import run
from weft.reproduce.study import Claim, Series, Study


@dataclass(frozen=True)
class Reproduction:
    study: Study
    results: Results
    judgements: tuple[tuple[Claim, Judgement], ...]
    measured: tuple[MeasuredPoint, ...] = ()

    @property
    def points(self) -> list[float]:
        return sorted({point for _, point in self.results})

    @property
    def printed(self) -> list[tuple[str, float, float]]:
        """(series, point, value) of the paper's that stand in the figure itself."""
        return [
            (claim.parameters["series"], claim.parameters["at"], claim.parameters["paper"])
            for claim in self.study.claims
            if claim.kind == "value" and claim.parameters.get("metric", self.study.metric) == self.study.metric
        ]

    @property
    def record(self) -> dict[str, Any]:
        axis = self.study.axis.name
        return {
            "study": self.study.name,
            "title": self.study.title,
            "paper": self.study.paper,
            "figure": self.study.figure,
            "machine": self.study.machine,
            "axis": axis,
            "metric": self.study.metric,
            "notes": list(self.study.notes),
            "points": [{"series": series, axis: point} | metrics for (series, point), metrics in self.results.items()],
            "printed": [{"series": series, axis: point, "value": value} for series, point, value in self.printed],
            "measured": [point.record(axis) for point in self.measured],
            "claims": [
                {
                    "says": claim.says,
                    "where": claim.where,
                    "unfavourable": claim.unfavourable,
                    "paper": judgement.paper,
                    "ours": judgement.ours,
                    "verdict": judgement.verdict.value,
                    "because": because(claim, judgement),
                }
                for claim, judgement in self.judgements
            ],
        }


def because(claim: Claim, judgement: Judgement) -> str:
    """Why ours differs; nothing where it does not, or was not judged."""
    return claim.because if judgement.differs else ""


def point_of(study: Study, series: Series, point: float) -> dict[str, float]:
    parameters = {"machine": machine_text(study.machine)} | series.parameters | {study.axis.name: point}
    if series.parameters.get("machine"):
        parameters["machine"] = machine_text(series.parameters["machine"])
    try:
        metrics = run(series.program, parameters)
    except (ArithmeticError, BadInput, LookupError, TypeError, ValueError) as problem:
        raise study.blame(series, point, problem) from problem
    check_metrics(study, series, metrics)
    return metrics


def check_metrics(study: Study, series: Series, metrics: dict[str, float]) -> None:
    """Which there are, only a program's run says."""
    has = f"{series.program} has {', '.join(metrics)}."
    if study.metric not in metrics:
        raise study.place.refuse("metric", f"{study.metric}: {has}")
    for claim in study.claims:
        names = [claim.parameters[key] for key in KINDS[claim.kind].series]
        metric = claim.parameters.get("metric", study.metric)
        if series.name in names and metric not in metrics:
            raise claim.place.refuse("metric", f"{metric}: {has}")


def reproduce(
    study: Study, *, tiny: bool = False, bench: Bench | None = None, advance: Callable[[], None] = lambda: None
) -> Reproduction:
    """`tiny`: at few points, for tests. `bench`: if what this machine can measure is wanted as well. `advance` is
    called after each point, and after each measured series."""
    results: Results = {}
    for series in study.series:
        for point in study.axis.tiny if tiny else study.axis.values:
            results[series.name, point] = point_of(study, series, point)
            advance()
    judgements = tuple((claim, judge(study, claim, results)) for claim in study.claims)
    measured = []
    for one in study.measured if bench else ():
        measured += bench.measure(study.axis.name, one)
        advance()
    return Reproduction(study, results, judgements, tuple(measured))
