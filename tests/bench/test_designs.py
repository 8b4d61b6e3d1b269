# SPDX-License-Identifier: BSD-3-Clause
"""weft bench designs: tiny runs; each design is Weft's, of its own algorithm, and is measured beside the host."""

import pytest
from bench_command import BUILT, bench, measured, needs_bench, refused

from weft import installation
from weft.bench.contest import Contestant
from weft.bench.designs import FLAT, SHORT_LISTS, TWO_LEVEL, designs

TINY = ("--pairs", 1, "--iterations", 3)


@needs_bench
@pytest.mark.parametrize("collective", FLAT)
def test_every_design_is_measured_beside_the_host(collective):
    records, summary = measured("designs", "--collective", collective, "--bytes", "64", "--mpi", BUILT[0], *TINY)
    expected = ["host", *FLAT[collective], *SHORT_LISTS.get(collective, {})]
    assert [record["implementation"] for record in records] == expected
    assert all(record["right"] for record in records)
    assert [entry["design"] for entry in summary["designs"]] == expected
    assert all({"pure_start_us", "pure_wait_us"} <= set(record) for record in records)


@needs_bench
def test_a_table_and_a_picture(tmp_path):
    plot = tmp_path / "designs.png"
    result = bench("designs", "--bytes", "8", "--mpi", BUILT[0], *TINY, "--plot", plot)
    assert result.returncode == 0, result.stderr
    assert "red-bcast-3" in result.stdout
    assert plot.read_bytes().startswith(b"\x89PNG")


@needs_bench
def test_a_trigger_thread_wakes_up_between_lists_and_only_there():
    records, summary = measured("designs", "--collective", "ialltoall", "-n", 4, "--mpi", BUILT[0], *TINY)
    woken = {record["implementation"] for record in records if record["trigger_wakes"] > 0}
    assert woken == {"pairwise, lists of 8, trigger thread"}
    assert {entry["design"] for entry in summary["designs"] if entry["trigger_wakes"]} == woken
    assert all(record["agent_wakes"] == 0 for record in records if record["implementation"] == "host")


def test_designs_are_wefts_and_have_an_algorithm_each():
    host = installation.hosts()[0]
    for collective in FLAT:
        first, *others = designs(collective, 4, 2, host)
        assert not first.with_weft
        assert all(other.with_weft for other in others)
        variables = [dict(other.variables) for other in others]
        algorithms = [each["WEFT_ALGORITHM"] for each in variables if "WEFT_LIST_TASKS" not in each]
        assert len(set(algorithms)) == len(algorithms) == len(FLAT[collective]) + len(TWO_LEVEL[collective])
        assert len(variables) == len(algorithms) + len(SHORT_LISTS.get(collective, {}))


@pytest.mark.parametrize(
    ("name", "with_weft"), [("host", False), ("host-thread", False), ("intel", False), ("weft", True), ("flat", True)]
)
def test_a_contestant_has_weft_unless_it_is_an_mpi_alone(name, with_weft):
    assert Contestant(name, installation.hosts()[0]).with_weft == with_weft


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--collective", "allreduce"], "--collective"),
        (["--compute", "think"], "--compute"),
        (["--hosts", 2, "-n", 3], "use as many ranks on each host"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(arguments, says):
    assert says in refused("designs", *arguments)
