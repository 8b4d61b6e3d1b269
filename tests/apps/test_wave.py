# SPDX-License-Identifier: BSD-3-Clause
"""wave finds exact solutions, as accurate as its differences are, with the same bits whatever the exchange, the process
grid and the MPI, with Weft and without; what the ground absorbs is what it should."""

import json

import numpy
import pytest
from applications import ALONE, MPIS, ROOT, Application, done

WAVE = Application("wave", "an MPI")
WAVE_SOURCES = ROOT / "apps/wave"
EXCHANGES = ["blocking", "nonblocking", "neighbour", "one-sided", "nocheck", "fence", "lock"]
SMALL = ("-n", 31, 30, 29, "--absorbing-width", 8, "--steps", 24)
# Everything at once: layers that lose energy, two kinds of sources, receivers between points and at the surface.
RICH = (
    *SMALL, "--quality", 80, 40, "--source", 1432, 1501, 1203, "--moment", 1e15, -1e15, 5e14, 2e14, 3e14, -4e14,
    "--source", 1611, 1433, 901, "--force", 1e11, 2e11, 3e11, "--time-function", "derivative",
    "--receiver", 1500, 1500, 0, "--receiver", 1777, 1234, 1001,
)  # fmt: skip

pytestmark = WAVE.needed
wave = WAVE.run
report_of = WAVE.report


def seismograms_of(tmp_path, *arguments, **how):
    """The rows of each receiver, and the report."""
    file = tmp_path / "seismograms.npy"
    report = report_of(*arguments, "--seismograms", file, **how)
    return numpy.load(file), report


# --- right answers


@pytest.mark.parametrize(
    "source",
    [
        (),
        ("--moment", 0, 0, 0, 1e15, 0, 0),
        ("--moment", 1e15, 0, -1e15, 0, 5e14, 0, "--time-function", "gaussian"),
        ("--force", 1e12, 0, 5e11, "--time-function", "derivative"),
    ],
    ids=["explosion", "shear", "gaussian", "force"],
)
def test_a_full_space_has_the_exact_arrivals_and_amplitudes_of_p_and_s(source):
    where = ("--source", 2600, 2650, 2580) if source else ()
    receivers = () if source == () else ("--receiver", 3550, 2950, 2400, "--receiver", 2300, 1900, 3100)
    report = report_of("--check", "full-space", "-n", 52, 52, 52, *where, *source, *receivers)
    assert report["right"] is True
    assert len(report["receivers"]) == (2 if source else 4)
    for receiver in report["receivers"]:
        for name, velocity in (("p", 6000), ("s", 3464)):
            if (arrival := receiver[name]) is not None:
                late = abs(arrival["seconds"] - arrival["exact_seconds"])
                assert late <= report["arrival_bound_seconds"]
                assert arrival["exact_seconds"] > receiver["distance"] / velocity
                assert arrival["amplitude"] == pytest.approx(arrival["exact_amplitude"], rel=report["amplitude_bound"])
    # An explosion has no S; what shears has.
    assert any(receiver["s"] for receiver in report["receivers"]) == bool(source)


def test_too_coarse_a_grid_is_not_called_right():
    """Waves of few points are late, which the check sees."""
    arguments = ("--source", 3600, 3600, 3600, "--frequency", 5.0, "-n", 72, 72, 72)
    result = done(wave("--check", "full-space", *arguments, ranks=ALONE), code=1)
    assert "misfit" in result.stderr
    assert "points per wavelength" in result.stderr


def test_the_error_is_of_fourth_order_in_space_and_of_second_order_in_time():
    """Half the spacing and a quarter of the time step: a sixteenth of the error, at the same time."""
    errors = []
    for refinement in (1, 2, 4):
        points = [refinement * count for count in (12, 8, 8)]
        report = report_of(
            "--check", "standing", "-n", *points, "--spacing", 100 / refinement, "--dt", 0.004 / refinement**2,
            "--steps", 20 * refinement**2, "--precision", "double",
        )  # fmt: skip
        assert report["right"] is True
        errors.append(report["error"])
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(16, rel=0.1)


