# SPDX-License-Identifier: BSD-3-Clause
"""States of the machine, on records whose states are known."""

import os

import pytest
from bench_command import BUILT, measured, needs_bench

from weft.bench import analysis, latency, states

KEYS = ("collective", "bytes")


def record(implementation, pair, microseconds, before, after=None, **more):
    return {
        "benchmark": "latency", "collective": "bcast", "bytes": 8, "ranks": 2, "method": "osu",
        "buffers": "hot", "datatype": "predefined",
        "implementation": implementation, "mpi": "Open MPI", "pair": pair, "microseconds": microseconds, "load": 1,
        "line_ns_before": before, "line_ns_after": before if after is None else after,
    } | more  # fmt: skip


MIXED = [  # Weft takes half of the host's time in each state
    record("host", 0, 10, 60), record("weft", 0, 20, 280),
    record("weft", 1, 5, 62), record("host", 1, 40, 290),
]  # fmt: skip


def ratio_in(state, records):
    (point,) = analysis.points(states.told_apart(records)[state], KEYS)
    return point.ratio().median


def test_contestants_are_compared_within_a_state():
    (mixed,) = analysis.points(MIXED, KEYS)
    assert mixed.ratio().median == pytest.approx(1.0625)  # says nothing
    assert ratio_in("near", MIXED) == ratio_in("far", MIXED) == 0.5


def test_whoever_met_the_same_state_in_a_round_is_compared_there():
    records = [record("weft", 0, 7, 60), record("host", 1, 10, 60), record("weft", 1, 5, 60), *MIXED[:2] * 2]
    near = states.told_apart(records)["near"]
    (point,) = analysis.points(near, KEYS)
    assert point.ratios()[1] == 0.5


def test_a_point_that_somebody_never_met_in_a_state_is_not_there():
    others = [record(who, pair, 1, 60, mpi="MPICH") for pair in range(2) for who in ("host", "weft")]
    apart = states.told_apart([*MIXED, *others])
    assert set(apart) == {"near"}
    assert len(apart["near"]) == 6


def test_in_one_state_there_is_nothing_to_tell():
    assert states.told_apart([record("host", 0, 10, 280), record("weft", 0, 5, 300)]) == {}
    assert states.told_apart([record("host", 0, 10, None), {"ranks": 2, "pair": 0}]) == {}
    assert latency.told_apart([]) == {}


def test_a_rare_state_is_none():
    usual = [record(who, pair, 10, 60) for pair in range(10) for who in ("host", "weft")]
    assert states.told_apart([*usual, record("host", 10, 40, 280)]) == {}


def test_numbers_of_ranks_have_states_of_their_own():
    crowded = [record(who, pair, 10, None, ranks=8) for pair in range(10) for who in ("host", "weft")]
    apart = states.told_apart([*MIXED, *crowded])
    assert {one["ranks"] for mine in apart.values() for one in mine} == {2}
    assert ratio_in("near", [*MIXED, *crowded]) == 0.5


def test_what_changed_or_is_not_known_is_of_no_state():
    apart = states.told_apart(
        [*MIXED, record("host", 2, 30, 60, 280), record("weft", 2, 6, 60) | {"line_ns_after": None}]
    )
    assert sum(map(len, apart.values())) == len(MIXED)


def test_the_table_has_a_row_and_a_sentence_for_each_state(capsys):
    records = [*MIXED, *(one | {"bytes": 16} for one in MIXED)]
    apart = latency.told_apart(records)
    latency.show(analysis.points(records, latency.KEYS), records, {}, apart, "host,weft", False)
    said = capsys.readouterr()
    rows = [line.split() for line in said.out.splitlines() if line.startswith("bcast") and "osu" in line]
    assert [(row[1], row[4]) for row in rows] == [("8", "near"), ("8", "far"), ("16", "near"), ("16", "far")]
    assert (said.out + said.err).count("over 2 points: 0.50 (geometric mean)") == 2


def test_programs_read_each_state_by_its_name():
    near = latency.told_apart(MIXED)["near"].entry()
    assert (near["line_ns"], near["ratio"]) == (61, 0.5)
    assert near["points"][0] | {"bytes": 8, "ratio": 0.5, "verdict": "faster", "compared": 1} == near["points"][0]


def test_a_heat_map_has_a_panel_for_each_state(monkeypatch):
    drawn = []
    monkeypatch.setattr(latency.chart, "heat_maps", lambda file, panels, *rest: drawn.extend(panels))
    crowded = [record(who, pair, 10, 60, ranks=8) for pair in range(2) for who in ("host", "weft")]
    points = analysis.points([*MIXED, *crowded], latency.KEYS)
    latency.draw_heat_maps(latency.groups_of_panels(points, latency.told_apart([*MIXED, *crowded])), "unused.png")
    titles = [panel.title for panel in drawn]
    assert titles == ["8 ranks, osu", "2 ranks, osu, cores near", "2 ranks, osu, cores far"]


def lines_of(mpi, ranks):
    asked = ("--ranks", ranks, "--method", "loop", "--mpi", mpi, "--pairs", 1, "--iterations", 3, "--milliseconds", 1)
    records, _ = measured("latency", *asked)
    found = [record for record in records if record["benchmark"] == "latency"]
    return [record[name] for record in found for name in ("line_ns_before", "line_ns_after")]


@needs_bench
@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="two ranks need two cores for it")
@pytest.mark.parametrize("mpi", BUILT)
def test_a_line_is_measured_between_two_ranks(mpi):
    for _ in range(10):  # on a busy machine the two may have no core at the same time
        if known := [line for line in lines_of(mpi, 2) if line is not None]:
            break
    assert known
    assert all(1 < line < 1e6 for line in known)


@needs_bench
def test_one_rank_has_no_line_and_a_third_one_does_no_harm():
    assert set(lines_of(BUILT[0], 1)) == {None}
    assert len(lines_of(BUILT[0], 3)) == 4
