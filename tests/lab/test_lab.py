# SPDX-License-Identifier: BSD-3-Clause
"""Virtual hosts: they reach one another and nothing else, MPI programs run across them with Weft and without, and
nothing is left behind."""

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import command_line
import pytest
from command_line import answer, refusal
from lab_programs import NEEDS_SWITCH, pings, python_on

from weft import binary, installation, job, lab, launch
from weft.bad_input import BadInput
from weft.lab import Lab
from weft.virtual_hosts import FIELDS

HERE = Path(__file__).parent
VIRTUAL_HOSTS = [sys.executable, str(HERE / "virtual_hosts")]
MIB = 1 << 20

SCRIPT = """
from array import array
from mpi4py import MPI
comm = MPI.COMM_WORLD
total = array("i", [0])
comm.Allreduce(array("i", [comm.rank]), total)
with open("/proc/self/maps") as maps:
    has_weft = "libweft.so" in maps.read()
line = f"rank {comm.rank} on {MPI.Get_processor_name()} of {comm.size} ranks: {has_weft} {total[0]}\\n"
print(line, end="", flush=True)
"""
# Each rank's own number, in the memory of the next one.
PUT = """
from array import array
from mpi4py import MPI
comm = MPI.COMM_WORLD
mine = array("i", [comm.rank])
window = MPI.Win.Allocate(4096, 4, comm=comm)
window.Fence()
window.Put(mine, (comm.rank + 1) % comm.size)
window.Fence()
print(f"rank {comm.rank} has {memoryview(window).cast('i')[0]}\\n", end="", flush=True)
window.Free()
"""
# Holds a lab with a program in it until something ends it; a mistake of its own ends it by an exception.
HOLD = """
import signal, subprocess, sys, time
for ending in (signal.SIGINT, signal.SIGHUP):  # who started the tests may have it ignored
    signal.signal(ending, signal.default_int_handler if ending == signal.SIGINT else signal.SIG_DFL)
from weft.lab import Lab, Link
with Lab(2, Link(delay_us=float(sys.argv[1]))) as lab:
    inside = subprocess.Popen(lab.command_on(1, ["sleep", "100"]))
    print(lab.name, flush=True)
    if sys.argv[2] == "fail":
        raise RuntimeError
    time.sleep(100)
"""


def received(a_lab, host, link=lab.LINK):
    words = ["ip", "-s", "-json", "-n", f"{a_lab.name}-h{host}", "link", "show", link]
    shown = subprocess.run(words, capture_output=True, text=True, timeout=10, check=True).stdout
    return json.loads(shown)[0]["stats64"]["rx"]


def traces(name):
    """What the machine knows of a lab: namespaces, files, processes."""
    listed = subprocess.run(["ps", "-e", "-o", "args"], capture_output=True, text=True, timeout=10, check=True).stdout
    found = [path for folder in (lab.NAMESPACES, lab.NAMESPACE_FILES) for path in folder.glob(f"{name}-*")]
    return found + [line for line in listed.splitlines() if f"{name}-" in line]


def test_hosts_have_names_and_reach_one_another():
    with Lab(2) as two:
        assert python_on(two, 0, "import socket; print(socket.gethostname())").strip() == "h0"
        assert len(pings(two, 3)) == 3
        assert received(two, 0)["packets"] == received(two, 1)["packets"] == 3
    assert not traces(two.name)


def test_hosts_that_outnumber_the_cores_keep_to_one_each(monkeypatch, tmp_path):
    cores = sorted(os.sched_getaffinity(0))
    code = "import os; print(sorted(os.sched_getaffinity(0)))"

    def cores_of(a_lab, host):
        by_agent = [a_lab.agent(tmp_path), f"h{host}", shlex.join([sys.executable, "-c", code])]
        said = subprocess.run(by_agent, capture_output=True, text=True, timeout=60, check=True).stdout
        assert said == python_on(a_lab, host, code)
        return json.loads(said)

    with Lab(1) as one:
        assert cores_of(one, 0) == cores
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(cores[:2]))
    with Lab(3) as three:
        assert [cores_of(three, host) for host in range(3)] == [[cores[host % len(cores[:2])]] for host in range(3)]


