# SPDX-License-Identifier: BSD-3-Clause
"""From records to ratios, on records whose ratios are known; and what a crash costs."""

import pytest

from weft.bench import analysis
from weft.bench.analysis import Point
from weft.bench.contest import Contest, Contestant, Task, parse
from weft.compare import Spread


def record(implementation, pair, microseconds, mpi="Open MPI", **more):
    return {
        "collective": "bcast", "bytes": 8, "implementation": implementation, "mpi": mpi, "pair": pair,
        "microseconds": microseconds,
    } | more  # fmt: skip


def test_a_ratio_is_taken_within_a_pair():
    slow_and_quick_moods = [record("host", 0, 10), record("weft", 0, 5), record("weft", 1, 50), record("host", 1, 100)]
    (point,) = analysis.points(slow_and_quick_moods, ("collective", "bytes"))
    ratio = point.ratio()
    assert (ratio.low, ratio.median, ratio.high) == (0.5, 0.5, 0.5)


def test_half_a_pair_gives_no_ratio():
    (point,) = analysis.points([record("host", 0, 10), record("weft", 1, 5)], ("collective",))
    assert point.ratio() is None


def test_the_best_mpi_of_each_side_is_compared():
    records = [
        record("host", 0, 10, "A"), record("weft", 0, 8, "A"), record("host", 0, 20, "B"), record("weft", 0, 5, "B"),
    ]  # fmt: skip
    (point,) = analysis.points(records, ("collective",))
    assert point.ratio().median == 0.5
    assert point.ratio(mpi="A").median == 0.8


def test_a_rival_is_the_same_beside_every_mpi():
    records = [record("weft", 0, 8, "A"), record("weft", 0, 5, "B"), record("intel", 0, 10, "Intel MPI")]
    (point,) = analysis.points(records, ("collective",))
    assert point.ratio(mpi="A", to="intel").median == 0.8
    assert point.ratio(to="intel").median == 0.5
    assert point.ratio(mpi="A") is None


def test_a_wrong_answer_is_named_and_its_time_left_out():
    records = [record("host", 0, 10, right=False), record("weft", 0, 5, right=True)]
    (point,) = analysis.points(records, ("collective",))
    assert point.ratio() is None
    assert analysis.wrong(records, ("collective", "bytes")) == ["collective bcast bytes 8 (host, Open MPI)"]


def test_the_whole_is_the_geometric_mean_over_points():
    records = [record("host", 0, 10), record("weft", 0, 5)]
    records += [record("host", 0, 10, bytes=64), record("weft", 0, 20, bytes=64)]
    keys = ("collective", "bytes")
    points = analysis.points(records, keys)
    assert analysis.overall(points).median == pytest.approx(1.0)
    assert [point["ratio"] for point in analysis.summary(points, records, keys, 1)["points"]] == [0.5, 2.0]


def test_only_whole_lines_are_records():
    assert parse('Warning\n{"benchmark": "latency", "bytes": 8}\n{"benchmark": "laten') == [
        {"benchmark": "latency", "bytes": 8}
    ]


class Crashing(Contest):
    """Launches in which Weft dies in `bcast`, whenever that is asked for."""

    launches: list = []

    def _launch(self, task, contestant, items, pair):
        self.launches.append((contestant.implementation, list(items), pair))
        if contestant.implementation == "weft" and "bcast" in items:
            return items.index("bcast"), "Segmentation fault"
        return len(items), None


def test_a_crash_costs_the_collective_that_it_happened_in(tmp_path, capsys):
    class Host:
        title = "Open MPI"

    contest = Crashing([Contestant("host", Host), Contestant("weft", Host)], tmp_path)
    task = Task("latency", 2, ["barrier", "bcast", "reduce"], lambda _: 1, lambda _: {})
    contest.launches.clear()
    contest.measure([task], 2, lambda: None)
    everything = ["barrier", "bcast", "reduce"]
    assert contest.launches == [
        ("host", everything, 0), ("weft", everything, 0), ("weft", ["reduce"], 0),
        ("weft", ["barrier", "reduce"], 1), ("host", everything, 1),
    ]  # fmt: skip
    assert contest.failures == [{"failed": "bcast on 2 ranks (weft, Open MPI)", "output": "Segmentation fault"}]
    assert "Segmentation fault" in capsys.readouterr().err


def test_ctrl_c_keeps_what_was_measured(tmp_path):
    class Interrupted(Contest):
        def _launch(self, task, contestant, items, pair):
            if self.records:
                raise KeyboardInterrupt
            self.records.append(record("host", 0, 1.0))
            return len(items), None

    contest = Interrupted([Contestant("host", None), Contestant("weft", None)], tmp_path)
    contest.measure([Task("latency", 2, ["bcast"], lambda _: 1, lambda _: {})], 5, lambda: None)
    assert contest.interrupted
    assert len(contest.records) == 1


def test_a_verdict_is_what_the_quartiles_allow():
    verdicts = [analysis.verdict(Spread(1.0, low, high)) for low, high in ((0.8, 0.9), (0.9, 1.1), (1.1, 1.2))]
    assert verdicts == ["faster", "same", "slower"]
    assert analysis.verdict(None) is None


def test_the_sentence_at_the_end_names_the_worst_point():
    points = [Point({"bytes": size}) for size in (8, 64)]
    for point, weft in zip(points, (1.0, 4.0), strict=True):
        point.series = {("host", "openmpi"): {0: 2.0}, ("weft", "openmpi"): {0: weft}}
    words = analysis.verdicts_in_words(points, lambda key: f"{key['bytes']} bytes")
    assert "over 2 points: 1.00" in words
    assert "1 faster, 0 same, 1 slower" in words
    assert words.endswith("worst 2.00 [2.00, 2.00]: 64 bytes.")
