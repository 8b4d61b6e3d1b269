# SPDX-License-Identifier: BSD-3-Clause
"""`weft env`: what `weft run` gives a program's ranks, for those who call mpiexec themselves."""

import hashlib
from pathlib import Path
from typing import Annotated

import typer

from weft import binary, environment, installation, launch
from weft.bad_input import BadInput
from weft.console import print_json


def run(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="PROGRAM", help="Whose MPI is recognised.", show_default=False)
    ] = None,
    mpi: Annotated[
        str | None,
        typer.Option(metavar="|".join(installation.NAMES), help="For scripts; a binary's own MPI is recognised."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same, and what this MPI's mpiexec takes.")] = False,
) -> None:
    """Print the variables that load Weft, in one line: mpiexec -n 4 env $(weft env ./program) ./program

    The same line before a script puts Weft under all that it starts: env $(weft env --mpi openmpi) ./script
    """
    environment.check()
    program = binary.inspect(command) if command else binary.Program(Path("script"), "script", [])
    host = launch.choose_host(program, mpi)
    start = launch.Launch(host, 1, program, in_a_job=False)
    variables = start.loader_variables(links_for(host))
    if as_json:
        answer = {"mpi": host.name, "title": host.title, "launcher": str(host.launcher), "variables": variables}
        print_json(answer | {"mpiexec": start.handed_over(variables)})
        return
    for name, value in variables.items():
        if any(c.isspace() for c in value):
            raise BadInput(f"{name}={value} has a blank in it, which a shell would part at: use --json.")
    print(" ".join(f"{name}={value}" for name, value in variables.items()))


def links_for(host: installation.Host) -> Path:
    """A folder of links that stay: what is printed is used later. Each set of libraries has one of its own."""
    what = hashlib.sha256(f"{host.library}\n{host.mpi_library}".encode()).hexdigest()[:16]
    folder = installation.cache_folder() / "links" / what
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise BadInput(
            f"{folder} cannot be made: {problem.strerror}. Set XDG_CACHE_HOME to another folder."
        ) from problem
    return folder
