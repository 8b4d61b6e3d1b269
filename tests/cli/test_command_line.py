# SPDX-License-Identifier: BSD-3-Clause
"""The command line as a whole: the overview, the version, and verbs that are not there."""

import subprocess
import sys

from command_line import answer, refusal, weft


def test_the_overview_lists_the_verbs():
    text = answer("--help")
    for verb in ("explain", "verify", "doctor"):
        assert verb in text


def test_every_verb_has_help_and_json():
    for verb in ("explain", "verify", "doctor"):
        assert "--json" in answer(verb, "--help")


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
