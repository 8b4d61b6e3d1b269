# SPDX-License-Identifier: BSD-3-Clause
"""weft bench overhead: tiny runs of everything it measures, and where the CPU time is split. No time is asserted."""

import pytest
from bench_command import BUILT, bench, measured, needs_bench, refused

from weft.bench import overhead

TINY = ("--pairs", 1, "--iterations", 10, "--milliseconds", 1)
PARTS = tuple(overhead.PARTS)


def record(**fields):
    parts = {f"{part}_us": 1.0 for part in PARTS}
    return {"cpu_us": 10.0, "executed_by_weft": 1.0, "right": True} | parts | fields


def test_what_no_part_accounts_for_is_the_hosts():
    assert overhead.host_us(record()) == pytest.approx(10 - len(PARTS))
    assert overhead.host_us(record(cpu_us=len(PARTS) - 1)) == 0
    assert overhead.host_us(record(executed_by_weft=0)) is None
    assert overhead.host_us({"cpu_us": 10.0}) is None


def test_the_ratio_is_that_of_the_cpu_times():
    about = {"collective": "iallreduce", "bytes": 8, "ranks": 2, "mpi": "Open MPI"}
    records = [
        record(implementation=who, pair=pair, cpu_us=cpu, **about)
        for pair in range(3)
        for who, cpu in (("host", 4.0), ("weft", 1.0 + pair))
    ]
    summary = overhead.summarize(records, ["host", "weft"], 3)
    assert (summary["ratio_low"], summary["ratio"], summary["ratio_high"]) == (0.375, 0.5, 0.625)
    assert (summary["cpu_us_host"], summary["cpu_us_weft"]) == (4, 2)
    drowned = [one | {"cpu_us": -0.1} for one in records if one["implementation"] == "weft"]
    assert overhead.summarize(drowned, ["host", "weft"], 3)["ratio"] is None


@needs_bench
@pytest.mark.parametrize("mpi", BUILT)
@pytest.mark.parametrize("compute", ["burn", "sleep"])
def test_the_cpu_time_is_measured_and_split_where_weft_executes(mpi, compute):
    names = ("iallreduce", "ibarrier", "igather", "allreduce") + (("bcast_init",) if mpi == "openmpi" else ())
    asked = ("--collective", ",".join(names), "--bytes", "13,4K", "--compute", compute, "--mpi", mpi)
    records, summary = measured("overhead", *asked, *TINY)
    assert {(one["collective"], one["implementation"]) for one in records} == {
        (name, who) for name in names for who in ("host", "weft")
    }
    assert len(records) == 2 * sum(1 if name == "ibarrier" else 2 for name in names)
    for one in records:
        by_weft = one["implementation"] == "weft"
        assert one["right"]
        assert one["compute"] == compute
        assert one["cpu_greatest_us"] >= one["cpu_us"]
        assert ("start_us" in one) == (one["collective"] != "allreduce")
        assert (one["first_start_us"] is None) == (one["collective"] in ("ibarrier", "bcast_init"))
        assert (one["implementation"] == "weft") == all(f"{part}_us" in one for part in PARTS)
        assert one.get("executed_by_weft", 0) == by_weft
        assert (one["host_us"] is not None) == by_weft
    assert summary["wrong_answers"] == []


@needs_bench
def test_more_ranks_than_cores_sleep_unless_told_otherwise():
    asked = ("overhead", "--mpi", BUILT[0], "--ranks", "1,9", *TINY)
    records, _ = measured(*asked)
    assert {record["ranks"]: record["compute"] for record in records} == {1: "burn", 9: "sleep"}


@needs_bench
def test_libnbcs_design_is_a_contestant():
    asked = ("--implementation", "host,weft-rounds", "--mpi", BUILT[0])
    records, summary = measured("overhead", *asked, *TINY)
    assert [record["implementation"] for record in records] == ["host", "weft-rounds"]
    assert records[1]["executed_by_weft"] == 1
    assert summary["cpu_us_weft_rounds"] is not None


@needs_bench
def test_a_table_and_a_picture(tmp_path):
    plot = tmp_path / "overhead.png"
    result = bench("overhead", "--bytes", "8,1K", "--mpi", BUILT[0], "--plot", plot, *TINY)
    assert result.returncode == 0, result.stderr
    assert "What the CPU time under Weft is spent on" in result.stdout
    assert plot.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--compute", "think"], "--compute think"),
        (["--tests", "-1"], "--tests"),
        (["--buffers", "cold"], "--buffers cold"),
        (["--collective", "isort"], "--collective isort"),
    ],
)
def test_impossible_questions_are_refused(arguments, says):
    assert says in refused("overhead", *arguments)
