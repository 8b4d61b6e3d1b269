# SPDX-License-Identifier: BSD-3-Clause
"""weft bench network: ratios to the fastest network, where they are known; and an application once over two of them."""

import json

import pytest
from bench_command import bench, needs_bench, refused
from command_line import json_answer

from weft import installation
from weft.bad_input import BadInput
from weft.bench import network
from weft.lab import Lab, Link


def took(seconds, form, delay=0.0, rate=None, implementation="host", pair=0, right=True, application="poisson"):
    return {
        "benchmark": "network", "application": application, "form": form, "ranks": 4, "hosts": 4, "mpi": "Open MPI",
        "implementation": implementation, "pair": pair, "seconds": seconds, "right": right,
        "delay_us": delay, "megabits": rate,
    }  # fmt: skip


# In the order measured, which is back and forth; the machine is twice as slow in the second round.
ROUNDS = [
    took(1, "blocking"), took(1, "overlapped", implementation="agent"),
    took(2, "blocking", 1000.0, 100.0), took(1.05, "overlapped", 1000.0, 100.0, "agent"),
    took(4, "blocking", 1000.0, 100.0, pair=1), took(2.1, "overlapped", 1000.0, 100.0, "agent", pair=1),
    took(2, "blocking", pair=1), took(2, "overlapped", implementation="agent", pair=1),
]  # fmt: skip


def test_networks_are_every_delay_at_every_bandwidth_the_fastest_first():
    found = network.all_networks("1ms,0", "100M,none,1G", Link(loss_percent=1))
    assert list(found) == [
        "0 us, no limit", "0 us, 1 Gbit/s", "0 us, 100 Mbit/s", "1 ms, no limit", "1 ms, 1 Gbit/s", "1 ms, 100 Mbit/s",
    ]  # fmt: skip
    assert found["1 ms, 100 Mbit/s"] == Link(delay_us=1000, megabits=100, loss_percent=1)


def test_each_contestant_is_compared_with_itself_on_the_fastest_network_in_the_same_round():
    (sweep,) = network.sweeps(ROUNDS)
    slow = (1000.0, 100.0)
    assert sweep.networks == [(0.0, None), slow]
    assert sweep.ratio(("blocking", "host"), slow).median == pytest.approx(2)
    assert sweep.ratio(("overlapped", "agent"), slow).high == pytest.approx(1.05)
    assert (sweep.as_good(("blocking", "host")), sweep.as_good(("overlapped", "agent"))) == (0, 1)
    summary = network.summarize(ROUNDS, 2)
    assert summary["ratio"] == pytest.approx(1.05)
    assert summary["as_good"] == {"host_blocking": 0, "agent_overlapped": 1}
    assert [(point["delay_us"], point["megabits"]) for point in summary["points"]] == [(0.0, None), slow]
    assert summary["points"][1]["host_blocking_seconds"] == 3


def test_a_wrong_answers_time_counts_for_nothing_and_is_named():
    records = [one | {"right": False} if one["delay_us"] else one for one in ROUNDS]
    assert network.summarize(records, 2)["ratio"] == 1
    assert "poisson form blocking ranks 4 delay_us 1000.0" in network.summarize(records, 2)["wrong_answers"][0]


def test_without_the_fastest_network_there_is_no_ratio():
    (sweep,) = network.sweeps([took(1, "blocking"), took(2, "overlapped", 50.0)])
    assert sweep.ratio(("overlapped", "host"), (50.0, None)) is None
    assert sweep.as_good(("overlapped", "host")) == 0


# Everything that wave has, more curves than one implementation has colours for.
EXCHANGES = [
    took(1, form, delay, 100.0, name, application="wave")
    for delay in (0.0, 50.0)
    for form in ("blocking", "nonblocking", "fence", "overlapped")
    for name in (("host", "agent") if form == "overlapped" else ("host",))
]


@pytest.mark.parametrize(
    "records",
    [ROUNDS, [took(1, "blocking"), took(2, "blocking", rate=100.0)], [took(1, "blocking")], EXCHANGES],
    ids=["delays", "bandwidths", "one network", "many exchanges"],
)
def test_a_picture_is_drawn_over_whatever_varies(records, tmp_path):
    file = tmp_path / "network.jsonl"
    file.write_text("\n".join(map(json.dumps, records)))
    said = json_answer("plot", file, "-o", tmp_path / "network.png")
    assert said["panels"] == ["network"]


def test_curves_are_named_by_the_exchanges_where_there_are_several():
    (sweep,) = network.sweeps(EXCHANGES)
    assert sweep.forms == ["blocking", "nonblocking", "fence", "overlapped"]
    assert sweep.title(("overlapped", "agent")) == "one-sided, agent"
    assert network.sweeps(ROUNDS)[0].title(("overlapped", "agent")) == "overlapped, agent"


def skip_without(application):
    if installation.application(application) is None:
        pytest.skip(f"{application} is not built")
    try:
        with Lab(1):
            pass
    except BadInput as why:
        pytest.skip(str(why))


@needs_bench
def test_an_application_runs_over_all_networks():
    skip_without("poisson")
    asked = ("--hosts", 2, "--ranks", 2, "--delay", "0,50us", "--bandwidth", "none", "--pairs", 1)
    done = bench("network", "poisson", *asked, "--json")
    assert done.returncode == 0, done.stderr
    *records, summary = map(json.loads, done.stdout.splitlines())
    assert [(one["delay_us"], one["form"], one["implementation"]) for one in records] == [
        (delay, form, name)
        for delay in (0, 50)
        for form, name in (("blocking", "host"), ("overlapped", "host"), ("overlapped", "agent"))
    ]
    assert all(one["right"] and one["hosts"] == 2 and one["megabits"] is None for one in records)
    assert (summary["application"], summary["hosts"], len(summary["points"])) == ("poisson", 2, 2)


@needs_bench
@pytest.mark.parametrize("exchange", [None, "fence"])
def test_wave_runs_with_all_its_exchanges_over_all_networks(exchange):
    skip_without("wave")
    asked = ("--hosts", 2, "--ranks", 2, "--delay", 0, "--bandwidth", "none", "--pairs", 1, "--per-rank", 24)
    done = bench("network", "wave", *asked, "--steps", 3, *(("--exchange", exchange) if exchange else ()))
    assert done.returncode == 0, done.stderr
    for name in ("blocking, host", "fence, host", "one-sided, host", "one-sided, agent"):
        assert name.split()[0] in done.stdout
    assert (" lock, " in done.stdout) == (exchange is None)
    assert "24 x 24 x 24 points per rank, 3 steps" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["fluid"], "fluid is no application: use "),
        (["poisson", "--delay", "50"], "--delay 50: a duration is a number with its unit"),
        (["poisson", "--bandwidth", "none,0M"], "--bandwidth 0M: bits per second are a number above 0"),
        (["poisson", "--mpi", "all"], "networks are compared on one MPI"),
        (["poisson", "--implementation", "hosts"], "--implementation hosts: use some of"),
    ],
)
def test_impossible_questions_are_refused(arguments, says):
    assert says in refused("network", *arguments)
