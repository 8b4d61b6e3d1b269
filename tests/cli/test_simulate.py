# SPDX-License-Identifier: BSD-3-Clause
"""`weft simulate`: closed forms through the command line, timelines, machines by text, name and file, and bad input."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from command_line import answer, json_answer, refusal

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
