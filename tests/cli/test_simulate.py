# SPDX-License-Identifier: BSD-3-Clause
"""`weft simulate`: closed forms through the command line, timelines, machines by text, name and file, and bad input."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from command_line import answer, json_answer, refusal, weft

from weft.bad_input import BadInput
from weft.simulation import Collective, Conditions, Simulated, overlapped, simulate

LOGGOPS = "loggops:L=2500,o=1500,g=1000,G=6,S=65535"


@pytest.mark.parametrize(("collective", "algorithm"), [("barrier", "dissemination"), ("allreduce", "recursive_k_ing")])
def test_ten_rounds_of_8_bytes_on_1024_ranks_take_55420_ns(collective: str, algorithm: str):
    facts = json_answer(
        "simulate", collective, "--ranks", "1024", "--bytes", "8", "--algorithm", algorithm, "--machine", LOGGOPS
    )
    assert facts["finish_ns"] == 10 * (2500 + 2 * 1500 + 7 * 6)
    assert facts["messages"] == 10 * 1024
    assert facts["events"] >= 2 * facts["messages"]
    assert facts["events_per_second"] > 0
    assert facts["peak_bytes"] > 0


def test_what_moves_by_itself_is_hidden_behind_the_computation():
    base = ("simulate", "allreduce", "--ranks", "64", "--algorithm", "recursive_k_ing", "--machine", LOGGOPS)
    alone = json_answer(*base)["finish_ns"]
    overlapped = (*base, "--compute", "100us")
    host = json_answer(*overlapped)["finish_ns"]
    agent = json_answer(*overlapped, "--moved-by", "agent")["finish_ns"]
    assert agent == 100_000 + 1500, "its first message is the rank's own work"
    assert host == 100_000 + 1500 + 1500 + alone - 5542, "one message has come in the meantime"


def test_puts_are_hidden_by_whoever_carries_them_out():
    """By hand: posted at 5.5 us, put at 7, there at 15.638, closed behind it, and two times o to take both in."""
    base = ("simulate", "put", "--ranks", "8", "--bytes", "1K", "--machine", LOGGOPS)
    alone = json_answer(*base)
    assert (alone["finish_ns"], alone["messages"], alone["collective"]) == (18_638, 24, "put")
    overlapped = (*base, "--to", "neighbors", "--compute", "200us")
    host, agent, adapter = (json_answer(*overlapped, "--moved-by", mover) for mover in ("host", "agent", "adapter"))
    assert adapter["finish_ns"] == 200_000
    assert adapter["finish_ns"] < agent["finish_ns"] < host["finish_ns"]
    assert "leave out --radix" in refusal(*base, "--radix", "3")
    assert "leave out --to" in refusal("simulate", "barrier", "--ranks", "4", "--to", "next")


def test_noise_costs_time_and_the_seed_says_which():
    base = ("simulate", "allreduce", "--ranks", "32", "--compute", "1ms", "--repeat", "5", "--noise", "100us")
    quiet = json_answer(*base[:-2])["finish_ns"]
    noisy = json_answer(*base)["finish_ns"]
    assert noisy > quiet
    assert json_answer(*base)["finish_ns"] == noisy
    assert json_answer(*base, "--seed", "2")["finish_ns"] != noisy


def test_a_timeline_is_drawn_as_the_name_of_its_file_says(tmp_path: Path):
    base = ("simulate", "allreduce", "--ranks", "8", "--compute", "10us", "--timeline")
    answer(*base, str(tmp_path / "t.txt"))
    heading, *rows = (tmp_path / "t.txt").read_text().splitlines()[:9]
    assert all(f"{mark} " in heading and all(mark in row for row in rows) for mark in "=<>")
    answer(*base, str(tmp_path / "t.svg"))
    titles = [title.text for title in ET.parse(tmp_path / "t.svg").getroot().iter("{http://www.w3.org/2000/svg}title")]
    assert any(title.startswith("send 8 bytes to rank 1: ") for title in titles)
    answer(*base, str(tmp_path / "t.json"))
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    assert {event["pid"] for event in events} == set(range(8))
    assert "receive 8 bytes from rank 1" in {event["name"] for event in events}
    assert refusal(*base, str(tmp_path / "t.png")).startswith("weft: --timeline")


def test_what_is_not_drawn_and_what_costs_nothing_is_said(tmp_path: Path):
    many = weft("simulate", "barrier", "--ranks", "64", "--timeline", str(tmp_path / "t.txt"))
    assert "the first 32 of 64 ranks are drawn" in " ".join(many.stderr.split())
    rows = (tmp_path / "t.txt").read_text().split("\n\n")[0].splitlines()[1:]
    assert len(rows) == 32
    nodes = weft("simulate", "barrier", "--topology", "node:2 core:4")
    assert "takes no time here" in nodes.stderr


def test_a_machine_has_a_text_a_name_or_a_file(tmp_path: Path):
    file = tmp_path / "mine.toml"
    file.write_text(
        'name = "mine"\ntitle = "a test"\n[network]\nL = { ns = 2500, source = "me" }\n'
        'o = { ns = 1500, assumed = "it" }\ng = { ns = 1000, source = "me" }\nG = { ns_per_byte = 6, source = "me" }\n'
    )
    base = ("simulate", "barrier", "--ranks", "8", "--bytes", "8")
    ends = {json_answer(*base, "--machine", machine)["finish_ns"] for machine in (LOGGOPS, "example", str(file))}
    assert len(ends) == 1
    file.write_text(file.read_text().replace('source = "me"', 'sauce = "me"', 1))
    assert f"{file}:4: L: write" in refusal(*base, "--machine", str(file))
    file.write_text("name =")
    assert f"{file}: Invalid value" in refusal(*base, "--machine", str(file))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('o = { ns = "abc", source = "me" }', "o: ns = 'abc': give a number"),
        ('Q = { ns = 1, source = "me" }', 'Q: "Q" in a machine: there is no such parameter; there are S,'),
        ('o = { ns = -2500, source = "me" }', 'o: "o=-2500" in a machine: use a number of ns from 0 to 1e9'),
        ('o = { ns = nan, source = "me" }', 'o: "o=nan" in a machine: use a number of ns from 0 to 1e9'),
        ('o = { bytes = 2500, source = "me" }', "o: give its value as ns, and nothing else; here is bytes"),
        ('G = { ns = 6, source = "me" }', "G: give its value as ns_per_byte"),
        ("o = { ns = 1500, source = 5 }", "o: source = 5: a text says where the number is from"),
        ('S = { bytes = 1.5, source = "me" }', 'S: "S=1.5" in a machine: use a number of bytes'),
        ('wake = { ns = 5, source = "me" }', 'wake: "wake=5" in a machine: this is of the whole machine'),
    ],
)
def test_a_machine_file_is_refused_with_file_line_and_reason(tmp_path: Path, line: str, message: str):
    file = tmp_path / "mine.toml"
    file.write_text(f'name = "mine"\ntitle = "a test"\n[network]\nL = {{ ns = 1, source = "me" }}\n[node]\n{line}\n')
    assert f"{file}:6: {message}" in refusal("simulate", "barrier", "--ranks", "4", "--machine", str(file))


def test_a_machine_file_that_gives_no_costs_is_refused(tmp_path: Path):
    file = tmp_path / "mine.toml"
    file.write_text('name = "mine"\ntitle = "a test"\n[network]\n')
    assert "give L at least" in refusal("simulate", "barrier", "--ranks", "4", "--machine", str(file))


def test_signals_are_sent_as_the_bytes_that_are_paid_for():
    assert json_answer("simulate", "barrier", "--ranks", "4", "--bytes", "8")["sent_bytes"] == 4 * 2 * 8


def test_begins_slow_downs_and_noise_come_from_files(tmp_path: Path):
    begins, slow, noise = (tmp_path / name for name in ("begins.txt", "slow.txt", "noise.txt"))
    begins.write_text("# in us\n0\n7  # the second rank\n")
    slow.write_text("1\n2.5\n")
    noise.write_text("length 100  # us\n0 10\n40 20.5\n")
    base = ("simulate", "barrier", "--ranks", "2", "--machine", "loggops:L=1", "--compute", "100us")
    assert json_answer(*base, "--begins", str(begins))["finish_ns"] == pytest.approx(107_000, abs=10)
    assert json_answer(*base, "--slow-down", str(slow))["finish_ns"] == pytest.approx(250_000, abs=10)
    assert 130_500 <= json_answer(*base, "--noise-trace", str(noise))["finish_ns"] <= 180_000
    assert "give one of them" in refusal(*base, "--noise-trace", str(noise), "--noise", "5us")
    assert "give one of them" in refusal(*base, "--begins", str(begins), "--skew", "5us")
    begins.write_text("0\n")
    assert "give one for each, shape (2,)" in refusal(*base, "--begins", str(begins))
    slow.write_text("1\nfast\n")
    assert f"{slow}:2: fast: write a number" in refusal(*base, "--slow-down", str(slow))


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("length 100\n0 10 5\n", ":2", "write `length US`, or the begin and length"),
        ("length 100\n0 ten\n", ":2", "ten: write a number"),
        ("length 100\n-1 10\n", ":2", "-1: write a number"),
        ("length 100\n0 0\n", ":2", "takes no time"),
        ("length 100\n0 10\n# next\n5 10\n", ":4", "begins before the one before it is over, at 10 us"),
        ("length 100\n95 10\n", ":2", "behind the trace's length, 100 us"),
        ("95 10\nlength 100\n", "", "behind the trace's length, 100 us"),
        ("length 100\nlength 200\n0 1\n", ":2", "write it once"),
        ("0 10\n", "", "such as `length 1000`"),
        ("length 10\n", "", "a trace without interruptions"),
        ("length 10\n0 4\n4 6\n", "", "interruptions all the time"),
    ],
)
def test_a_trace_of_noise_is_refused_with_file_line_and_reason(tmp_path: Path, text: str, where: str, message: str):
    file = tmp_path / "noise.txt"
    file.write_text(text)
    refused = refusal("simulate", "barrier", "--ranks", "2", "--noise-trace", str(file))
    assert f"{file}{where}: " in refused
    assert message in refused


def simulated(conditions: Conditions = Conditions(), **options: int | str) -> Simulated:  # noqa: B008 (it is frozen)
    call = Collective(
        collective="allreduce", ranks=3, bytes=8, algorithm="recursive_k_ing" if options else None, options=options
    )
    return simulate([call], overlapped(compute_us=100), machine=LOGGOPS, conditions=conditions)


def test_in_python_values_by_rank_are_arrays_which_are_checked():
    by_rank = Conditions(begins_us=np.array([0.0, 50.0, 5.0]), slow_down=[1, 1, 3])
    assert np.allclose(simulated(by_rank).computed_ns, [100_000, 100_000, 300_000])
    for given, message in (
        ({"begins_us": [1.0, 2.0]}, r"shape \(2,\) for 3 ranks"),
        ({"begins_us": [1.0, -2.0, 0.0]}, "-2 for rank 1: values from 0"),
        ({"slow_down": [1.0, np.nan, 0.0]}, "nan for rank 1"),
        ({"slow_down": ["slow"] * 3}, "one number for each"),
        ({"slow_down": [1.0] * 3, "slowest": 2.0}, "leave out one"),
        ({"shares_core": True}, "for agents"),
    ):
        with pytest.raises(BadInput, match=message):
            simulated(Conditions(**given))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"colour": 0}, "there is no 'colour'; there are radix,"),
        ({"radix": "two"}, "give a whole number"),
        ({"radix": 2.5}, "give a whole number"),
        ({"radix": 1 << 40}, "below 2\\^31"),
        ({"leader": 3}, "give last or fixed"),
    ],
)
def test_in_python_options_are_checked(options: dict, message: str):
    with pytest.raises(BadInput, match=message):
        simulated(**options)


def test_a_goal_program_takes_as_long_as_the_schedules_that_it_was_written_from(tmp_path: Path):
    file = tmp_path / "ring.goal"
    schedules = ("allgather", "--ranks", "6", "--bytes", "100", "--algorithm", "ring")
    answer("explain", *schedules, "--format", "goal", "--output", str(file))
    read = json_answer("simulate", "--goal", str(file))
    assert read["finish_ns"] == json_answer("simulate", *schedules)["finish_ns"]
    assert read["messages"] == 30
    file.write_text("num_ranks 2\nrank 0 {\n l1: send 8b to 1 tag 0\n}\n")
    assert f"{file}: line 3" in refusal("simulate", "--goal", str(file))
    assert "leave out --ranks" in refusal("simulate", "--goal", str(file), "--ranks", "2")
    file.write_text("num_ranks 1\nrank 0 {\n a: recv 8b from 0 tag 9\n b: send 8b to 0 tag 9\n b requires a\n}\n")
    waits = refusal("simulate", "--goal", str(file))
    assert f"rank 0 waits in {file}, line 3, column 2, `a: recv 8b from 0 tag 9`, for a message from rank 0" in waits


@pytest.mark.parametrize(
    "call",
    [
        ("allreduce", "--bytes", "64K", "--algorithm", "ring"),
        ("allreduce", "--bytes", "8", "--algorithm", "recursive_k_ing"),
        ("reduce", "--bytes", "4K", "--algorithm", "k_nomial", "--radix", "3"),
        ("reduce_scatter_block", "--bytes", "16K"),
        ("alltoall", "--bytes", "1K"),
        ("bcast", "--bytes", "1M"),
        ("barrier", "--bytes", "8", "--algorithm", "dissemination"),
    ],
    ids=lambda call: call[0] + call[2],
)
def test_a_goal_program_with_a_machines_costs_takes_as_long_there_as_its_call(call: tuple[str, ...], tmp_path: Path):
    file = tmp_path / "call.goal"
    # On it copies and reductions of these sizes take whole nanoseconds, which is what GOAL has.
    machine = ("--machine", "loggops:L=2500,o=1500,g=1000,G=6,O=1,S=20000;node:L=500,c=0.5,gamma=0.75")
    what = (*call, "--ranks", "8", "--topology", "node:8 core:1")
    answer("explain", *what, *machine, "--format", "goal", "--output", str(file))
    wanted = json_answer("simulate", *what, *machine)
    read = json_answer("simulate", "--goal", str(file), "--topology", "node:8 core:1", *machine)
    assert (read["finish_ns"], read["messages"]) == (wanted["finish_ns"], wanted["messages"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "which collective?"),
        (("allreduce",), "how many ranks?"),
        (("allreduse", "--ranks", "4"), "there is no collective"),
        (("allreduce", "--ranks", "4", "--machine", "odd"), "there is no such machine"),
        (("allreduce", "--ranks", "4", "--machine", "loggops:L=-1"), "L=-1"),
        (("allreduce", "--ranks", "4", "--machine", "loggops:Q=1"), "there is no such parameter"),
        (("allreduce", "--ranks", "4", "--moved-by", "magic"), "choose host, agent or adapter"),
        (("allreduce", "--ranks", "4", "--compute", "5"), "a duration is a number with its unit"),
        (("allreduce", "--ranks", "4", "--noise", "2ms"), "noise"),
        (("allreduce", "--ranks", "5", "--topology", "node:2 core:2"), "5"),
        (("barrier", "--topology", "node:1 core:8"), "takes no time on example"),
        (("allreduce", "--ranks", "8", "--algorithm", "ring", "--radix", "3"), "allreduce by ring has no radix"),
        (("allreduce", "--ranks", "8", "--radix", "3"), "for an --algorithm: name one"),
        (("allreduce", "--topology", "node:8 core:1", "--radix", "3"), "for an --algorithm: name one"),
        (("allreduce", "--ranks", "8", "--shares-core"), "--shares-core is for agents"),
        (("allreduce", "--ranks", "8", "--test-every", "5us"), "give --compute as well"),
        (
            ("allreduce", "--ranks", "8", "--compute", "9us", "--moved-by", "agent", "--test-every", "5us"),
            "tests nothing",
        ),
        (("allreduce", "--ranks", "8", "--hertz", "5"), "give --noise as well"),
        (("allreduce", "--ranks", "8", "--machine", "loggops:"), "give L at least"),
        (("allreduce", "--ranks", "8", "--machine", "loggops:L=2500,L=3"), "twice"),
    ],
)
def test_bad_input_is_refused_with_what_to_do(options: tuple[str, ...], message: str):
    assert message in refusal("simulate", *options)


def test_ranks_of_a_node_wait_for_its_cores():
    base = ("simulate", "barrier", "--topology", "node:1 core:8", "--algorithm", "dissemination", "--machine")
    one = json_answer(*base, "loggops:L=2500,o=1500", "--cores", "1")["finish_ns"]
    assert one == 8 * 3 * 2 * 1500, "all of it is o, by one processor"
    for cores in ("2", "8"):
        by_option = json_answer(*base, "loggops:L=2500,o=1500", "--cores", cores)["finish_ns"]
        assert by_option == json_answer(*base, f"loggops:L=2500,o=1500;node:cores={cores}")["finish_ns"] < one
    assert by_option == json_answer(*base, "loggops:L=2500,o=1500")["finish_ns"]
    assert "0 cores: choose from 1 to 65536" in refusal(*base, "loggops:L=2500", "--cores", "0")
    assert "cores stand at one level" in refusal(*base, "loggops:cores=2;node:cores=2")
