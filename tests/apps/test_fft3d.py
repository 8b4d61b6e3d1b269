# SPDX-License-Identifier: BSD-3-Clause
"""fft3d transforms rightly in every form of exchange, on every number of ranks, and says what is wrong with its input.

Most bad input is tried with ALONE, a single process without launcher: mpiexec takes a second to clean up after a
program that ends with another code than 0. What all ranks must agree on is tried on several.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WEFT_BUILD_DIR", ROOT / "build/release"))
PROGRAM = next((path for path in (BUILD / "bin/fft3d", BUILD / "apps/fft3d/fft3d") if path.exists()), None)
MPIEXEC = shutil.which("mpiexec.openmpi") or shutil.which("mpiexec")

ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    # Looking for network adapters takes most of a short run's time.
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "vader,self",
}

ALONE = 0
FORMS = ["blocking", "pipelined", "planes"]
SMALL = ("-n", 8, 8, 8)

pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason=f"no fft3d below {BUILD}: it is built when FFTW is found (Debian: libfftw3-dev)"
)


def run(command, environment=None):
    return subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=ENVIRONMENT | dict(os.environ) | (environment or {}),
    )


def fft3d(*arguments, ranks=2):
    launcher = [] if ranks == ALONE else [MPIEXEC, "--oversubscribe", "-n", ranks]
    return run([*launcher, PROGRAM, *arguments])


def transform(*arguments, ranks=2, code=0):
    """The JSON object that a run writes; its plans are FFTW's estimates, so that errors are the same every time."""
    result = fft3d("--plan", "estimate", *arguments, "--json", "-", ranks=ranks)
    assert result.returncode == code, result.stderr
    return json.loads(result.stdout)


# --- right answers


@pytest.mark.parametrize("kind", ["complex", "real"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6, 8])
def test_every_form_is_right_on_every_number_of_ranks(ranks, form, kind):
    """No length is a multiple of any process grid."""
    report = transform("-n", 17, 9, 22, "--kind", kind, "--exchange", form, "--repeat", 1, ranks=ranks)
    assert report["right"] is True
    assert report["ranks"] == ranks
    assert report["exchange"] == form
    assert [test["field"] for test in report["tests"]] == ["sine", "random"]
    for test in report["tests"]:
        for error in ("spectrum_error", "parseval_error", "round_trip_error"):
            assert 0 <= test[error] < 1e-13


@pytest.mark.parametrize("processes", [(1, 4), (4, 1), (2, 2)])
@pytest.mark.parametrize("grid", [(16, 12, 8), (5, 4, 7), (4, 4, 4)])
def test_every_process_grid_gives_the_same(processes, grid):
    for form in FORMS[1:]:
        report = transform("-n", *grid, "-P", *processes, "--exchange", form, "--repeat", 1, ranks=4)
        assert report["process_grid"] == list(processes)
        assert report["error"] < 1e-13


@pytest.mark.parametrize("kind", ["complex", "real"])
@pytest.mark.parametrize("form", FORMS)
def test_single_precision_is_as_good_as_it_can_be(form, kind):
    """Odd lengths: rows of single-precision numbers that are not aligned for vector instructions."""
    report = transform("-n", 15, 7, 9, "--precision", "single", "--kind", kind, "--exchange", form, ranks=4)
    assert report["right"] is True
    assert 1e-9 < report["error"] < 2e-6


