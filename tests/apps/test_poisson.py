# SPDX-License-Identifier: BSD-3-Clause
"""poisson finds the exact discrete solution, every exchange gives the same bits, with Weft and without, and bad input
ends with one clear message and code 2."""

import json

import numpy
import pytest
from applications import ALONE, Application, done

POISSON = Application("poisson", "an MPI")
ALL = ["blocking", "neighbour", "alltoallv"]
CALLS = ["MPI_Neighbor_alltoallv", "MPI_Ineighbor_alltoallv", "MPI_Ialltoallv"]
PRODUCTS = ["blocking", "overlapped", "combined"]
EXACTLY_40 = ("--iterations", 40)

pytestmark = POISSON.needed
poisson = POISSON.run
solve = POISSON.report
assert_refused = POISSON.assert_refused


def assert_right(report):
    assert report["right"] is True
    assert 0 <= report["error"] <= report["error_bound"]
    assert report["true_residual"] <= report["residual_bound"]


def exact_solution(*grid):
    """As the program's documentation says: a product of sums of six sines; z, y, x from slow to fast."""
    factors = []
    for count, step in zip(grid, (2, 3, 4), strict=True):
        points = numpy.arange(1, count + 1)
        waves = [1 + j * step for j in range(6) if 1 + j * step <= count]
        factors.append(sum(numpy.sin(numpy.pi * wave * points / (count + 1)) / wave for wave in waves))
    return numpy.einsum("i,j,k->kji", *factors)


def laplacian_of(u):
    u = numpy.pad(u, 1)
    inner = slice(1, -1)
    beside = [numpy.roll(u, step, axis)[inner, inner, inner] for axis in range(3) for step in (-1, 1)]
    return 6 * u[inner, inner, inner] - sum(beside)


# --- right answers


def test_the_bounds_are_what_the_smallest_eigenvalue_and_the_tolerance_make_of_them():
    grid = (11, 9, 10)
    u = exact_solution(*grid)
    smallest = sum(4 * numpy.sin(numpy.pi / (2 * (count + 1))) ** 2 for count in grid)
    report = solve("-n", *grid, "--tolerance", 1e-6)
    assert report["residual_bound"] == pytest.approx(1.1e-6, rel=1e-5)
    ratio = numpy.linalg.norm(laplacian_of(u)) / numpy.linalg.norm(u)
    assert report["error_bound"] == pytest.approx(report["residual_bound"] * ratio / smallest)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6, 8])
def test_every_exchange_finds_the_exact_solution_with_the_same_bits(ranks):
    """11 x 9 x 10 points: no process grid of these numbers of ranks divides all of them."""
    reports = [solve("-n", 11, 9, 10, "--exchange", exchange, ranks=ranks) for exchange in ALL]
    for report, exchange in zip(reports, ALL, strict=True):
        assert (report["ranks"], report["exchange"], report["unknowns"]) == (ranks, exchange, 990)
        assert_right(report)
        assert report["error_bound"] < 1e-7
        assert report["iterations"] == pytest.approx(27, abs=1)
    assert len({report["iterations"] for report in reports}) == 1
    assert len({report["fingerprint"] for report in reports}) == 1


@pytest.mark.parametrize(
    ("grid", "processes"),
    [
        ((1, 1, 1), (1, 1, 1)),
        ((4, 1, 1), (4, 1, 1)),
        ((1, 7, 2), (1, 3, 2)),
        ((2, 2, 2), (2, 2, 2)),
        ((7, 6, 5), (3, 2, 1)),
        ((5, 13, 6), (1, 4, 1)),
    ],
)
def test_boxes_may_be_as_thin_as_one_point(grid, processes):
    ranks = processes[0] * processes[1] * processes[2]
    reports = [solve("-n", *grid, "-P", *processes, "--exchange", one, ranks=ranks) for one in ALL]
    assert len({report["fingerprint"] for report in reports}) == 1
    for report in reports:
        assert report["process_grid"] == list(processes)
        assert_right(report)


def test_the_process_grid_changes_nothing_but_rounding():
    one = solve("-n", 12, 12, 12, "--tolerance", 1e-11, ranks=1)
    for processes in ((4, 1, 1), (1, 4, 1), (1, 1, 4), (2, 1, 2)):
        other = solve("-n", 12, 12, 12, "--tolerance", 1e-11, "-P", *processes, ranks=4)
        assert other["error"] == pytest.approx(one["error"], rel=1e-3)
        assert abs(other["iterations"] - one["iterations"]) <= 1


