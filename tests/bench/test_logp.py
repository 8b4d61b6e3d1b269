# SPDX-License-Identifier: BSD-3-Clause
"""weft bench logp: parameters where they are known; and tiny runs, of which no time is asserted."""

import dataclasses
import json
import os
import re

import pytest
from bench_command import BUILT, bench, needs_bench, refused

from weft import installation, machine_file
from weft.bad_input import BadInput
from weft.bench import loggops, logp
from weft.bench.contest import Task, contestants
from weft.bench.loggops import Memory, Times
from weft.bench.measurement import Measurement
from weft.core import _core
from weft.lab import Lab

SIZES = (1, 16, 256, 4096, 65536, 1 << 20)
TINY = ("--pairs", 1, "--milliseconds", 1, "--bytes", "1,64,1K,64K,256K", "--count", 4)
TEXT = re.compile(
    r"loggops:(?:[LogGOSc]|l|gamma)=[0-9.]+(?:,(?:[LogGOSlc]|gamma|cores|switch|forward|forward_byte|forward_wake|spin|spin_rank)=[0-9.]+)*"
    r"(?:;(?:node|socket|numa|l3|l2):[a-zA-Z=,.0-9]+)*"
)


def line(at_first, per_byte, sizes=SIZES):
    return {size: at_first + (size - 1) * per_byte for size in sizes}


def network(eager=65536, latency=2500.0, sending=800.0, receiving=1200.0, gap=3000.0, per_byte=0.5, spent=0.1):
    """What would be measured where all of LogGOPS holds; `spent` is O."""
    short = [size for size in SIZES if eager is None or size <= eager]
    o = (sending + receiving) / 2
    way = line(latency + 2 * o, per_byte + 2 * spent, short)
    long = [size for size in SIZES if size not in short]
    way |= {size: ns + 2 * (latency + 2 * o) for size, ns in line(latency + 2 * o, per_byte + 2 * spent, long).items()}
    return Times(
        one_way=way, gap=line(gap, per_byte), send=line(sending, spent, short), call=line(sending, spent, short),
        receive=line(receiving, spent, short), eager=eager,
    )  # fmt: skip


def accepted(text):
    """By the simulator where there is one."""
    assert TEXT.fullmatch(text), text
    if hasattr(_core, "SimulatedMachine"):
        assert _core.SimulatedMachine(text).text.startswith("loggops:")
    return text


def test_a_line_is_found_again():
    found = loggops.fit(line(3000, 0.25))
    assert (found.at_first, found.per_byte) == (pytest.approx(3000), pytest.approx(0.25))
    assert found.residual == pytest.approx(0, abs=1e-9)
    assert found.clamped == ()


def test_a_line_says_how_far_the_points_are_from_it():
    found = loggops.fit({size: ns * (1.1 if i % 2 else 0.9) for i, (size, ns) in enumerate(line(3000, 0.25).items())})
    assert found.at_first == pytest.approx(3000, rel=0.12)
    assert 0.05 < found.residual < 0.15


def test_neither_part_of_a_line_is_negative():
    falling, through_nothing = loggops.fit({1: 100.0, 1001: 50.0}), loggops.fit({11: 1.0, 1001: 1000.0})
    assert (falling.per_byte, falling.clamped) == (0, ("per_byte",))
    assert (through_nothing.at_first, through_nothing.clamped) == (0, ("at_first",))


@pytest.mark.parametrize("points", [{}, {1: 5.0}, {1: -5.0, 2: 5.0, 3: float("nan")}])
def test_too_few_points_make_no_line(points):
    assert loggops.fit(points) is None


@pytest.mark.parametrize("eager", [65536, None])
def test_the_parameters_are_found_again(eager):
    one = loggops.parameters(network(eager))
    expected = {"L": 2500, "o_s": 800, "o_r": 1200, "o": 1000, "g": 3000, "G": 0.5, "O": 0.1, "O_s": 0.1, "O_r": 0.1}
    assert {name: getattr(one, name) for name in expected} == pytest.approx(expected)
    assert (one.S, one.notes) == (eager, [])
    assert all(error == pytest.approx(0, abs=1e-9) for error in one.errors.values())
    assert set(one.errors) == ({"eager"} if eager is None else {"eager", "long"})


