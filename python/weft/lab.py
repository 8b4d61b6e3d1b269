# SPDX-License-Identifier: BSD-3-Clause
"""Several hosts on one machine: network namespaces, each with its own name, address and network interface.

    with Lab(2, Link(delay_us=200)) as lab:
        subprocess.run(lab.command_on(0, ["ping", "h1"]))

A lab is a set of namespaces named weft-PID-NUMBER-…: one per host (h0, h1, …), and one with what joins them: a
bridge, or, where the network is to be slow or bad, the switch of tests/lab/delay_switch.c. Nothing of it is visible in
the machine's own network, so that labs exist side by side with equal names and addresses of their hosts. The hosts
share the machine's files, processes and cores.

Needs iproute2 and root, or a user namespace (user_namespace.py). A lab is removed when its block is left, by an
exception, ctrl-C or a signal as well; one whose process was killed is found by its name and removed by the next lab.
"""

import contextlib
import dataclasses
import itertools
import json
import math
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from weft import installation, user_namespace
from weft.bad_input import BadInput

LINK = "eth0"  # a host's only way to the others
MOST_HOSTS = 250
FRAME_BYTES = 1514  # a full one
MOST_FRAMES_AT_ONCE = 45  # they fill 64 KiB
NAMESPACES = Path("/run/netns")  # where ip keeps them
NAMESPACE_FILES = Path("/etc/netns")  # `ip netns exec` shows what lies in NAME/ there in the place of /etc's own
KILLED = "-killed"  # what lies there behind the name of a host says so
NAMESPACE = re.compile(r"(weft-(\d+)-\d+)-(?:switch|h\d+)")
ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
# A host's name is its own, and so is its shared memory of System V: by its namespace UCX tells one host from another.
ENTER = ("unshare", "--uts", "--ipc", "sh", "-c")
SET_NAME = 'hostname "$0" && '
KEEP_TO_CORE = ("taskset", "--cpu-list")
numbers = itertools.count()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Link:
    """How a host is joined to the others. A frame goes by two links: it takes the longer of their delays, one way, and
    has the higher of their chances to be lost, to arrive twice, or to be overtaken by half a millisecond."""

    delay_us: float = 0.0
    loss_percent: float = 0.0
    duplicate_percent: float = 0.0
    reorder_percent: float = 0.0
    megabits: float | None = None  # per second, in each direction; with a queue of 1.5 MB before it

    def __str__(self) -> str:
        said = [f"{self.delay_us:g} us apart", f"{self.loss_percent:g} % of the frames lost"]
        said += [f"{self.duplicate_percent:g} % duplicated"] if self.duplicate_percent else []
        said += [f"{self.reorder_percent:g} % reordered"] if self.reorder_percent else []
        said += [f"{self.megabits:g} Mbit/s"] if self.megabits else []
        return ", ".join(said)

    @property
    def frames_at_once(self) -> int:
        """How many frames of a TCP connection a host hands over in one piece, as hosts do for a network adapter: what
        the link sends in 100 us. One, if they are to have fates of their own."""
        if self.loss_percent or self.duplicate_percent or self.reorder_percent:
            return 1
        sent = (self.megabits or math.inf) * 100 / 8  # bytes
        return max(1, int(min(sent / FRAME_BYTES, MOST_FRAMES_AT_ONCE)))

    def facts(self) -> dict[str, float | None]:
        return vars(self)

    def options(self) -> list[str]:
        """What the switch is told."""
        given = {name.replace("_", "-"): value for name, value in vars(self).items()}
        return [f"--{name}={value or 0}" for name, value in given.items()]


