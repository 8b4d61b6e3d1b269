# SPDX-License-Identifier: BSD-3-Clause
"""A place where somebody who is not root may make virtual hosts: a user namespace, in which he counts as root.

Namespaces belong to the process that entered it first, so that a command is begun again inside, by whoever holds its
words: `python -m weft`. There /run is empty, and /etc has room for what `ip netns` keeps in it; files for a while go to
a folder of its own, as those of the real root have the names that ours would have. All else is as outside. When its
last process ends, all of it is gone.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from weft.bad_input import BadInput

CAP_NET_ADMIN, CAP_SYS_ADMIN = 12, 21
# A network of its own as well: `ip netns add` wants to come back to the one that it started in.
ENTER = ("unshare", "--user", "--map-root-user", "--mount", "--net", "sh", "-c")
PREPARE = (
    "ip link set lo up && mount -t tmpfs tmpfs /run && mkdir -p /run/netns /run/etc/netns /run/work /run/tmp && "
    "mount -t overlay overlay -o lowerdir=/etc,upperdir=/run/etc,workdir=/run/work /etc && "
    'TMPDIR=/run/tmp exec "$@"'
)


class BeginAgain(Exception):  # noqa: N818
    """What is to be done needs a user namespace: begin the command again, in one."""


def holds(capability: int) -> bool:
    """Whether this process has it; root in a container may lack it."""
    status = Path("/proc/self/status").read_text()
    effective = next(line for line in status.splitlines() if line.startswith("CapEff:")).split()[1]
    return bool(int(effective, 16) >> capability & 1)


def may_make_hosts() -> bool:
    return holds(CAP_NET_ADMIN) and holds(CAP_SYS_ADMIN)


def require() -> None:
    """Raises BeginAgain, or BadInput where this system has no user namespaces for us."""
    if why := attempt():
        raise BadInput(
            "--hosts needs root (CAP_NET_ADMIN and CAP_SYS_ADMIN), since virtual hosts are network namespaces, or a "
            f"user namespace, which this system does not allow ({why}): run it as root, or leave --hosts away."
        )
    raise BeginAgain


def attempt() -> str:
    """Why we cannot enter one; empty where we can."""
    if missing := [name for name in (ENTER[0], "ip") if shutil.which(name) is None]:
        return f"{' and '.join(missing)} not installed"
    done = subprocess.run(words(["true"]), capture_output=True, text=True, check=False)
    return " ".join(done.stderr.split()) or "no reason is given" if done.returncode else ""


def words(command: Sequence[str]) -> list[str]:
    return [*ENTER, PREPARE, "sh", *command]


def begin_again(arguments: Sequence[str]) -> None:
    """Becomes `weft ARGUMENTS` in a user namespace."""
    os.execvp(ENTER[0], words([sys.executable, "-m", "weft", *arguments]))
