# SPDX-License-Identifier: BSD-3-Clause
"""weft bench app: what is hidden, where the answer is known; and each application once, as it is measured."""

import json

import pytest
from bench_command import BUILT, bench, measured, needs_bench
from command_line import json_answer, refusal

from weft import installation
from weft.bad_input import BadInput
from weft.bench import app, applications, contest


def took(seconds, form, implementation="host", pair=0, right=True, application="pcg"):
    return {
        "benchmark": "app", "application": application, "form": form, "ranks": 4, "mpi": "Open MPI",
        "implementation": implementation, "pair": pair, "seconds": seconds, "waiting_seconds": 0.1, "right": right,
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


# Two-sided messages are the host's, whatever is under the program.
WAVES = [
    took(one[0], *one[1:], application="wave")
    for one in (
        (10, "blocking"), (8, "nonblocking"), (9.5, "neighbour"), (7.5, "neighbour", "agent"),
        (9, "overlapped"), (8.5, "overlapped", "weft"), (7, "overlapped", "agent"),
    )
] + [took(6, "skipped", right=None, application="wave")]  # fmt: skip
NAMES = ["host", "weft", "agent"]


def test_what_is_the_hosts_own_is_measured_once_and_all_are_compared_with_it():
    (case,) = app.cases(WAVES)
    assert case.further == ["nonblocking", "neighbour"]
    assert [case.hidden(name).median for name in NAMES] == [25, 37.5, 75]
    assert case.hidden("host", "nonblocking").median == 50
    summary = app.summarize(WAVES, NAMES, 1)
    assert (summary["hidden"], summary["ratio"], summary["over_nonblocking"]) == (75, 0.7, 7 / 8)
    (entry,) = summary["points"]
    assert entry["weft_overlapped_over_nonblocking"] == 8.5 / 8
    assert entry["agent_overlapped_over_neighbour"] == 7 / 9.5
    assert (entry["agent_over_host"], entry["agent_over_weft"]) == (7 / 9, 7 / 8.5)
    assert (entry["agent_neighbour_hidden_percent"], entry["agent_neighbour_ratio"]) == (62.5, 0.75)
    assert "agent_nonblocking_ratio" not in entry
    assert app.comparisons(case, NAMES)[0].startswith("one-sided over nonblocking on the host: host 1.12 ")


@needs_bench
def test_each_mpi_has_what_is_its_own_measured_once():
    who = contest.contestants("all", "host,agent") if len(BUILT) > 1 else contest.contestants(BUILT[0], "host,agent")
    task = app.app_task("wave", 2, "blocking", {}, once_per_mpi=True)
    assert [(one.implementation, one.host.name) for one in task.launches(who)] == [("host", name) for name in BUILT]


@pytest.mark.parametrize(
    ("application", "asked", "forms"),
    [
        ("poisson", None, ["blocking", "overlapped"]),
        ("wave", None, ["blocking", "nonblocking", "overlapped"]),
        ("wave", "one-sided", ["blocking", "overlapped"]),
        ("wave", "lock,fence,lock", ["blocking", "lock", "fence", "overlapped"]),
        ("wave", "all", ["blocking", "nonblocking", "nocheck", "neighbour", "fence", "lock", "overlapped"]),
    ],
)
def test_exchanges_are_those_that_were_asked_for(application, asked, forms):
    assert applications.forms_of(application, asked, applications.STUDIES[application].usual) == forms


def test_sizes_are_the_studys_own_but_for_those_asked_for():
    assert applications.sizes_of("wave", per_rank=24, steps=None) == {"per_rank": 24, "steps": 30, "repeat": 3}
    assert applications.sizes_of("pcg", points=None, repeat=2) == {"repeat": 2}
    with pytest.raises(BadInput, match="--points is of fft3d and poisson"):
        applications.sizes_of("pcg", points=32)
    assert ", 24 x 24 x 24 points per rank, 30 steps;" in applications.STUDIES["wave"].described({"per_rank": 24})


def test_each_mpi_runs_what_is_built_for_it():
    for host in installation.hosts():
        if host.name == "mpich5":
            with pytest.raises(BadInput, match="wave is not built for MPICH 5"):
                applications.program_of("wave", host)
        elif host.name in ("openmpi", "mpich") and installation.application("wave_mpich"):
            name = {"openmpi": "wave", "mpich": "wave_mpich"}[host.name]
            assert applications.program_of("wave", host).name == name


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["fluid"], "fluid is no application: use "),
        (["poisson", "--per-rank", 24], "--per-rank is of wave: leave it away for poisson"),
        (["poisson", "--exchange", "fence"], "--exchange: poisson has only blocking and neighbour"),
        (
            ["wave", "--exchange", "fences"],
            "--exchange fences: use nonblocking or nocheck or neighbour or fence or lock or all",
        ),
        (["wave", "--exchange", "fence", "--duration", "50us"], "--exchange: under noise only"),
        (["pcg", "--repeat", 2, "--duration", "50us"], "--repeat: under noise"),
        (["compress", "--points", 32], "--points is of fft3d and poisson"),
    ],
)
def test_impossible_questions_are_refused(arguments, says):
    if len(arguments) > 1 and installation.application(arguments[0]) is None:
        pytest.skip(f"{arguments[0]} is not built")
    assert says in refusal("bench", "app", *arguments)


