# SPDX-License-Identifier: BSD-3-Clause
"""Launching a program under a host's own mpiexec, with Weft under it or without.

Every way in which the hosts differ for a launch is here: how a variable reaches the ranks and not the
launcher, what root needs, when ranks may outnumber cores, how ranks come to other hosts and talk between them,
which libmpi an mpi4py wheel finds.
"""

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from weft import binary, foreground, installation
from weft.bad_input import BadInput
from weft.lab import LINK, Lab

ROOT_IS_ALLOWED = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_ALLOW_RUN_AS_ROOT": "1",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}

# Open MPI's mpiexec ends all ranks at SIGTERM. That of 5 forgets them when it is killed, and when a terminal that goes
# away and the shell in it both say so; its ranks see SIGHUP again. MPICH's waits for ranks that do not end at SIGTERM;
# when it is gone, its proxies kill them.
MANNERS = {
    installation.OPEN_MPI: foreground.Manners(signal.SIGTERM, frozenset({signal.SIGHUP})),
    installation.MPICH: foreground.Manners(signal.SIGKILL),
}

MOMENT = 2.0  # seconds that a program is given to end when it has printed all


@dataclass(frozen=True)
class Launch:
    """One start of a program: who starts it, on how many ranks, and what the ranks find in their environment."""

    host: installation.Host
    ranks: int
    program: binary.Program
    with_weft: bool = True
    variables: dict[str, str] = field(default_factory=dict)  # for the ranks
    launcher_arguments: Sequence[str] = ()
    lab: Lab | None = None  # the virtual hosts to spread the ranks over
    in_a_job: bool = True  # `weft run` starts it, rather than somebody whom `weft env` told what to say

    @property
    def is_open_mpi(self) -> bool:
        return self.host.make == installation.OPEN_MPI

    def command(self, scratch: Path) -> list[str]:
        """mpiexec's command line. `scratch` is a folder that lives as long as the program."""
        words = [str(self.host.launcher), *self.handed_over(self.rank_variables(scratch))]
        if self.lab is not None:
            words += self.lab_arguments(self.lab, scratch)
        elif self.is_open_mpi and self.ranks > physical_cores():
            words.append("--oversubscribe")
        words += [*self.launcher_arguments, "-n", str(self.ranks), *self.program.words]
        return words if self.lab is None else self.lab.command_on(0, words)

    def handed_over(self, variables: dict[str, str]) -> list[str]:
        """The options by which this mpiexec takes variables for the ranks."""
        if self.is_open_mpi:
            return [word for name, value in variables.items() for word in ("-x", f"{name}={value}")]
        return [word for name, value in variables.items() for word in ("-genv", name, value)]

    def lab_arguments(self, lab: Lab, scratch: Path) -> list[str]:
        """Ranks of different hosts are to meet on the network only: shared memory is for those of one host."""
        agent = str(lab.agent(scratch))
        hosts = ",".join(f"{name}:{count}" for name, count in lab.spread(self.ranks).items())
        if not self.is_open_mpi:
            return ["-launcher", "ssh", "-launcher-exec", agent, "-iface", LINK, "-hosts", hosts]
        # The launcher of Open MPI 5 is a program of its own, PRRTE, with its own settings.
        is_5 = self.host.name == "openmpi5"
        launchers = (
            {"plm_ssh_agent": agent, "prte_if_include": LINK}
            if is_5
            else {"plm_rsh_agent": agent, "oob_tcp_if_include": LINK}
        )
        ranks = {"pml": "ob1", "btl": f"tcp,{'sm' if is_5 else 'vader'},self", "btl_tcp_if_include": LINK}
        if not is_5:
            ranks["osc"] = "^rdma"  # 4 chooses it over TCP, where it makes no window: open-mpi/ompi#11466
        if self.ranks > physical_cores():
            ranks["mpi_yield_when_idle"] = "1"  # no host sees that the others' ranks are on its cores
        words = [word for name, value in launchers.items() for word in ("--prtemca" if is_5 else "--mca", name, value)]
        words += [word for name, value in ranks.items() for word in ("--mca", name, value)]
        # Every host would bind its ranks to the same first cores.
        return [*words, "--bind-to", "none", "--map-by", "slot", "--host", hosts]

    def rank_variables(self, scratch: Path) -> dict[str, str]:
        variables = {name: value for name, value in os.environ.items() if name.startswith("WEFT_")}
        if self.lab is not None and not self.is_open_mpi:
            variables["UCX_NET_DEVICES"] = LINK
        return variables | self.variables | self.loader_variables(scratch)

    def loader_variables(self, links: Path) -> dict[str, str]:
        """What makes a rank load Weft, and an mpi4py wheel find its MPI. `links` is a folder for links to libraries."""
        # Without Weft a sanitized program finds its run time by itself.
        preload = [*self.preloaded(links), *others_preloaded()] if self.with_weft else []
        variables = {"LD_PRELOAD": ":".join(preload)} if preload else {}
        return variables | (self.mpi4py_variables(links) if self.program.kind != "binary" else {})

    def preloaded(self, links: Path) -> list[str]:
        library = self.host.library
        if library is None:
            raise BadInput(
                f"libweft.so is not built for {self.host.title}: run `make build` with this MPI's development "
                "package installed, or use --host-only, or another --mpi (see `weft doctor`)."
            )
        sanitizers = binary.sanitizer_libraries(self.program.libraries, binary.needed_libraries(library))
        return [loadable(path, links) for path in [*sanitizers, library, *self.witnesses(library)]]

    def witnesses(self, library: Path) -> list[Path]:
        """Who notices that a script calls an mpiexec that starts no job within a job (src/launcher)."""
        nested = library.parents[1] / "libweft-nested.so"
        is_needed = self.in_a_job and self.program.kind != "binary" and self.host.name == "openmpi"
        return [nested] if is_needed and nested.is_file() else []

    def mpi4py_variables(self, links: Path) -> dict[str, str]:
        """An mpi4py wheel holds one module per MPI ABI, and each names its MPI's library, which the loader has to find.
        Debian's MPICH has none of the ABI's name libmpi.so.12, so that one is made, as a link; and libmpi.so, by which
        others (NEURON) load an MPI, is Debian's default one."""
        own = "openmpi" if self.is_open_mpi else "mpich"
        variables = {"MPI4PY_MPIABI": "mpiabi" if self.host.name == "abi" else own}
        library = self.host.mpi_library
        if library is None:
            return variables
        folder = library.parent
        if library.name == "libmpich.so.12":
            folder = links / "mpich-abi"
            folder.mkdir(exist_ok=True)
            for name in ("libmpi.so.12", "libmpi.so"):
                make_link(folder / name, library)
        elif str(library) == installation.loader_cache().get(library.name):
            return variables
        paths = [str(folder), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
        return variables | {"LD_LIBRARY_PATH": ":".join(paths)}


def environment() -> dict[str, str]:
    """What the launcher itself sees."""
    return (ROOT_IS_ALLOWED if os.geteuid() == 0 else {}) | dict(os.environ)


def others_preloaded() -> list[str]:
    """What the environment preloads, but for a library of Weft's, as inside another `weft run`."""
    words = re.split("[ :]+", os.environ.get("LD_PRELOAD", ""))
    return [word for word in words if word and not Path(word).name.startswith("libweft")]


def loadable(path: Path, links: Path) -> str:
    """LD_PRELOAD separates by blanks and colons and has no way to quote them."""
    if not re.search(r"[\s:]", str(path)):
        return str(path)
    return str(make_link(links / path.name, path))


def make_link(link: Path, to: Path) -> Path:
    with contextlib.suppress(FileExistsError):  # the same: a folder of links belongs to one set of libraries
        link.symlink_to(to)
    return link


def physical_cores() -> int:
    """Cores that this process may use; Open MPI counts its slots in these, not in hardware threads."""
    cores = set()
    for cpu in os.sched_getaffinity(0):
        topology = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology")
        try:
            package, core = ((topology / name).read_text() for name in ("physical_package_id", "core_id"))
        except OSError:
            package, core = "", str(cpu)
        cores.add((package, core))
    return len(cores)


def choose_host(program: binary.Program, wanted: str | None) -> installation.Host:
    """The MPI that the program was built for; scripts take the wanted one, else the default."""
    if wanted is not None and wanted not in installation.NAMES:
        raise BadInput(f"--mpi {wanted}: Weft knows {', '.join(installation.NAMES)}.")
    if program.mpi is None:
        return installation.host(wanted) if wanted else installation.default_host()
    found = installation.host_of_library(program.mpi.soname, program.mpi.library)
    if wanted not in (None, found.name):
        raise BadInput(
            f"{program.mpi.by} was built for {found.title}, not for {installation.TITLES[wanted]}: leave --mpi away, "
            "or build the program with the compiler wrapper (mpicc) of that MPI."
        )
    return found


def run(launch: Launch, scratch: Path) -> int:
    """Runs it in the foreground, with our stdin, stdout and stderr. The exit code is the shell's: 128 + signal."""
    return foreground.run(launch.command(scratch), environment(), MANNERS[launch.host.make])


def capture(
    launch: Launch, scratch: Path, timeout: float, is_complete: Callable[[str], bool] = lambda out: False
) -> subprocess.CompletedProcess[str]:
    return capture_command(launch.command(scratch), environment(), timeout, is_complete, launch.lab)


def capture_command(
    words: Sequence[str],
    variables: dict[str, str],
    timeout: float,
    is_complete: Callable[[str], bool] = lambda out: False,
    lab: Lab | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs in a process group of its own and keeps the output."""
    process = subprocess.Popen(
        words,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    return capture_process(process, timeout, is_complete, lab)


def capture_process(
    process: subprocess.Popen[str], timeout: float, is_complete: Callable[[str], bool], lab: Lab | None = None
) -> subprocess.CompletedProcess[str]:
    """The process leads a group, which ends as a whole when time is up. A program that has printed all it has to, by
    `is_complete`, and does not end is ended after a moment: before 4.2, MPICH over TCP often waits for ever in
    MPI_Finalize, where ranks that are done no longer answer the others (MPICH pull request 6596)."""
    try:
        out, err = communicate(process, timeout, is_complete)
    except subprocess.TimeoutExpired as problem:
        until_then = text_of(problem.output)
        out, err = end(process, lab)
        if not is_complete(until_then):
            raise subprocess.TimeoutExpired(process.args, timeout, out, err) from None
        out = until_then  # without what the launcher says of its being ended
    except BaseException:
        end(process, lab)
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def communicate(process: subprocess.Popen[str], timeout: float, is_complete: Callable[[str], bool]) -> tuple[str, str]:
    """Its output and complaints. Raises TimeoutExpired, at once where the output was complete for MOMENT seconds."""
    deadline = time.monotonic() + timeout
    was_complete = False
    while True:
        try:
            return process.communicate(timeout=min(MOMENT, max(0.0, deadline - time.monotonic())))
        except subprocess.TimeoutExpired as problem:
            if was_complete or time.monotonic() >= deadline:
                raise
            was_complete = is_complete(text_of(problem.output))


def text_of(output: bytes | None) -> str:
    """Output as text: what a process has said before its end Popen keeps as bytes, although asked for text."""
    return (output or b"").decode(errors="replace")


def end(process: subprocess.Popen[str], lab: Lab | None) -> tuple[str, str]:
    """Ends the process group, and what it started on other hosts, and returns all that was said."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        said = process.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        if lab is not None:
            lab.end_processes()  # they may hold the pipes open
        said = process.communicate()
    if lab is not None:
        lab.end_processes()
    return said