def test_labs_exist_side_by_side_and_are_not_seen_outside():
    before = subprocess.run(["ip", "-json", "link"], capture_output=True, timeout=10, check=True).stdout
    with Lab(2) as one, Lab(2) as other:
        pings(one, 2)
        assert (received(one, 1)["packets"], received(other, 1)["packets"]) == (2, 0)
        assert subprocess.run(["ip", "-json", "link"], capture_output=True, timeout=10, check=True).stdout == before
    assert "h0" not in Path("/etc/hosts").read_text().split()


@NEEDS_SWITCH
@pytest.mark.parametrize(
    ("end", "delay_us"),
    [
        ("fail", 0),
        (signal.SIGINT, 100),
        (signal.SIGHUP, 0),
        (signal.SIGTERM, 100),
        (signal.SIGKILL, 0),
        (signal.SIGKILL, 100),
    ],
)
def test_nothing_is_left_behind(end, delay_us):
    words = [sys.executable, "-c", HOLD, str(delay_us), str(end)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        name = process.stdout.readline().strip()
        if end != "fail":
            assert traces(name)
            process.send_signal(end)
        process.wait(timeout=20)
    if end == signal.SIGKILL:
        assert traces(name)
        with Lab(1):
            pass
    assert not traces(name)


@pytest.fixture(params=["openmpi", "mpich", "openmpi5", "mpich5"])
def mpi(request):
    if request.param not in [host.name for host in installation.hosts()]:
        pytest.skip(f"{installation.TITLES[request.param]} is not installed")
    return installation.host(request.param)


@pytest.fixture(scope="module")
def two_hosts():
    with Lab(2) as two:
        yield two


def run_on(a_lab, mpi, ranks, command, weft, folder):
    """What the ranks of a program say on the hosts of a lab, and how many calls Weft executed per function."""
    stats = folder / "stats.json"
    program = launch.Launch(mpi, ranks, binary.inspect(command), weft, {"WEFT_STATS": str(stats)}, lab=a_lab)
    done = launch.capture(program, folder, 30, lambda out: out.count("rank ") >= ranks)
    said = [line for line in done.stdout.splitlines() if line.startswith("rank ")]
    counted = json.loads(stats.read_text())["collectives"] if weft else {}
    return sorted(said), {name: entry["weft"] for name, entry in counted.items()}


@pytest.mark.parametrize("weft", [False, True])
def test_ranks_share_memory_within_hosts_and_the_network_between_them(two_hosts, mpi, weft, tmp_path):
    compiler = shutil.which(mpi.launcher.parent / "mpicc" if mpi.name.endswith("5") else f"mpicc.{mpi.name}")
    if compiler is None or (weft and mpi.library is None):
        pytest.skip(f"no mpicc.{mpi.name}, or no libweft.so for it")
    program = tmp_path / "crossing"
    subprocess.run([compiler, str(HERE / "crossing.c"), "-o", str(program)], timeout=60, check=True)
    before = {link: received(two_hosts, 1, link)["bytes"] for link in (lab.LINK, "lo")}
    said, by_weft = run_on(two_hosts, mpi, 3, [str(program)], weft, tmp_path)
    assert said == [
        "rank 0 is on h0 with 2 ranks, sums 1 and 3",
        "rank 1 is on h0 with 2 ranks, sums 1 and 3",
        "rank 2 is on h1 with 1 ranks, sums 2 and 3",
    ]
    assert by_weft.get("MPI_Allreduce", 0) == (6 if weft else 0)
    assert MIB <= received(two_hosts, 1)["bytes"] - before[lab.LINK] < 2 * MIB
    assert received(two_hosts, 1, "lo")["bytes"] - before["lo"] < MIB


def test_scripts_find_mpi_and_weft_on_other_hosts(two_hosts, mpi, tmp_path):
    if mpi.library is None:
        pytest.skip("no libweft.so for it")
    pytest.importorskip("mpi4py")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    said, by_weft = run_on(two_hosts, mpi, 2, [str(script)], True, tmp_path)
    assert said == ["rank 0 on h0 of 2 ranks: True 1", "rank 1 on h1 of 2 ranks: True 1"]
    assert by_weft["MPI_Allreduce"] == 2


@pytest.mark.parametrize("weft", [False, True])
def test_windows_reach_from_host_to_host(two_hosts, mpi, weft, tmp_path):
    if weft and mpi.library is None:
        pytest.skip("no libweft.so for it")
    pytest.importorskip("mpi4py")
    script = tmp_path / "script.py"
    script.write_text(PUT)
    said, _ = run_on(two_hosts, mpi, 3, [str(script)], weft, tmp_path)
    assert said == ["rank 0 has 2", "rank 1 has 0", "rank 2 has 1"]


def test_a_program_that_has_said_all_and_does_not_end_is_ended(two_hosts, mpi, tmp_path, monkeypatch):
    script = tmp_path / "stays.py"
    script.write_text("import time; print('said', flush=True); time.sleep(100)")
    monkeypatch.setattr(launch, "MOMENT", 0.3)
    stays = launch.Launch(mpi, 2, binary.inspect([str(script)]), False, lab=two_hosts)
    assert launch.capture(stays, tmp_path, 30, lambda out: out.count("said") >= 2).stdout.count("said") == 2
    assert not [line for line in traces(two_hosts.name) if "stays.py" in str(line)]


def latency(mpi, *options):
    """The records of the host MPI and of Weft, and the summary, for two ranks on two hosts."""
    if mpi.library is None or not installation.application(f"bench_latency_{mpi.name}"):
        pytest.skip(f"bench/latency or libweft.so is not built for {mpi.title}")
    asked = ("--hosts", 2, "--pairs", 1, "--iterations", 20, "--mpi", mpi.name, *options)
    host, weft, summary = map(json.loads, answer("bench", "latency", *asked, "--json").splitlines())
    assert [host["implementation"], weft["implementation"]] == ["host", "weft"]
    assert host["right"] and weft["right"] and summary["ratio"] > 0
    return host, weft, summary


@NEEDS_SWITCH
@pytest.mark.parametrize("delay_us", [0, 200])
def test_latency_between_hosts_is_no_less_than_the_delay(mpi, delay_us):
    host, weft, summary = latency(mpi, "--delay", f"{delay_us}us")
    assert min(host["minimum"], weft["minimum"]) >= delay_us
    for record in (host, weft, summary):
        assert (record["hosts"], record["delay_us"], record["loss_percent"]) == (2, delay_us, 0)


@NEEDS_SWITCH
def test_operations_between_distant_hosts_start_each_alone_at_an_agreed_time(mpi):
    if not installation.application(f"bench_overlap_{mpi.name}"):
        pytest.skip(f"bench/overlap is not built for {mpi.title}")
    asked = ("--hosts", 3, "--delay", "200us", "-n", 3, "--compute", "sleep", "--collective", "ibcast")
    few = ("--pairs", 1, "--iterations", 5, "--mpi", mpi.name, "--implementation", "host,agent")
    *records, _ = map(json.loads, answer("bench", "overlap", *asked, *few, "--json").splitlines())
    assert len(records) == 2
    for record in records:
        assert (record["start"], record["reduced_by"], record["right"]) == ("window", "median", True)


@NEEDS_SWITCH
def test_what_is_lost_is_sent_again(mpi):
    assert latency(mpi, "--loss", "1", "--bytes", "4K")[2]["loss_percent"] == 1


def test_the_table_says_where_it_was_measured(mpi):
    if not installation.application(f"bench_latency_{mpi.name}"):
        pytest.skip(f"bench/latency is not built for {mpi.title}")
    asked = ("--hosts", 2, "--pairs", 1, "--iterations", 5, "--mpi", mpi.name, "--implementation", "host")
    assert "On 2 virtual hosts, 0 us apart, 0 % of the frames lost." in answer("bench", "latency", *asked)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--delay", "1ms"], "add --hosts N"),
        (["--loss", "1"], "add --hosts N"),
        (["--hosts", "2", "--delay", "soon"], "--delay soon"),
        (["--hosts", "2", "--delay", "1ms,2ms"], "one delay"),
        (["--hosts", "0"], "--hosts"),
        (["--hosts", "2", "--loss", "100"], "--loss"),
        (["--hosts", "2", "--duplicate", "-1"], "--duplicate"),
        (["--hosts", "2", "--reorder", "often"], "--reorder"),
        (["--reorder", "1", "--duplicate", "1"], "--duplicate, --reorder"),
        (["--hosts", "2", "--bandwidth", "10"], "--bandwidth 10: bits per second"),
        (["--hosts", "2", "--bandwidth", "0G"], "--bandwidth 0G"),
    ],
)
def test_impossible_labs_are_refused(options, says):
    assert says in refusal("bench", "latency", *options)


