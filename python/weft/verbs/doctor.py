# SPDX-License-Identifier: BSD-3-Clause
"""`weft doctor`: what this machine offers, and what will be used."""

import os
import platform
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

import typer

from weft import __version__, environment, installation, probes
from weft.bad_input import BadInput
from weft.console import out, print_json, progress, say
from weft.device import WAKES, device_here

LAST_MESSAGES = 10
VALUE_WIDTH = 9
BEYOND_REACH = (
    "Programs that look MPI's functions up in a library they opened themselves (ctypes, Julia's MPI.jl) "
    "bypass a preloaded library: Weft cannot reach them, and they run on the host MPI as ever."
)


def run(as_json: Annotated[bool, typer.Option("--json", help="The same facts as JSON.")] = False) -> None:
    """Show what this machine offers and what will be used: MPIs, progress, memory, devices."""
    with progress("Looking", 3 + len(probes.ALL)) as step:
        facts: dict[str, Any] = {"weft": __version__, "machine": machine()}
        step()
        facts["mpi"] = [describe_host(host) for host in installation.hosts()]
        facts["default_mpi"] = default_mpi()
        step()
        facts["abilities"] = {}
        for name, probe in probes.ALL.items():
            works, why = probe()
            facts["abilities"][name] = {"works": works, "why": why}
            step()
        facts |= settings()
        facts["device"] = device(facts)
        step()
    facts["environment"] = {k: v for k, v in sorted(os.environ.items()) if k.startswith("WEFT_")}
    facts["fabric"] = fabric(facts["settings"])
    facts["beyond_reach"] = BEYOND_REACH
    facts["log"] = last_messages(installation.last_log())
    if as_json:
        print_json(facts)
    else:
        show(facts)


