# SPDX-License-Identifier: BSD-3-Clause
"""How each kind of claim is judged (judge.py lists them): a case in, what the paper has and what came out.

Two values differ if they do by 1 % (LEAST), and a series changes if it does by 10 % (CONSTANT): what is less counts as
no difference, whichever way it goes.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weft.reproduce.study import Claim, Study

WITHIN, LEAST, CONSTANT, OFF = 1.25, 0.01, 0.10, 0.15
POINT = 1.0  # of percent, by which a gap changes at least

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

    @property
    def differs(self) -> bool:
        return self.verdict in (Verdict.same_direction, Verdict.does_not_hold)


def of(holds: bool) -> Verdict:
    return Verdict.holds if holds else Verdict.does_not_hold


@dataclass(frozen=True)
class Case:
    """A claim, and what was simulated."""

    study: "Study"
    claim: "Claim"
    results: Results

    def __getitem__(self, key: str) -> Any:
        return self.claim.parameters[key]

    def get(self, key: str, default: Any) -> Any:
        return self.claim.parameters.get(key, default)

    @property
    def within(self) -> float:
        return float(self.get("within", WITHIN))

    @property
    def tolerance(self) -> str:
        """In words, if it is not the usual one."""
        usual = {WITHIN: "", 1.0: " exactly"}
        return usual.get(self.within, f" within a factor of {self.within:g}")

    @property
    def unit(self) -> str:
        return "" if "metric" in self.claim.parameters else f" {self.study.unit}"  # of the study's own metric

    def rows(self, *keys: str) -> list[tuple[float, ...]]:
        """The claim's points that were simulated, each with the values of the series that these parameters name."""
        metric, names = self.get("metric", self.study.metric), [self[key] for key in keys]
        return [
            (point, *(self.results[name, point][metric] for name in names))
            for point in points(self.study, self.claim)
            if all((name, point) in self.results for name in names)
        ]

    def not_judged(self, paper: str, fewest: int = 1) -> Judgement:
        few = "no such point was" if fewest == 1 else f"fewer than {('two', 'three')[fewest - 2]} points were"
        return Judgement(Verdict.not_judged, paper, f"{few} simulated")


def points(study: "Study", claim: "Claim") -> tuple[float, ...]:
    at = claim.parameters.get("at", list(study.axis.values))
    return tuple(at) if isinstance(at, list) else (at,)


def show(value: float) -> str:
    """Four digits that say something, and no power of ten where there is room."""
    return exact(float(f"{value:.4g}")) if math.isfinite(value) else "infinite"


def exact(value: float) -> str:
    """Of an axis or of the paper."""
    return f"{value:,.10g}"


def lies_below(low: float, high: float, by: float = 1 + LEAST) -> bool:
    return high > low and high - low >= (by - 1) * abs(low)


def over(one: float, other: float) -> float:
    return one / other if other else math.inf


def compared(ours: float, paper: float, within: float, base: float = 1.0) -> Verdict:
    """`base`: on which side of it says the direction."""

    def side(value: float) -> int:
        return lies_below(base, value) - lies_below(value, base)

    if paper / within <= ours <= paper * within and side(paper) in (0, side(ours)):
        return Verdict.holds
    return Verdict.same_direction if side(paper) == side(ours) != 0 else Verdict.does_not_hold


def judge_order(case: Case) -> Judgement:
    by = case.get("by", 1 + LEAST)
    paper = f"{case['smaller']} < {case['larger']}{f' by {by:g}' if by != 1 + LEAST else ''}"
    rows = case.rows("smaller", "larger")
    if not rows:
        return case.not_judged(paper)
    right = [lies_below(low, high, by) for _, low, high in rows]
    where = rows[-1] if all(right) else rows[right.index(False)]
    verdict = of(all(right))
    if not all(right) and all(low < high for _, low, high in rows):
        verdict = Verdict.same_direction
    ours = f"{sum(right)} of {len(rows)} points; {show(where[1])} and {show(where[2])} at {exact(where[0])}"
    return Judgement(verdict, paper, ours)


def judge_alike(case: Case) -> Judgement:
    within = case.get("within", 1 + CONSTANT)
    paper = f"alike within {within:g}"
    rows = case.rows("first", "second")
    if not rows:
        return case.not_judged(paper)
    farthest, at = max((factor(one, other), point) for point, one, other in rows)
    return Judgement(of(farthest <= within), paper, f"apart by {farthest:.3g} at most, at {exact(at)}")


