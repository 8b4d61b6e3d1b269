# SPDX-License-Identifier: BSD-3-Clause
"""fft3d transforms rightly in every form of exchange, on every number of ranks, and says what is wrong with its
input."""

import json
import math

import pytest
from applications import ALONE, Application, done

FFT3D = Application("fft3d", "FFTW (Debian: libfftw3-dev)")
FORMS = ["blocking", "pipelined", "planes"]
SMALL = ("-n", 8, 8, 8)

pytestmark = FFT3D.needed
fft3d = FFT3D.run
assert_refused = FFT3D.assert_refused


def transform(*arguments, **how):
    """The JSON object that a run writes; its plans are FFTW's estimates, so that errors are the same every time."""
    return FFT3D.report("--plan", "estimate", *arguments, **how)


# --- right answers


@pytest.mark.parametrize(
    ("form", "kind"),
    [("blocking", "complex"), ("pipelined", "complex"), ("pipelined", "real"), ("planes", "real")],
)
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
@pytest.mark.parametrize("grid", [(5, 4, 7), (4, 4, 4)])
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


@pytest.mark.parametrize("depth", [2, 4, 1000])
def test_the_pipeline_may_be_deeper(depth):
    """Up to one exchange per variable under way."""
    report = transform(*SMALL, "--variables", 4, "--depth", depth, "-P", 2, 2, ranks=4)
    assert report["right"] is True
    assert report["depth"] == min(depth, 4)


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


@pytest.mark.parametrize("kind", ["complex", "real"])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_fftws_own_transform_is_held_to_the_same(kind, precision):
    arguments = ("-n", 17, 9, 22, "--kind", kind, "--precision", precision, "--exchange", "fftw")
    result = fft3d(*arguments, "--json", "-", ranks=3)
    if "not in this build" in result.stderr:
        pytest.skip("this fft3d was built without FFTW-MPI (Debian: libfftw3-mpi-dev)")
    report = json.loads(result.stdout)
    assert report["right"] is True
    assert report["process_grid"] == [3, 1]
    assert report["waiting_seconds"] is None


# --- the Taylor-Green vortex


