# SPDX-License-Identifier: BSD-3-Clause
"""`weft verify` proves the catalog, finds what is wrong in a file, and says both in its exit code."""

from pathlib import Path

import pytest
from command_line import answer, json_answer, refusal, weft


@pytest.fixture
def schedules(tmp_path: Path) -> Path:
    file = tmp_path / "reduce.txt"
    tree = ("--algorithm", "n_ary_tree", "--radix", "4")
    answer("explain", "reduce", "--ranks", "4", "--bytes", "16", *tree, "--all", "--output", str(file))
    return file


def damage(file: Path, old: str, new: str) -> Path:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    return file


def test_the_whole_catalog_is_proved():
    facts = json_answer("verify", "--ranks", "1-9")
    assert facts["proved"]
    collectives = {entry["collective"] for entry in facts["algorithms"]}
    assert len(collectives) == 22
    assert {"barrier", "reduce_scatter_block", "exscan", "alltoallw", "neighbor_allgatherv"} <= collectives
    for entry in facts["algorithms"]:
        assert entry["proved"] == entry["cases"] > 0
        assert entry["findings"] == []


def test_ranges_multiply_to_the_cases_that_they_name():
    tree = ("verify", "bcast", "--algorithm", "k_nomial")
    options = ("--ranks", "2,4-6", "--bytes", "0,1K-4K", "--radix", "2,3", "--root", "1")
    assert json_answer(*tree, *options)["cases"] == 4 * 4 * 2
    assert json_answer(*tree, "--ranks", "3", "--bytes", "8", "--radix", "2")["cases"] == 3, "every root"
    windows = ("verify", "alltoallv", "--ranks", "3", "--bytes", "8", "--window", "1-3")
    assert json_answer(*windows)["cases"] == 3 * 2 * 2, "two algorithms, with and without MPI_IN_PLACE"
    chain = ("verify", "scan", "--algorithm", "chain", "--ranks", "3", "--bytes", "1K", "--in-place")
    assert json_answer(*chain, "--fragment", "128,256")["cases"] == 2 * 2, "both kinds of operators"
    trees = ("verify", "allreduce", "--algorithm", "n_ary_tree", "--ranks", "3", "--bytes", "8", "--in-place")
    assert json_answer(*trees, "--radix", "2,3", "--bcast-radix", "2,3,4")["cases"] == 2 * 3 * 2


def test_operators_that_do_not_commute_are_only_given_to_algorithms_that_take_them():
    facts = json_answer("verify", "allreduce", "--ranks", "4", "--bytes", "8", "--non-commutative")
    cases = {entry["algorithm"]: entry["cases"] for entry in facts["algorithms"]}
    assert cases["ring"] == 0
    assert cases["recursive_k_ing"] > 0


def test_the_table_has_one_row_per_algorithm():
    text = answer("verify", "allreduce", "--ranks", "1-5", columns=79)
    assert "recursive_k_ing" in text
    assert "ring" in text
    assert text.splitlines()[-1].startswith("All ")


def test_a_topology_fixes_the_ranks_and_reports_what_crosses_its_levels():
    facts = json_answer("verify", "allgather", "--bytes", "8", "--topology", "node:2 core:4")
    for entry in facts["algorithms"]:
        assert [*entry["traffic"]] == ["network", "node", "core"]
        sends_none = entry["algorithm"] in ("exchange", "fragments", "single_copy")
        assert (entry["traffic"]["network"]["messages"] > 0) != sends_none
    assert "What crosses each level" in answer("verify", "bcast", "--ranks", "3,4", "--topology", "node:2 core:2")


def test_every_collective_is_proved_over_a_hierarchy():
    options = ("verify", "--topology", "node:2 socket:2 core:2", "--ranks", "1-8", "--hierarchy", "socket+node")
    facts = json_answer(*options, "--radix", "2")
    assert facts["proved"]
    assert facts["hierarchy"] == "socket+node"
    assert {entry["algorithm"] for entry in facts["algorithms"]} == {"hierarchical", "gathered", "multi_leader"}
    assert len(facts["algorithms"]) == 11
    for entry in facts["algorithms"]:
        assert entry["proved"] == entry["cases"] > 0
        assert entry["traffic"]["node"]["messages"] == entry["traffic"]["socket"]["messages"] == 0


