# SPDX-License-Identifier: BSD-3-Clause
"""Whether what a paper says comes out of a simulation as well.

kind      parameters                                  holds if
order     smaller, larger [, at] [, by] [, metric]    one series lies below the other, at these points or at all; by:
                                                      so many times (where the paper has words, the number is ours)
alike     first, second [, at] [, within] [, metric]  they lie within a factor (1.10) at these points or at all
ratio     of, to, at, paper [, within] [, metric]     of / to is the paper's within a factor (1.25)
value     series, at, paper [, within]                the series has the paper's value within a factor (1.25)
trend     series, goes = rises|falls|constant         from the first point to the last; constant: within 10 %
bound     series, from | to [, at] [, metric]         the series lies there at these points or at all
power     series, paper [, at] [, off] [, metric]     it grows like that power of the axis, give or take 0.15
inside    series [, at] [, metric]                    it is lowest at a point inside, at neither end
gap       first, second, goes = widens|narrows        (second - first) / first, from the first point to the last
gain      better, than, paper [, at] [, within]       better takes so many percent less at these points or at all: one
                                                      number, or [from, to], within a factor (1.25)
growth    series, paper [, at] [, within]             the last value by the first is the paper's within a factor (1.25)
steps     slow, middle, fast, more = first|second     of the gains slow / middle and middle / fast, which is larger
words     why                                         never: a simulation of schedules cannot tell, and says why

A ratio or a value that goes the same way but is not as large is told from one that goes the other way.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weft.reproduce.study import Claim, Reader, Study

WITHIN, CONSTANT, OFF = 1.25, 0.10, 0.15

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
    goes: tuple[str, ...] = ()  # the ways that there are

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
        one = ("at",) if "at" in self.needs else ()  # not several
        for key in {"at", "by", "from", "off", "paper", "to", "within"} & given.keys() - {*self.series}:
            if not is_number(given[key]) or (key in one and isinstance(given[key], list)):
                raise reader.refuse(key, f"a claim of kind {claim.kind} has a number there.")
        if self.goes and given["goes"] not in self.goes:
            raise reader.refuse(str(given["goes"]), f"a claim of kind {claim.kind} goes {', '.join(self.goes)}.")
        for point in points(study, claim, study.axis.values):
            if point not in study.axis.values:
                raise reader.refuse(claim.says, f"at = {point}: the axis has no such value.")


def is_number(value: Any) -> bool:
    """Or several."""
    return all(isinstance(one, int | float) for one in (value if isinstance(value, list) else [value]))


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
    by = claim.parameters.get("by", 1.0)
    right = sum(low * by < high for low, high in pairs)
    ours = f"{right} of {len(pairs)} points; {show(pairs[-1][0])} and {show(pairs[-1][1])} at {chosen[-1]:g}"
    verdict = Verdict.holds if right == len(pairs) else Verdict.does_not_hold
    if right < len(pairs) and all(low < high for low, high in pairs):
        verdict = Verdict.same_direction
    return Judgement(verdict, f"{smaller} < {larger}{f' by {by:g}' if by != 1 else ''}", ours)


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
    unit = "" if "metric" in given else f" {study.unit}"  # of the study's own metric
    return Judgement(verdict, show(paper) + unit, show(ours) + unit)


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


def simulated(study: "Study", claim: "Claim", results: Results, series: str) -> list[tuple[float, float]]:
    """(point, value) of those of the claim's that were simulated."""
    chosen = [p for p in points(study, claim, study.axis.values) if (series, p) in results]
    return [(p, value_of(study, claim, results, series, p)) for p in chosen]


def judge_alike(study: "Study", claim: "Claim", results: Results) -> Judgement:
    first, second = (simulated(study, claim, results, claim.parameters[key]) for key in ("first", "second"))
    within = claim.parameters.get("within", 1 + CONSTANT)
    paper = f"alike within {within:g}"
    if not first:
        return Judgement(Verdict.not_judged, paper, "no such point was simulated")
    factors = [(max(a / b, b / a), p) for (p, a), (_, b) in zip(first, second, strict=True)]
    farthest, at = max(factors)
    verdict = Verdict.holds if farthest <= within else Verdict.does_not_hold
    return Judgement(verdict, paper, f"apart by {farthest:.3g} at most, at {at:g}")


def judge_bound(study: "Study", claim: "Claim", results: Results) -> Judgement:
    low, high = claim.parameters.get("from", -math.inf), claim.parameters.get("to", math.inf)
    paper = " ".join(f"{key} {show(claim.parameters[key])}" for key in ("from", "to") if key in claim.parameters)
    values = [value for _, value in simulated(study, claim, results, claim.parameters["series"])]
    if not values:
        return Judgement(Verdict.not_judged, paper, "no such point was simulated")
    holds = low <= min(values) and max(values) <= high
    ours = f"{show(min(values))} to {show(max(values))}"
    return Judgement(Verdict.holds if holds else Verdict.does_not_hold, paper, ours)


