# SPDX-License-Identifier: BSD-3-Clause
"""The command line as a whole: the overview, the version, and verbs that are not there."""

import re
import subprocess
import sys

import pytest
from command_line import answer, refusal, weft

from weft.application import VERBS
from weft.verbs.bench import QUESTIONS


def listed(text):
    """The words that begin a row of a box."""
    return set(re.findall(r"^│ (\w+)", text, re.MULTILINE))


def test_the_overview_lists_the_verbs():
    assert listed(answer("--help")) == set(VERBS)


def test_bench_lists_its_questions():
    assert listed(answer("bench", "--help")) == set(QUESTIONS)


@pytest.mark.parametrize("words", [*([verb] for verb in VERBS), *(["bench", one] for one in QUESTIONS)], ids=" ".join)
def test_everything_has_help_of_its_own(words):
    text = answer(*words, "--help", columns=500)
    assert f"Usage: weft {' '.join(words)} " in text
    # Programs and pages of others stand for what these three would say.
    assert ("--json" in text) == (words not in (["run"], ["bench"], ["bench", "report"]))


def test_the_version_is_the_packages():
    import weft as package

    assert answer("--version") == f"weft {package.__version__}\n"


def test_an_unknown_verb_is_refused():
    assert "No such command 'weave'" in refusal("weave")


def test_a_reader_that_stops_early_is_no_error():
    command = f"{sys.executable} -m weft explain alltoall --ranks 64 --format json | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "{\n"
    assert done.stderr == ""


def test_no_arguments_show_the_overview():
    done = weft()
    assert "explain" in done.stdout + done.stderr