@pytest.mark.parametrize(("boundaries", "tolerance"), [("rigid", 1e-9), ("surface", 0.01)])
def test_source_and_receiver_change_places(tmp_path, boundaries, tolerance):
    """A force along x at A, seen along z at B, is the force along z at B, seen along x at A; each at a place of the
    component itself, in ground that differs from layer to layer. Between walls to the last digits; the differences at a
    free surface are not quite each other's mirror images."""
    layers = tmp_path / "layers.txt"
    layers.write_text("700 3000 1500 2000\ninf 6000 3464 2700  # below\n")
    common = ("-n", 34, 34, 30, "--boundaries", boundaries, "--layers", layers, "--steps", 400, "--precision", "double")
    a, b = (1250, 1400, 600), (2000, 1800, 950)  # half spacings along x, and along z
    places = [(a, (1e12, 0, 0), b, "vz"), (b, (0, 0, 1e12), a, "vx")]
    traces = []
    for source, force, receiver, component in places:
        rows, _ = seismograms_of(
            tmp_path, *common, "--source", *source, "--force", *force, "--frequency", 0.8, "--receiver", *receiver
        )
        traces.append(rows[0][component])
    assert numpy.abs(traces[0]).max() > 0
    assert numpy.abs(traces[0] - traces[1]).max() < tolerance * numpy.abs(traces[0]).max()


def test_what_has_left_does_not_come_back(tmp_path):
    """The energy that is left behind by the layers is a small part of what passed."""
    for boundaries in ("surface", "absorbing"):
        rows, _ = seismograms_of(
            tmp_path, "-n", 36, 36, 36, "--boundaries", boundaries, "--steps", 600, "--source", 1800, 1800, 1700,
            "--receiver", 2300, 1500, 2000, "--receiver", 2200, 1900, 1200,
        )  # fmt: skip
        for trace in rows:
            energy = trace["vx"] ** 2 + trace["vy"] ** 2 + trace["vz"] ** 2
            assert energy[-200:].sum() < 1e-6 * energy.sum()
            assert energy.sum() > 0


def test_layers_stay_stable_beneath_guided_waves(tmp_path):
    layers = tmp_path / "layers.txt"
    layers.write_text("500,2000,800,2000\n1000,4000,2300,2500\n")
    rows, _ = seismograms_of(
        tmp_path, "-n", 36, 36, 30, "--layers", layers, "--steps", 3000, "--receiver", 1800, 1500, 0, ranks=1
    )
    sizes = numpy.abs(rows[0]["vz"])
    assert sizes[-500:].max() < 1e-3 * sizes.max()


def test_the_free_surface_doubles_what_comes_up(tmp_path):
    """Right above a force, the velocity is twice that of the same depth in a full space."""
    sizes = []
    for boundaries, above in (("surface", 0), ("absorbing", 1500)):
        rows, _ = seismograms_of(
            tmp_path, "-n", 36, 36, 36 + above // 100, "--boundaries", boundaries, "--steps", 400,
            "--source", 1750, 1750, above + 2250, "--force", 0, 0, 1e12, "--receiver", 1800, 1800, above,
        )  # fmt: skip
        sizes.append(numpy.abs(rows[0]["vz"]).max())
    assert sizes[0] / sizes[1] == pytest.approx(2, rel=0.1)


@pytest.mark.parametrize("quality", [30, 100])
def test_a_plane_wave_loses_what_q_says(tmp_path, quality):
    """exp(-pi f x / (Q v)), in a tube that is too narrow for any but plane waves."""
    tube = ("-n", 4, 4, 400, "--boundaries", "rigid", "--material", 4000, 2300, 2500, "--precision", "double")
    source = ("--source", 150, 150, 14000, "--force", 0, 0, 1e12, "--frequency", 1.5)
    receivers = ("--receiver", 150, 150, 16000, "--receiver", 150, 150, 26000)
    rows, report = seismograms_of(
        tmp_path, *tube, *source, *receivers, "--quality", quality, 2 * quality, "--duration", 6.4, ranks=1
    )
    assert all(value == pytest.approx(1, abs=0.04) for value in report["attenuation"]["flatness"])
    spectra = numpy.abs(numpy.fft.rfft(rows["vz"], 8192, axis=1))
    frequencies = numpy.fft.rfftfreq(8192, report["time_step"])
    for frequency in (0.8, 1.5, 2.5):
        at = numpy.abs(frequencies - frequency).argmin()
        found = numpy.log(spectra[1, at] / spectra[0, at])
        wanted = -numpy.pi * frequencies[at] * 10000 / (quality * 4000)
        assert found == pytest.approx(wanted, rel=0.07)


# --- the ground


