# SPDX-License-Identifier: BSD-3-Clause
"""What each preconditioner of pcg promises: multigrid few iterations on any grid, all of them the same answer."""

import pytest
import test_pcg
from test_pcg import ALL, ALONE, TOLERANCE, pcg, solve

pytestmark = test_pcg.pytestmark

WITHOUT_ROOT = ["hypre", "algorithm1", "gropp", "pipelined", "sstep"]  # those that need no L with C = L L


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6, 8])
def test_the_algorithms_agree_with_multigrid(ranks):
    report = solve("-n", 6, 7, 8, "--preconditioner", "boomeramg", ranks=ranks)
    assert report["preconditioner"] == "boomeramg"
    assert report["preconditioner_setup_seconds"] > 0
    assert list(report["algorithms"]) == WITHOUT_ROOT
    reference = report["algorithms"]["hypre"]["residual_history"]
    for one in report["algorithms"].values():
        assert one["true_residual"] <= 1.1 * TOLERANCE
        assert len(one["residual_history"]) == pytest.approx(len(reference), abs=1)
        # Were C not symmetric, pipelined, whose sums rely on that, would differ in the fourth digit.
        assert one["residual_history"][:4] == pytest.approx(reference[:4], rel=2e-5)


@pytest.mark.parametrize("ranks", [1, 4])
def test_with_multigrid_the_iterations_hardly_depend_on_the_grid(ranks):
    def iterations(n, preconditioner):
        report = solve("-n", n, n, n, "--algorithm", "gropp", "--preconditioner", preconditioner, ranks=ranks)
        return report["algorithms"]["gropp"]["iterations"]

    small, large = (iterations(n, "boomeramg") for n in (10, 20))
    assert large <= small + 1
    assert large < iterations(20, "diagonal") / 3


@pytest.mark.parametrize("exchange", ["blocking", "skipped"])
def test_every_exchange_goes_with_multigrid(exchange):
    arguments = ["-n", 6, 6, 6, "--algorithm", "pipelined", "--preconditioner", "boomeramg", "--exchange"]
    one = solve(*arguments, exchange, ranks=3)["algorithms"]["pipelined"]
    assert one["true_residual"] <= 1.1 * TOLERANCE


@pytest.mark.parametrize("preconditioner", ["boomeramg", "none"])
def test_the_smallest_problem_needs_one_iteration(preconditioner):
    for one in solve("-n", 1, 1, 1, "--preconditioner", preconditioner, ranks=1)["algorithms"].values():
        assert one["iterations"] == 1


@pytest.mark.parametrize("ranks", [1, 3])
def test_the_algorithms_agree_without_preconditioner(ranks):
    """The diagonal of the Laplacian is constant: scaling by it changes nothing."""
    plain = solve("-n", 6, 7, 8, "--preconditioner", "none", ranks=ranks)["algorithms"]
    scaled = solve("-n", 6, 7, 8, ranks=ranks)["algorithms"]
    assert list(plain) == ALL
    for name in ALL:
        assert plain[name]["residual_history"] == pytest.approx(scaled[name]["residual_history"], rel=1e-5)


@pytest.mark.parametrize("name", ["algorithm2", "overlap"])
def test_multigrid_is_refused_by_what_needs_its_root(name):
    result = pcg("--preconditioner", "boomeramg", "--algorithm", name, ranks=ALONE)
    assert result.returncode == 2
    assert f"does not go with {name}" in result.stderr
    assert all(other in result.stderr for other in WITHOUT_ROOT)


def test_the_table_says_what_the_setup_took():
    result = pcg("-n", 4, 4, 4, "--preconditioner", "boomeramg", ranks=ALONE)
    assert "preconditioner boomeramg (set up in " in result.stdout
    assert "V-cycle counts as computation" in result.stdout
