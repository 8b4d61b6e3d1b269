# SPDX-License-Identifier: BSD-3-Clause
"""weft bench latency: tiny runs of everything it measures, so that it cannot rot. No time is asserted."""

import os
from pathlib import Path

import pytest
from bench_command import BUILT, bench, needs_bench, needs_two_mpis, refused
from bench_command import measured as all_measured

from weft.bench.collectives import GROUPS, NAMES, NONBLOCKING, PERSISTENT, POINT_TO_POINT
from weft.bench.measurement import busy_cores

TINY = ("--pairs", 1, "--iterations", 3, "--milliseconds", 1)
IN_TURN = ("host", "weft")


def measured(*arguments):
    """Without the floor's records."""
    records, summary = all_measured(*arguments)
    return [record for record in records if record["benchmark"] == "latency"], summary


@needs_bench
@pytest.mark.parametrize("group", ["blocking", "nonblocking", "persistent", "point_to_point"])
@pytest.mark.parametrize("ranks", [1, 3])
def test_every_collective_is_measured_and_its_answer_checked(group, ranks):
    names = {"blocking": NAMES, "nonblocking": NONBLOCKING, "persistent": PERSISTENT, "point_to_point": POINT_TO_POINT}
    asked = ("--collective", group, "--bytes", "0,8,13", "--ranks", ranks, "--method", "loop", "--mpi", BUILT[0])
    records, summary = measured("latency", *asked, *TINY)
    assert all(record["right"] for record in records)
    assert {(r["collective"], r["implementation"]) for r in records} == {
        (name, who) for name in names[group] for who in ("host", "weft")
    }
    assert len(summary["points"]) == sum(1 if "barrier" in name else 3 for name in names[group])


@needs_bench
def test_all_of_them_fit_into_one_launch():
    asked = ("--collective", "all", "--method", "loop", "--implementation", "weft", "--mpi", BUILT[0])
    records, _ = measured("latency", *asked, *TINY)
    assert [record["collective"] for record in records] == [*NAMES, *NONBLOCKING, *PERSISTENT, *POINT_TO_POINT]


@needs_bench
@pytest.mark.parametrize("method", ["single", "osu", "loop", "sizes", "kinds"])
@pytest.mark.parametrize("mpi", BUILT)
def test_every_record_names_how_it_was_measured(method, mpi):
    records, summary = measured("latency", "--method", method, "--mpi", mpi, *TINY)
    assert [record["implementation"] for record in records] == ["host", "weft"]
    for record in records:
        assert record["method"] == method
        assert record["buffers"] == "rotating"
        assert record["clock_cost_ns"] > 0
        assert record["microseconds"] == record["median"]
    assert summary["ratio"] == pytest.approx(records[1]["microseconds"] / records[0]["microseconds"])


@needs_bench
@pytest.mark.parametrize("group", ["blocking", "nonblocking", "persistent"])
def test_elements_with_gaps_behind_them_in_all_that_reduces_nothing(group):
    asked = ("--collective", group, "--datatype", "strided", "--mpi", BUILT[0], "--ranks", 3, *TINY)
    records, _ = measured("latency", *asked)
    names = dict.fromkeys(record["collective"] for record in records)
    assert list(names) == [name for name in GROUPS[group] if "reduce" not in name and "scan" not in name]
    assert {record["datatype"] for record in records} == {"strided"}


def test_no_derived_datatypes_for_reductions_or_among_predefined_ones_in_turn():
    said = refused("latency", "--collective", "allreduce,iscan", "--datatype", "strided")
    assert "predefined operators have no derived datatypes" in said
    assert "--method kinds takes predefined datatypes" in refused(
        "latency", "--method", "kinds", "--datatype", "strided"
    )


@needs_bench
def test_beside_a_busy_process_on_each_core():
    _, summary = measured("latency", "--busy", "--mpi", BUILT[0], *TINY)
    assert summary["busy"] is True
    _, summary = measured("latency", "--mpi", BUILT[0], *TINY)
    assert summary["busy"] is False


def test_busy_processes_are_one_per_core_and_end_with_the_measurement():
    def children():
        return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())

    before = children()
    with busy_cores():
        busy = children() - before
        assert len(busy) == len(os.sched_getaffinity(0))
        assert {tuple(os.sched_getaffinity(int(one))) for one in busy} == {(core,) for core in os.sched_getaffinity(0)}
    assert children() == before


@needs_bench
def test_short_operations_stand_beside_the_floor_of_the_same_rounds():
    asked = ("latency", "--collective", "allreduce", "--bytes", "8,1K", "--method", "osu,single", "--mpi", BUILT[0])
    records, summary = all_measured(*asked, "--pairs", 2, "--iterations", 3, "--milliseconds", 1)
    floors = [record for record in records if record["benchmark"] == "floor"]
    assert [(record["item"], record["pair"]) for record in floors] == [("exchange", 0), ("exchange", 1)]
    exchanges = [floor["value"] / 1e3 for floor in floors]
    assert summary["floor_microseconds"] == pytest.approx(sum(exchanges) / 2)
    assert summary["floor_microseconds_low"] == pytest.approx(0.75 * min(exchanges) + 0.25 * max(exchanges))
    rows = [(point["bytes"], point["method"], "of_floor" in point) for point in summary["points"]]
    assert rows == [(8, "osu", True), (1024, "osu", False), (8, "single", True), (1024, "single", False)]
    one, two = (
        record["microseconds"] / floor["value"] * 1e3
        for record, floor in zip(
            [r for r in records if r.get("bytes") == 8 and r.get("method") == "osu" and r["implementation"] == "weft"],
            floors,
            strict=True,
        )
    )
    assert summary["points"][0]["of_floor"] == pytest.approx((one + two) / 2)
    shown = bench(*asked, *TINY)
    assert "weft/floor" in shown.stdout and "Floor: two cores exchange a cache line" in " ".join(shown.stdout.split())