def behind_a_switch(forward=300.0, forward_byte=0.75):
    """The same, where the switch interrupts the ranks in their calls, and a byte passes it while others come."""
    times = network()
    more = {size: forward + (size - 1) * (forward_byte - 0.5) for size in SIZES}
    way = {size: ns + more[size] + (0 if size <= times.eager else 2 * forward) for size, ns in times.one_way.items()}
    switch = line(forward, forward_byte, [size for size in SIZES if size <= times.eager])
    switch |= line(3 * forward, forward_byte, [size for size in SIZES if size > times.eager])
    return Times(
        **vars(times)
        | {
            "one_way": way, "forward": switch, "own_send": times.send, "own_receive": times.receive,
            "look": {2: 3000.0}, "send": line(20000, 0), "call": line(20000, 0), "receive": line(9000, 0),
        }
    )  # fmt: skip


def test_what_a_switch_takes_is_its_own_and_nobody_elses():
    one = loggops.parameters(behind_a_switch())
    expected = {"forward": 300, "forward_byte": 0.75, "L": 2500, "o_s": 800, "o_r": 1200, "g": 2700, "G": 0.5, "O": 0.1,
                "spin": 150000}  # fmt: skip
    assert {name: getattr(one, name) for name in expected} == pytest.approx(expected)
    assert all(error == pytest.approx(0, abs=1e-9) for error in one.errors.values())
    text = accepted(loggops.machine_text({"network": one}, 2))
    assert text == "loggops:L=2500,o=1000,g=2700,G=0.5,O=0.1,forward=300,forward_byte=0.75,spin=150000,S=65536,cores=2"
    alone = loggops.machine_text({"network": loggops.parameters(network())}, 2)
    assert "forward" not in alone
    assert "spin" not in alone


def test_a_switch_that_has_much_to_do_is_woken_seldom():
    one = loggops.parameters(dataclasses.replace(behind_a_switch(), crowd={2: 290.0, 16: 100.0}))
    assert (one.forward, one.forward_wake) == (pytest.approx(100), pytest.approx(200))
    assert pytest.approx(2500) == one.L
    assert ",forward=100,forward_byte=0.75,forward_wake=200," in accepted(loggops.machine_text({"network": one}, 2))
    alone = loggops.parameters(dataclasses.replace(behind_a_switch(), crowd={2: 290.0}))
    assert (alone.forward, alone.forward_wake) == (pytest.approx(300), 0)


def test_a_rank_looks_at_each_connection():
    assert loggops.spinning({}) == {}
    assert loggops.spinning({2: 3000.0}) == {"spin": 150000, "spin_rank": 0}
    assert loggops.spinning({2: 600.0, 16: 2000.0}) == pytest.approx({"spin": 20000, "spin_rank": 5000})
    assert loggops.spinning({2: 600.0, 16: 500.0}) == {"spin": 30000, "spin_rank": 0}


@pytest.mark.parametrize("size", [1, 4096, 1 << 20])
@pytest.mark.parametrize(
    "times", [network(), behind_a_switch(), dataclasses.replace(behind_a_switch(), crowd={16: 100.0})]
)
def test_single_messages_take_what_the_simulator_says(times, size):
    predict = pytest.importorskip("weft.simulation").simulate_collective
    one = loggops.parameters(times)
    machine = loggops.machine_text({"network": one}, 4)  # cores enough
    simulated = predict("bcast", ranks=2, bytes=size, algorithm="k_nomial", machine=machine).finish_ns
    assert simulated == pytest.approx(one.one_way(size), abs=0.1)


def test_a_switch_is_no_part_of_a_node():
    records = [one | {f"{name}_ns": 5.0 for name in logp.OF_SWITCH} for one in launch(0) if one["item"] == "messages"]
    assert logp.times_of(records).forward == {}
    assert set(logp.times_of([one | {"hosts": 2} for one in records]).forward) == set(SIZES)


def test_what_cannot_be_is_said_and_0():
    one = loggops.parameters(network(latency=-100.0))
    assert one.L == 0
    assert "L would be -100 ns" in one.notes[0]


def test_where_round_trips_say_less_than_nothing_the_calls_are_believed():
    times = network()
    one = loggops.parameters(Times(**vars(times) | {"send": times.send | {1: -20.0}, "call": line(700, 0.1, (1, 256))}))
    assert one.o_s == pytest.approx(700)
    assert "o_s by round trips is negative at 1 bytes" in one.notes[0]


def test_gaps_below_0_are_left_out_and_said():
    times = network()
    one = loggops.parameters(Times(**vars(times) | {"gap": times.gap | {16: -1.0}}))
    assert one.g == pytest.approx(3000)
    assert one.notes == ["gap: not above 0 at 16 bytes, and so at 1 sizes, which are left out"]


def test_nothing_eager_or_nothing_at_all_has_no_parameters():
    assert loggops.parameters(Times({}, {})) is None
    assert loggops.parameters(Times(line(1, 1), line(1, 1))) is None