class Fake(app.AppContest):
    """Whose programs print these bits, one after the other."""

    def __init__(self, bits):
        super().__init__([], None)
        self.bits = iter(bits)

    def _folder(self, *_):
        return None

    def _printed(self, *_):
        return {
            "seconds": 1.0, "waiting_seconds": 0.1, "right": None, "points_per_second": 1.0,
            "fingerprint": next(self.bits),
        }  # fmt: skip


def test_right_is_who_has_the_bits_of_the_first():
    fake = Fake(["a", "a", "b", "c"])
    rights = []
    for form in ("blocking", "fence", "overlapped", "skipped"):
        task = app.app_task("wave", 2, form, applications.sizes_of("wave", per_rank=24, steps=5))
        rights.append(fake._measured(task, None, form, 0)["right"])
    assert rights == [True, True, False, None]


TINY = {
    "wave": ("--per-rank", 24, "--steps", 4),
    "fft3d": ("--points", 32, "--repeat", 2),
    "poisson": ("--points", 32, "--repeat", 2),
}


@needs_bench
@pytest.mark.parametrize("name", app.STUDIES)
def test_an_application_is_right_in_every_form(name):
    if installation.application(name) is None:
        pytest.skip(f"{name} is not built")
    asked = ("--ranks", 2, "--pairs", 1, "--implementation", "host,weft", *TINY.get(name, ()))
    records, summary = measured("app", name, *asked)
    once = {"skipped", *app.STUDIES[name].hosts_own}
    forms = ("blocking", *app.STUDIES[name].usual, "overlapped", "skipped")
    assert [(one["form"], one["implementation"]) for one in records] == [
        (form, who) for form in forms for who in (["host"] if form in once else ["host", "weft"])
    ]
    for record in records:
        assert record["seconds"] > 0
        # Without its sums pcg reads those of a run that had them; the others have no right answer to give.
        assert record["right"] is (None if record["form"] == "skipped" and name != "pcg" else True)
    assert summary["application"] == name


@needs_bench
@pytest.mark.skipif(installation.application("wave") is None, reason="wave is not built")
def test_every_exchange_of_wave_is_measured_with_copies_by_agents_and_without(tmp_path):
    names = "host,agent-no-copies,agent-copies"
    asked = ("--ranks", 2, "--pairs", 1, "--implementation", names, "--exchange", "all", *TINY["wave"])
    done = bench("app", "wave", *asked, "--results", tmp_path, "--plot", tmp_path / "app.png")
    assert done.returncode == 0, done.stderr
    assert "one-sided under agent-copies over that under others: host " in done.stdout
    assert "24 x 24 x 24 points per rank, 4 steps" in done.stdout
    assert (tmp_path / "app.png").read_bytes().startswith(b"\x89PNG")
    (file,) = tmp_path.glob("app-*.jsonl")
    records = [json.loads(line) for line in file.read_text().splitlines()]
    assert [(one["form"], one["implementation"]) for one in records] == [
        (form, who)
        for form in ("blocking", "nonblocking", "nocheck", "neighbour", "fence", "lock", "overlapped", "skipped")
        for who in (names.split(",") if form in ("nocheck", "neighbour", "overlapped") else ["host"])
    ]
    assert len({one["fingerprint"] for one in records if one["form"] != "skipped"}) == 1
    assert json_answer("plot", file, "-o", tmp_path / "again.png")["panels"] == ["app"]
