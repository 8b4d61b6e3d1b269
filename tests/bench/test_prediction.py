# SPDX-License-Identifier: BSD-3-Clause
"""weft bench prediction: what the simulator is asked, by a stand-in of it; and errors where they are known."""

import sys
import types

import pytest
from bench_command import BUILT, measured, needs_bench, refused

from weft import probes
from weft.bad_input import BadInput
from weft.bench import analysis, prediction
from weft.lab import Lab

MACHINE = "loggops:L=200000,o=2000,g=3000,G=0.5,O=0.1,S=65536"


@pytest.fixture
def asked(monkeypatch):
    """The questions; each answer is 2 us."""
    questions = []

    def simulate_collective(collective, **about):
        questions.append((collective, about))
        return types.SimpleNamespace(finish_ns=2000.0)

    stand_in = types.ModuleType("weft.simulation")
    stand_in.simulate_collective = simulate_collective
    monkeypatch.setitem(sys.modules, "weft.simulation", stand_in)
    return questions


def test_the_simulator_is_asked_for_the_same_schedule(asked):
    assert prediction.predict(MACHINE, "bcast", "k_nomial:4", 8, 1024, 4) == 2
    assert prediction.predict(MACHINE, "alltoall", "pairwise", 8, 8, 8) == 2
    common = {"ranks": 8, "machine": MACHINE}
    assert asked == [
        ("bcast", common | {"bytes": 1024, "algorithm": "k_nomial", "radix": 4, "topology": "node:4 core:2"}),
        ("alltoall", common | {"bytes": 8, "algorithm": "pairwise", "radix": None, "topology": "node:8 core:1"}),
    ]


def test_the_simulator_answers():
    pytest.importorskip("weft.simulation")
    found = prediction.predict(MACHINE, "barrier", "dissemination:2", 2, 0, 2)
    assert 200 < found < 250


def record(collective, microseconds, pair=0, **more):
    return {
        "collective": collective, "algorithm": "ring", "bytes": 8, "ranks": 4, "hosts": 4, "implementation": "weft",
        "mpi": "Open MPI", "pair": pair, "microseconds": microseconds,
    } | more  # fmt: skip


def test_the_error_is_of_what_was_measured_and_its_median_has_no_sign():
    records = [record("bcast", 100), record("allgather", 100), record("allgather", 200, bytes=64)]
    points = analysis.points(records, prediction.KEYS)
    summary = prediction.summarize(points, [80, 130, 200])
    assert [point["error"] for point in summary["points"]] == pytest.approx([-0.2, 0.3, 0])
    assert summary["median_error"] == pytest.approx(0.2)
    assert summary["median_errors"] == pytest.approx({"bcast": 0.2, "allgather": 0.15})
    assert prediction.summarize([], [])["median_error"] is None


def test_a_picture_is_drawn(tmp_path):
    points = analysis.points([record("bcast", 100), record("bcast", 200, bytes=64, ranks=2)], prediction.KEYS)
    prediction.draw(points, [80, 130], tmp_path / "prediction.png")
    assert (tmp_path / "prediction.png").stat().st_size > 0


def test_algorithms_may_be_others():
    assert prediction.chosen_algorithms(["bcast", "barrier"], "bcast=n_ary_tree:3") == {
        "bcast": "n_ary_tree:3",
        "barrier": "dissemination:2",
    }


@needs_bench
def test_a_collective_between_hosts_is_predicted():
    try:
        with Lab(1):
            pass
    except BadInput as why:
        pytest.skip(str(why))
    records, summary = measured(
        "prediction", "--mpi", BUILT[0], "--machine", MACHINE, "--hosts", 2, "--ranks", 2, "--delay", "50us",
        "--collective", "bcast,barrier", "--bytes", "8", "--pairs", 1, "--iterations", 3,
    )  # fmt: skip
    assert [(one["collective"], one["algorithm"], one["start"]) for one in records] == [
        ("bcast", "k_nomial:2", "agreed"),
        ("barrier", "dissemination:2", "agreed"),
    ]
    assert all(one["right"] and one["hosts"] == 2 for one in records)
    assert summary["machine"] == f"{MACHINE},cores={probes.usable_cores()}"
    assert all(point["predicted_us"] > 200 and point["measured_us"] > 0 for point in summary["points"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--collective", "gather"], "--collective gather: use bcast"),
        (["--algorithm", "gather=linear"], "--algorithm gather=linear: write COLLECTIVE=NAME"),
        (["--algorithm", "k_nomial"], "--algorithm k_nomial: write COLLECTIVE=NAME"),
        (["--hosts", "4", "--ranks", "6"], "--ranks 6 --hosts 4: use as many ranks on each host"),
        (["--mpi", "all", "--machine", MACHINE], "--mpi all"),
        (["--machine", "nowhere"], "--machine nowhere: there is no such machine"),
        (["--machine", "loggops:speed=1"], "there is no such parameter"),
        (["--hosts", "1", "--ranks", "2"], "--hosts 1: the network is measured between two hosts"),
    ],
)
def test_impossible_questions_are_refused(arguments, says):
    assert says in refused("prediction", *arguments)