def test_options_of_hosts_go_with_any_other():
    assert {f"--{name}" for name in FIELDS} == job.OF_VIRTUAL_HOSTS
    assert job.spell_out(["--hosts", "2", "--stats", "a"]) == ["--hosts", "2", f"--stats={job.TABLE}", "a"]


def test_what_a_lab_needs_is_named(monkeypatch):
    with monkeypatch.context() as nobody, pytest.raises(BadInput, match="--hosts needs root"):
        nobody.setattr("weft.user_namespace.may_make_hosts", lambda: False)
        Lab(2).__enter__()
    with monkeypatch.context() as poor, pytest.raises(BadInput, match="iproute2"):
        poor.setenv("PATH", "/nowhere")
        Lab(2).__enter__()


NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def weft_for_nobody():
    """`weft` for a user without rights, by a Python that this one may read, and its environment; or skips."""
    paths = [path for path in sys.path if "site-packages" in path or path.endswith("release/python")]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "HOME": "/nowhere", "TMPDIR": "/tmp"}
    for python in (sys.executable, "/usr/bin/python3"):
        readable = [*NOBODY, python, "-c", "import sys, weft.job; open(sys.executable)"]
        with contextlib.suppress(OSError):
            if subprocess.run(readable, env=variables, capture_output=True, check=False).returncode == 0:
                return [*NOBODY, python, "-m", "weft"], variables
    return pytest.skip("nobody but root can run this Python, or there is no setpriv")