@pytest.mark.parametrize("tolerance", [1e-2, 1e-5, 1e-12])
def test_the_tolerance_decides_when_to_stop(tolerance):
    report = solve("-n", 16, 16, 16, "--tolerance", tolerance)
    assert_right(report)
    assert report["recurrence_residual"] <= tolerance
    before = solve("-n", 16, 16, 16, "--iterations", report["iterations"] - 1)
    assert before["recurrence_residual"] > tolerance


def test_a_fixed_number_of_iterations_is_done_also_beyond_the_solution():
    for iterations, products in ((1, "blocking"), (10, "combined"), (300, "blocking"), (300, "combined")):
        report = solve("-n", 8, 8, 8, "--iterations", iterations, "--products", products)
        assert report["iterations"] == iterations
        assert_right(report)
    assert report["error"] < 1e-13


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6, 8])
def test_the_line_has_its_closed_solution_after_half_as_many_iterations_as_points(ranks):
    for exchange, products in zip(ALL, PRODUCTS, strict=True):
        report = solve("--one-dimensional", "--points", 50, "--exchange", exchange, "--products", products, ranks=ranks)
        assert (report["problem"], report["products"]) == ("1-d", products)
        assert (report["unknowns"], report["points_per_rank"]) == (50 * ranks, 50)
        assert report["iterations"] == 25 * ranks
        assert_right(report)
        assert report["error"] < 1e-10


@pytest.mark.parametrize("points", [1, 2, 3])
def test_a_line_may_have_as_little_as_one_point_per_rank(points):
    for ranks in (1, 4):
        reports = [solve("--problem", "cheetah", "--points", points, "--exchange", one, ranks=ranks) for one in ALL]
        assert len({report["fingerprint"] for report in reports}) == 1
        for report in reports:
            assert report["iterations"] == (points * ranks + 1) // 2
            assert_right(report)


@pytest.mark.parametrize("problem", [["-n", 11, 9, 10], ["--one-dimensional", "--points", 31]])
def test_overlapped_products_have_the_same_bits_and_combined_ones_the_same_answer(problem):
    blocking, overlapped, combined = [solve(*problem, "--products", one, ranks=4) for one in PRODUCTS]
    for report in (blocking, overlapped, combined):
        assert_right(report)
        assert report["iterations"] == pytest.approx(blocking["iterations"], abs=1)
    assert overlapped["fingerprint"] == blocking["fingerprint"]
    assert combined["fingerprint"] != blocking["fingerprint"]
    assert blocking["times"]["reduction_wait"] == 0
    assert overlapped["times"]["reduction_wait"] > 0
    assert combined["times"]["reduction_wait"] > 0


@pytest.mark.parametrize("products", PRODUCTS)
def test_every_exchange_has_the_same_bits_whatever_the_products(products):
    arguments = ["-n", 11, 9, 10, "--products", products]
    reports = [solve(*arguments, "--exchange", one, ranks=4) for one in ALL]
    assert len({report["fingerprint"] for report in reports}) == 1


# --- what is reported


def test_without_an_exchange_the_yardstick_sees_that_the_answer_is_wrong():
    report = solve("-n", 12, 12, 12, "--exchange", "skipped", *EXACTLY_40)
    assert (report["right"], report["answer"]) == (None, "not checked")
    assert report["error"] > 1000 * report["error_bound"]
    assert report["true_residual"] > report["residual_bound"]
    assert report["waiting_seconds"] < report["seconds"]


@pytest.mark.parametrize("exchange", ALL)
def test_the_times_add_up(exchange):
    report = solve("-n", 16, 16, 16, "--exchange", exchange, *EXACTLY_40, ranks=4)
    times = report["times"]
    assert sum(seconds for part, seconds in times.items() if part != "whole") <= times["whole"]
    assert all(report["times_max"][part] >= seconds * 0.999 for part, seconds in times.items())
    assert report["waiting_seconds"] == pytest.approx(times["halo_start"] + times["halo_wait"])
    assert (times["halo_wait"] == 0) == (exchange == "blocking")


