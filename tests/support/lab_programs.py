# SPDX-License-Identifier: BSD-3-Clause
"""What virtual hosts say to one another in tests: programs, and how to run them."""

import contextlib
import subprocess
import sys

import pytest

from weft import installation

NEEDS_SWITCH = pytest.mark.skipif(not installation.application("delay_switch"), reason="bin/delay_switch is not built")

ECHO = """
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("h1", 7))
print(socket.gethostname(), flush=True)
while True:
    s.sendto(*s.recvfrom(100))
"""
PING = """
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(20)
for i in range(int(sys.argv[1])):
    begin = time.monotonic()
    s.sendto(b"ping", ("h1", 7))
    s.recv(100)
    print((time.monotonic() - begin) * 1e6)
"""
SINK = """
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("h1", 9))
print("ready", flush=True)
time.sleep(100)
"""
SHOUT = """
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(int(sys.argv[1])):
    s.sendto(f"{i}".encode().ljust(int(sys.argv[2])), ("h1", 9))
"""
# Says the numbers of what SHOUT sent, in the order of their arrival.
HEAR = """
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("h1", 9))
print("ready", flush=True)
while True:
    print(int(s.recv(2000)), flush=True)
"""
SERVE = """
import socket, time
s = socket.create_server(("h1", 10))
print("ready", flush=True)
connected, _ = s.accept()
connected.sendall(b"hello")
time.sleep(100)
"""
CALL = """
import socket
s = socket.create_connection(("h1", 10), timeout=20)
assert s.recv(10) == b"hello"
print("connected", flush=True)
s.settimeout(2)
try:
    s.sendall(b"anybody?")
    print("closed" if s.recv(10) == b"" else "answered")
except TimeoutError:
    print("silence")
"""
# Hears a stream to its end, and says how much it was and its checksum.
DRAIN = """
import socket, zlib
s = socket.create_server(("h1", 11))
print("ready", flush=True)
connected, _ = s.accept()
size = checksum = 0
while piece := connected.recv(1 << 16):
    size, checksum = size + len(piece), zlib.crc32(piece, checksum)
connected.sendall(f"{size} {checksum}".encode())
"""
# Sends a stream of so many random bytes: seconds until the other has all, and whether it has the same.
STREAM = """
import random, socket, sys, time, zlib
data = random.Random(1).randbytes(int(sys.argv[1]))
s = socket.create_connection(("h1", 11), timeout=20)
begin = time.monotonic()
s.sendall(data)
s.shutdown(socket.SHUT_WR)
heard = s.recv(100).decode()
print(time.monotonic() - begin, heard == f"{len(data)} {zlib.crc32(data)}")
"""


def python_on(a_lab, host, code, *arguments):
    words = a_lab.command_on(host, [sys.executable, "-c", code, *map(str, arguments)])
    return subprocess.run(words, capture_output=True, text=True, timeout=30, check=True).stdout


@contextlib.contextmanager
def listening(a_lab, code):
    """While the block runs, h1 runs this code, which has said a line by then."""
    words = a_lab.command_on(1, [sys.executable, "-c", code])
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def pings(a_lab, count):
    """Round trips between h0 and h1, in microseconds."""
    with listening(a_lab, ECHO) as name:
        assert name == "h1"
        return [float(line) for line in python_on(a_lab, 0, PING, count).split()]
