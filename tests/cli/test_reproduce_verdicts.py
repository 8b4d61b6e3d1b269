# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts of `weft reproduce` are what the numbers say, and every kind of claim can fail; what is measured stands
beside what is simulated."""

import dataclasses
import json
from pathlib import Path

import pytest

from weft.bad_input import BadInput
from weft.reproduce import page
from weft.reproduce.judge import KINDS, Judgement, Verdict, judge
from weft.reproduce.measure import Bench, Measured, MeasuredPoint, points_of
from weft.reproduce.simulate import Reproduction, because
from weft.reproduce.source import Place
from weft.reproduce.study import Axis, Claim, Series, Study, read_study, study_files

AXIS = Axis("ranks", (2.0, 4.0, 8.0), (2.0,), is_logarithmic=True)
LINEAR = dataclasses.replace(AXIS, is_logarithmic=False)


def study_of(claim: Claim, axis: Axis = AXIS, measured: tuple[Measured, ...] = ()) -> Study:
    series = (Series("a", "p", {}), Series("b", "p", {}), Series("c", "p", {}))
    return Study("s", Path("s.toml"), "t", "p", "f", "m", "us", axis, series, (claim,), unit="us", measured=measured)


def results_of(**values: list[float]) -> dict:
    return {
        (name, point): {"us": value, "other": 2 * value}
        for name, all_values in values.items()
        for point, value in zip(AXIS.values, all_values, strict=False)
    }


def judged(kind: str, parameters: dict, axis: Axis = AXIS, **values: list[float]) -> Judgement:
    claim = Claim("it does", "there", kind, parameters)
    study = study_of(claim, axis)
    KINDS[kind].check(study, claim)
    return judge(study, claim, results_of(**values))


AB = {"smaller": "a", "larger": "b"}
RATIO = {"of": "a", "to": "b", "at": 4}
VALUE = {"series": "a", "at": 4}
ONE = {"series": "a"}
PAIR = {"first": "a", "second": "b"}
STEPS = {"slow": "a", "middle": "b", "fast": "c"}
UP, DOWN, FLAT, FOUR = [1.0, 2.0, 4.0], [4.0, 2.0, 1.0], [2.0, 2.0, 2.1], [4.0, 4.0, 4.0]
HOLDS, OTHER_SIZE, FAILS, OPEN = Verdict


@pytest.mark.parametrize(
    ("kind", "parameters", "a", "b", "verdict"),
    [
        ("order", AB, UP, [2.0, 3.0, 5.0], HOLDS),
        ("order", AB, UP, FLAT, FAILS),
        ("order", AB, FLAT, FLAT, FAILS),
        ("order", AB, FLAT, [2.001, 2.001, 2.101], OTHER_SIZE),
        ("order", AB | {"at": [2]}, UP, FLAT, HOLDS),
        ("order", AB | {"at": 8}, [1.0, 1.0], FLAT, OPEN),
        ("order", AB | {"by": 1.2}, UP, [1.3, 2.6, 5.2], HOLDS),
        ("order", AB | {"by": 1.5}, UP, [1.3, 2.6, 5.2], OTHER_SIZE),
        ("order", AB | {"by": 1.5}, UP, FLAT, FAILS),
        ("order", AB, [-2.0, -2.0, 0.0], [-1.0, -1.0, 1.0], HOLDS),
        ("ratio", RATIO | {"paper": 0.5}, FLAT, FOUR, HOLDS),
        ("ratio", RATIO | {"paper": 0.1}, FLAT, FOUR, OTHER_SIZE),
        ("ratio", RATIO | {"paper": 2.0}, FLAT, FOUR, FAILS),
        ("ratio", RATIO | {"paper": 2.0}, [1.0], [1.0], OPEN),
        # Near the paper's number, but on the other side of no difference.
        ("ratio", RATIO | {"paper": 1.1}, [0.95] * 3, [1.0] * 3, FAILS),
        ("ratio", RATIO | {"paper": 1.5}, [1.001] * 3, [1.0] * 3, FAILS),
        ("ratio", RATIO | {"paper": 1.0}, [0.95] * 3, [1.0] * 3, HOLDS),
        ("ratio", RATIO | {"paper": 1.0}, [0.5] * 3, [1.0] * 3, FAILS),
        ("value", VALUE | {"paper": 2.4}, UP, UP, HOLDS),
        ("value", VALUE | {"paper": 2.6}, UP, UP, FAILS),
        ("value", VALUE | {"paper": 4, "within": 1.0, "metric": "other"}, UP, UP, HOLDS),
        ("value", VALUE | {"paper": 2}, [1.0], UP, OPEN),
        ("trend", ONE | {"goes": "rises"}, UP, UP, HOLDS),
        ("trend", ONE | {"goes": "rises"}, DOWN, UP, FAILS),
        ("trend", ONE | {"goes": "falls"}, DOWN, UP, HOLDS),
        ("trend", ONE | {"goes": "constant"}, FLAT, UP, HOLDS),
        ("trend", ONE | {"goes": "constant"}, [2.0, 9.0, 2.0], UP, FAILS),
        ("trend", ONE | {"goes": "rises"}, [1.0, 9.0, 2.0], UP, FAILS),
        ("trend", ONE | {"goes": "rises"}, [1.0, 0.5, 2.0], UP, FAILS),
        ("trend", ONE | {"goes": "rises"}, [1.0, 2.05, 2.0], UP, HOLDS),
        ("trend", ONE | {"goes": "falls"}, [4.0, 9.0, 1.0], UP, FAILS),
        ("trend", ONE | {"goes": "rises"}, [-1.0, 0.0, 1.0], UP, HOLDS),
        ("trend", ONE | {"goes": "rises"}, [1.0], UP, OPEN),
        ("gap", PAIR | {"goes": "widens"}, FLAT, [3.0, 3.0, 6.0], HOLDS),
        ("gap", PAIR | {"goes": "narrows"}, FLAT, [3.0, 3.0, 6.0], FAILS),
        ("gap", PAIR | {"goes": "narrows"}, UP, UP, FAILS),
        ("gap", PAIR | {"goes": "widens"}, UP, UP, FAILS),
        ("gap", PAIR | {"goes": "narrows"}, [98.3, 98.3, 98.35], [100.0] * 3, FAILS),
        ("gap", PAIR | {"goes": "narrows", "paper": [16.1, 5.7]}, [98.3, 98.3, 98.35], [100.0] * 3, FAILS),
        ("gap", PAIR | {"goes": "narrows", "paper": [16.1, 5.7]}, [85.0, 90.0, 94.0], [100.0] * 3, HOLDS),
        ("gap", PAIR | {"goes": "narrows", "paper": [16.1, 5.7]}, [95.0, 97.0, 98.0], [100.0] * 3, OTHER_SIZE),
        ("gap", PAIR | {"goes": "narrows", "paper": [16.1, 5.7]}, [94.0, 90.0, 85.0], [100.0] * 3, FAILS),
        ("gap", PAIR | {"goes": "narrows", "paper": [16.1, 5.7]}, [85.0, 90.0], [100.0] * 3, OPEN),
        ("alike", PAIR, FLAT, [2.1, 2.1, 2.0], HOLDS),
        ("alike", PAIR, UP, FLAT, FAILS),
        ("alike", PAIR | {"within": 2.0}, UP, FLAT, HOLDS),
        ("alike", PAIR, [-1.0, 1.0, 1.0], [1.0, 1.0, 1.0], FAILS),
        ("bound", ONE | {"from": 1}, UP, UP, HOLDS),
        ("bound", ONE | {"from": 2}, UP, UP, FAILS),
        ("bound", ONE | {"to": 0}, [-1.0, -2.0, -3.0], UP, HOLDS),
        ("bound", ONE | {"from": 2, "to": 4, "at": [4, 8]}, UP, UP, HOLDS),
        ("power", ONE | {"paper": 1}, UP, UP, HOLDS),
        ("power", ONE | {"paper": -1}, DOWN, UP, HOLDS),
        ("power", ONE | {"paper": 1}, FLAT, UP, FAILS),
        ("power", ONE | {"paper": 1}, [1.0, 9.0, 4.0], UP, FAILS),
        ("power", ONE | {"paper": 1}, [0.0, 2.0, 4.0], UP, FAILS),
        ("power", ONE | {"paper": 1}, [1.0], UP, OPEN),
        ("inside", ONE, [2.0, 1.0, 2.0], UP, HOLDS),
        ("inside", ONE, [1.001, 1.0, 2.0], UP, FAILS),
        ("inside", ONE, UP, UP, FAILS),
        ("inside", ONE, [2.0, 1.0], UP, OPEN),
        ("growth", ONE | {"paper": 4}, UP, UP, HOLDS),
        ("growth", ONE | {"paper": 1.1}, FLAT, UP, HOLDS),
        ("growth", ONE | {"paper": 1.1}, [1.0, 1.0, 0.9], UP, FAILS),
        ("steps", STEPS | {"more": "second"}, FOUR, FOUR, FAILS),
        ("steps", STEPS | {"more": "first"}, FOUR, FOUR, FAILS),
        ("steps", STEPS | {"more": "first"}, [8.0] * 3, FOUR, HOLDS),
        ("words", {"why": "so"}, UP, UP, OPEN),
    ],
)
def test_a_verdict_is_what_the_numbers_say(kind: str, parameters: dict, a: list, b: list, verdict: Verdict):
    assert judged(kind, parameters, a=a, b=b, c=FOUR).verdict == verdict


@pytest.mark.parametrize(
    ("parameters", "a", "b", "verdict", "ours"),
    [
        ({}, DOWN, [2.5] * 3, HOLDS, "crosses at about 3.2, between 2 and 4"),
        ({}, [4.0, 2.0, 1.0], [1.0, 2.0, 4.0], HOLDS, "crosses at about 4, between 2 and 8"),
        ({}, UP, [2.5] * 3, FAILS, "the other way round"),
        ({}, UP, [5.0] * 3, FAILS, "no crossing: a lies below"),
        ({}, [6.0] * 3, [5.0] * 3, FAILS, "no crossing: b lies below"),
        ({}, UP, UP, FAILS, "no difference"),
        ({}, [4.0, 1.0, 4.0], [2.0] * 3, FAILS, "and crosses back"),
        ({}, [4.0], [2.0] * 3, OPEN, "fewer than two points"),
        ({"paper": 3}, DOWN, [2.5] * 3, HOLDS, "crosses at about 3.2"),
        ({"paper": 8}, DOWN, [2.5] * 3, OTHER_SIZE, "crosses at about 3.2"),
        ({"paper": 4, "within": 1.0}, DOWN, [2.5] * 3, OTHER_SIZE, "crosses at about 3.2"),
    ],
)
def test_a_crossing_is_where_the_series_cross(parameters: dict, a: list, b: list, verdict: Verdict, ours: str):
    found = judged("crossing", AB | parameters, a=a, b=b)
    assert found.verdict == verdict
    assert ours in found.ours


def test_a_crossing_lies_on_the_line_between_its_points():
    assert "about 3," in judged("crossing", AB, LINEAR, a=[1.0, -1.0, -1.0], b=[0.0, 0.0, 0.0]).ours
    assert "about 2.828," in judged("crossing", AB, a=[1.0, -1.0, -1.0], b=[0.0, 0.0, 0.0]).ours


def test_the_tolerance_stands_beside_the_number_of_the_paper():
    assert judged("value", VALUE | {"paper": 2, "within": 2.0}, a=UP).paper == "2 us within a factor of 2"
    assert judged("value", VALUE | {"paper": 2, "within": 1.0}, a=UP).paper == "2 us exactly"
    assert judged("value", VALUE | {"paper": 2}, a=UP).paper == "2 us"


def test_a_difference_is_explained_where_there_is_one():
    for paper, at, said in ((2.0, 4, ""), (9.0, 4, "so"), (9.0, 8, "")):
        claim = Claim("it does", "there", "value", {"series": "a", "at": at, "paper": paper}, because="so")
        study = study_of(claim)
        judgement = judge(study, claim, results_of(a=UP[:2]))
        assert because(claim, judgement) == said
        done = Reproduction(study, results_of(a=UP, b=UP, c=UP), ((claim, judgement),))
        assert done.record["claims"][0]["because"] == said
        assert (": so</td>" in page.section(done)) == bool(said)


RECORDS = [
    {"benchmark": "overlap", "implementation": "weft", "ranks": ranks, "load": 1.0, "deep": {"er": value}, "more_us": 1}
    for ranks, value in ((2, 3.0), (2, 5.0), (2, 4.0), (16, 7.0))
]
MEASURED = Measured("here", "overlap", "deep.er", "Two cores.", {"implementation": "weft"}, scale=2.0)


def test_records_become_points_with_their_spread():
    first, second = points_of("ranks", MEASURED, RECORDS)
    assert (first.point, first.spread.median, first.spread.low, first.spread.high) == (2, 8, 7, 9)
    assert (second.point, second.count, second.load) == (16, 1, 1.0)
    summed = points_of("ranks", dataclasses.replace(MEASURED, value="deep.er + more_us", scale=1.0), RECORDS)
    assert [point.spread.median for point in summed] == [5, 8]
    aside = points_of("ranks", dataclasses.replace(MEASURED, unit="ms"), RECORDS)
    assert [point.point for point in aside] == [None]
    with pytest.raises(BadInput, match="has deep.est"):
        points_of("ranks", dataclasses.replace(MEASURED, value="deep.est", place=Place(Path("f"))), RECORDS)


def test_measured_points_stand_beside_the_others_and_are_not_judged():
    claim = Claim("it does", "there", "value", {"series": "a", "at": 4, "paper": 3.0})
    aside = dataclasses.replace(MEASURED, name="aside", unit="ms a step")
    study = study_of(claim, measured=(MEASURED, aside))
    measured = (*points_of("ranks", MEASURED, RECORDS), *points_of("ranks", aside, RECORDS))
    results = results_of(a=UP, b=UP, c=UP)
    done = Reproduction(study, results, ((claim, judge(study, claim, results)),), measured)
    json.dumps(done.record)
    assert [one["ranks"] for one in done.record["measured"]] == [2, 16, None]
    assert done.record["printed"] == [{"series": "a", "ranks": 4, "value": 3.0}]
    assert [name for name, _ in page.columns(done)] == ["a", "b", "c", "a, paper", "here, measured"]
    assert page.rows(done) == [2, 4, 8, 16]
    assert "8 [7, 9]" in page.section(done)
    notes = page.measured_notes(done)
    assert "ms a step" in notes[1]
    assert all("not judged. Two cores." in note and "load 1.0" in note for note in notes)
    labels = [text.get_text() for text in page.picture(done).axes[0].get_legend().get_texts()]
    assert labels == ["a", "b", "c", "the paper", "here, measured"]


def test_a_command_runs_once_and_what_cannot_be_measured_is_said(monkeypatch: pytest.MonkeyPatch):
    said: list[str] = []
    bench = Bench(said.append)
    assert bench.run("overlap --ranks none") == []
    assert said[0] == "Measuring: weft bench overlap --ranks none"
    assert said[1].startswith("Not measured: weft bench overlap --ranks none: ")
    runs: list[str] = []
    monkeypatch.setattr(Bench, "run", lambda _, command: runs.append(command) or RECORDS)
    first, again = (bench.measure("ranks", MEASURED) for _ in range(2))
    assert first == again
    assert all(isinstance(one, MeasuredPoint) for one in first)
    assert runs == ["overlap"]


def test_what_studies_measure_says_how_it_differs():
    measured = [one for file in study_files().values() for one in read_study(file).measured]
    assert len(measured) > 10
    assert all(one.differs.endswith(".") and "this machine" in one.name for one in measured)