def factor(one: float, other: float) -> float:
    """How many times the one is the other, or the other the one."""
    if one == other:
        return 1.0
    return max(one / other, other / one) if one * other > 0 else math.inf


def judge_ratio(case: Case) -> Judgement:
    rows = case.rows("of", "to")
    paper = show(case["paper"]) + case.tolerance
    if not rows:
        return case.not_judged(paper)
    _, above, below = rows[0]
    ours = over(above, below)
    return Judgement(compared(ours, case["paper"], case.within), paper, show(ours))


def judge_value(case: Case) -> Judgement:
    rows = case.rows("series")
    paper = show(case["paper"]) + case.unit + case.tolerance
    if not rows:
        return case.not_judged(paper)
    ours = rows[0][1]
    near = case["paper"] / case.within <= ours <= case["paper"] * case.within
    return Judgement(of(near), paper, show(ours) + case.unit)


def way(values: Sequence[float]) -> str:
    """Which a series takes: it rises if it does by a tenth in all, and never turns back by a tenth of that."""
    whole, apart = values[-1] - values[0], max(values) - min(values)
    if apart <= CONSTANT * abs(values[0]):
        return "constant"
    highest, lowest = (list(itertools.accumulate(values, one)) for one in (max, min))
    back = max(
        high - value if whole > 0 else value - low for value, high, low in zip(values, highest, lowest, strict=True)
    )
    if abs(whole) <= CONSTANT * abs(values[0]) or back > CONSTANT * abs(whole):
        return "goes up and down"
    return "rises" if whole > 0 else "falls"


def judge_trend(case: Case) -> Judgement:
    rows = case.rows("series")
    if len(rows) < 2:
        return case.not_judged(case["goes"], 2)
    found = way([value for _, value in rows])
    return Judgement(
        of(found == case["goes"]), case["goes"], f"{found}: {show(rows[0][1])} to {show(rows[-1][1])}{case.unit}"
    )


def judge_gap(case: Case) -> Judgement:
    goes, papers = case["goes"], case.get("paper", None)
    said = goes if papers is None else f"{goes}: {papers[0]:g} % to {papers[1]:g} %"
    rows = case.rows("first", "second")
    if len(rows) < 2 or (papers is not None and [row[0] for row in rows] != list(points(case.study, case.claim))):
        return case.not_judged(said, 2)
    at_first, at_last = (100 * (1 - over(one, other)) for _, one, other in (rows[0], rows[-1]))
    change, least = at_last - at_first, max(POINT, CONSTANT * abs(at_first))
    found = "stays" if abs(change) < least else "widens" if change > 0 else "narrows"
    verdict = of(found == goes)
    if papers is not None and verdict == Verdict.holds:
        near = all(
            paper / case.within <= ours <= paper * case.within
            for ours, paper in zip((at_first, at_last), papers, strict=True)
        )
        verdict = Verdict.holds if near else Verdict.same_direction
    return Judgement(verdict, said, f"{found}: {at_first:.1f} % to {at_last:.1f} %")


def judge_crossing(case: Case) -> Judgement:
    where = case.get("paper", None)
    said = f"{case['smaller']} < {case['larger']} from {'some point' if where is None else f'{exact(where)}'} on"
    said += case.tolerance
    # Where the two are alike does not say on which side they are.
    sides = [
        (point, one, other) for point, one, other in case.rows("smaller", "larger") if factor(one, other) >= 1 + LEAST
    ]
    if len(case.rows("smaller", "larger")) < 2:
        return case.not_judged(said, 2)
    changes = [pair for pair in itertools.pairwise(sides) if (pair[0][1] < pair[0][2]) != (pair[1][1] < pair[1][2])]
    if not changes:
        which = case["smaller"] if sides and sides[0][1] < sides[0][2] else case["larger"]
        return Judgement(Verdict.does_not_hold, said, f"no crossing: {which} lies below" if sides else "no difference")
    before, after = changes[0]
    position = crossed_at(before, after, case.study.axis.is_logarithmic)
    ours = f"crosses at about {show(position)}, between {exact(before[0])} and {exact(after[0])}"
    if len(changes) > 1:
        return Judgement(Verdict.does_not_hold, said, f"{ours}, and crosses back")
    if before[1] < before[2]:
        return Judgement(Verdict.does_not_hold, said, f"{ours}, the other way round")
    far = where is not None and not where / case.within <= position <= where * case.within
    return Judgement(Verdict.same_direction if far else Verdict.holds, said, ours)