def test_a_machine_is_a_text_that_the_simulator_reads(tmp_path):
    far, near = loggops.parameters(network()), loggops.parameters(network(4040, 100.0, 30.0, 80.0, 35.0, 0.05, 0.01))
    near.memory = Memory(59.4, 0.0148, 0.0243, 1500.0)
    text = accepted(loggops.machine_text({"network": far, "node": near}, 2))
    assert text == (
        "loggops:L=2500,o=1000,g=3000,G=0.5,O=0.1,S=65536,cores=2,switch=1500;"
        "node:L=100,o=55,g=35,G=0.05,O=0.01,l=59.4,c=0.015,gamma=0.024,S=4040"
    )
    nearer = dataclasses.replace(near, L=50.0)
    deeper = accepted(loggops.machine_text({"network": far, "node": near, "l3": nearer}, 2))
    assert deeper == f"{text};l3:L=50,{text.partition('node:L=100,')[2]}"
    alone = accepted(loggops.machine_text({"node": near, "l3": nearer}, 4))
    assert alone.startswith("loggops:L=100,o=55")
    assert ";l3:L=50," in alone
    assert loggops.machine_text({}, 2) == ""
    file = tmp_path / "measured.toml"
    file.write_text(loggops.machine_file({"network": far, "node": near}, 'two "hosts"', "weft bench logp, 1234", 2))
    read = machine_file.read_machine(file)
    assert (read.name, read.title, read.text) == ("measured", 'two "hosts"', text)
    assert {one.source for one in read.parameters} == {"weft bench logp, 1234"}


def record(size, pair=0, **times):
    return {"benchmark": "logp", "item": "messages", "bytes": size, "pair": pair, "level": "node"} | {
        f"{name}_ns": times.get(name) for name in (*logp.FIELDS_OF_TIMES, "least_one_way")
    }  # fmt: skip


def launch(pair, factor=1.0, eager=65536, found=65536):
    times = network()
    said = {"eager_bytes": eager, "found_bytes": found, "variable": "btl_tcp_eager_limit", "variable_bytes": 65536}
    yield {"benchmark": "logp", "item": "eager", "pair": pair} | said
    for size in SIZES:
        values = {name: getattr(times, name).get(size) for name in logp.FIELDS_OF_TIMES}
        values = {name: factor * value for name, value in values.items() if value is not None}
        yield record(size, pair, least_one_way=times.one_way[size], **values)


def test_medians_over_launches_and_their_spread():
    level = logp.level_of([*launch(0), *launch(1, 2.0, found=100), *launch(2, 1.0)])
    assert pytest.approx(2500) == level.parameters.L
    assert level.spreads["L"].high == pytest.approx(3750)
    assert level.parameters.S == 65536
    assert level.parameters.notes == [
        "btl_tcp_eager_limit is believed: looking found other limits in some launches (100)"
    ]
    facts = level.facts()
    assert (facts["o"], facts["L_high"]) == (pytest.approx(1000), pytest.approx(3750))


def test_a_busy_machine_is_said():
    level = logp.level_of([*launch(0, 3.0)])
    assert level.parameters.notes == ["messages took 3.0 times as long as the fastest: the machine is busy"]


def test_without_a_limit_all_messages_are_eager():
    assert logp.times_of([*launch(0, eager=None)]).eager is None


@pytest.mark.parametrize(
    ("text", "usable", "pairs"),
    [
        ("core:4", range(14), {"node": None}),
        ("socket:2 core:2", range(14), {"node": (10, 12), "socket": (10, 11)}),
        ("socket:2 l3:2 core:2", range(18), {"node": (10, 14), "socket": (10, 12), "l3": (10, 11)}),
        ("socket:1 l3:2 l2:2 core:2", range(18), {"node": (10, 14), "l3": (10, 12), "l2": (10, 11)}),
        ("socket:2 core:2", [11, 12, 13], {"node": (11, 12), "socket": (12, 13)}),
        ("socket:2 core:2", [10, 12], {"node": None}),
        ("socket:2 core:2", [10], {"node": None}),
    ],
)
def test_each_level_has_two_cores_that_share_no_nearer_one(text, usable, pairs):
    topology = _core.Topology(text)
    found = logp.pairs_of_cores(topology, [10 + place for place in range(topology.places)], usable)
    assert list(found.items()) == list(pairs.items())


def test_the_cores_of_this_machine_have_places():
    machine = _core.detect_machine()
    assert len(machine.cpus) == machine.topology.places
    assert len(set(machine.cpus)) == len(machine.cpus)