def test_schedules_from_a_file_are_proved(schedules: Path):
    assert answer("verify", "--schedule", str(schedules)).splitlines()[-1] == "Proved."


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("recv 1 ->", "recv 3 ->", "unmatched_message"),
        ("-> output[0+16]", "-> input[0+16]", "writes_input"),
        ("  after 1 2", "", "race"),
        ("send input[0+16]", "send input[0+8]", "size_mismatch"),
        ("send input[0+16]", "send input[8+16]", "out_of_bounds"),
        ("  5: reduce input[0+16] -> output[0+16]       after 4\n", "", "wrong_result"),
        ("0: recv 1 -> scratch.0[0+16]", "0: recv 1 -> scratch.0[0+16] after 5", "malformed"),
    ],
)
def test_damaged_schedules_are_found_out(schedules: Path, old: str, new: str, rule: str):
    done = weft("verify", "--schedule", str(damage(schedules, old, new)), columns=300)
    assert done.returncode == 1
    assert rule in done.stdout
    assert "not proved" in done.stdout


def test_malformed_text_is_located(schedules: Path):
    lines = schedules.read_text().splitlines()
    row = next(i for i, line in enumerate(lines) if "reduce scratch" in line)
    lines[row] = lines[row].replace("->", "=>", 1)
    schedules.write_text("\n".join(lines))
    said = refusal("verify", "--schedule", str(schedules))
    assert f"{schedules}: line {row + 1}, column " in said
    assert "expected `->`, found `=>`" in said


def test_a_file_must_have_every_rank_of_one_call_once(schedules: Path):
    text = schedules.read_text()
    last = text[text.rindex("schedule reduce") :]
    schedules.write_text(text.replace(last, ""))
    assert "the schedule of rank 3 is missing" in refusal("verify", "--schedule", str(schedules))
    schedules.write_text(text + last)
    assert "the schedule of rank 3 is there twice" in refusal("verify", "--schedule", str(schedules))
    schedules.write_text(text.replace(last, last.replace("bytes 16", "bytes 8")))
    assert "all schedules must be of one call" in refusal("verify", "--schedule", str(schedules))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("gossip",), 'there is no collective "gossip"'),
        (
            ("bcast", "--algorithm", "ring"),
            "choose one of chain, fan_out, k_nomial, n_ary_tree, pipeline, scatter_allgather, single_copy, or all",
        ),
        (("--ranks", "0"), "the smallest possible value is 1"),
        (("--ranks", "5-2"), "write 2-5"),
        (("--ranks", "x"), "write whole numbers and ranges"),
        (("--bytes", "4K-1K"), "write 1K-4K"),
        (("--window", "0"), "--window 0: the smallest possible value is 1"),
        (("--fragment", "x"), "--fragment x: a size is"),
        (("--radix", "1"), "the smallest possible value is 2"),
        (("bcast", "--ranks", "3", "--root", "9"), "the root must be below the number of ranks"),
        (("--ranks", "9", "--topology", "node:2 core:4"), "9 ranks do not fit"),
        (("--topology", "node"), "line 1, column 5: expected `:`"),
        (("bcast", "--hierarchy", "node"), "--hierarchy node: of which machine? Give a --topology"),
        (("bcast", "--algorithm", "hierarchical"), "give a --hierarchy as well"),
        (("--topology", "node:2 core:4", "--hierarchy", "node+socket"), "the topology has no socket"),
        (("--topology", "node:2", "--hierarchy", "node", "--schedule", "x"), "made already; leave it out"),
        (("--schedule", "/nowhere/x"), "/nowhere/x cannot be read"),
    ],
)
def test_bad_options_get_one_message(options: tuple[str, ...], said: str):
    assert said in refusal("verify", *options)