@needs_bench
def test_ranks_may_sleep_until_a_time_that_they_agree_on():
    (host,), _ = measured(
        "latency", "--start", "agreed", "--mpi", BUILT[0], "--pairs", 1, "--iterations", 20, "--milliseconds", 1,
        "--implementation", "host",
    )  # fmt: skip
    assert (host["start"], host["operations"] + host["late"]) == ("agreed", 20)
    assert not (host["all_late"] and host["late"])
    assert host["start_uncertainty_ns"] > 0


@needs_bench
def test_windows_start_on_synchronised_clocks_and_count_who_was_late():
    records, _ = measured(
        "latency", "--start", "window", "--mpi", BUILT[0], "--pairs", 1, "--iterations", 200, "--milliseconds", 1
    )
    for record in records:
        assert record["start_uncertainty_ns"] > 0
        assert record["late"] + record["operations"] == 200


@needs_bench
def test_more_ranks_than_cores_are_measured_in_a_loop():
    records, _ = measured("latency", "--ranks", "2,9", "--mpi", BUILT[0], *TINY)
    assert {record["ranks"]: record["method"] for record in records}[9] == "loop"


@needs_bench
def test_every_rank_reports_its_own_times():
    asked = ("--collective", "ibcast,isend", "--per-rank", "--ranks", 2, "--mpi", BUILT[0])
    records, _ = measured("latency", *asked, *TINY)
    assert all(len(record["per_rank_microseconds"]) == 2 for record in records)
    told = {(r["collective"], r["implementation"]): r.get("per_rank_first_data_microseconds") for r in records}
    assert told["ibcast", "host"] is told["isend", "host"] is None
    assert told["ibcast", "weft"][0] == 0  # the root waits for nobody
    assert told["ibcast", "weft"][1] >= 0  # others find the message there, or wait for it
    assert told["isend", "weft"] == [None, None]  # the host's, which does not tell


@needs_two_mpis
def test_the_last_line_compares_the_best_hosts():
    records, summary = measured("latency", "--mpi", "all", "--pairs", 2, "--iterations", 50, "--milliseconds", 1)
    one_round = [(record["implementation"], record["mpi"].split()[0]) for record in records[:4]]
    assert [(record["implementation"], record["mpi"].split()[0]) for record in records[4:]] == one_round[::-1]
    times = {}
    for record in records:
        times.setdefault((record["implementation"], record["mpi"]), {})[record["pair"]] = record["microseconds"]
    host, weft = (min((key for key in times if key[0] == who), key=lambda k: sum(times[k].values())) for who in IN_TURN)
    assert (summary["host"], summary["weft_on"]) == (host[1], weft[1])
    assert summary["ratio"] == pytest.approx(sum(times[weft][pair] / times[host][pair] for pair in (0, 1)) / 2)


@needs_bench
def test_a_table_a_picture_and_the_raw_records(tmp_path):
    plot, results = tmp_path / "latency.png", tmp_path / "results"
    asked = ("--bytes", "8-32", "--mpi", BUILT[0], "--plot", plot, "--results", results)
    result = bench("latency", *asked, *TINY)
    assert result.returncode == 0, result.stderr
    assert "weft/host" in result.stdout
    assert plot.read_bytes().startswith(b"\x89PNG")
    (file,) = results.iterdir()
    assert len(file.read_text().splitlines()) == 7  # three sizes, twice, and the floor


@needs_bench
def test_ratios_at_a_glance(tmp_path):
    picture = tmp_path / "map.png"
    asked = ("--collective", "bcast,barrier", "--bytes", "8,64", "--mpi", BUILT[0], "--heat-map", picture)
    result = bench("latency", *asked, *TINY)
    assert result.returncode == 0, result.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")
    alone = bench("latency", "--implementation", "weft", *asked, *TINY)
    assert alone.returncode == 2
    assert "--heat-map" in alone.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["throughput"], "throughput"),
        (["latency", "--collective", "sort"], "--collective sort"),
        (["latency", "--bytes", "many"], "--bytes many"),
        (["latency", "--ranks", "0"], "--ranks 0"),
        (["latency", "--method", "guess"], "--method guess"),
        (["latency", "--start", "shout"], "--start shout"),
        (["latency", "--reduce", "mode"], "--reduce mode"),
        (["latency", "--mpi", "lam"], "--mpi lam"),
        (["latency", "--implementation", "warp"], "--implementation warp"),
        (["latency", "--pairs", "0"], "--pairs"),
    ],
)
def test_impossible_questions_are_refused(arguments, says):
    assert says in refused(*arguments)
