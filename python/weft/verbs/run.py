# SPDX-License-Identifier: BSD-3-Clause
"""`weft run`: launch an unchanged MPI program with Weft under it."""

from typing import Annotated

import typer

from weft import installation, job
from weft.option_fields import with_fields
from weft.virtual_hosts import VirtualHosts


@with_fields(VirtualHosts, "network")
def run(
    command: Annotated[
        list[str] | None, typer.Argument(metavar="-- PROGRAM ARGS…", help="The program, as its user starts it.")
    ] = None,
    ranks: Annotated[str, typer.Option("-n", "--ranks", metavar="N", help="Number of ranks.")] = "1",
    mpi: Annotated[
        str | None,
        typer.Option(metavar="|".join(installation.NAMES), help="For scripts; a binary's own MPI is recognised."),
    ] = None,
    stats: Annotated[
        str | None,
        typer.Option(
            metavar="[FILE.json]",
            help="Say at the end, per MPI function, how many calls Weft executed, how many went to the host MPI, "
            "and why; with FILE.json, write it there.",
        ),
    ] = None,
    host_only: Annotated[bool, typer.Option("--host-only", help="The same launch without Weft, to compare.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="End the job where ranks do not make the same collective calls, and say so.")
    ] = False,
    device: Annotated[
        str | None,
        typer.Option(
            metavar="none|agent",
            help="Who moves messages between nodes: the ranks, or a thread of each while they compute.",
        ),
    ] = None,
    mpiexec_args: Annotated[str, typer.Option(metavar='"…"', help="More arguments for the MPI's own mpiexec.")] = "",
    *,
    network: VirtualHosts,
) -> None:
    """Launch an MPI program with Weft under it: weft run -n 4 -- ./program its arguments"""
    raise typer.Exit(job.run(command, ranks, mpi, stats, host_only, check, device, mpiexec_args, network.made()))
