# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench QUESTION`: measurements, always of the host MPI and Weft side by side in one run."""

import importlib

import typer

# question -> module whose `run` function measures it.
QUESTIONS = {
    "agreement": "weft.bench.agreement",
    "floor": "weft.bench.floor",
    "guidelines": "weft.bench.guidelines",
    "latency": "weft.bench.latency",
}


def application() -> typer.Typer:
    app = typer.Typer(no_args_is_help=True, help="Measure the host MPI and Weft alternately in one run.")
    for question, module in QUESTIONS.items():
        app.command(question)(importlib.import_module(module).run)
    return app