@pytest.mark.parametrize("planes", [1, 2, 5, 1000])
@pytest.mark.parametrize("processes", [(2, 2), (3, 1)])
def test_planes_per_message_may_be_any_number(processes, planes):
    ranks = processes[0] * processes[1]
    arguments = ("-n", 8, 6, 11, "-P", *processes, "--exchange", "planes", "--planes", planes)
    report = transform(*arguments, ranks=ranks)
    assert report["right"] is True
    most = -(-11 // processes[0])
    assert report["planes"] == min(planes, most)


@pytest.mark.parametrize("variables", [1, 2, 5])
@pytest.mark.parametrize("form", FORMS)
def test_any_number_of_variables_goes_through(form, variables):
    report = transform(*SMALL, "--variables", variables, "--exchange", form)
    assert report["variables"] == variables
    assert report["right"] is True


@pytest.mark.parametrize("grid", [(1, 1, 1), (2, 1, 1), (1, 2, 3), (2, 2, 2), (64, 1, 1)])
@pytest.mark.parametrize("kind", ["complex", "real"])
def test_the_smallest_grids_are_transformed(grid, kind):
    assert transform("-n", *grid, "--kind", kind, ranks=ALONE)["right"] is True


@pytest.mark.parametrize("kind", ["complex", "real"])
def test_on_large_grids_single_coefficients_are_checked(kind):
    """More than 2^18 points."""
    report = transform("-n", 70, 65, 64, "--kind", kind, "--test", "random", "--variables", 1, "--repeat", 1)
    assert 0 < report["error"] < 1e-12


@pytest.mark.parametrize("ranks", [2, 4])
def test_without_exchanges_nothing_is_called_right(ranks):
    report = transform(*SMALL, "--exchange", "skipped", ranks=ranks)
    assert report["right"] is None
    assert report["error"] is None
    assert report["answer"] == "not checked"
    assert report["tests"] == []
    assert report["waiting_seconds"] == 0
    assert "not checked" in fft3d(*SMALL, "--exchange", "skipped").stdout


# --- with Weft


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", [(), ("--device", "agent")])
def test_with_weft_the_answer_is_the_same(form, options):
    arguments = ("-n", 17, 9, 22, "--plan", "estimate", "--exchange", form, "--repeat", 1, "--json", "-")
    command = [sys.executable, "-m", "weft", "run", "-n", 4, *options, "--", PROGRAM, *arguments]
    variables = {"WEFT_TOPOLOGY": "node:2 core:2", "WEFT_WIRE_INTERFACE": "lo"} if options else {}
    done = run(command, variables)
    if "No module named weft" in done.stderr:
        pytest.skip("weft is not installed for this Python")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    alone = transform("-n", 17, 9, 22, "--exchange", form, "--repeat", 1, ranks=4)
    assert report["right"] is True
    for test, other in zip(report["tests"], alone["tests"], strict=True):
        assert test["spectrum_error"] == other["spectrum_error"]
        assert test["round_trip_error"] == other["round_trip_error"]


# --- what is reported


def test_times_are_reported_of_the_median_run():
    report = transform(*SMALL, "--repeat", 5)
    assert len(report["seconds_all"]) == 5
    assert report["seconds"] == sorted(report["seconds_all"])[2]
    parts = report["parts_seconds"]
    waits = ("row_exchange", "column_exchange", "column_start", "column_wait")
    assert report["waiting_seconds"] == pytest.approx(sum(parts[name] for name in waits))
    assert 0 < sum(parts.values()) <= 2 * report["seconds"]


def test_the_form_decides_which_calls_are_made():
    for form in FORMS:
        parts = transform(*SMALL, "--exchange", form, "-P", 2, 2, ranks=4)["parts_seconds"]
        assert parts["row_exchange"] > 0
        assert (parts["column_exchange"] > 0) == (form == "blocking")
        assert (parts["column_start"] > 0) == (form != "blocking")


def test_tables_and_json_go_together(tmp_path):
    path = tmp_path / "out.json"
    result = fft3d(*SMALL, "--json", path)
    assert result.returncode == 0, result.stderr
    assert json.loads(path.read_text())["program"] == "fft3d"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.json"]
    for word in ("forward", "waiting in exchanges", "Parseval", "sine", "random"):
        assert word in result.stdout


@pytest.mark.parametrize("test", ["sine", "random"])
def test_one_test_can_be_chosen(test):
    assert [one["field"] for one in transform(*SMALL, "--test", test)["tests"]] == [test]


def test_help_names_every_option():
    result = fft3d("--help", ranks=ALONE)
    assert result.returncode == 0
    options = "-n -P --kind --precision --variables --exchange --planes --plan --test --repeat --taylor-green"
    options += " --viscosity --amplitude --time-step --slice --json --help"
    assert all(f"  {option} " in result.stdout for option in options.split())


# --- bad input


def assert_refused(result, *words):
    assert result.returncode == 2, result.stdout + result.stderr
    messages = [line for line in result.stderr.splitlines() if line.startswith("fft3d: ")]
    assert len(messages) == 1, result.stderr
    assert all(word in messages[0] for word in words), messages[0]
    assert result.stdout == ""
    assert "MPI_ABORT" not in result.stderr
    assert "signal" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--bogus"], ["--bogus", "--help"]),
        (["-n", "3", "4"], ["-n", "three"]),
        (["-n", "3", "4", "x"], ["-n", "'x'"]),
        (["-n", "3", "0", "4"], ["-n", "'0'"]),
        (["-n", "2000", "2000", "2000"], ["2000 x 2000 x 2000", "smaller"]),
        (["-P", "2", "2"], ["-P 2 2", "4 places", "is 1:"]),
        (["--kind", "quaternion"], ["--kind", "'quaternion'", "complex, real"]),
        (["--precision", "half"], ["'half'", "double, single"]),
        (["--exchange", "fast"], ["'fast'", "pipelined"]),
        (["--variables", "0"], ["--variables", "'0'"]),
        (["--planes", "4"], ["--planes", "--exchange planes"]),
        (["--plan", "well"], ["'well'", "estimate"]),
        (["--test", "cosine"], ["'cosine'", "all, random, sine"]),
        (["--repeat", "two"], ["--repeat", "'two'"]),
        (["--taylor-green", "0"], ["--taylor-green", "'0'"]),
        (["--viscosity", "0.1"], ["--viscosity", "--taylor-green"]),
        (["--slice", "a.npy"], ["--slice", "--taylor-green"]),
        (["--taylor-green", "1", "--viscosity", "-1"], ["--viscosity", "'-1'"]),
        (["--taylor-green", "1", "--kind", "complex"], ["--kind", "--taylor-green"]),
        (["--json"], ["--json"]),
        (["--json", ""], ["--json", "''"]),
        (["--json", "."], ["--json .", "folder"]),
        (["--json", "no/such/folder/out.json"], ["no/such/folder/out.json"]),
    ],
)
def test_bad_options_are_named(arguments, words):
    assert_refused(fft3d(*arguments, ranks=ALONE), *words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-P", "2", "2"], ["4 places", "is 3:"]),
        (["-n", "8", "8", "2"], ["8 x 8 x 2", "smaller than the process grid", "3 rows", "z 3"]),
        (["-n", "8", "2", "8"], ["8 x 2 x 8", "smaller than the process grid", "y needs 3"]),
        (["-n", "2", "8", "8", "-P", "1", "3"], ["2 x 8 x 8", "x 3"]),
        (["-n", "3", "8", "8", "-P", "1", "3", "--kind", "real"], ["3 x 8 x 8", "x 4"]),
        (["--json", "no/such/folder/out.json"], ["no/such/folder/out.json"]),
    ],
)
def test_several_ranks_end_together(arguments, words):
    assert_refused(fft3d(*arguments, ranks=3), *words)
