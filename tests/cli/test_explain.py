# SPDX-License-Identifier: BSD-3-Clause
"""`weft explain` says the same in every form, and refuses what makes no sense."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from command_line import answer, json_answer, refusal

K_ING = (
    "explain",
    "allreduce",
    "--ranks",
    "9",
    "--bytes",
    "8",
    "--algorithm",
    "recursive_k_ing",
    "--radix",
    "3",
)


def test_shows_the_exchange_round_by_round_and_who_holds_what():
    text = answer(*K_ING)
    for line in (
        "allreduce of 8 bytes on 9 ranks",
        "recursive_k_ing radix=3",
        "as asked; the planner would choose",
        "0 → 1,2   1 → 0,2   2 → 0,1",
        "0 → 3,6   1 → 4,7   2 → 5,8",
        "proof     correct",
    ):
        assert line in text
    table = text[text.index("Who holds what") :].splitlines()
    assert table[3].split() == ["0", "0", "0-2", "0-8"]
    assert table[11].split() == ["8", "8", "6-8", "0-8"]


def test_json_has_what_the_text_shows():
    facts = json_answer(*K_ING)
    assert (facts["algorithm"], facts["radix"], facts["proved"]) == ("recursive_k_ing", 3, True)
    assert len(facts["rounds"]) == 2
    assert {(m["from"], m["to"]) for m in facts["rounds"][0]["messages"] if m["from"] == 4} == {
        (4, 3),
        (4, 5),
    }
    assert facts["rounds"][1]["holds"] == ["0-8"] * 9
    assert facts["messages"] == 36
    assert facts["bytes_sent"] == 36 * 8


def test_without_an_algorithm_the_planner_chooses_and_says_why():
    small, large = (json_answer("explain", "allreduce", "--ranks", "8", "--bytes", size) for size in ("8", "8M"))
    assert small["why"].startswith("chosen because ")
    assert small["algorithm"] != large["algorithm"]
    assert large["call"]["bytes"] == 8 << 20


def test_one_rank_is_shown_as_a_schedule():
    text = answer("explain", "bcast", "--ranks", "7", "--rank", "1", "--algorithm", "k_nomial", "--radix", "2")
    assert text.splitlines()[0] == "schedule bcast rank 1 of 7 root 0 bytes 8"
    assert "0: recv 0 -> output[0+8]" in text
    assert text.splitlines()[-1] == "end"


def test_all_ranks_can_be_read_back(tmp_path: Path):
    file = tmp_path / "schedules.txt"
    answer("explain", "allgather", "--ranks", "5", "--bytes", "1K", "--all", "--output", str(file))
    assert file.read_text().count("schedule allgather") == 5
    assert json_answer("verify", "--schedule", str(file))["proved"]


def test_pictures_are_well_formed(tmp_path: Path):
    file = tmp_path / "picture.svg"
    answer(*K_ING, "--format", "svg", "--output", str(file))
    root = ElementTree.parse(file).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    notes = [e.text for e in root.iter() if e.get("class") == "note"]
    assert notes.count("0-8") == 9
    assert answer(*K_ING, "--format", "dot").startswith("digraph weft {")


def test_a_goal_program_has_all_ranks_or_is_refused():
    program = answer(*K_ING, "--format", "goal")
    assert program.splitlines()[0] == '// allreduce of 8 bytes on 9 ranks, "recursive_k_ing radix=3"'
    assert program.splitlines()[1:3] == ["// copies and reductions take no time", "num_ranks 9"]
    assert program.count("\nrank ") == 9
    assert program == answer(*K_ING, "--format", "goal", "--all")
    assert "--rank 1" in refusal(*K_ING, "--format", "goal", "--rank", "1")
    assert "give --format goal" in refusal(*K_ING, "--machine", "smoky")
    assert "there is no such machine" in refusal(*K_ING, "--format", "goal", "--machine", "odd")
    shared = ("explain", "allreduce", "--topology", "node:2 core:2", "--format", "goal")
    assert "rank 0, task 1" in refusal(*shared, "--hierarchy", "node")
    assert answer(*shared, "--hierarchy", "flat").count("\nrank ") == 4


def test_rounds_are_plain_lines():
    lines = answer(*K_ING, "--format", "rounds").splitlines()
    assert lines[0] == "allreduce of 8 bytes on 9 ranks by recursive_k_ing radix=3"
    assert "  0 -> 1: 8 bytes: 0" in lines
    assert lines[-1].startswith("  after: 0 has 0-8; 1 has 0-8")


def test_a_topology_gives_the_ranks_and_counts_what_crosses_its_levels():
    facts = json_answer("explain", "allreduce", "--topology", "node:2 core:2")
    assert facts["call"]["ranks"] == 4
    assert sum(level["messages"] for level in facts["traffic"]) == facts["messages"]
    assert [level["level"] for level in facts["traffic"]] == ["network", "node", "core"]


def test_a_hierarchy_is_drawn_and_followed():
    options = ("explain", "allreduce", "--ranks", "8", "--topology", "node:2 core:4", "--hierarchy", "node")
    text = answer(*options)
    for line in (
        "hierarchical node radix=2",
        "network  messages  0───────4",
        "node     memory    0─1─2─3 4─5─6─7",
        "fan_in to rank 0 of ranks 0-3; fan_in to rank 4 of ranks 4-7",
        "0 → 4   4 → 0",
        "proof     correct; all ranks together send 2 messages",
    ):
        assert line in text
    facts = json_answer(*options)
    assert facts["hierarchy"]["depth"] == "node"
    assert [tier["groups"] for tier in facts["hierarchy"]["tiers"]] == [[[0, 1, 2, 3], [4, 5, 6, 7]], [[0, 4]]]
    assert [tier["joined"] for tier in facts["hierarchy"]["tiers"]] == ["memory", "messages"]
    assert json_answer(*options, "--by-rounds")["proved"]
    assert json_answer("explain", "allreduce", "--ranks", "4")["hierarchy"] is None


def test_leaders_are_who_arrives_last_or_always_the_same():
    options = ("explain", "allreduce", "--topology", "socket:2 core:4", "--hierarchy", "socket+node")
    last, fixed = (json_answer(*options, "--leader", leader) for leader in ("last", "fixed"))
    assert last["proved"] and fixed["proved"]
    assert (last["options"]["leader"], fixed["options"]["leader"]) == ("last", "fixed")
    assert last["rounds"] == json_answer(*options)["rounds"]
    assert "leader last" in answer(*options, "--leader", "last", "--rank", "1")
    assert "leader last" not in answer(*options, "--leader", "fixed", "--rank", "1")
    shown = " ".join(answer(*options, "--leader", "fixed").split())
    assert "hierarchical socket+node leader=fixed" in shown
    assert "the planner would choose hierarchical with leader last" in shown
    assert "choose last or fixed" in refusal(*options, "--leader", "first")
    assert "bcast by hierarchical has no leader" in refusal("explain", "bcast", *options[2:], "--leader", "last")


def test_ranks_are_on_one_node_unless_a_topology_says_otherwise():
    here = json_answer("explain", "allreduce", "--ranks", "8", "--bytes", "8")
    assert (here["algorithm"], here["one_node"], here["messages"]) == ("exchange", True, 0)
    long = json_answer("explain", "allreduce", "--ranks", "8", "--bytes", "1M")
    assert (long["algorithm"], long["proved"]) == ("parts", True)
    nodes = json_answer("explain", "allreduce", "--topology", "node:2 core:4", "--bytes", "8")
    assert (nodes["algorithm"], nodes["hierarchy"]["depth"], nodes["one_node"]) == ("hierarchical", "node", False)
    assert nodes["why"].startswith("chosen because ranks share memory with their neighbours only")
    alone = json_answer("explain", "allreduce", "--topology", "node:8", "--bytes", "8")
    assert alone["algorithm"] == "recursive_k_ing"


def test_settings_decide_as_they_would_in_a_job(tmp_path: Path):
    file = tmp_path / "tuning.txt"
    file.write_text("WEFT_ALGORITHM = allreduce=recursive_k_ing:4\n")
    facts = json_answer("explain", "allreduce", "--ranks", "8", WEFT_TUNING_FILE=str(file))
    assert (facts["algorithm"], facts["radix"]) == ("recursive_k_ing", 4)
    assert {"name": "WEFT_ALGORITHM", "value": "allreduce=recursive_k_ing:4", "from": f"{file}:1"} in facts["settings"]
    assert "WEFT_NODE=0  (environment)" in answer("explain", "allreduce", "--ranks", "8", WEFT_NODE="0")


def test_groups_that_a_device_joins_stand_apart():
    text = answer("explain", "allreduce", "--topology", "device:2 node:2 core:2", "--hierarchy", "node+device")
    assert "network  messages  0───────4" in text
    assert "device   device    0───2   4───6" in text
    assert "proof     correct" in text


def test_ranks_speak_with_hosts_without_the_device_themselves():
    of = ("explain", "allreduce", "--topology", "device:2 node:3,1", "--device", "agent")
    text = answer(*of)
    assert "network  messages  0─────3" in text
    assert "over the wire, moved by the agents of 2 ranks, as task lists" in text
    assert "2 ranks with messages to or from hosts that the device does not join: the ranks themselves" in text
    assert json_answer(*of)["device"]["by_ranks"] == 2


def test_the_root_represents_its_groups():
    facts = json_answer(
        "explain", "reduce", "--topology", "node:2 socket:2 core:2", "--hierarchy", "socket+node", "--root", "7"
    )
    assert [tier["groups"] for tier in facts["hierarchy"]["tiers"]][1:] == [[[0, 2], [4, 7]], [[0, 7]]]
    assert facts["algorithm"] == "hierarchical"


def test_large_calls_fit_the_screen():
    text = answer("explain", "alltoall", "--ranks", "100", "--bytes", "4")
    assert "and 36 more ranks" in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("gossip", "--ranks", "3"), 'there is no collective "gossip": choose one of barrier, bcast'),
        (("bcast",), "how many ranks? Give --ranks N"),
        (("bcast", "--ranks", "0"), "0 ranks: at least 1 is needed"),
        (("bcast", "--ranks", "3", "--root", "3"), "with 3 ranks the root is from 0 to 2"),
        (("allgather", "--ranks", "3", "--root", "1"), "allgather has no root"),
        (("bcast", "--ranks", "3", "--bytes", "8X"), "--bytes 8X: a size is a whole number"),
        (("bcast", "--ranks", "3", "--rank", "3"), "the ranks are from 0 to 2"),
        (("bcast", "--ranks", "3", "--algorithm", "k_nomial", "--radix", "1"), "radix 1: at least 2 is needed"),
        (("alltoall", "--ranks", "3", "--radix", "3"), "has no radix; leave the option out"),
        (("allreduce", "--ranks", "3", "--bcast-radix", "3"), "has no bcast-radix; leave the option out"),
        (("alltoallv", "--ranks", "3", "--window", "0"), "window 0: at least 1 is needed"),
        (("scan", "--ranks", "3", "--algorithm", "chain", "--fragment", "0"), "at least 1 is needed"),
        (("allreduce", "--ranks", "3", "--algorithm", "magic"), "choose one of recursive_k_ing, ring"),
        (
            ("allreduce", "--ranks", "3", "--algorithm", "ring", "--non-commutative"),
            "choose another algorithm",
        ),
        (("allreduce", "--ranks", "3", "--bytes", "12", "--element", "8"), "not a whole number of elements"),
        (("alltoall", "--ranks", "90000"), "choose fewer ranks"),
        (("bcast", "--ranks", "3000000000"), "below 2^31"),
        (("bcast", "--ranks", "3", "--topology", "node:2"), "3 ranks do not fit: `node:2` has 2 places"),
        (("bcast", "--topology", "node:2 rack:3"), "line 1, column 8: expected one of the levels network"),
        (
            ("bcast", "--ranks", "3", "--output", "/nowhere/x", "--format", "svg"),
            "/nowhere/x cannot be written",
        ),
        (("bcast", "--ranks", "3", "--hierarchy", "node"), "--hierarchy node: of which machine? Give a --topology"),
        (("bcast", "--ranks", "3", "--algorithm", "hierarchical"), "give a --hierarchy as well, such as node"),
        (("bcast", "--topology", "node:2", "--hierarchy", "socket+node"), "the topology has no socket; write flat, or"),
        (
            ("bcast", "--topology", "node:2", "--hierarchy", "node", "--algorithm", "k_nomial"),
            "k_nomial follows no hierarchy",
        ),
        (("bcast", "--ranks", "3", "--device", "smoke"), "WEFT_DEVICE=smoke is not understood: use one of none, agent"),
        (
            ("bcast", "--ranks", "3", "--device", "agent", "--format", "svg"),
            "--device agent: who moves a call is said in",
        ),
        (("bcast", "--ranks", "3", "--device", "agent", "--rank", "1"), "--device agent: who moves a call is said in"),
        (
            ("bcast", "--ranks", "3", "--form", "management-queue"),
            "--form management-queue: that is of task lists; give --task-lists",
        ),
        (("bcast", "--ranks", "3", "--most-tasks", "4"), "--most-tasks 4: that is of task lists; give --task-lists"),
        (("bcast", "--ranks", "3", "--mailbox", "8K"), "--mailbox 8K: that is of task lists; give --task-lists"),
        (("bcast", "--ranks", "many"), "--ranks"),
        (("bcast", "--ranks", "3", "--format", "smoke"), "--format"),
        (("bcast", "--ranks", "3", "--unknown"), "--unknown"),
    ],
)
def test_bad_options_get_one_message(options: tuple[str, ...], said: str):
    assert said in refusal("explain", *options)


def test_the_picture_in_the_readme_is_what_explain_draws(tmp_path):
    drawn = tmp_path / "picture.svg"
    answer(*K_ING, "--format", "svg", "--output", drawn)
    kept = Path(__file__).resolve().parents[2] / "docs" / "images" / "recursive_k_ing_9_ranks.svg"
    assert drawn.read_text() == kept.read_text(), f"draw it anew: weft {' '.join(K_ING)} --format svg --output {kept}"


def test_by_rounds_there_are_joins():
    asked = ("explain", "bcast", "--ranks", "7", "--by-rounds")
    assert "k_nomial radix=2 by rounds" in answer(*asked)
    assert json_answer(*asked)["proved"]
    schedule = answer(*asked, "--rank", "1")
    assert "join" in schedule
    assert "join" not in answer(*asked[:-1], "--rank", "1")


LISTS = ("explain", "barrier", "--ranks", "4", "--algorithm", "recursive_k_ing", "--task-lists")


def test_task_lists_are_drawn_counted_and_proved():
    text = answer(*LISTS, "--all")
    assert "steps           2:" in text
    assert "proof           correct" in text
    assert text.count("rank ") == 4 + 1  # and "most of a rank"
    facts = json_answer(*LISTS, "--form", "management-queue", "--most-tasks", "4")
    assert (facts["form"], facts["steps"], facts["proved"]) == ("management-queue", 2, True)
    assert [one["rank"] for one in facts["task_lists"]] == [0, 1, 2, 3]
    assert all(len(tasks) <= 4 for one in facts["task_lists"] for tasks in one["lists"])
    assert facts["task_lists"][0]["queues"] == ["QP 1", "MQ", "QP 2"]


def test_task_lists_are_refused_where_there_are_none():
    assert "takes part in a node's group" in refusal("explain", "barrier", "--ranks", "4", "--task-lists")
    assert "--most-tasks 1" in refusal(*LISTS, "--most-tasks", "1")
    assert "rank 4" in refusal(*LISTS, "--rank", "4")
    assert "--format dot" in refusal(*LISTS, "--format", "dot")


def test_puts_are_task_lists_with_writes():
    text = answer("explain", "put", "--ranks", "4", "--bytes", "64", "--all")
    assert "proof           correct" in text
    assert text.count("write input[0+64] -> window.") == 4
    facts = json_answer("explain", "put", "--ranks", "6", "--to", "neighbors", "--form", "management-queue")
    assert (facts["steps"], facts["proved"]) == (2, True)
    assert facts["task_lists"][0]["counts"]["writes"] == 4
    assert "-> window.1[0+8]" in answer("explain", "put", "--ranks", "4", "--format", "schedule")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("put",), "how many ranks?"),
        (("put", "--ranks", "0"), "ranks"),
        (("put", "--ranks", "4", "--radix", "3"), "--radix: an epoch of puts has none"),
        (("put", "--ranks", "4", "--format", "dot"), "--format dot"),
        (("bcast", "--ranks", "4", "--to", "next"), "--to next: that is of put"),
    ],
)
def test_puts_are_refused_where_there_are_none(options: tuple[str, ...], said: str):
    assert said in refusal("explain", *options)


def test_task_lists_have_a_picture(tmp_path: Path):
    one, all_of_them = tmp_path / "one.svg", tmp_path / "all.svg"
    answer(*LISTS, "--format", "svg", "--rank", "2", "--output", one)
    answer(*LISTS, "--format", "svg", "--all", "--output", all_of_them)
    assert ">rank 2<" in one.read_text()
    assert ">rank 1<" not in one.read_text()
    drawn = ElementTree.parse(all_of_them)
    kinds = [element.get("class", "") for element in drawn.iter()]
    assert kinds.count("panel") == 4
    assert kinds.count("arrow message") == 4 * 2


def test_the_picture_of_task_lists_on_their_page_is_what_explain_draws(tmp_path: Path):
    asked = ("explain", "barrier", "--ranks", "8", "--algorithm", "recursive_k_ing", "--task-lists")
    drawn = tmp_path / "picture.svg"
    answer(*asked, "--format", "svg", "--output", drawn)
    kept = Path(__file__).resolve().parents[2] / "docs" / "images" / "task_lists_barrier_8_ranks.svg"
    assert drawn.read_text() == kept.read_text(), f"draw it anew: weft {' '.join(asked)} --format svg --output {kept}"


def device_of(*asked: str, **environment: str) -> tuple[dict, str]:
    facts = json_answer("explain", *asked, **environment)["device"]
    return facts, " ".join(facts["says"])


def test_without_a_device_the_ranks_move_a_call():
    assert "device    none: the ranks themselves" in answer("explain", "allreduce", "--topology", "node:4")
    facts, said = device_of("allreduce", "--topology", "node:4")
    assert facts["device"] == "none"
    assert not facts["takes_wire"]
    assert "hidden" not in said


def test_between_nodes_of_one_rank_agents_run_task_lists():
    asked = ("allreduce", "--topology", "node:4")
    facts, said = device_of(*asked, WEFT_DEVICE="agent")
    assert (facts["senders"], facts["by_list"], facts["in_memory"]) == (4, 4, 0)
    assert f"each rank's agent, as task lists of up to {facts['longest_list']} tasks" in said
    assert "hidden over the wire, of any size" in said
    assert "up to 64K they may go before their receiver has begun" in said
    assert "one that only the host applies: the ranks alone" in said
    assert (facts, said) == device_of(*asked, "--device", "agent")
    assert device_of(*asked, "--device", "none", WEFT_DEVICE="agent")[0]["device"] == "none"
    _, said = device_of(*asked, "--bytes", "4M", "--device", "agent")
    assert "above 64K they wait at their sender until their receiver has begun" in said
    facts, said = device_of("alltoall", "--topology", "node:2", "--device", "agent")
    assert "packed as they travel: the ranks alone" in said
    assert "packed" not in device_of("barrier", "--topology", "node:2", "--device", "agent")[1]
    assert "under WEFT_TIMES=1: the ranks" in device_of(*asked, WEFT_DEVICE="agent", WEFT_TIMES="1")[1]


def test_on_nodes_of_several_ranks_those_who_send_have_agents():
    facts, said = device_of("allreduce", "--topology", "node:2 core:4", "--device", "agent")
    assert (facts["senders"], facts["by_list"], facts["in_memory"]) == (2, 0, 6)
    assert "the agents of 2 ranks that send and receive for their nodes, as their schedules" in said
    assert "6 ranks with nothing to send: through the memory of their nodes" in said


def test_within_a_node_agents_do_what_copies_much():
    asked = ("allreduce", "--ranks", "4", "--device", "agent", "--bytes")
    facts, said = device_of(*asked, "8")
    assert facts["is_short"]
    assert "it needs nobody" in said
    assert "hidden up to 4K bytes" in said
    facts, said = device_of(*asked, "64K")
    assert facts["copied_by_agents"] == 0 < facts["most_copied"] < facts["copies_from"] == 512 << 10
    assert "leaves this to the ranks" in said
    facts, said = device_of(*asked, "4M")
    assert facts["copied_by_agents"] == 4
    assert "done by each rank's agent, unless ranks outnumber cores" in said
    facts, said = device_of(*asked, "64K", WEFT_AGENT_BYTES="1K")
    assert "done by each rank's agent, also where ranks outnumber cores" in said
    _, said = device_of("allreduce", "--ranks", "4", "--device", "agent", "--algorithm", "ring")
    assert "messages within one are the host's" in said


def test_ranks_without_memory_are_nodes_of_their_own():
    facts = json_answer("explain", "allreduce", "--ranks", "4", "--device", "agent", WEFT_NODE="0")
    assert not facts["one_node"]
    assert facts["device"]["takes_wire"]
