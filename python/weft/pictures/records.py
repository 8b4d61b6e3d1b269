# SPDX-License-Identifier: BSD-3-Clause
"""The records of `weft bench QUESTION --results` or `--json`, drawn as the question itself draws them with --plot."""

import importlib
from collections.abc import Sequence
from pathlib import Path

from weft import chart
from weft.bad_input import BadInput
from weft.bench import analysis
from weft.bench.analysis import Record

# benchmark, as records name it -> whether its module's draw() takes the implementations' names as well.
QUESTIONS = {
    "app": True,
    "app_noise": True,
    "designs": False,
    "dgemm": False,
    "network": False,
    "noise": False,
    "overhead": False,
    "overlap": False,
    "skew": False,
}


def draw(records: Sequence[Record], source: Path, file: Path) -> str:
    """The name of the benchmark that was drawn."""
    found = list(dict.fromkeys(record["benchmark"] for record in records))
    question = next((name for name in found if name != "floor"), "floor")  # floors stand beside other measurements
    records = [record for record in records if record["benchmark"] == question]
    names = list(dict.fromkeys(record["implementation"] for record in records))
    known = sorted([*QUESTIONS, "latency"])
    # The depths of `weft bench hierarchies` are measured by latency, too; only there they are compared.
    if question not in known or not set(names) <= set(chart.COLOURS):
        raise BadInput(
            f"{source} has records of {question} under {', '.join(names)}, for which there is no picture here: "
            f"draw it with --plot of the question, where it has that. Drawn here are {', '.join(known)}."
        )
    module = importlib.import_module(f"weft.bench.{question}")
    if question == "latency":
        module.draw(analysis.points(records, module.KEYS), file)
    elif QUESTIONS[question]:
        module.draw(records, names, file)
    else:
        module.draw(records, file)
    return question
