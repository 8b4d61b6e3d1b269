# SPDX-License-Identifier: BSD-3-Clause
"""Applications that studies simulate: what must be, whatever a machine costs."""

from pathlib import Path

import pytest

pytest.importorskip("numpy")

from weft.bad_input import BadInput
from weft.reproduce.judge import Results, Verdict, judge
from weft.reproduce.programs.awp import COMPLETION, COMPONENTS, DESIGNS, NEEDS, POST, PUT, awp
from weft.reproduce.programs.dgemm import dgemm
from weft.reproduce.programs.p3dfft import p3dfft, transform_steps
from weft.reproduce.programs.pcg import Kernels, iteration, pcg, random_noise
from weft.reproduce.programs.poisson import most_cubic
from weft.reproduce.programs.reductions import Reduction, iallreduce
from weft.reproduce.study import Axis, Claim, Series, Study

MACHINE = (
    "loggops:L=900,o=200,g=100,G=0.25,S=65536,post=1000,poll=300,task=400,loop=2000,calc=28100,nic=node;"
    "node:L=300,o=100,G=0,O=0.3,l=100"
)
FREE = "loggops:L=0,o=0"
OVERLAPS = ({"design": "flat"}, {"design": "two-level"}, {"design": "two-level", "reduce_degree": 2, "bcast_degree": 4})


def kernel_ms(algorithm: str) -> float:
    k = Kernels.of(algorithm, 60**3, 1.0)
    preconditioners = 1 if algorithm == "1" else 2
    return (k.matvec + preconditioners * k.preconditioner + 2 * k.axpy + k.p + 3 * k.dot) / 1000


@pytest.mark.parametrize(("algorithm", "design"), [("1", "blocking"), ("2", "blocking"), ("overlap", "flat")])
def test_conjugate_gradients_without_communication_take_their_kernels(algorithm: str, design: str) -> None:
    result = pcg(machine=FREE, algorithm=algorithm, ranks=16, n=60, design=design, iterations=2)
    assert result["iteration_ms"] == pytest.approx(kernel_ms(algorithm))


def test_kernels_take_their_mean_whatever_the_spread() -> None:
    even, spread = Kernels.of("2", 60**3, 1.0), Kernels.of("2", 60**3, 1.2)
    assert spread.matvec * 1.1 == pytest.approx(even.matvec)


@pytest.mark.parametrize("spread", [1.0, 1.1])
def test_overlap_that_no_leader_holds_up_is_never_slower_than_blocking(spread: float) -> None:
    given = {"machine": MACHINE, "ranks": 64, "n": 60, "spread": spread, "iterations": 5}
    blocking = pcg(algorithm="2", **given)["iteration_ms"]
    assert pcg(algorithm="overlap", design="flat", **given)["iteration_ms"] < blocking


def test_noise_makes_longer_and_its_absence_does_not() -> None:
    given = {"machine": MACHINE, "algorithm": "2", "ranks": 16, "n": 60, "iterations": 3}
    assert "degradation_percent" not in pcg(**given)
    noisy = pcg(**given, noise_hz=1000.0, noise_us=200.0)
    assert noisy["degradation_percent"] > 20


def test_shares_of_the_time_are_all_of_it() -> None:
    result = pcg(machine=MACHINE, algorithm="2", ranks=16, n=40, spread=1.1, iterations=3, traced=True)
    shares = [result[f"{what}_percent"] for what in ("allreduce", "waitall", "compute")]
    assert sum(shares) == pytest.approx(100)
    assert min(shares) >= 0


@pytest.mark.parametrize("algorithm", ["1", "2", "overlap"])
def test_each_iteration_ends_what_it_starts(algorithm: str) -> None:
    reduction = Reduction(design="blocking" if algorithm != "overlap" else "two-level", ranks=16, ranks_per_node=8)
    under_way: set[float] = set()
    for what, value in iteration(algorithm, Kernels.of(algorithm, 60**3, 1.0), reduction):
        if what == "start":
            assert value not in under_way
            under_way.add(value)
        elif what == "wait":
            under_way.remove(value)
    assert not under_way


@pytest.mark.parametrize(("ranks", "grid"), [(48, (4, 4, 3)), (64, (4, 4, 4)), (256, (8, 8, 4)), (8192, (32, 16, 16))])
def test_grids_are_as_even_as_can_be(ranks: int, grid: tuple[int, int, int]) -> None:
    assert most_cubic(ranks) == grid


def test_random_noise_comes_as_often_as_it_should() -> None:
    noise = random_noise(1000.0, 200.0, seed=1)
    assert len(noise.trace) == pytest.approx(1000 * noise.length_us / 1e6, rel=0.05)
    assert all(a + length <= b for (a, length), (b, _) in zip(noise.trace, noise.trace[1:], strict=False))
    with pytest.raises(BadInput, match="leave some time"):
        random_noise(1000.0, 2000.0, seed=1)


@pytest.mark.parametrize("overlap", OVERLAPS)
def test_what_a_reduction_takes_is_its_call_and_its_wait(overlap: dict) -> None:
    result = iallreduce(machine=MACHINE, ranks=64, **overlap)
    assert result["start_us"] + result["wait_us"] == pytest.approx(result["latency_us"])
    posting = iallreduce(machine=MACHINE, ranks=64, post_task_us=1.0, **overlap)
    assert posting["start_us"] > result["start_us"]
    assert posting["wait_us"] == result["wait_us"]