class Lab:
    """`hosts` virtual hosts, joined as `link` says; those in `links`, by number, as is said there. What happens to
    frames by chance is the same again for the same `seed`. For the main thread, where signals arrive. Raises BadInput
    where this machine or this user cannot have it."""

    def __init__(self, hosts: int, link: Link = Link(), links: Mapping[int, Link] | None = None, seed: int = 1) -> None:
        if not 1 <= hosts <= MOST_HOSTS:
            raise BadInput(f"--hosts {hosts}: a lab has 1 to {MOST_HOSTS} hosts.")
        self.hosts, self.link, self.links, self.seed = hosts, link, dict(links or {}), seed
        for host in self.links:
            self._check(host)
        self.name = f"weft-{os.getpid()}-{next(numbers)}"
        # Hosts that outnumber the cores keep to one each. Else the kernel wakes whom a frame is for on the core of who
        # brings it, and leaves cores idle while several hosts wait for one.
        cores = sorted(os.sched_getaffinity(0))
        self._cores = cores if hosts > len(cores) else []
        self.counters: dict[str, Any] = {}  # of the switch, when the lab is closed
        self._switch: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        check_permitted()
        # Its name may be that of a killed process that had our number.
        remove([name for name, owner in existing().items() if name == self.name or not is_alive(owner)])
        with contextlib.ExitStack() as stack:
            stack.enter_context(signals_are_exceptions())
            stack.callback(self._remove)
            self._build()
            self._open = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def command_on(self, host: int, words: Sequence[str]) -> list[str]:
        """The command line that runs `words` on a host."""
        return command_on(self.name, f"h{host}", [*self._keep_to_core(host), *words])

    def agent(self, folder: Path) -> Path:
        """A script that stands in for ssh: AGENT [-OPTION…] HOST COMMAND… Like ssh, it does not notice that the host
        has been killed."""
        file = folder / f"{self.name}-agent"
        cores = "".join(f"h{host}) keep='{' '.join(self._keep_to_core(host))}';;\n" for host in range(self.hosts))
        file.write_text(
            "#!/bin/sh\n"
            'while [ "${1#-}" != "$1" ]; do shift; done\n'
            "host=$1; shift\n"
            f"case $host in\n{cores}esac\n"
            f'$keep ip netns exec "{self.name}-$host" {" ".join(ENTER)} \'{SET_NAME}eval "$*"\' "$host" "$@"\n'
            f'code=$?; while [ -e "{NAMESPACE_FILES}/{self.name}-$host{KILLED}" ]; do sleep 1; done; exit $code\n'
        )
        file.chmod(0o755)
        return file

    def spread(self, ranks: int) -> dict[str, int]:
        """Ranks per host: neighbours together, the first hosts with one more where it does not come out even."""
        each, more = divmod(ranks, self.hosts)
        counts = {f"h{host}": each + (host < more) for host in range(self.hosts)}
        return {name: count for name, count in counts.items() if count > 0}

    def __str__(self) -> str:
        others = "".join(f"; h{host}: {link}" for host, link in self.links.items())
        return f"{self.hosts} virtual hosts, {self.link}{others}"

    def facts(self, ranks: int = MOST_HOSTS) -> dict[str, Any]:
        """What a record says about where it was measured: fewer ranks than hosts leave some of them empty."""
        others = {f"h{host}": link.facts() for host, link in self.links.items()}
        return {"hosts": min(self.hosts, ranks)} | self.link.facts() | ({"links": others} if others else {})

    def end_processes(self) -> None:
        """Kills what still runs on the hosts."""
        end_processes([self._host(i) for i in range(self.hosts)])

    def kill_host(self, host: int) -> None:
        """As if its plug were pulled: its link falls silent, and then its processes die. Nobody is told: what others
        send it vanishes."""
        self._check(host)
        ip([f"link set {LINK} down"], self._host(host))
        (NAMESPACE_FILES / f"{self._host(host)}{KILLED}").mkdir(exist_ok=True)
        end_processes([self._host(host)])

    def _keep_to_core(self, host: int) -> list[str]:
        return [*KEEP_TO_CORE, str(self._cores[host % len(self._cores)])] if self._cores else []

    def _check(self, host: int) -> None:
        if not 0 <= host < self.hosts:
            raise BadInput(f"h{host}: this lab has the hosts h0 to h{self.hosts - 1}.")

    def _host(self, i: int) -> str:
        return f"{self.name}-h{i}"

    @property
    def _hub(self) -> str:
        return f"{self.name}-switch"

    def _build(self) -> None:
        hosts = range(self.hosts)
        ip(f"netns add {name}" for name in [self._hub, *map(self._host, hosts)])
        names = "127.0.0.1 localhost\n" + "".join(f"{address(i)} h{i}\n" for i in hosts)
        for i in hosts:
            folder = NAMESPACE_FILES / self._host(i)
            folder.mkdir(parents=True)
            (folder / "hosts").write_text(names)
        if any(link != Link() for link in (self.link, *self.links.values())):
            self._join_by_switch()
        else:
            self._join_by_bridge()
        for i in hosts:
            # Nobody speaks that was not asked to: no IPv6, and no search for addresses that are known.
            neighbours = (f"neigh add {address(j)} lladdr {mac(j)} nud permanent dev {LINK}" for j in hosts if j != i)
            ip(
                [
                    "link set lo up",
                    f"link set {LINK} addrgenmode none",
                    f"addr add {address(i)}/24 dev {LINK}",
                    f"link set {LINK} up",
                    *neighbours,
                ],
                self._host(i),
            )

    def _join_by_bridge(self) -> None:
        lines = [
            "link add bridge type bridge mcast_snooping 0",
            "link set bridge addrgenmode none",
            "link set bridge up",
        ]
        for i in range(self.hosts):
            lines += [
                f"link add port{i} type veth peer name {LINK} address {mac(i)} netns {self._host(i)}",
                f"link set port{i} addrgenmode none",
                f"link set port{i} master bridge up",
            ]
        ip(lines, self._hub)

    def _join_by_switch(self) -> None:
        program = installation.application("delay_switch")
        if program is None:
            raise BadInput("a slow or bad network needs bin/delay_switch, which is not built: run `make build`.")
        words = [str(program), f"--ports={self.hosts}", f"--seed={self.seed}", *self.link.options()]
        for host, link in self.links.items():
            words += [f"--port={host}", *link.options()]
        # In a session of its own, since ctrl-C is for the programs: they end while there is still a network.
        self._switch = subprocess.Popen(
            ["ip", "netns", "exec", self._hub, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._switch.stdout is not None
        if not self._switch.stdout.readline():
            _, why = self._switch.communicate()
            raise BadInput(
                f"the switch between the hosts did not start: {why.strip()}. It needs /dev/net/tun, readable and "
                "writable for this user."
            )
        at_once = min(link.frames_at_once for link in (self.link, *self.links.values()))
        ip(
            itertools.chain.from_iterable(
                (
                    # A sender that is faster than the switch has to find room for what the switch can keep.
                    f"link set port{i} txqueuelen 10000 gso_max_segs {at_once} address {mac(i)}",
                    f"link set port{i} netns {self._host(i)} name {LINK}",
                )
                for i in range(self.hosts)
            ),
            self._hub,
        )

    def _remove(self) -> None:
        with undisturbed():
            self.end_processes()
            if self._switch is not None:
                self._switch.terminate()
                try:
                    said, _ = self._switch.communicate(timeout=5)
                    self.counters = json.loads(said) if said else {}
                except subprocess.TimeoutExpired:
                    self._switch.kill()
                    self._switch.communicate()
            remove([self.name])


def command_on(lab: str, host: str, words: Sequence[str]) -> list[str]:
    return ["ip", "netns", "exec", f"{lab}-{host}", *ENTER, SET_NAME + 'exec "$@"', host, *words]


def address(host: int) -> str:
    return f"10.9.0.{host + 1}"


def mac(host: int) -> str:
    """The switch reads a port's number from it."""
    return f"02:00:00:00:{(host + 1) >> 8:02x}:{(host + 1) & 255:02x}"


def check_permitted() -> None:
    if not user_namespace.may_make_hosts():
        raise BadInput(
            "--hosts needs root (CAP_NET_ADMIN and CAP_SYS_ADMIN), since virtual hosts are network namespaces: run it "
            "as root, or leave --hosts away."
        )
    if shutil.which("ip") is None:
        raise BadInput("--hosts needs the command `ip`, which is not installed (Debian: iproute2).")


def ip(lines: Iterator[str] | Sequence[str], namespace: str | None = None) -> None:
    """One call of ip for many commands, in a namespace."""
    words = ["ip", *(["-n", namespace] if namespace else []), "-batch", "-"]
    done = subprocess.run(words, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BadInput(
            f"--hosts: virtual hosts cannot be made here; `ip` says: {' '.join(done.stderr.split())} "
            "Root needs CAP_NET_ADMIN and CAP_SYS_ADMIN for it, which a container may not have."
        )


def existing() -> dict[str, int]:
    """All labs of this machine, abandoned ones as well: name -> the process that made it."""
    found = (
        NAMESPACE.fullmatch(entry.name) for folder in (NAMESPACES, NAMESPACE_FILES) for entry in folder.glob("weft-*")
    )
    return {match[1]: int(match[2]) for match in found if match}


def is_alive(process: int) -> bool:
    """Whether the process runs: a zombie, whose parent has not asked for its exit code, does not."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] not in ("Z", "X")


def remove(labs: Sequence[str]) -> None:
    """Removes labs with everything in them. What is gone already is no error: somebody else may remove the same lab."""
    for lab in labs:
        namespaces = [path.name for path in NAMESPACES.glob(f"{lab}-*")]
        end_processes(namespaces)
        lines = "".join(f"netns del {name}\n" for name in namespaces)
        subprocess.run(["ip", "-force", "-batch", "-"], input=lines, capture_output=True, text=True, check=False)
        for folder in NAMESPACE_FILES.glob(f"{lab}-*"):
            shutil.rmtree(folder, ignore_errors=True)


def end_processes(namespaces: Sequence[str], seconds: float = 5.0) -> None:
    """Kills all processes of these namespaces and waits until they are gone."""
    wanted = {identity(NAMESPACES / name) for name in namespaces} - {None}
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        inside = [int(p.name) for p in Path("/proc").glob("[0-9]*") if identity(p / "ns/net") in wanted]
        if not inside:
            return
        for process in inside:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.01)


def identity(namespace: Path) -> tuple[int, int] | None:
    try:
        status = namespace.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


@contextlib.contextmanager
def signals_are_exceptions() -> Iterator[None]:
    """Signals that would end Python on the spot raise SystemExit, so that blocks are left in good order."""

    def leave(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    taken = [number for number in ENDING_SIGNALS if signal.getsignal(number) == signal.SIG_DFL]
    for number in taken:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """A second ctrl-C does not stop the cleaning."""
    previous = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, *ENDING_SIGNALS)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