def machine() -> dict[str, Any]:
    facts: dict[str, Any] = {
        "cpu": probes.cpu_model(),
        "cores": probes.usable_cores(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "topology": None,
        "tree": None,
    }
    try:
        from weft.core import _core

        found = _core.detect_machine()
        facts["topology"] = str(found.topology)
        facts["tree"] = found.topology.tree()
        facts["hwloc"] = found.hwloc_version
    except (BadInput, ValueError) as problem:
        facts["topology_problem"] = str(problem)
    return facts


def settings() -> dict[str, Any]:
    """What a job that starts here would use, and where each value comes from; or why it would step aside."""
    try:
        from weft.core import _core

        _core.check_settings()
        return {"settings": _core.settings_in_effect()}
    except (BadInput, ValueError) as problem:
        return {"settings": [], "settings_problem": str(problem)}


def device(facts: dict[str, Any]) -> dict[str, Any]:
    """Who would move operations while programs compute."""
    try:
        from weft.core import _core

        wake_ns = _core.wake_cost(WAKES)
    except (BadInput, ValueError) as problem:
        return {"name": None, "says": [f"unknown: {problem}"]}
    if "settings_problem" in facts:
        return {"name": None, "says": [f"unknown: {facts['settings_problem']}"]}
    return device_here(facts["settings"], facts["machine"]["cores"], wake_ns)


def fabric(settings: list[dict[str, str]]) -> dict[str, Any] | None:
    """What libfabric offers for agents' messages, and what WEFT_WIRE=fabric would use."""
    given = {setting["name"]: setting["value"] for setting in settings}
    try:
        from weft.core import _core

        return _core.survey_fabric(given.get("WEFT_WIRE", "tcp"), given.get("WEFT_WIRE_INTERFACE", ""))
    except (BadInput, ValueError):
        return None


def describe_host(host: installation.Host) -> dict[str, Any]:
    return {
        "name": host.name,
        "title": host.title,
        "version": host.version,
        "launcher": str(host.launcher),
        "mpi_library": str(host.mpi_library) if host.mpi_library else None,
        "soname": host.soname,
        "library": str(host.library) if host.library else None,
        "progress": progress_path(host),
    }


def progress_path(host: installation.Host) -> str:
    """How Weft moves while the program is inside the host's own calls (drop_in rule 1)."""
    if host.mpi_library is None:
        return f"unknown: {host.soname} is not found"
    hook = "opal_progress_register" if host.make == installation.OPEN_MPI else "MPIX_Async_start"
    found = probes.has_function(host.mpi_library, hook)
    if found is None:
        return f"unknown: {host.mpi_library} cannot be loaded"
    hooked = f"hook in the host's progress engine ({hook})"
    if found and host.make == installation.OPEN_MPI:
        return hooked
    taken_over = "blocking calls are taken over while Weft has work"
    if found:
        return f"{hooked}; under MPI_THREAD_MULTIPLE {taken_over}"
    if probes.has_function(host.mpi_library, "MPIX_Grequest_start"):
        return f"generalised requests that any wait polls (MPIX_Grequest_start); {taken_over} (no hook here)"
    return f"{taken_over} (no hook here); a wait that bypasses Weft, as PMPI_Wait, does not move it"


def default_mpi() -> str | None:
    try:
        return installation.default_host().name
    except BadInput:
        return None


def last_messages(file: Path) -> dict[str, Any]:
    try:
        lines = file.read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    return {"file": str(file), "messages": lines[-LAST_MESSAGES:]}


def show(facts: dict[str, Any]) -> None:
    here = facts["machine"]
    say(f"Weft {facts['weft']}", "bold")
    say(f"  cpu        {here['cpu']}, {here['cores']} cores usable")
    say(f"  system     {here['system']}, Python {here['python']}")
    if here["topology"]:
        say(f"  topology   {here['topology']}  (hwloc {here['hwloc']})")
        lines = here["tree"].splitlines()
        for line in lines[:24]:
            say(f"             {line}", "dim")
        if len(lines) > 24:
            say(f"             … {len(lines) - 24} more lines: --json has them", "dim")
    else:
        say(f"  topology   unknown: {here['topology_problem']}", "yellow")
    show_hosts(facts)
    for name, ability in facts["abilities"].items():
        mark, style = ("yes", "green") if ability["works"] else ("no", "yellow")
        out.print(f"  {name:<18} [{style}]{mark:<4}[/]", end="")
        say(ability["why"])
    for label, line in zip_longest(["device"], facts["device"]["says"], fillvalue=""):
        say(f"  {label:<18} {line}")
    say()
    if facts["fabric"]:
        show_fabric(facts["fabric"])
    for name in environment.OWN:
        if name in facts["environment"]:
            say(f"  {name}={facts['environment'][name]}")
    show_settings(facts)
    say(facts["beyond_reach"])
    if facts["log"]["messages"]:
        say(f"\nLast messages of the library ({facts['log']['file']})", "bold")
        for line in facts["log"]["messages"]:
            say(f"  {line}")


def show_fabric(found: dict[str, Any]) -> None:
    usable = ", ".join(one["name"] for one in found["providers"] if not one["trouble"])
    if not found["version"]:
        say(f"  {'libfabric':<18} {found['problem']}\n")
        return
    say(f"  {'libfabric':<18} {found['version']}; providers that can be a wire: {usable or 'none'}")
    for one in found["providers"]:
        if one["trouble"]:
            say(f"  {'':<18} not {one['trouble']}", "dim")
    if found["chosen"]:
        say(f"  {'':<18} WEFT_WIRE=fabric uses {found['chosen']}")
    else:
        say(f"  {'':<18} {found['problem']}", "yellow")
    if found["known_bad"]:
        say(f"  {'':<18} {found['known_bad']}", "yellow")
    say()


def show_settings(facts: dict[str, Any]) -> None:
    if "settings_problem" in facts:
        say(f"Settings: {facts['settings_problem']}\n", "yellow")
        return
    say("Settings (docs/settings.md)", "bold")
    say(f"  {'setting':<26} {'value':<{VALUE_WIDTH}} from", "bold")
    for setting in facts["settings"]:
        say(f"  {setting['name']:<26} {setting['value']:<{VALUE_WIDTH}} {setting['from']}")
    say()


def show_hosts(facts: dict[str, Any]) -> None:
    say()
    if not facts["mpi"]:
        say(
            "No MPI is found: install one (Debian: openmpi-bin libopenmpi-dev, or mpich libmpich-dev).\n",
            "yellow",
        )
        return
    # In lines rather than in a table, which would break paths that are to be copied.
    for host in facts["mpi"]:
        default = ", the default for scripts" if host["name"] == facts["default_mpi"] else ""
        say(host["title"], "bold")
        say(f"  name            --mpi {host['name']}{default}")
        say(f"  launcher        {host['launcher']}")
        say(f"  MPI library     {host['mpi_library'] or host['soname'] + ' is not found'}")
        say(f"  Weft's library  {host['library'] or 'not built for this MPI: run `make build`'}")
        say(f"  progress        {host['progress']}\n")