def test_reductions_name_what_cannot_be() -> None:
    with pytest.raises(BadInput, match="choose blocking"):
        iallreduce(machine=MACHINE, ranks=64, design="three-level")
    with pytest.raises(BadInput, match="two full nodes"):
        iallreduce(machine=MACHINE, ranks=8, design="flat")


def test_a_product_hides_a_flat_reduction_whatever_the_spread_and_leaders_hold_others_up() -> None:
    given = {"machine": MACHINE, "n": 1000, "ranks": 64, "gflops": 10.0, "spread": 1.1}
    flat = dgemm(design="flat", **given)["overhead_us"]
    assert flat < 5 < dgemm(design="two-level", **given)["overhead_us"]
    assert dgemm(design="none", **given)["overhead_us"] == 0


def test_lists_take_longer_where_the_ranks_of_a_node_share_an_adapter() -> None:
    own, shared = (
        iallreduce(machine=m, ranks=64, design="flat") for m in (MACHINE.replace("nic=node", "nic=rank"), MACHINE)
    )
    assert 4 * own["latency_us"] < shared["latency_us"] < 8 * own["latency_us"]
    assert own["start_us"] == shared["start_us"]


@pytest.mark.parametrize("variables", [1, 2, 3])
def test_transforms_do_the_same_in_another_order(variables: int) -> None:
    pipelined, plain = (transform_steps(variables, 1.0, is_pipelined=is_it) for is_it in (True, False))
    assert sorted(pipelined) == sorted(plain)
    assert (pipelined == plain) == (variables == 1)


def test_transposes_that_the_adapter_moves_are_hidden() -> None:
    given = {"machine": MACHINE, "n": 128, "variables": 3, "point_bytes": 8, "gflops": 0.1, "ranks": 32}
    blocking, host, adapter = (p3dfft(design=d, **given)["seconds"] for d in ("blocking", "host", "adapter"))
    assert adapter < host <= blocking


@pytest.mark.parametrize("design", DESIGNS)
def test_each_component_is_computed_once_a_step_and_what_it_needs_has_come(design: str) -> None:
    steps = DESIGNS[design](1.0, 3)
    assert sum(what == "compute" for what, _ in steps) == 3 * len(COMPONENTS)
    under_way: set[float] = set()
    computed: list[str] = []
    for what, value in steps:
        if what == "compute" and design == "enhanced":
            component = COMPONENTS[len(computed) % len(COMPONENTS)]
            computed.append(component)
            assert not under_way & {
                kind + COMPONENTS.index(one) for one in NEEDS[component] for kind in (PUT, COMPLETION)
            }
        elif what == "start":
            under_way.add(value)
        elif what == "wait":
            under_way.remove(value)
    assert not under_way


def test_faces_are_put_into_windows_that_are_open_and_nobody_reads_what_is_in_an_open_one() -> None:
    is_open: set[str] = set()  # from the post until the neighbours say that all is there
    may_put: set[str] = set()
    computed = 0
    for what, value in DESIGNS["enhanced"](1.0, 3):
        if what == "compute":
            needs = NEEDS[COMPONENTS[computed % len(COMPONENTS)]]
            assert computed < len(COMPONENTS) or not is_open & set(needs)
            computed += 1
            continue
        kind, number = (PUT, POST, COMPLETION)[int(value) // len(COMPONENTS)], int(value) % len(COMPONENTS)
        one = COMPONENTS[number]
        if kind == POST and what == "start":
            is_open.add(one)
        elif kind == POST:
            may_put.add(one)
        elif kind == PUT and what == "start":
            may_put.remove(one)
        elif kind == COMPLETION and what == "wait":
            is_open.remove(one)


def test_faces_over_the_loop_back_are_hidden_and_copies_are_not() -> None:
    given = {"machine": MACHINE, "design": "enhanced", "ranks": 16, "ranks_per_node": 8, "point_ns": 20.0}
    memory, loop_back = (awp(inside=inside, **given)["communication_ms"] for inside in ("memory", "loop-back"))
    assert loop_back < memory


def judged(kind: str, parameters: dict, first: list[float], second: list[float]) -> Verdict:
    axis = Axis("n", (1.0, 2.0), (1.0,))
    series = (Series("a", "p", {}), Series("b", "p", {}))
    claim = Claim("it does", "here", kind, parameters)
    study = Study("s", Path("s.toml"), "t", "p", "f", "m", "us", axis, series, (claim,))
    results: Results = {("a", n): {"us": v} for n, v in zip(axis.values, first, strict=True)}
    results |= {("b", n): {"us": v} for n, v in zip(axis.values, second, strict=True)}
    return judge(study, claim, results).verdict


@pytest.mark.parametrize(
    ("paper", "ours", "verdict"),
    [
        (10, [90, 88], Verdict.holds),
        ([10, 20], [91, 76], Verdict.holds),
        (10, [90, 98], Verdict.same_direction),
        ([0, 7], [90, 90], Verdict.same_direction),
        (10, [90, 101], Verdict.does_not_hold),
    ],
)
def test_gains_are_judged_at_all_their_points(paper: float | list[float], ours: list[float], verdict: Verdict) -> None:
    assert judged("gain", {"better": "a", "than": "b", "paper": paper}, ours, [100, 100]) == verdict
