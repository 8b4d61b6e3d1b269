# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command line as a user does, in a process of its own."""

import json
import os
import subprocess
import sys
from typing import Any


def weft(*arguments: object, columns: int = 100, **environment: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "weft", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
        env=os.environ | {"COLUMNS": str(columns), "TERM": "dumb", "NO_COLOR": "1"} | environment,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def answer(*arguments: object, **environment: str) -> str:
    done = weft(*arguments, **environment)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def json_answer(*arguments: object, **environment: str) -> Any:
    return json.loads(answer(*arguments, "--json", **environment))


def refusal(*arguments: object, **environment: str) -> str:
    """What is said about bad input: one message, on stderr, with exit code 2."""
    done = weft(*arguments, columns=1000, **environment)
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    return done.stderr
