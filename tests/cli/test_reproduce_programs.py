# SPDX-License-Identifier: BSD-3-Clause
"""What studies simulate on growing ranks, by closed forms and by other ways to the same; and the claims they make."""

from pathlib import Path

import pytest

from weft.bad_input import BadInput
from weft.reproduce.judge import Verdict, judge
from weft.reproduce.programs.levels import levels, once
from weft.reproduce.programs.libraries import algorithm_of, library_loop
from weft.reproduce.programs.noise import noisy
from weft.reproduce.programs.poisson_1d import poisson_1d
from weft.reproduce.study import Axis, Claim, Series, Study
from weft.simulation import Collective, blocking, simulate

MACHINE = "loggops:L=2000,o=1000,g=800,G=1,nic=node,gamma=0.5;node:L=600,o=250,l=300"


@pytest.mark.parametrize("bytes", [8, 8192])
def test_two_levels_as_three_operations_take_as_long_as_the_hierarchy_with_a_fixed_leader(bytes: int):
    three = levels(machine=MACHINE, collective="allreduce", ranks=64, ranks_per_node=8, bytes=bytes)["single_us"]
    hierarchy = Collective(
        collective="allreduce",
        ranks=64,
        bytes=bytes,
        algorithm="hierarchical",
        hierarchy="node",
        options={"leader": "fixed"},
    )
    whole = simulate([hierarchy], blocking(), machine=MACHINE, topology="node:8 core:8")
    assert three == pytest.approx(whole.finish_ns / 1000, rel=0.05)


def test_one_level_takes_a_round_for_each_doubling():
    rounds = once(machine="loggops:L=100,o=10,g=0,G=0", collective="allreduce", ranks=64, algorithm="recursive_k_ing")
    assert rounds["single_us"] == pytest.approx(6 * 0.12)


def test_libraries_choose_by_size():
    assert algorithm_of("mpich", "allreduce", 2048) == "recursive_k_ing"
    assert algorithm_of("mpich", "allreduce", 2049) == "reduce_scatter_allgather"
    assert algorithm_of("open_mpi", "allreduce", 10000) == "ring"
    with pytest.raises(BadInput, match="not known here"):
        algorithm_of("mpich", "alltoall", 8)
    times = library_loop(machine=MACHINE, library="libnbc", collective="reduce", ranks=16, bytes=128)
    assert 0 < times["loop_us"] < times["single_us"], "reduces follow each other up the tree"


def test_noise_costs_one_rank_its_share_and_many_more():
    noise = {"machine": MACHINE, "noise_hz": 100.0, "noise_us": 200.0, "algorithm": "recursive_k_ing"}
    alone = noisy(ranks=1, **noise)
    many = noisy(ranks=64, **noise)
    assert alone["amplification"] == pytest.approx(1, rel=0.1)
    assert many["amplification"] > 5
    assert many["slowdown_percent"] == pytest.approx(2 * many["amplification"])


def test_reductions_are_a_smaller_share_of_more_points():
    def share(points: int) -> float:
        return poisson_1d(
            machine=MACHINE,
            ranks=32,
            points=points,
            allreduce="recursive_k_ing",
            reduce="n_ary_tree",
            ranks_per_node=8,
        )["reductions_percent"]

    assert 100 > share(10) > share(10_000) > share(1_000_000) > 0


def a_study(**claim: object) -> tuple[Study, Claim]:
    kind = str(claim.pop("kind"))
    made = Claim(says="", where="", kind=kind, parameters=dict(claim))
    series = tuple(Series(name, "collective", {}) for name in "abc")
    study = Study("", Path(), "", "", "", "", "us", Axis("ranks", (1.0, 2.0), ()), series, (made,))
    return study, made


RESULTS = {
    (name, point): {"us": value}
    for name, values in (("a", (10.0, 20.0)), ("b", (5.0, 5.0)), ("c", (4.8, 4.9)))
    for point, value in zip((1.0, 2.0), values, strict=True)
}


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ({"kind": "growth", "series": "a", "paper": 2.0}, Verdict.holds),
        ({"kind": "growth", "series": "a", "paper": 4.0}, Verdict.same_direction),
        ({"kind": "growth", "series": "a", "paper": 0.5}, Verdict.does_not_hold),
        ({"kind": "alike", "first": "b", "second": "c"}, Verdict.holds),
        ({"kind": "alike", "first": "a", "second": "b"}, Verdict.does_not_hold),
        ({"kind": "alike", "first": "a", "second": "b", "within": 4}, Verdict.holds),
        ({"kind": "steps", "slow": "a", "middle": "b", "fast": "c", "more": "first"}, Verdict.holds),
        ({"kind": "steps", "slow": "a", "middle": "b", "fast": "c", "more": "second"}, Verdict.does_not_hold),
        ({"kind": "steps", "slow": "a", "middle": "b", "fast": "c", "more": "first", "at": 7.0}, Verdict.not_judged),
    ],
)
def test_growth_likeness_and_steps_are_judged(claim: dict, verdict: Verdict):
    study, made = a_study(**claim)
    assert judge(study, made, RESULTS).verdict == verdict
