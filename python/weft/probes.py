# SPDX-License-Identifier: BSD-3-Clause
"""What this machine can do, found out by trying it. Every probe returns (works, one line that says why)."""

import ctypes
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from weft.user_namespace import CAP_SYS_ADMIN, attempt, holds, may_make_hosts

CAP_BPF = 39
Finding = tuple[bool, str]


def read(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def cpu_model() -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", read("/proc/cpuinfo") or "", re.MULTILINE)
    return found[1] if found else platform.processor() or platform.machine()


def usable_cores() -> int:
    return len(os.sched_getaffinity(0))


def shared_memory() -> Finding:
    """The node engine uses memfds; /dev/shm is what the host MPIs use."""
    memfd = "memfd" if hasattr(os, "memfd_create") else "no memfd"
    try:
        os.close(os.memfd_create("weft-doctor"))
    except (OSError, AttributeError):
        memfd = "no memfd"
    if not os.access("/dev/shm", os.W_OK):
        return False, f"/dev/shm is not writable; {memfd}"
    room = os.statvfs("/dev/shm")
    return True, f"/dev/shm with {room.f_bavail * room.f_frsize >> 20} MiB free; {memfd}"


class IoVector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


def read_sibling(process: int, address: int, length: int) -> bytes:
    """What another process has at this address, by process_vm_readv."""
    libc = ctypes.CDLL(None, use_errno=True)
    into = ctypes.create_string_buffer(length)
    local = IoVector(ctypes.addressof(into), length)
    remote = IoVector(address, length)
    call = libc.process_vm_readv
    call.restype = ctypes.c_ssize_t
    call.argtypes = [ctypes.c_int] + [ctypes.c_void_p, ctypes.c_ulong] * 2 + [ctypes.c_ulong]
    if call(process, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) != length:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return into.raw


def single_copy() -> Finding:
    """Cross-memory attach between siblings, which is what ranks on a node are to one another."""
    holder = subprocess.Popen([sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        address = holder.stdout.readline().strip() if holder.stdout else ""
        reader = [sys.executable, "-c", READER, str(Path(__file__)), str(holder.pid), address]
        done = subprocess.run(reader, capture_output=True, text=True, timeout=20, check=False)
    finally:
        holder.communicate("")
    if done.stdout.strip() == "the cookie":
        return True, "one rank can read another's memory (process_vm_readv)"
    scope = read("/proc/sys/kernel/yama/ptrace_scope")
    hint = f"; kernel.yama.ptrace_scope is {scope}, 0 allows it" if scope not in (None, "0") else ""
    cost = "long messages between two ranks go through shared memory, which may take twice as long"
    return False, f"process_vm_readv: {done.stdout.strip() or 'failed'}{hint}; {cost}"


HOLDER = """
import ctypes, sys
cookie = ctypes.create_string_buffer(b"the cookie", 10)
print(ctypes.addressof(cookie), flush=True)
sys.stdin.read()
"""
READER = """
import runpy, sys
probes = runpy.run_path(sys.argv[1])
try:
    print(probes["read_sibling"](int(sys.argv[2]), int(sys.argv[3]), 10).decode())
except OSError as problem:
    print(problem.strerror)
"""


def bpf() -> Finding:
    """Tries what the BPF device needs first: making a map."""
    if platform.system() != "Linux" or platform.machine() not in ("x86_64", "aarch64"):
        return False, f"not known for {platform.system()} on {platform.machine()}"
    number = 321 if platform.machine() == "x86_64" else 280
    map_array = 2
    attributes = (ctypes.c_uint32 * 18)(map_array, 4, 8, 1)
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.syscall(number, 0, attributes, ctypes.sizeof(attributes))
    types = "with" if Path("/sys/kernel/btf/vmlinux").exists() else "without"
    if descriptor >= 0:
        os.close(descriptor)
        return True, f"maps can be made; kernel {platform.release()} {types} type information (BTF)"
    why = os.strerror(ctypes.get_errno())
    if not holds(CAP_BPF) and not holds(CAP_SYS_ADMIN):
        why += "; this process lacks CAP_BPF"
    return False, f"{why}; kernel {platform.release()}"


def perf() -> Finding:
    paranoid = read("/proc/sys/kernel/perf_event_paranoid")
    program = shutil.which("perf")
    if paranoid is None:
        return False, "the kernel has no performance events"
    allowed = int(paranoid) <= 2 or os.geteuid() == 0
    where = f"perf is {program}" if program else "the program perf is not installed"
    return allowed and program is not None, f"{where}; kernel.perf_event_paranoid is {paranoid}"


def virtual_hosts() -> Finding:
    if shutil.which("ip") is None:
        return False, "the command ip is not installed (Debian: iproute2)"
    if not may_make_hosts() and (why := attempt()):
        return False, f"neither root nor a user namespace: {why}"
    place = "with --hosts" if may_make_hosts() else "with --hosts, in a user namespace"
    device = "/dev/net/tun"
    may_be_slow = os.access(device, os.R_OK | os.W_OK)
    return True, place if may_be_slow else f"{place}; not with --delay or the like: {device} is not ours to open"


def has_function(library: Path, function: str) -> bool | None:
    """Whether a library offers a function, its dependencies included; None if it cannot be loaded. Another
    process does it, so that nothing is left behind in this one."""
    code = "import ctypes, sys; print(hasattr(ctypes.CDLL(sys.argv[1]), sys.argv[2]))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(library), function],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout.strip() == "True" if done.returncode == 0 else None


ALL: dict[str, Callable[[], Finding]] = {
    "shared memory": shared_memory,
    "single copy (CMA)": single_copy,
    "BPF": bpf,
    "perf": perf,
    "virtual hosts": virtual_hosts,
}