def judge_power(study: "Study", claim: "Claim", results: Results) -> Judgement:
    paper, found = claim.parameters["paper"], simulated(study, claim, results, claim.parameters["series"])
    if len(found) < 2:
        return Judgement(Verdict.not_judged, f"power {show(paper)}", "fewer than two points were simulated")
    (x, low), (y, high) = found[0], found[-1]
    power = math.log(high / low) / math.log(y / x)
    holds = abs(power - paper) <= claim.parameters.get("off", OFF)
    verdict = Verdict.holds if holds else Verdict.does_not_hold
    return Judgement(verdict, f"power {show(paper)}", f"power {power:.2f} from {x:g} to {y:g}")


def judge_inside(study: "Study", claim: "Claim", results: Results) -> Judgement:
    found = simulated(study, claim, results, claim.parameters["series"])
    if len(found) < 3:
        return Judgement(Verdict.not_judged, "lowest inside", "fewer than three points were simulated")
    at, lowest = min(found, key=lambda one: one[1])
    verdict = Verdict.holds if at not in (found[0][0], found[-1][0]) else Verdict.does_not_hold
    ends_at = f"{show(found[0][1])} and {show(found[-1][1])} at the ends"
    return Judgement(verdict, "lowest inside", f"lowest at {at:g}: {show(lowest)}; {ends_at}")


def judge_gain(study: "Study", claim: "Claim", results: Results) -> Judgement:
    paper, within = claim.parameters["paper"], claim.parameters.get("within", WITHIN)
    low, high = paper if isinstance(paper, list) else (paper, paper)
    said = f"{low:g} %" if low == high else f"{low:g} to {high:g} %"
    better, than = (simulated(study, claim, results, claim.parameters[key]) for key in ("better", "than"))
    if not better:
        return Judgement(Verdict.not_judged, said, "no such point was simulated")
    gains = [100 * (1 - fast / slow) for (_, fast), (_, slow) in zip(better, than, strict=True)]
    least, most = min(gains), max(gains)
    if low / within <= least and most <= high * within:
        verdict = Verdict.holds
    else:
        verdict = Verdict.same_direction if least > 0 else Verdict.does_not_hold
    return Judgement(verdict, said, f"{least:.1f} %" if len(gains) == 1 else f"{least:.1f} to {most:.1f} %")


def judge_growth(study: "Study", claim: "Claim", results: Results) -> Judgement:
    paper = claim.parameters["paper"]
    both = ends(study, claim, results, claim.parameters["series"])
    if both is None:
        return Judgement(Verdict.not_judged, show(paper), "fewer than two points were simulated")
    ours = both[1] / both[0]
    return Judgement(compared(ours, paper, claim.parameters.get("within", WITHIN), 1.0), show(paper), show(ours))


def judge_steps(study: "Study", claim: "Claim", results: Results) -> Judgement:
    given = claim.parameters
    slow, middle, fast, more = (given[key] for key in ("slow", "middle", "fast", "more"))
    chosen = [p for p in points(study, claim, study.axis.values) if (slow, p) in results]
    if not chosen:
        return Judgement(Verdict.not_judged, f"the {more} gain is larger", "no such point was simulated")
    times = [[value_of(study, claim, results, name, p) for name in (slow, middle, fast)] for p in chosen]
    gains = [(one / two, two / three) for one, two, three in times]
    right = sum((one > two) == (more == "first") for one, two in gains)
    ours = f"{right} of {len(gains)} points; {show(gains[-1][0])} and {show(gains[-1][1])} at {chosen[-1]:g}"
    verdict = Verdict.holds if right == len(gains) else Verdict.does_not_hold
    return Judgement(verdict, f"the {more} gain is larger", ours)


def judge_words(_study: "Study", claim: "Claim", _results: Results) -> Judgement:
    why: Any = claim.parameters["why"]
    return Judgement(Verdict.not_judged, "in words", str(why))


KINDS = {
    "order": Kind(("smaller", "larger"), ("at", "by", "metric"), ("smaller", "larger"), judge_order),
    "alike": Kind(("first", "second"), ("at", "within", "metric"), ("first", "second"), judge_alike),
    "bound": Kind(("series",), ("from", "to", "at", "metric"), ("series",), judge_bound),
    "power": Kind(("series", "paper"), ("at", "off", "metric"), ("series",), judge_power),
    "inside": Kind(("series",), ("at", "metric"), ("series",), judge_inside),
    "ratio": Kind(("of", "to", "at", "paper"), ("within", "metric"), ("of", "to"), judge_ratio),
    "value": Kind(("series", "at", "paper"), ("within", "metric"), ("series",), judge_value),
    "trend": Kind(("series", "goes"), ("at", "metric"), ("series",), judge_trend, ("rises", "falls", "constant")),
    "gap": Kind(("first", "second", "goes"), ("at", "metric"), ("first", "second"), judge_gap, ("widens", "narrows")),
    "gain": Kind(("better", "than", "paper"), ("at", "within", "metric"), ("better", "than"), judge_gain),
    "growth": Kind(("series", "paper"), ("at", "within", "metric"), ("series",), judge_growth),
    "steps": Kind(("slow", "middle", "fast", "more"), ("at", "metric"), ("slow", "middle", "fast"), judge_steps),
    "words": Kind(("why",), (), (), judge_words),
}


def judge(study: "Study", claim: "Claim", results: Results) -> Judgement:
    return KINDS[claim.kind].judge(study, claim, results)
