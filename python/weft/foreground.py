# SPDX-License-Identifier: BSD-3-Clause
"""A launcher in the foreground, with our stdin, stdout and stderr, which ends when we are told to end, or are killed.

Signals are waited for, not handled, because only then the kernel says who sent them: what a terminal sends, as for
Ctrl-C, has reached the launcher as well; what somebody sends to this process alone is passed on.
"""

import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
PR_SET_PDEATHSIG = 1
SAME_WISH = 1.0  # seconds in which another signal says nothing new: many send one to us, and one to our process group


@dataclass(frozen=True)
class Manners:
    """What a launcher does about signals."""

    surest: signal.Signals  # at which all of its ranks end, whatever these do about signals
    unseen: frozenset[signal.Signals] = frozenset()  # to be kept from it


def run(words: Sequence[str], variables: dict[str, str], manners: Manners) -> int:
    """Returns when the launcher has ended. The exit code is the shell's: 128 + signal, also for a signal to us."""
    # What was ignored when we came, as by nohup, stays ignored; the end of the launcher must not be.
    ending = {name for name in ENDING if signal.getsignal(name) != signal.SIG_IGN}
    children = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*ending, signal.SIGCHLD})
    received: int | None = None
    try:
        process = subprocess.Popen(
            words, env=variables, preexec_fn=dying_with_us(manners.surest, before | manners.unseen)
        )
        received = wait(process, ending, manners)
        while late := signal.sigtimedwait(ending, 0):  # there is nobody left to pass it on to
            received = received or late.si_signo
    finally:
        # Who was told to end does so, and is told again by some: that must not become the way it ends.
        signal.pthread_sigmask(signal.SIG_SETMASK, before | ending if received else before)
        signal.signal(signal.SIGCHLD, children)
    code = 128 + received if received else process.returncode
    return code if code >= 0 else 128 - code


def wait(process: subprocess.Popen[bytes], ending: set[signal.Signals], manners: Manners) -> int | None:
    """The first signal that told us to end, if one did."""
    first, passed_on_at = None, float("-inf")
    while process.poll() is None:
        got = signal.sigwaitinfo({*ending, signal.SIGCHLD})
        if got.si_signo == signal.SIGCHLD:
            continue
        is_ctrl_c = got.si_signo == signal.SIGINT and got.si_code > 0  # from the kernel, which is the terminal
        if not is_ctrl_c and time.monotonic() > passed_on_at + SAME_WISH:
            gentle = signal.SIGINT if got.si_signo == signal.SIGINT else signal.SIGTERM
            process.send_signal(manners.surest if first else gentle)
            passed_on_at = time.monotonic()
        first = first or got.si_signo
    return first


def dying_with_us(death: signal.Signals, blocked: set[signal.Signals]) -> Callable[[], None]:
    """For the child, before it becomes the launcher: it gets this signal when we die of whatever cause. By "we" the
    kernel means the thread that forks, which here is the one that waits."""
    us, libc = os.getpid(), ctypes.CDLL(None)

    def prepare() -> None:
        libc.prctl(PR_SET_PDEATHSIG, int(death))
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        if os.getppid() != us:  # nobody would tell any more
            os.kill(os.getpid(), signal.SIGKILL)

    return prepare