def vortex(*arguments, ranks=2, code=0):
    report = transform("--taylor-green", *arguments, ranks=ranks, code=code)
    return report, report["taylor_green"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_the_flow_keeps_what_the_equations_keep(ranks, form):
    report, flow = vortex(10, "-n", 16, 18, 15, "--exchange", form, ranks=ranks)
    assert report["right"] is True
    assert flow["balance_error"] < 1e-6
    assert flow["transfer_error"] < 1e-15
    assert flow["divergence_error"] < 1e-15
    assert flow["decay_error"] is None
    end = flow["history"][-1]
    assert end["time"] == pytest.approx(10 * flow["time_step"])
    # The same digits from every form and number of ranks.
    assert end["energy"] == pytest.approx(0.118462975142, abs=1e-12)


@pytest.mark.parametrize(("precision", "most"), [("double", 1e-14), ("single", 1e-6)])
def test_a_tiny_vortex_decays_as_its_wave_vectors_do(precision, most):
    arguments = ("-n", 12, 12, 12, "--viscosity", 0.4, "--amplitude", 1e-7, "--precision", precision)
    report, flow = vortex(9, *arguments)
    assert report["right"] is True
    assert 0 <= flow["decay_error"] < most
    assert flow["history"][-1]["energy"] / flow["history"][0]["energy"] == pytest.approx(
        math.exp(-6 * 0.4 * 0.9), rel=1e-5
    )


def reference_energy(n, viscosity, dt, steps):
    """The same flow by numpy: in the convective form, all terms by Runge-Kutta."""
    numpy = pytest.importorskip("numpy")
    wave = numpy.fft.fftfreq(n, 1 / n)
    k = numpy.stack(numpy.meshgrid(wave, wave, wave, indexing="ij"))
    square = (k**2).sum(0)
    kept = (abs(k) < n / 3).all(0)
    x, y, z = numpy.meshgrid(*[2 * numpy.pi * numpy.arange(n) / n] * 3, indexing="ij")
    flow = numpy.stack([numpy.sin(x) * numpy.cos(y) * numpy.cos(z), -numpy.cos(x) * numpy.sin(y) * numpy.cos(z), 0 * x])

    def to(field):
        return numpy.fft.fftn(field, axes=(-3, -2, -1))

    def back(spectrum):
        return numpy.fft.ifftn(spectrum, axes=(-3, -2, -1)).real

    def slope(u):
        velocity = back(u)
        change = -to(sum(velocity[j] * back(1j * k[j] * u) for j in range(3))) * kept
        change -= k * (k * change).sum(0) / numpy.where(square > 0, square, 1)
        return change - viscosity * square * u

    u = to(flow)
    for _ in range(steps):
        first = slope(u)
        second = slope(u + dt / 2 * first)
        third = slope(u + dt / 2 * second)
        u = u + dt / 6 * (first + 2 * second + 2 * third + slope(u + dt * third))
    return (back(u) ** 2).sum() / n**3 / 2


def test_the_flow_is_that_of_another_method():
    """Long enough for the nonlinear term to matter: without it, 0.10316 would be left."""
    _, flow = vortex(20, "-n", 16, 16, 16, "--viscosity", 0.02, "--time-step", 0.08, ranks=4)
    assert flow["history"][-1]["energy"] == pytest.approx(reference_energy(16, 0.02, 0.08, 20), abs=2e-7)


def test_a_slice_of_the_vorticity_is_read_by_numpy(tmp_path):
    numpy = pytest.importorskip("numpy")
    arguments = ("-n", 24, 20, 16, "--amplitude", 1e-7, "--viscosity", 0.1, "--slice", tmp_path / "slice.npy")
    vortex(4, *arguments, ranks=4)
    assert [entry.name for entry in tmp_path.iterdir()] == ["slice.npy"]
    found = numpy.load(tmp_path / "slice.npy")
    y, x = numpy.meshgrid(*(2 * numpy.pi * numpy.arange(n) / n for n in (20, 24)), indexing="ij")
    z = numpy.pi / 4
    across = [numpy.cos(x) * numpy.sin(y) * numpy.sin(z), numpy.sin(x) * numpy.cos(y) * numpy.sin(z)]
    along = 2 * numpy.sin(x) * numpy.sin(y) * numpy.cos(z)
    expected = 1e-7 * numpy.exp(-3 * 0.1 * 0.4) * numpy.sqrt(across[0] ** 2 + across[1] ** 2 + along**2)
    assert numpy.allclose(found, expected, rtol=0, atol=1e-14)


def test_a_flow_that_goes_wrong_is_said_to():
    report, flow = vortex(10, *SMALL, "--time-step", 3, ranks=ALONE, code=1)
    assert report["right"] is False
    assert report["answer"] == "wrong"
    assert "--time-step" in fft3d("--taylor-green", 10, *SMALL, "--time-step", 3, ranks=ALONE).stderr


def test_a_flow_without_exchanges_is_not_checked():
    report, flow = vortex(2, *SMALL, "--exchange", "skipped")
    assert report["right"] is None
    assert "balance_error" not in flow


# --- with Weft


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("way", ["weft", "agent"])
def test_with_weft_the_answer_is_the_same(form, way):
    arguments = ("-n", 17, 9, 22, "--exchange", form, "--repeat", 1)
    report = transform(*arguments, ranks=4, way=way)
    alone = transform(*arguments, ranks=4)
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
    result = done(fft3d(*SMALL, "--json", path))
    assert json.loads(path.read_text())["program"] == "fft3d"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.json"]
    for word in ("forward", "waiting in exchanges", "Parseval", "sine", "random"):
        assert word in result.stdout


@pytest.mark.parametrize("test", ["sine", "random"])
def test_one_test_can_be_chosen(test):
    assert [one["field"] for one in transform(*SMALL, "--test", test)["tests"]] == [test]


def test_help_names_every_option():
    result = done(fft3d("--help", ranks=ALONE))
    options = "-n -P --kind --precision --variables --exchange --depth --planes --plan --test --repeat --taylor-green"
    options += " --viscosity --amplitude --time-step --slice --json --help"
    assert all(f"  {option} " in result.stdout for option in options.split())


# --- bad input


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--bogus"], ["--bogus", "--help"]),
        (["-n", "3", "4"], ["-n", "three"]),
        (["-n", "3", "4", "x"], ["-n", "'x'"]),
        (["-n", "3", "0", "4"], ["-n", "'0'"]),
        (["-n", "2000", "2000", "2000"], ["2000 x 2000 x 2000", "smaller"]),
        (["-n", "1200", "1200", "1200", "--variables", "1000"], ["1000 variables", "GB", "smaller"]),
        (["-P", "2", "2"], ["-P 2 2", "4 places", "is 1:"]),
        (["--kind", "quaternion"], ["--kind", "'quaternion'", "complex, real"]),
        (["--precision", "half"], ["'half'", "double, single"]),
        (["--exchange", "fast"], ["'fast'", "pipelined"]),
        (["--variables", "0"], ["--variables", "'0'"]),
        (["--planes", "4"], ["--planes", "--exchange planes"]),
        (["--depth", "2", "--exchange", "blocking"], ["--depth", "--exchange pipelined"]),
        (["--plan", "well"], ["'well'", "estimate"]),
        (["--test", "cosine"], ["'cosine'", "all, random, sine"]),
        (["--repeat", "two"], ["--repeat", "'two'"]),
        (["--taylor-green", "0"], ["--taylor-green", "'0'"]),
        (["--viscosity", "0.1"], ["--viscosity", "--taylor-green"]),
        (["--slice", "a.npy"], ["--slice", "--taylor-green"]),
        (["--taylor-green", "1", "--viscosity", "-1"], ["--viscosity", "'-1'"]),
        (["--taylor-green", "1", "--kind", "complex"], ["--kind", "--taylor-green"]),
        (["--taylor-green", "1", "--slice", "no/such/folder/a.npy"], ["--slice", "no/such/folder/a.npy"]),
        (["--exchange", "fftw", "-P", "1", "2"], ["--exchange fftw"]),
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