def crossed_at(before: tuple[float, ...], after: tuple[float, ...], is_logarithmic: bool) -> float:
    """On the line between two points, on scales like the values' and the axis'."""

    def distance(row: tuple[float, ...]) -> float:
        _, one, other = row
        return math.log(one / other) if both_positive else one - other

    both_positive = min(*before[1:], *after[1:]) > 0
    share = distance(before) / (distance(before) - distance(after))
    if is_logarithmic and before[0] > 0:
        return before[0] * (after[0] / before[0]) ** share
    return before[0] + share * (after[0] - before[0])


def judge_bound(case: Case) -> Judgement:
    low, high = case.get("from", -math.inf), case.get("to", math.inf)
    paper = " ".join(f"{key} {show(case[key])}" for key in ("from", "to") if key in case.claim.parameters)
    values = [value for _, value in case.rows("series")]
    if not values:
        return case.not_judged(paper)
    ours = f"{show(min(values))} to {show(max(values))}{case.unit}"
    return Judgement(of(low <= min(values) and max(values) <= high), paper, ours)


def judge_power(case: Case) -> Judgement:
    rows, paper = case.rows("series"), f"power {show(case['paper'])}"
    if len(rows) < 2:
        return case.not_judged(paper, 2)
    if min(min(row) for row in rows) <= 0:
        return Judgement(Verdict.does_not_hold, paper, "no power: not above zero everywhere")
    (x, low), (y, high) = rows[0], rows[-1]
    power = math.log(high / low) / math.log(y / x)
    # The ends alone would not see what lies between.
    off = max(factor(value, low * (point / x) ** power) for point, value in rows)
    ours = f"power {power:.2f} from {exact(x)} to {exact(y)}" + (
        f", but off by {off:.3g} between" if off > WITHIN else ""
    )
    return Judgement(of(abs(power - case["paper"]) <= case.get("off", OFF) and off <= WITHIN), paper, ours)


def judge_inside(case: Case) -> Judgement:
    rows, paper = case.rows("series"), "lowest inside"
    if len(rows) < 3:
        return case.not_judged(paper, 3)
    at, lowest = min(rows, key=lambda row: row[1])
    first, last = rows[0][1], rows[-1][1]
    ours = f"lowest at {exact(at)}: {show(lowest)}; {show(first)} and {show(last)} at the ends"
    return Judgement(of(lies_below(lowest, min(first, last))), paper, ours)


def judge_gain(case: Case) -> Judgement:
    low, high = case["paper"] if isinstance(case["paper"], list) else (case["paper"], case["paper"])
    said = (f"{low:g} %" if low == high else f"{low:g} to {high:g} %") + case.tolerance
    rows = case.rows("better", "than")
    if not rows:
        return case.not_judged(said)
    gains = [100 * (1 - over(fast, slow)) for _, fast, slow in rows]
    least, most = min(gains), max(gains)
    ours = f"{least:.1f} %" if len(gains) == 1 else f"{least:.1f} to {most:.1f} %"
    if low / case.within <= least and most <= high * case.within:
        return Judgement(Verdict.holds, said, ours)
    return Judgement(Verdict.same_direction if least >= 100 * LEAST else Verdict.does_not_hold, said, ours)


def judge_growth(case: Case) -> Judgement:
    rows, paper = case.rows("series"), show(case["paper"]) + case.tolerance
    if len(rows) < 2:
        return case.not_judged(paper, 2)
    ours = over(rows[-1][1], rows[0][1])
    return Judgement(compared(ours, case["paper"], case.within), paper, show(ours))


def judge_steps(case: Case) -> Judgement:
    paper = f"the {case['more']} gain is larger"
    rows = case.rows("slow", "middle", "fast")
    if not rows:
        return case.not_judged(paper)
    gains = [(over(slow, middle), over(middle, fast)) for _, slow, middle, fast in rows]
    right = [lies_below(*(gain if case["more"] == "second" else gain[::-1])) for gain in gains]
    at = len(rows) - 1 if all(right) else right.index(False)
    ours = f"{sum(right)} of {len(rows)} points; {show(gains[at][0])} and {show(gains[at][1])} at {exact(rows[at][0])}"
    return Judgement(of(all(right)), paper, ours)


def judge_words(case: Case) -> Judgement:
    return Judgement(Verdict.not_judged, "in words", str(case["why"]))
