# SPDX-License-Identifier: BSD-3-Clause
"""weft bench app: what is hidden, where the answer is known; and each application once, as it is measured."""

import pytest
from bench_command import measured, needs_bench
from command_line import refusal

from weft import installation
from weft.bench import app


def took(seconds, form, implementation="host", pair=0, right=True):
    return {
        "application": "pcg", "form": form, "ranks": 4, "mpi": "Open MPI", "implementation": implementation,
        "pair": pair, "seconds": seconds, "waiting_seconds": 0.1, "right": right,
    }  # fmt: skip


ROUND = [
    took(10, "blocking"), took(9, "overlapped"), took(6, "skipped", right=None),
    took(10, "blocking", "agent"), took(7, "overlapped", "agent"),
]  # fmt: skip


def test_what_is_hidden_is_a_share_of_what_the_exchanges_cost():
    (case,) = app.cases(ROUND)
    assert case.share().median == pytest.approx(40)
    assert case.hidden("host").median == pytest.approx(25)
    assert case.hidden("agent").median == pytest.approx(75)
    assert case.ratio("overlapped", "agent").median == pytest.approx(0.7)
    summary = app.summarize(ROUND, ["host", "agent"], 1)
    assert (summary["hidden"], summary["ratio"]) == (pytest.approx(75), pytest.approx(0.7))


def test_a_wrong_answers_time_counts_for_nothing_and_is_named():
    records = [one | {"right": False} if one["implementation"] == "agent" else one for one in ROUND]
    (case,) = app.cases(records)
    assert case.hidden("agent") is None
    assert app.summarize(records, ["host", "agent"], 1)["wrong_answers"] == [
        "application pcg form blocking ranks 4 (agent, Open MPI)",
        "application pcg form overlapped ranks 4 (agent, Open MPI)",
    ]


def test_where_exchanges_cost_nothing_there_is_nothing_to_hide():
    records = [took(6, "blocking"), took(6, "overlapped"), took(6, "skipped", right=None)]
    assert app.cases(records)[0].hidden("host") is None


def test_an_unknown_application_is_refused():
    assert "fluid is no application: use " in refusal("bench", "app", "fluid")


@needs_bench
@pytest.mark.parametrize("name", app.STUDIES)
def test_an_application_is_right_in_every_form(name):
    if installation.application(name) is None:
        pytest.skip(f"{name} is not built")
    records, summary = measured("app", name, "--ranks", 2, "--pairs", 1, "--implementation", "host,weft")
    assert [(one["form"], one["implementation"]) for one in records] == [
        ("blocking", "host"), ("blocking", "weft"), ("overlapped", "host"), ("overlapped", "weft"), ("skipped", "host"),
    ]  # fmt: skip
    for record in records:
        assert record["seconds"] > 0
        # Without its sums pcg reads those of a run that had them; the others have no right answer to give.
        assert record["right"] is (None if record["form"] == "skipped" and name != "pcg" else True)
    assert summary["application"] == name
