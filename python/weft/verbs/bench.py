# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench QUESTION`: measurements, always of the host MPI and Weft side by side in one run."""

import importlib

import typer

# question -> module whose `run` function measures it.
QUESTIONS = {
    "agreement": "weft.bench.agreement",
    "app": "weft.bench.app",
    "communicators": "weft.bench.communicators",
    "datatypes": "weft.bench.datatypes",
    "designs": "weft.bench.designs",
    "dgemm": "weft.bench.dgemm",
    "floor": "weft.bench.floor",
    "guidelines": "weft.bench.guidelines",
    "hierarchies": "weft.bench.hierarchies",
    "latency": "weft.bench.latency",
    "logp": "weft.bench.logp",
    "network": "weft.bench.network",
    "noise": "weft.bench.noise",
    "overhead": "weft.bench.overhead",
    "overlap": "weft.bench.overlap",
    "prediction": "weft.bench.prediction",
    "programs": "weft.bench.programs",
    "report": "weft.bench.report",
    "skew": "weft.bench.skew",
    "yardsticks": "weft.bench.yardsticks",
}
# Questions that take somebody else's command line: what stands behind its first word is not theirs to read.
TAKES_A_COMMAND = {"noise"}


def application() -> typer.Typer:
    app = typer.Typer(no_args_is_help=True, help="Measure the host MPI and Weft alternately in one run.")
    for question, module in QUESTIONS.items():
        settings = {"allow_interspersed_args": question not in TAKES_A_COMMAND}
        app.command(question, context_settings=settings)(importlib.import_module(module).run)
    return app
