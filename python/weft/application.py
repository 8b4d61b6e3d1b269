# SPDX-License-Identifier: BSD-3-Clause
"""The verbs as a typer application. One module per verb, loaded when it is asked for."""

import importlib

import typer

from weft import __version__
from weft.bad_input import BadInput

# verb -> module whose `run` function is the verb: its parameters are the options, its docstring the help. A verb of
# several commands has an `application` instead.
VERBS = {
    "run": "weft.verbs.run",
    "env": "weft.verbs.env",
    "demo": "weft.verbs.demo",
    "explain": "weft.verbs.explain",
    "verify": "weft.verbs.verify",
    "simulate": "weft.verbs.simulate",
    "map": "weft.verbs.map",
    "reproduce": "weft.verbs.reproduce",
    "bench": "weft.verbs.bench",
    "plot": "weft.verbs.plot",
    "doctor": "weft.verbs.doctor",
}
# Verbs that take somebody else's command line: what stands behind the first word is not theirs to read.
TAKES_A_COMMAND = {"run", "env"}


def show_version(asked: bool) -> None:
    if asked:
        print(f"weft {__version__}")
        raise typer.Exit


def main_options(
    version: bool = typer.Option(False, "--version", callback=show_version, is_eager=True, help="Show it and end."),
) -> None:
    """A drop-in engine for MPI's collective operations."""


def chosen_verbs(arguments: list[str]) -> list[str]:
    """The verb that was asked for; all of them if it is not clear, for the overview."""
    verb = next((a for a in arguments if not a.startswith("-")), None)
    return [verb] if verb in VERBS else list(VERBS)


def add(app: typer.Typer, verb: str) -> None:
    module = importlib.import_module(VERBS[verb])
    if hasattr(module, "application"):
        app.add_typer(module.application(), name=verb)
    else:
        settings = {"allow_interspersed_args": verb not in TAKES_A_COMMAND}
        app.command(verb, context_settings=settings)(module.run)


def application(verbs: list[str]) -> typer.Typer:
    app = typer.Typer(
        name="weft",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(main_options)
    for verb in verbs:
        try:
            add(app, verb)
        except ImportError as problem:
            if len(verbs) == 1:
                raise BadInput(f"`weft {verb}` cannot be loaded: {problem}. Build Weft with `make build`.") from problem
    return app
