# SPDX-License-Identifier: BSD-3-Clause
"""`weft map`: closed forms say who wins where, the planner's choice takes part, and bad input."""

import json
from pathlib import Path

import pytest
from command_line import answer, json_answer, refusal

# Only bytes cost something, and only messages.
NOTHING_BUT_BYTES = "loggops:L=1,o=0,g=0,G=10"
NOTHING_BUT_LATENCY = "loggops:L=10000,o=0,g=0,G=0"

LARGE = ("--machine", "large", "--ranks-per-node", "4")


def only_cell(*words: str) -> dict:
    (cell,) = json_answer("map", *words)["cells"]
    return cell


def test_the_fewest_rounds_win_where_only_latency_costs():
    cell = only_cell("allgather", "--ranks", "64", "--bytes", "64K", "--machine", NOTHING_BUT_LATENCY)
    assert cell["fastest"] == "bruck radix=8"  # two rounds
    assert cell["us"] == 2 * 10
    assert cell["all"]["ring"] == 63 * 10


def test_the_fewest_bytes_win_where_only_bytes_cost():
    cell = only_cell("allreduce", "--ranks", "16", "--bytes", "1M", "--machine", NOTHING_BUT_BYTES)
    assert cell["us"] == min(cell["all"].values())
    assert cell["all"]["ring"] < cell["all"]["recursive_k_ing radix=2"] / 2


def test_the_planners_choice_takes_part_and_is_compared():
    answered = json_answer("map", "allreduce", "--ranks", "4,16", "--bytes", "8,64K", *LARGE)
    cells = answered["cells"]
    assert [(cell["ranks"], cell["bytes"]) for cell in cells] == [(4, 8), (4, 65536), (16, 8), (16, 65536)]
    for cell in cells:
        assert cell["planned"] in cell["all"]
        assert cell["times_slower"] == pytest.approx(cell["planned_us"] / cell["us"])
        assert cell["times_slower"] >= 1
    assert answered["worst_times_slower"] == max(cell["times_slower"] for cell in cells)
    assert 1 <= answered["mean_times_slower"] <= answered["worst_times_slower"]


def test_what_works_within_a_node_alone_competes_there_alone():
    within, across = json_answer("map", "bcast", "--ranks", "4,8", "--bytes", "8", *LARGE)["cells"]
    assert "fan_out" in within["all"]
    assert "fan_out" not in across["all"]
    assert any(label.startswith("hierarchical node") for label in across["all"])
    (alone,) = json_answer("map", "bcast", "--ranks", "8", "--bytes", "8")["cells"]
    assert not any(label.startswith(("hierarchical", "multi_leader")) for label in alone["all"])


def test_sockets_are_a_level_more():
    cell = only_cell("allreduce", "--ranks", "16", "--bytes", "8", *LARGE[:3], "8", "--sockets", "2")
    assert {"hierarchical node radix=2", "hierarchical socket+node radix=2"} <= set(cell["all"])


def test_people_get_a_table_and_a_sentence():
    text = answer("map", "alltoall", "--ranks", "8", "--bytes", "8,64K")
    assert "geometric mean" in text
    assert "64K" in text


def test_it_is_drawn(tmp_path: Path):
    file = tmp_path / "map.png"
    printed = answer("map", "allreduce", "--ranks", "4,8", "--bytes", "8,64K", "--plot", str(file), "--json")
    assert len(json.loads(printed)["cells"]) == 4
    assert file.read_bytes().startswith(b"\x89PNG")


# Its picture is as wide as its title, which is longer than one column.
def test_with_one_size_its_title_fits(tmp_path: Path):
    def width(size: str) -> int:
        file = tmp_path / "map.png"
        answer("map", "allreduce", "--ranks", "4", "--bytes", size, "--plot", str(file))
        return int.from_bytes(file.read_bytes()[16:20], "big")

    assert width("8") > width("8,64K") * 0.9


def test_a_summary_has_a_line_for_each_collective_and_the_worst_case():
    words = ("bcast,barrier", "--summary", "--ranks", "4,8,9", "--bytes", "8,64K", *LARGE[:3], "1,4")
    answered = json_answer("map", *words)
    assert answered["ranks_per_node"] == [1, 4]
    assert [(loss["collective"], loss["cells"]) for loss in answered["losses"]] == [("bcast", 10), ("barrier", 5)]
    for loss in answered["losses"]:
        assert 1 <= loss["mean_times_slower"] <= loss["worst_times_slower"]
        assert loss["worst"]["times_slower"] == loss["worst_times_slower"]
        assert loss["worst"]["ranks_per_node"] in (1, 4)
    text = answer("map", *words)
    assert "All together" in text
    assert "on a node" in text


def test_a_summary_of_all_collectives_has_those_whose_blocks_are_of_one_size():
    losses = json_answer("map", "all", "--summary", "--ranks", "4", "--bytes", "8")["losses"]
    assert len(losses) == 10


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "which collective?"),
        (("allredude",), "allredude"),
        (("allreduce", "--ranks", "10", "--ranks-per-node", "4"), "choose multiples"),
        (("allreduce", "--ranks", "8", "--ranks-per-node", "4", "--sockets", "3"), "choose multiples"),
        (("allreduce", "--ranks", "8", "--ranks-per-node", "8"), "takes no time on example"),
        (("allreduce", "--ranks", "none"), "--ranks"),
        (("allreduce", "--ranks", "8", "--ranks-per-node", "1,4"), "or --summary"),
        (("allreduce", "--ranks", "9", "--ranks-per-node", "4", "--summary"), "fills nodes"),
        (("all", "--summary", "--plot", "map.png"), "--plot draws one map"),
        (("allreduce", "--machine", "none-of-ours"), "there is no such machine"),
    ],
)
def test_bad_input_is_refused(words: tuple[str, ...], message: str):
    assert message in refusal("map", *words)