def test_the_traffic_is_counted_and_compared_with_a_triad():
    for products, bytes_per_point in zip(PRODUCTS, (80, 88, 88), strict=True):
        report = solve("-n", 24, 24, 24, "--products", products, *EXACTLY_40)
        assert report["bytes_per_point"] == bytes_per_point
        gigabytes = 1e-9 * bytes_per_point * 24**3 * 40
        assert report["gigabytes_per_second"] == pytest.approx(gigabytes / report["seconds"])
        assert "share_of_triad" not in report
    report = solve("-n", 24, 24, 24, *EXACTLY_40, "--bandwidth")
    share = report["gigabytes_per_second"] / report["triad_gigabytes_per_second"]
    assert report["share_of_triad"] == pytest.approx(share)
    assert report["share_of_triad_computing"] > share


def test_the_median_of_the_repetitions_is_reported():
    report = solve("-n", 8, 8, 8, "--repeat", 5)
    assert len(report["seconds_all"]) == 5
    assert report["seconds"] == sorted(report["seconds_all"])[2]


def test_the_table_and_the_file_say_the_same(tmp_path):
    path = tmp_path / "out.json"
    result = done(poisson("-n", 8, 8, 8, "--json", path))
    assert list(tmp_path.iterdir()) == [path]
    report = json.loads(path.read_text())
    words = result.stdout.split()
    assert words[words.index("iterations") + 1] == str(report["iterations"])
    assert words[words.index("answer") + 1] == "right"


def test_help_names_every_option():
    result = done(poisson("--help", ranks=ALONE))
    options = "-n -P --one-dimensional --problem --points --exchange --products --tolerance --max-iterations"
    options += " --iterations --repeat --checkpoint --restart --bandwidth --json --help"
    assert all(f"  {option} " in result.stdout for option in options.split())


# --- checkpoints


@pytest.mark.parametrize(("products", "ranks"), [("blocking", 3), ("combined", 4)])
def test_a_checkpoint_is_the_solution_and_where_a_restart_goes_on(tmp_path, products, ranks):
    path = tmp_path / "x.npy"
    first = solve("-n", 11, 9, 10, "--iterations", 20, "--checkpoint", path)
    assert [one.name for one in tmp_path.iterdir()] == ["x.npy"]
    assert numpy.load(path).shape == (10, 9, 11)
    again = solve("-n", 11, 9, 10, "--restart", path, "--checkpoint", path, "--products", products, ranks=ranks)
    assert_right(again)
    assert 0 < again["iterations"] < 27
    assert again["error"] < first["error"]
    nothing_left = solve("-n", 11, 9, 10, "--restart", path, "--tolerance", 1e-7, ranks=1)
    assert nothing_left["iterations"] == 0
    assert_right(nothing_left)
    exact = exact_solution(11, 9, 10)
    assert numpy.linalg.norm(numpy.load(path) - exact) <= again["error_bound"] * numpy.linalg.norm(exact)


def test_checkpoints_that_do_not_fit_are_refused(tmp_path):
    path = tmp_path / "x.npy"
    solve("--one-dimensional", "--points", 30, "--checkpoint", path)
    assert numpy.load(path).shape == (1, 1, 60)
    assert solve("--one-dimensional", "--points", 60, "--restart", path, ranks=1)["iterations"] == 0
    assert_refused(poisson("-n", 5, 4, 3, "--restart", path, ranks=ALONE), "x.npy", "another grid", "(1, 1, 60)")
    assert_refused(poisson("-n", 5, 4, 3, "--restart", path), "x.npy", "another grid", "(3, 4, 5)")
    path.write_bytes(path.read_bytes()[:-8])
    assert_refused(poisson("--one-dimensional", "--points", 60, "--restart", path, ranks=ALONE), "x.npy", "cut off")
    path.write_bytes(b"")
    assert_refused(poisson("-n", 5, 4, 3, "--restart", path, ranks=ALONE), "x.npy", "no checkpoint")
    for name in ("nowhere.npy", "."):
        assert_refused(poisson("-n", 5, 4, 3, "--restart", tmp_path / name, ranks=ALONE), str(tmp_path), "read")
    for name in ("no/folder/x.npy", "."):
        assert_refused(poisson("-n", 5, 4, 3, "--checkpoint", tmp_path / name, ranks=ALONE), str(tmp_path), "written")
    arguments = ["-n", 5, 4, 3, "--exchange", "skipped", "--checkpoint", path]
    assert_refused(poisson(*arguments, ranks=ALONE), "skipped", "wrong")


