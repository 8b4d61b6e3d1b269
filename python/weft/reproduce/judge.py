# SPDX-License-Identifier: BSD-3-Clause
"""Whether what a paper says comes out of a simulation as well.

kind      parameters                                  holds if
order     smaller, larger [, at] [, by] [, metric]    one series lies below the other, at these points or at all; by:
                                                      so many times (where the paper has words, the number is ours);
                                                      else by 1 %
alike     first, second [, at] [, within] [, metric]  they lie within a factor (1.10) at these points or at all
ratio     of, to, at, paper [, within] [, metric]     of / to is the paper's within a factor (1.25)
value     series, at, paper [, within] [, metric]     the series has the paper's value within a factor (1.25)
trend     series, goes = rises|falls|constant         by 10 % from the first point to the last, never turning back by a
          [, at] [, metric]                           tenth of that; constant: all points within 10 %
bound     series, from | to [, at] [, metric]         the series lies there at these points or at all
power     series, paper [, at] [, off] [, metric]     it grows like that power of the axis, give or take 0.15
inside    series [, at] [, metric]                    it is lowest at a point inside, and both ends lie above that
gap       first, second, goes = widens|narrows        how many percent less than the second the first is changes so, by
          [, paper] [, at] [, within] [, metric]      10 % and by 1 %, from the first point to the last; paper: its two
                                                      percentages there, each within a factor (1.25)
crossing  smaller, larger [, paper] [, at]            one series lies above the other up to a point, and below it from
          [, within] [, metric]                       there on; paper: that point, within a factor (1.25)
gain      better, than, paper [, at] [, within]       better takes so many percent less at these points or at all: one
          [, metric]                                  number, or [from, to], within a factor (1.25)
growth    series, paper [, at] [, within] [, metric]  the last value by the first is the paper's within a factor (1.25)
steps     slow, middle, fast, more = first|second     of the gains slow / middle and middle / fast, which is larger
          [, at] [, metric]
words     why                                         never: a simulation of schedules cannot tell, and says why

What goes the paper's way, but is not as large, is told from what does not: same direction, other size.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from weft.reproduce import verdicts
from weft.reproduce.verdicts import Case, Judgement, Results, Verdict, points, show

if TYPE_CHECKING:
    from weft.reproduce.study import Claim, Study

__all__ = ["KINDS", "Judgement", "Results", "Verdict", "judge", "show"]

LEAST = {"by": 1.0, "within": 1.0, "off": 0.0}  # less cannot hold, or cannot fail
NUMBERS = ("at", "by", "from", "off", "paper", "to", "within")


@dataclass(frozen=True)
class Kind:
    judge: Callable[[Case], Judgement]
    series: tuple[str, ...]  # parameters that name one
    needs: tuple[str, ...] = ()  # others
    may_have: tuple[str, ...] = ()
    words: dict[str, tuple[str, ...]] = field(default_factory=dict)  # parameter -> what it may be
    papers: tuple[int, ...] = (1,)  # how many numbers the paper's may be

    @property
    def needed(self) -> tuple[str, ...]:
        return (*self.series, *self.words, *self.needs)

    def check(self, study: "Study", claim: "Claim") -> None:
        """Raises BadInput."""
        given = claim.parameters
        known = (*self.needed, *self.may_have)
        for key in self.needed:
            if key not in given:
                raise claim.place.refuse("kind", f"a claim of kind {claim.kind} has {key}.")
        for key in given:
            if key not in known:
                raise claim.place.refuse(key, f"a claim of kind {claim.kind} has {', '.join(known)}.")
        names = [one.name for one in study.series]
        for key in self.series:
            if given[key] not in names:
                raise claim.place.refuse(key, f"{given[key]}: no series; there are {', '.join(names)}.")
        for key, allowed in self.words.items():
            if given[key] not in allowed:
                raise claim.place.refuse(
                    key, f"{given[key]}: a claim of kind {claim.kind} goes {' or '.join(allowed)}."
                )
        for key in [key for key in NUMBERS if key in given and key not in self.series]:
            if why := self.wrong_number(key, given[key]):
                raise claim.place.refuse(key, why)
        for key in ("metric", "why"):
            if not isinstance(given.get(key, ""), str):
                raise claim.place.refuse(key, f"{given[key]!r} is no text.")
        if claim.kind == "bound":
            if not {"from", "to"} & given.keys():
                raise claim.place.refuse("kind", "a claim of kind bound has from, to, or both: else it cannot fail.")
            if given.get("from", -math.inf) > given.get("to", math.inf):
                raise claim.place.refuse("from", "is more than to: it cannot hold.")
        for point in points(study, claim):
            if point not in study.axis.values:
                raise claim.place.refuse("at", f"{point}: the axis has no such value.")

    def wrong_number(self, key: str, value: Any) -> str:
        """Why it is; nothing if it is right."""
        several = isinstance(value, list)
        numbers = value if several else [value]
        if not numbers or not all(is_number(one) for one in numbers):
            return "there has to be a number."
        counts = {"paper": self.papers, "at": (1,) if "at" in self.needs else range(1, 1 << 20)}.get(key, (1,))
        if len(numbers) not in counts or (several and counts == (1,)):
            return f"there has to be a number{'' if 1 in counts else ' of each end: [first, last]'}."
        if key == "paper" and several and len(numbers) != max(counts):
            return f"there have to be {max(counts)}: [first, last]."
        if key == "paper" and self.judge is verdicts.judge_gain and numbers != sorted(numbers):
            return "let them rise: from, to."
        if key == "at" and numbers != sorted(set(numbers)):
            return "let them rise."
        if key in LEAST and numbers[0] < LEAST[key]:
            return f"{numbers[0]:g}: {LEAST[key]:g} or more."
        if key == "paper" and self.judge is not verdicts.judge_power and (min(numbers) < 0 or max(numbers) == 0):
            return "a factor of nothing, or of less, says nothing: write a bound."
        return ""


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


# What most may have.
POINTS = ("at", "metric")

KINDS = {
    "order": Kind(verdicts.judge_order, ("smaller", "larger"), (), (*POINTS, "by")),
    "alike": Kind(verdicts.judge_alike, ("first", "second"), (), (*POINTS, "within")),
    "bound": Kind(verdicts.judge_bound, ("series",), (), (*POINTS, "from", "to")),
    "power": Kind(verdicts.judge_power, ("series",), ("paper",), (*POINTS, "off")),
    "inside": Kind(verdicts.judge_inside, ("series",), (), POINTS),
    "ratio": Kind(verdicts.judge_ratio, ("of", "to"), ("at", "paper"), ("within", "metric")),
    "value": Kind(verdicts.judge_value, ("series",), ("at", "paper"), ("within", "metric")),
    "trend": Kind(verdicts.judge_trend, ("series",), (), POINTS, {"goes": ("rises", "falls", "constant")}),
    "gap": Kind(
        verdicts.judge_gap,
        ("first", "second"),
        (),
        (*POINTS, "paper", "within"),
        {"goes": ("widens", "narrows")},
        papers=(2,),
    ),
    "crossing": Kind(verdicts.judge_crossing, ("smaller", "larger"), (), (*POINTS, "paper", "within")),
    "gain": Kind(verdicts.judge_gain, ("better", "than"), ("paper",), (*POINTS, "within"), papers=(1, 2)),
    "growth": Kind(verdicts.judge_growth, ("series",), ("paper",), (*POINTS, "within")),
    "steps": Kind(verdicts.judge_steps, ("slow", "middle", "fast"), (), POINTS, {"more": ("first", "second")}),
    "words": Kind(verdicts.judge_words, (), ("why",)),
}


def judge(study: "Study", claim: "Claim", results: Results) -> Judgement:
    return KINDS[claim.kind].judge(Case(study, claim, results))
