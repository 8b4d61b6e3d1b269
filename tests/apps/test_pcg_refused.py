# SPDX-License-Identifier: BSD-3-Clause
"""What pcg refuses, bad options, matrices and files, ends with one clear message from one rank and code 2.

Most is tried with ALONE, a single process without launcher: mpiexec takes a second to clean up after a
program that ends with another code than 0. What all ranks must agree on is tried on several.
"""

import pytest
import test_pcg
from test_pcg import ALL, ALONE, HEADER, matrix_file, pcg

pytestmark = test_pcg.pytestmark


def assert_refused(result, *words):
    assert result.returncode == 2, result.stdout + result.stderr
    messages = [line for line in result.stderr.splitlines() if line.startswith("pcg: ")]
    assert len(messages) == 1, result.stderr
    assert all(word in messages[0] for word in words), messages[0]
    assert "MPI_ABORT" not in result.stderr
    assert "signal" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--bogus"], ["--bogus", "--help"]),
        (["-n", "3", "4"], ["-n", "three"]),
        (["-n", "3", "4", "x"], ["-n", "'x'"]),
        (["-n", "3", "4", "0"], ["-n", "'0'"]),
        (["-n", "3", "4", "99999999999"], ["-n", "'99999999999'"]),
        (["-n", "2000", "2000", "2000"], ["2000 2000 2000", "smaller"]),
        (["-n", "20000", "200", "200"], ["20000 200 200", "GB", "smaller"]),
        (["-P", "2", "2", "2"], ["2 2 2", "8 places", "is 1:"]),
        (["--algorithm", "fast"], ["'fast'", "overlap"]),
        (["--preconditioner", "ilu"], ["'ilu'", "diagonal, boomeramg or none"]),
        (["--stop", "never"], ["'never'", "recurrence or true"]),
        (["--steps", "0"], ["--steps", "'0'", "1 to 16"]),
        (["--steps", "17"], ["--steps", "'17'"]),
        (["--steps", "4", "--algorithm", "gropp"], ["--steps", "gropp", "sstep"]),
        (["--replace-every", "-1"], ["--replace-every", "'-1'"]),
        (["--replace-every", "9", "--algorithm", "overlap"], ["--replace-every", "overlap", "pipelined or sstep"]),
        (["--tolerance", "1"], ["--tolerance", "'1'"]),
        (["--tolerance", "small"], ["--tolerance", "'small'"]),
        (["--max-iterations", "-1"], ["--max-iterations", "'-1'"]),
        (["--repeat", "two"], ["--repeat", "'two'"]),
        (["--history", "0"], ["--history", "'0'"]),
        (["--json"], ["--json"]),
        (["--json", "no/such/folder/out.json"], ["no/such/folder/out.json"]),
        (["--matrix", "nowhere.mtx"], ["nowhere.mtx"]),
        (["--matrix", "."], [".", "folder"]),
        (["--matrix", "a.mtx", "-n", "4", "4", "4"], ["--matrix", "-n"]),
    ],
)
def test_bad_options_are_named(arguments, words):
    assert_refused(pcg(*arguments, ranks=ALONE), *words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--bogus"], ["--bogus"]),
        (["-P", "2", "2", "2"], ["8 places", "is 3:"]),
        (["--json", "no/such/folder/out.json"], ["no/such/folder/out.json"]),
        (["--matrix", "nowhere.mtx"], ["nowhere.mtx"]),
    ],
)
def test_several_ranks_end_together(arguments, words):
    assert_refused(pcg(*arguments, ranks=3), *words)


SYMMETRIC = HEADER + "symmetric"
GENERAL = HEADER + "general"


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        ([""], 1, ["header"]),
        (["%%MatrixMarket matrix coordinate complex symmetric"], 1, ["complex"]),
        (["%%MatrixMarket matrix array real symmetric"], 1, ["array"]),
        (["%%MatrixMarket matrix coordinate real hermitian"], 1, ["hermitian"]),
        ([SYMMETRIC, "% only a comment"], 2, ["size line"]),
        ([SYMMETRIC, "2 2"], 2, ["size line"]),
        ([SYMMETRIC, "%", "2 3 1", "1 1 1"], 3, ["2 x 3", "square"]),
        ([SYMMETRIC, "2 2 2", "1 1 1", "2 2 one"], 4, ["'one'"]),
        ([SYMMETRIC, "2 2 2", "1 1 1", "2 2 nan"], 4, ["'nan'"]),
        ([SYMMETRIC, "2 2 2", "1 1 1", "2 2"], 4, ["ROW COLUMN VALUE"]),
        ([SYMMETRIC, "2 2 2", "1 1 1", "", "3 2 1"], 5, ["(3, 2)", "2 x 2"]),
        ([SYMMETRIC, "2 2 2", "0 1 1", "2 2 1"], 3, ["(0, 1)"]),
        ([SYMMETRIC, "2 2 3", "1 1 2", "1 2 1", "2 2 2"], 4, ["(1, 2)", "lower triangle"]),
        ([SYMMETRIC, "2 2 3", "1 1 1", "2 2 1"], 4, ["2 of the 3"]),
        ([SYMMETRIC, "2 2 1", "1 1 1", "2 2 1"], 4, ["promises 1"]),
        ([SYMMETRIC, "2 2 3", "1 1 1", "2 2 1", "1 1 1"], 5, ["(1, 1)", "line 3"]),
        ([GENERAL, "2 2 3", "1 1 2", "1 2 1", "2 2 2"], 4, ["not symmetric", "(1, 2)"]),
        ([GENERAL, "2 2 4", "1 1 2", "1 2 1", "2 1 1.5", "2 2 2"], 4, ["not symmetric", "(1, 2)", "1.5"]),
        ([SYMMETRIC, "2 2 3", "1 1 1", "2 1 2", "2 2 1"], 4, ["not positive definite", "(2, 1)", "2"]),
        (["%%MatrixMarket matrix coordinate integer symmetric", "1 1 1", "1 1 1.5"], 3, ["'1.5'", "integer"]),
    ],
)
def test_a_bad_matrix_file_is_named_with_the_line(tmp_path, lines, line, words):
    path = matrix_file(tmp_path / "bad.mtx", *lines)
    assert_refused(pcg("--matrix", path, ranks=ALONE), f"bad.mtx:{line}:", *words)