# --- with Weft and without


@pytest.mark.parametrize("exchange", ALL)
def test_weft_changes_no_bit(exchange):
    """Its sums over four ranks may have another order than the host's; over two there is but one."""
    arguments = ["-n", 11, 9, 10, "--exchange", exchange, *EXACTLY_40]
    weft = solve(*arguments, way="weft")
    assert weft["fingerprint"] == solve(*arguments)["fingerprint"]
    assert_right(weft)


@pytest.mark.parametrize(("exchange", "call"), list(zip(ALL, CALLS, strict=True)))
@pytest.mark.parametrize("way", ["weft", "agent"])
def test_with_weft_and_its_agent_the_answer_is_right(tmp_path, exchange, call, way):
    statistics = tmp_path / "statistics.json"
    report = solve("-n", 11, 9, 10, "--exchange", exchange, ranks=4, way=way, variables={"WEFT_STATS": str(statistics)})
    assert_right(report)
    assert report["iterations"] == pytest.approx(27, abs=1)
    assert json.loads(statistics.read_text())["collectives"][call]["weft"] >= 4 * report["iterations"]


# --- not solved


def test_too_few_iterations_are_not_called_a_solution():
    result = done(poisson("-n", 6, 7, 8, "--max-iterations", 3, ranks=ALONE), code=1)
    assert "3 iterations" in result.stderr


def test_below_what_rounding_permits_nobody_is_asked_for_more():
    """There r goes on falling by its recurrence, and b - A x does not."""
    report = solve("-n", 20, 20, 20, "--tolerance", "1e-25", ranks=1)
    assert report["recurrence_residual"] < 1e-25
    assert 1e-17 < report["true_residual"] <= report["residual_bound"] < 1e-12


# --- bad input


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--bogus"], ["--bogus", "--help"]),
        (["-n", "3", "4"], ["-n", "three"]),
        (["-n", "3", "4", "0"], ["-n", "'0'"]),
        (["-n", "3", "4", "99999999999"], ["-n", "'99999999999'"]),
        (["-n", "20000", "20000", "20000"], ["GB", "memory", "smaller"]),
        (["-n", "2000000000", "2000000000", "2000000000"], ["GB", "memory", "smaller"]),
        (["-P", "2", "2", "2"], ["2 2 2", "8 places", "is 1:"]),
        (["-P", "2", "2"], ["-P", "three"]),
        (["--exchange", "fast"], ["'fast'", "neighbour"]),
        (["--products", "two"], ["'two'", "combined"]),
        (["--problem", "heat"], ["'heat'", "cheetah"]),
        (["--points", "9"], ["--points", "--one-dimensional"]),
        (["--one-dimensional", "-n", "3", "4", "5"], ["-n", "3-D"]),
        (["-P", "1", "1", "1", "--problem", "cheetah"], ["-P", "3-D"]),
        (["--one-dimensional", "--points", "2147483647"], ["--points", "fewer"]),
        (["--tolerance", "1"], ["--tolerance", "'1'"]),
        (["--tolerance", "0"], ["--tolerance", "'0'"]),
        (["--tolerance", "nan"], ["--tolerance", "'nan'"]),
        (["--iterations", "0"], ["--iterations", "'0'"]),
        (["--max-iterations", "-1"], ["--max-iterations", "'-1'"]),
        (["--repeat", "two"], ["--repeat", "'two'"]),
        (["--json"], ["--json"]),
        (["--json", "no/such/folder/out.json"], ["no/such/folder/out.json"]),
    ],
)
def test_bad_options_are_named(arguments, words):
    assert_refused(poisson(*arguments, ranks=ALONE), *words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-n", "4", "4", "2"], ["2 points along z", "3 processes", "-P"]),
        (["-P", "2", "2", "2"], ["8 places", "is 3:"]),
        (["-n", "20000", "20000", "20000"], ["GB", "memory"]),
        (["--json", "no/such/folder/out.json"], ["no/such/folder/out.json"]),
    ],
)
def test_several_ranks_end_together(arguments, words):
    assert_refused(poisson(*arguments, ranks=3), *words)


def test_bad_input_leaves_no_file(tmp_path):
    assert_refused(poisson("-P", 2, 2, 2, "--json", tmp_path / "out.json", ranks=ALONE), "8 places")
    assert list(tmp_path.iterdir()) == []