def test_layers_a_medium_and_a_material_that_say_the_same_have_the_same_bits(tmp_path):
    layers, medium = tmp_path / "layers.txt", tmp_path / "medium.npy"
    layers.write_text("1000 4000 2000 2500 100 50\n500 5000 2500 2600 200 100\n")
    depth = numpy.arange(29) * 100
    columns = [numpy.where(depth < 1000, *pair) for pair in ((4000, 5000), (2000, 2500), (2500, 2600), (100, 200))]
    columns.append(columns[3] / 2)
    whole = numpy.broadcast_to(numpy.array(columns)[:, :, None, None], (5, 29, 30, 31))
    numpy.save(medium, whole.astype("f4"))
    from_layers = report_of(*SMALL, "--layers", layers)["fingerprint"]
    for ranks in (1, 4):
        assert report_of(*SMALL, "--medium", medium, ranks=ranks)["fingerprint"] == from_layers
    numpy.save(medium, numpy.ascontiguousarray(whole[:3], "f8"))
    assert (
        report_of(*SMALL, "--medium", medium)["fingerprint"]
        == report_of(*SMALL, "--layers", layers, "--elastic")["fingerprint"]
    )
    layers.write_text("1 6000 3464 2700")
    assert report_of(*SMALL, "--layers", layers)["fingerprint"] == report_of(*SMALL)["fingerprint"]


def test_a_fluid_bears_no_shear(tmp_path):
    rows, _ = seismograms_of(
        tmp_path, *SMALL, "--material", 1500, 0, 1000, "--receiver", 2000, 1500, 1500, "--steps", 90
    )
    assert numpy.abs(rows["vx"]).max() > 100 * numpy.abs(rows["vy"]).max()


def test_a_source_of_a_file_is_what_its_samples_say(tmp_path):
    """The ricker wavelet, sampled finely."""
    frequency, step = 1.5, 1e-3
    turned = (numpy.pi * frequency * (numpy.arange(2000) * step - 1)) ** 2
    (tmp_path / "rate.txt").write_text("\n".join(map(str, (1 - 2 * turned) * numpy.exp(-turned))))
    common = (*SMALL, "--steps", 150, "--receiver", 2000, 1500, 1000, "--source", 1500, 1500, 1500)
    exact, _ = seismograms_of(tmp_path, *common, "--frequency", frequency, "--delay", 1)
    function = ("--time-function", "file", tmp_path / "rate.txt", step)
    sampled, _ = seismograms_of(tmp_path, *common, *function)
    assert numpy.abs(sampled["vx"] - exact["vx"]).max() < 1e-4 * numpy.abs(exact["vx"]).max()


# --- the same bits


@pytest.fixture(scope="module")
def fingerprint():
    return report_of(*RICH, ranks=ALONE)["fingerprint"]


@pytest.mark.parametrize("mpi", MPIS)
@pytest.mark.parametrize("exchange", EXCHANGES)
def test_every_exchange_has_the_same_bits(exchange, mpi, fingerprint):
    if WAVE.programs[mpi] is None:
        pytest.skip(f"not built for {mpi}")
    for ranks in (2, 4) if mpi == "openmpi" else (2,):
        report = report_of(*RICH, "--exchange", exchange, ranks=ranks, mpi=mpi)
        assert (report["exchange"], report["ranks"]) == (exchange, ranks)
        assert report["fingerprint"] == fingerprint


@pytest.mark.parametrize("grid", [(1, 1, 2), (2, 1, 1), (2, 2, 1), (1, 4, 1), (3, 1, 2), (1, 6, 1), (0, 2, 0)])
def test_every_process_grid_has_the_same_bits(grid, fingerprint):
    ranks = 4 if 0 in grid else grid[0] * grid[1] * grid[2]
    report = report_of(*RICH, "--grid", *grid, ranks=ranks)
    assert report["process_grid"] == [
        wanted or found for wanted, found in zip(grid, report["process_grid"], strict=True)
    ]
    assert report["fingerprint"] == fingerprint


@pytest.mark.parametrize("precision", ["single", "double"])
def test_boxes_may_be_as_thin_as_their_ghosts(precision):
    """Without layers, which need room: walls all around."""
    arguments = ("-n", 8, 8, 8, "--boundaries", "rigid", "--steps", 30, "--precision", precision)
    one = report_of(*arguments, ranks=ALONE)["fingerprint"]
    for grid in ((4, 1, 1), (1, 4, 1), (1, 1, 4), (2, 2, 1)):
        assert report_of(*arguments, "--grid", *grid, ranks=4)["fingerprint"] == one


@pytest.mark.parametrize("exchange", EXCHANGES)
def test_weft_changes_no_bit(exchange, fingerprint):
    assert report_of(*RICH, "--exchange", exchange, way="weft")["fingerprint"] == fingerprint


