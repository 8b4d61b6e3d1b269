# SPDX-License-Identifier: BSD-3-Clause
"""Whether what a paper says comes out of a simulation as well.

kind      parameters                                  holds if
order     smaller, larger [, at] [, metric]           one series lies below the other, at these points or at all
ratio     of, to, at, paper [, within] [, metric]     of / to is the paper's within a factor (1.25)
value     series, at, paper [, within]                the series has the paper's value within a factor (1.25)
trend     series, goes = rises|falls|constant         from the first point to the last; constant: within 10 %
gap       first, second, goes = widens|narrows        (second - first) / first, from the first point to the last
words     why                                         never: a simulation of schedules cannot tell, and says why

A ratio or a value that goes the same way but is not as large is told from one that goes the other way.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weft.reproduce.study import Claim, Reader, Study

WITHIN, CONSTANT = 1.25, 0.10

# (series, point) -> metric -> value
Results = dict[tuple[str, float], dict[str, float]]


class Verdict(StrEnum):
    holds = "holds"
    same_direction = "same direction, other size"
    does_not_hold = "does not hold"
    not_judged = "not judged"


@dataclass(frozen=True)
class Judgement:
    verdict: Verdict
    paper: str  # what it has,
    ours: str  # and what came out


@dataclass(frozen=True)
class Kind:
    needs: tuple[str, ...]
    may_have: tuple[str, ...]
    series: tuple[str, ...]  # parameters that name one
    judge: "Callable[[Study, Claim, Results], Judgement]"

    def check(self, reader: "Reader", study: "Study", claim: "Claim") -> None:
        given = claim.parameters
        for key in self.needs:
            if key not in given:
                raise reader.refuse(claim.says, f"a claim of kind {claim.kind} has {key}.")
        for key in given:
            if key not in self.needs + self.may_have:
                raise reader.refuse(key, f"a claim of kind {claim.kind} has {', '.join(self.needs + self.may_have)}.")
        names = [one.name for one in study.series]
        for key in self.series:
            if given[key] not in names:
                raise reader.refuse(str(given[key]), f"no series; there are {', '.join(names)}.")
        for point in points(study, claim, study.axis.values):
            if point not in study.axis.values:
                raise reader.refuse(claim.says, f"at = {point}: the axis has no such value.")


def points(study: "Study", claim: "Claim", all_points: tuple[float, ...]) -> tuple[float, ...]:
    at = claim.parameters.get("at", list(all_points))
    return tuple(at) if isinstance(at, list) else (at,)


def value_of(study: "Study", claim: "Claim", results: Results, series: str, point: float) -> float:
    return results[series, point][claim.parameters.get("metric", study.metric)]


def show(value: float) -> str:
    return f"{value:,.4g}"


def judge_order(study: "Study", claim: "Claim", results: Results) -> Judgement:
    smaller, larger = claim.parameters["smaller"], claim.parameters["larger"]
    chosen = [p for p in points(study, claim, study.axis.values) if (smaller, p) in results]
    pairs = [(value_of(study, claim, results, smaller, p), value_of(study, claim, results, larger, p)) for p in chosen]
    if not pairs:
        return Judgement(Verdict.not_judged, f"{smaller} < {larger}", "no such point was simulated")
    right = sum(low < high for low, high in pairs)
    ours = f"{right} of {len(pairs)} points; {show(pairs[-1][0])} and {show(pairs[-1][1])} at {chosen[-1]:g}"
    verdict = Verdict.holds if right == len(pairs) else Verdict.does_not_hold
    return Judgement(verdict, f"{smaller} < {larger}", ours)


def compared(ours: float, paper: float, within: float, base: float) -> Verdict:
    """`base`: on which side of it says the direction."""
    if paper / within <= ours <= paper * within:
        return Verdict.holds
    return Verdict.same_direction if (ours > base) == (paper > base) else Verdict.does_not_hold


def judge_ratio(study: "Study", claim: "Claim", results: Results) -> Judgement:
    given = claim.parameters
    paper, at = given["paper"], given["at"]
    if (given["of"], at) not in results:
        return Judgement(Verdict.not_judged, show(paper), "no such point was simulated")
    ours = value_of(study, claim, results, given["of"], at) / value_of(study, claim, results, given["to"], at)
    return Judgement(compared(ours, paper, given.get("within", WITHIN), 1.0), show(paper), show(ours))


def judge_value(study: "Study", claim: "Claim", results: Results) -> Judgement:
    given = claim.parameters
    paper, at = given["paper"], given["at"]
    if (given["series"], at) not in results:
        return Judgement(Verdict.not_judged, show(paper), "no such point was simulated")
    ours = value_of(study, claim, results, given["series"], at)
    within = given.get("within", WITHIN)
    verdict = Verdict.holds if paper / within <= ours <= paper * within else Verdict.does_not_hold
    return Judgement(verdict, f"{show(paper)} {study.unit}", f"{show(ours)} {study.unit}")


def ends(study: "Study", claim: "Claim", results: Results, series: str) -> tuple[float, float] | None:
    chosen = [p for p in points(study, claim, study.axis.values) if (series, p) in results]
    if len(chosen) < 2:
        return None
    return value_of(study, claim, results, series, chosen[0]), value_of(study, claim, results, series, chosen[-1])


def judge_trend(study: "Study", claim: "Claim", results: Results) -> Judgement:
    series, goes = claim.parameters["series"], claim.parameters["goes"]
    both = ends(study, claim, results, series)
    if both is None:
        return Judgement(Verdict.not_judged, goes, "fewer than two points were simulated")
    first, last = both
    change = (last - first) / abs(first) if first else float("inf") if last > 0 else 0.0
    found = "constant" if abs(change) <= CONSTANT else "rises" if change > 0 else "falls"
    return Judgement(
        Verdict.holds if found == goes else Verdict.does_not_hold, goes, f"{found}: {show(first)} to {show(last)}"
    )


def judge_gap(study: "Study", claim: "Claim", results: Results) -> Judgement:
    first, second, goes = (claim.parameters[key] for key in ("first", "second", "goes"))
    low, high = ends(study, claim, results, first), ends(study, claim, results, second)
    if low is None or high is None:
        return Judgement(Verdict.not_judged, goes, "fewer than two points were simulated")
    at_first, at_last = ((b - a) / a for a, b in zip(low, high, strict=True))
    found = "widens" if at_last > at_first else "narrows"
    return Judgement(
        Verdict.holds if found == goes else Verdict.does_not_hold,
        goes,
        f"{found}: {100 * at_first:.1f} % to {100 * at_last:.1f} %",
    )


def judge_words(_study: "Study", claim: "Claim", _results: Results) -> Judgement:
    why: Any = claim.parameters["why"]
    return Judgement(Verdict.not_judged, "in words", str(why))


KINDS = {
    "order": Kind(("smaller", "larger"), ("at", "metric"), ("smaller", "larger"), judge_order),
    "ratio": Kind(("of", "to", "at", "paper"), ("within", "metric"), ("of", "to"), judge_ratio),
    "value": Kind(("series", "at", "paper"), ("within", "metric"), ("series",), judge_value),
    "trend": Kind(("series", "goes"), ("at", "metric"), ("series",), judge_trend),
    "gap": Kind(("first", "second", "goes"), ("at", "metric"), ("first", "second"), judge_gap),
    "words": Kind(("why",), (), (), judge_words),
}


def judge(study: "Study", claim: "Claim", results: Results) -> Judgement:
    return KINDS[claim.kind].judge(study, claim, results)