@needs_bench
@pytest.mark.parametrize("mpi", BUILT)
def test_each_level_of_a_node_is_measured(mpi, monkeypatch):
    """Two levels are pretended, of which the second has the cores the other way round."""
    cores = sorted(os.sched_getaffinity(0))
    if installation.application(f"bench_logp_{mpi}") is None or len(cores) < 2:
        pytest.skip("bench/logp is not built, or there is one core")
    monkeypatch.setattr(logp, "cores_by_level", lambda: {"node": tuple(cores[:2]), "l3": (cores[1], cores[0])})
    machine = Measurement(pairs=1, milliseconds=1.0)
    contest, levels = logp.measure("1,64,1K,64K,256K", mpi, 4, machine)
    if contest.failures and "too busy" in contest.failures[-1]["failed"]:
        pytest.skip("the machine is too busy")
    assert not contest.failures
    assert list(levels) == ["node", "l3"]
    text = accepted(loggops.machine_text(logp.parameters_of(levels), 2))
    assert text.count(";l3:L=") == 1


@needs_bench
@pytest.mark.parametrize("mpi", BUILT)
def test_ranks_that_cannot_run_on_their_cores_are_no_measurement(mpi):
    if installation.application(f"bench_logp_{mpi}") is None:
        pytest.skip("bench/logp is not built")
    task = Task("logp", 2, ["look"], lambda _: 1, lambda some: {"items": some}, variables=logp.pinned((0, 1023)))
    contest = Measurement(pairs=1, milliseconds=1.0).measure("Nowhere", [task], contestants(mpi, "host"))
    assert not contest.records
    assert "WEFT_BENCH_CORES" in contest.failures[0]["output"]


@needs_bench
@pytest.mark.parametrize("mpi", BUILT)
def test_a_node_is_measured(mpi, tmp_path):
    if installation.application(f"bench_logp_{mpi}") is None:
        pytest.skip("bench/logp is not built")
    file = tmp_path / "machine.txt"
    done = bench("logp", "--mpi", mpi, *TINY, "--machine-file", file, "--json")
    if "the machine is too busy" in done.stdout:
        pytest.skip("the machine is too busy")
    assert done.returncode == 0, done.stderr
    *records, summary = map(json.loads, done.stdout.splitlines())
    records = [one for one in records if one["level"] == "node"]  # which may have nearer parts
    messages = [one for one in records if one.get("item") == "messages"]
    assert [one["bytes"] for one in messages] == [1, 64, 1024, 65536, 262144]
    assert all(one["right"] and one["level"] == "node" and one["one_way_ns"] > 0 for one in messages)
    (eager,) = [one for one in records if one.get("item") == "eager"]
    for one in messages:
        is_eager = eager["eager_bytes"] is None or one["bytes"] <= eager["eager_bytes"]
        assert all((one[f"{name}_ns"] is not None) == is_eager for name in ("send", "call", "receive"))
    assert {one["item"] for one in records if one["benchmark"] == "floor"} == {
        "one_way", "copy", "reduce", "hand_over"
    }  # fmt: skip
    assert accepted(file.read_text().strip()) == summary["machine"]
    assert summary["levels"]["node"]["o"] > 0


@needs_bench
@pytest.mark.parametrize("hosts", [2, 3])
def test_a_network_is_measured_and_shown(tmp_path, hosts):
    try:
        with Lab(1):
            pass
    except BadInput as why:
        pytest.skip(str(why))
    file = tmp_path / "machine.toml"
    done = bench("logp", "--mpi", BUILT[0], "--hosts", hosts, "--delay", "50us", *TINY, "--machine-file", file)
    if "the parameters of the" in done.stdout:
        pytest.skip("the machine is too busy")
    assert done.returncode == 0, done.stderr
    assert "longer messages wait for their receiver" in " ".join(done.stdout.split())
    parameters = machine_file.read_machine(file).parameters
    assert {one.level for one in parameters} >= {"network", "node"}
    assert {"forward", "forward_byte", "spin"} <= {one.name for one in parameters}
    accepted(machine_file.machine_text(str(file)))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--mpi", "all"], "a machine is of one MPI"),
        (["--hosts", "1"], "a network is measured between two hosts"),
        (["--bytes", "0,8"], "a message of LogGP has a first byte"),
        (["--bytes", "8"], "use at least two sizes"),
        (["--bytes", "8,1G"], "within 2 GB"),
        (["--delay", "200us"], "add --hosts N"),
    ],
)
def test_impossible_questions_are_refused(arguments, says):
    assert says in refused("logp", *arguments)


def test_a_file_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(BadInput, match="cannot be written"):
        logp.write("loggops:L=1\n", tmp_path / "nowhere" / "machine.txt")


def test_records_are_json(capsys):
    level = logp.level_of([*launch(0)])
    assert json.loads(json.dumps(level.facts()))["variable"] == "btl_tcp_eager_limit"
