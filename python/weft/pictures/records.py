# SPDX-License-Identifier: BSD-3-Clause
"""The records of `weft bench QUESTION --results` or `--json`, drawn as the question itself draws them with --plot."""

import importlib
from collections.abc import Sequence
from pathlib import Path

from weft import chart
from weft.bad_input import BadInput
from weft.bench import analysis
from weft.bench.analysis import Record

# Questions with a picture, and what their draw() takes before the file.
TAKES_RECORDS = ("designs", "dgemm", "network", "noise", "overhead", "overlap", "skew")
TAKES_RECORDS_AND_NAMES = ("app", "app_noise")
TAKES_POINTS = ("latency",)
TAKES_POINTS_AND_NAMES = ("hierarchies",)
KNOWN = sorted((*TAKES_RECORDS, *TAKES_RECORDS_AND_NAMES, *TAKES_POINTS, *TAKES_POINTS_AND_NAMES))
# Questions that have another's program measure contestants of their own.
BEHIND = {"latency": "hierarchies", "overlap": "designs"}


def draw(records: Sequence[Record], source: Path, file: Path) -> str:
    """The name of the question that was drawn."""
    found = list(dict.fromkeys(record["benchmark"] for record in records))
    program = next((name for name in found if name != "floor"), "floor")  # floors stand beside other measurements
    records = [record for record in records if record["benchmark"] == program]
    names = list(dict.fromkeys(record["implementation"] for record in records))
    question = program if set(names) <= set(chart.COLOURS) else BEHIND.get(program)
    if question not in KNOWN:
        raise BadInput(
            f"{source} has records of {program} under {', '.join(names)}, for which there is no picture: "
            f"weft plot draws those of {', '.join(KNOWN)}."
        )
    module = importlib.import_module(f"weft.bench.{question}")
    if question in TAKES_RECORDS:
        module.draw(records, file)
    elif question in TAKES_RECORDS_AND_NAMES:
        module.draw(records, names, file)
    elif question in TAKES_POINTS:
        module.draw(analysis.points(records, module.KEYS), file)
    else:
        module.draw(analysis.points(records, module.KEYS), names, file)
    return question