def test_without_root_hosts_are_made_in_a_user_namespace():
    compiler = shutil.which("mpicc.openmpi")
    command, variables = weft_for_nobody()
    if compiler is None:
        pytest.skip("no Open MPI")
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        program = Path(folder) / "crossing"
        subprocess.run([compiler, str(HERE / "crossing.c"), "-o", str(program)], timeout=60, check=True)
        Path(folder).chmod(0o755)
        command += ["run", "--hosts", "2", "-n", "3", "--host-only", "--", str(program)]
        done = launch.capture_command(command, variables, 60)
    if done.returncode == 2:
        assert "user namespace, which this system does not allow" in " ".join(done.stderr.split())
    else:
        assert "rank 2 is on h1 with 1 ranks, sums 2 and 3" in done.stdout, done.stderr


def virtual_hosts(*words):
    return subprocess.run([*VIRTUAL_HOSTS, *words], capture_output=True, text=True, timeout=60, check=False)


def test_hosts_can_be_kept_and_entered_from_elsewhere():
    with subprocess.Popen([*VIRTUAL_HOSTS, "up", "2"], stdout=subprocess.PIPE, text=True) as keeper:
        name = keeper.stdout.readline().split(":")[0]
        assert virtual_hosts("exec", "h1", "--lab", name, "--", "hostname").stdout.strip() == "h1"
        assert "no host called h2" in virtual_hosts("exec", "h2", "--lab", name, "--", "true").stderr
        assert virtual_hosts("down", "--lab", name).returncode == 0
    assert not traces(name)


@pytest.mark.parametrize(
    ("options", "has_weft"), [(["--host-only"], False), ([], True), (["--device", "agent", "--delay", "200us"], True)]
)
def test_weft_run_spreads_a_program_over_hosts_made_for_it(mpi, options, has_weft, tmp_path):
    if mpi.library is None:
        pytest.skip("no libweft.so for it")
    pytest.importorskip("mpi4py")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    words = ("run", "--hosts", 2, "-n", 3, "--mpi", mpi.name, *options, "--", script)
    said = command_line.run(*words, is_complete=lambda out: out.count("rank ") >= 3)
    assert sorted(said.stdout.splitlines()) == [
        f"rank 0 on h0 of 3 ranks: {has_weft} 3",
        f"rank 1 on h0 of 3 ranks: {has_weft} 3",
        f"rank 2 on h1 of 3 ranks: {has_weft} 3",
    ]