def test_without_an_exchange_the_answer_is_another_and_not_checked(fingerprint):
    report = report_of(*RICH, "--exchange", "skipped")
    assert (report["right"], report["answer"]) == (None, "not checked")
    assert report["fingerprint"] != fingerprint


def test_a_run_that_was_interrupted_has_the_same_bits(tmp_path, fingerprint):
    file = tmp_path / "state"
    report_of(*RICH, "--steps", 11, "--checkpoint", file, "--checkpoint-every", 4, ranks=3)
    assert [one.name for one in tmp_path.iterdir()] == ["state"]
    for ranks, grid, exchange in (
        (1, (1, 1, 1), "one-sided"), (4, (2, 2, 1), "nonblocking"), (2, (1, 1, 2), "fence"), (4, (1, 2, 2), "nocheck"),
    ):  # fmt: skip
        report = report_of(*RICH, "--restart", file, "--grid", *grid, "--exchange", exchange, ranks=ranks)
        assert (report["steps"], report["steps_computed"]) == (24, 13)
        assert report["fingerprint"] == fingerprint
    nothing_left = report_of(*RICH, "--steps", 11, "--restart", file)
    assert nothing_left["steps_computed"] == 0


# --- what is written


def test_the_times_add_up_and_the_traffic_is_counted():
    for more, size in (((), 176), (("--precision", "double"), 352), (("--quality", 50, 25), 244)):
        report = report_of(*SMALL, *more, "--bandwidth")
        times = report["times"]
        assert sum(seconds for part, seconds in times.items() if part != "whole") <= times["whole"] * 1.001
        assert all(report["times_max"][part] >= seconds * 0.999 for part, seconds in times.items())
        assert report["waiting_seconds"] == pytest.approx(times["halo_start"] + times["halo_wait"])
        assert report["bytes_per_point"] == size
        assert report["points_per_second"] == pytest.approx(31 * 30 * 29 * 24 / report["seconds"])
        share = report["gigabytes_per_second"] / report["triad_gigabytes_per_second"]
        assert report["share_of_triad"] == pytest.approx(share)


def test_the_median_of_the_repetitions_is_reported():
    report = report_of(*SMALL, "--repeat", 3)
    assert report["seconds"] == sorted(report["seconds_all"])[1]


def test_points_may_be_counted_by_rank():
    report = report_of("--per-rank", 20, "--absorbing-width", 5, "--steps", 2, "--grid", 2, 1, 1)
    assert report["n"] == [40, 20, 20]


def test_seismograms_and_snapshots_are_what_they_say(tmp_path):
    planes = tmp_path / "planes"
    receivers = tmp_path / "receivers.txt"
    receivers.write_text("1500 1500 0\n1777 1234 1001  # between points\n")
    common = (*SMALL, "--receivers", receivers)
    rows, report = seismograms_of(
        tmp_path, *common, "--snapshots", planes, "--snapshot-every", 8, "--snapshot", "vz", "y", 1500
    )
    assert rows.shape == (2, 24)
    assert rows["t"][0] == pytest.approx((numpy.arange(24) + 0.5) * report["time_step"])
    assert sorted(file.name for file in planes.iterdir()) == [f"vz_y_{step:06}.npy" for step in (8, 16, 24)]
    plane = numpy.load(planes / "vz_y_000024.npy")
    assert (plane.shape, plane.dtype) == ((29, 31), numpy.dtype("f4"))
    assert rows["vz"][0, 23] == plane[0, 15]  # half a spacing below the surface
    done(wave(*common, "--seismograms", tmp_path / "s.csv"))
    table = numpy.genfromtxt(tmp_path / "s.csv", delimiter=",", names=True)
    assert table["vx_1"] == pytest.approx(rows["vx"][1])


def test_the_table_and_the_file_say_the_same(tmp_path):
    result = done(wave(*SMALL, "--json", tmp_path / "out.json"))
    report = json.loads((tmp_path / "out.json").read_text())
    assert report["fingerprint"] in result.stdout
    assert "answer                not checked" in result.stdout


def test_help_names_every_option():
    result = done(wave("--help", ranks=ALONE))
    source = (WAVE_SOURCES / "options.cpp").read_text()
    options = {word.split('"')[0] for word in source.split('option == "')[1:]} - {"-P", "-h"}
    assert len(options) > 35
    assert all(f"  {option} " in result.stdout or f" {option} " in result.stdout for option in options)