def test_an_empty_file_is_refused(tmp_path):
    path = tmp_path / "empty.mtx"
    path.touch()
    assert_refused(pcg("--matrix", path, ranks=ALONE), "empty.mtx", "empty")


def test_fewer_rows_than_ranks_are_refused(tmp_path):
    path = matrix_file(tmp_path / "small.mtx", SYMMETRIC, "2 2 2", "1 1 1", "2 2 1")
    assert_refused(pcg("--matrix", path, ranks=4), "small.mtx", "2 rows", "4 ranks")


@pytest.mark.parametrize(
    ("name", "diagonal", "ranks"), [("algorithm2", "-3", 2), *((name, "0", ALONE) for name in ALL)]
)
def test_a_diagonal_that_is_not_positive_is_refused_with_its_row(tmp_path, name, diagonal, ranks):
    lines = ["5 5 5", "1 1 1", "2 2 1", "3 3 1", f"4 4 {diagonal}", "5 5 1"]
    path = matrix_file(tmp_path / "diagonal.mtx", SYMMETRIC, *lines)
    result = pcg("--matrix", path, "--algorithm", name, ranks=ranks)
    assert_refused(result, "row 4", f"is {diagonal}", "positive")


def indefinite(path):
    """2 on the diagonal, -1.5 beside it: every pair of rows looks definite, the whole is not."""
    n = 30
    lines = [f"{i} {i} 2" for i in range(1, n + 1)] + [f"{i + 1} {i} -1.5" for i in range(1, n)]
    return matrix_file(path, SYMMETRIC, f"{n} {n} {len(lines)}", *lines)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("ranks", [ALONE, 3])
def test_an_indefinite_matrix_is_said_to_be_one(tmp_path, name, ranks):
    path = indefinite(tmp_path / "indefinite.mtx")
    result = pcg("--matrix", path, "--algorithm", name, ranks=ranks)
    assert_refused(result, "not positive definite", "p.Ap", "iteration")


@pytest.mark.parametrize("before", [None, "kept"])
def test_a_json_file_is_not_half_written(tmp_path, before):
    """The file is opened before the solve that finds out that the matrix is indefinite."""
    out = tmp_path / "out.json"
    if before:
        out.write_text(before)
    path = indefinite(tmp_path / "indefinite.mtx")
    assert_refused(pcg("--matrix", path, "--json", out, ranks=ALONE), "not positive definite")
    assert (out.read_text() if before else None) == before
    assert not list(tmp_path.glob("out.json.*"))


@pytest.mark.parametrize("name", ALL)
def test_products_beyond_all_numbers_are_said_to_be(tmp_path, name):
    path = matrix_file(tmp_path / "huge.mtx", SYMMETRIC, "3 3 3", *(f"{i} {i} 1e308" for i in (1, 2, 3)))
    result = pcg("--matrix", path, "--preconditioner", "none", "--algorithm", name, ranks=ALONE)
    assert_refused(result, "not a finite number", "iteration 1")


def test_an_exchange_is_asked_of_what_has_one():
    result = pcg("--exchange", "blocking", ranks=ALONE)
    assert result.returncode == 2
    assert (
        "--exchange blocking has no meaning for hypre: use it with --algorithm overlap, gropp, pipelined or sstep"
        in result.stderr
    )
    result = pcg("--exchange", "never", ranks=ALONE)
    assert result.returncode == 2
    assert "use overlapped, blocking or skipped" in result.stderr


@pytest.mark.parametrize("name", ["hypre", "algorithm1", "gropp", "pipelined", "sstep"])
def test_multigrid_does_not_hide_an_indefinite_matrix(tmp_path, name):
    path = indefinite(tmp_path / "indefinite.mtx")
    result = pcg("--matrix", path, "--preconditioner", "boomeramg", "--algorithm", name, ranks=ALONE)
    assert_refused(result, "not positive definite", "p.Ap")
