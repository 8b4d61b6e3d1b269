# SPDX-License-Identifier: BSD-3-Clause
"""wave ends on bad input with one clear message and code 2."""

import numpy
import pytest
from applications import ALONE, Application

WAVE = Application("wave", "an MPI")

pytestmark = WAVE.needed
wave = WAVE.run
assert_refused = WAVE.assert_refused
SMALL = ("-n", 24, 24, 24, "--absorbing-width", 4, "--steps", 3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--bogus"], ["--bogus", "--help"]),
        (["-n", "3", "4"], ["-n", "three"]),
        (["-n", "3", "4", "0"], ["-n", "'0'"]),
        (["-n", "1", "40", "40"], ["1 point along x", "needs 2"]),
        (["-n", "20", "40", "40"], ["20 points along x", "2 absorbing layers of 10", "--absorbing-width"]),
        (["-n", "20000", "20000", "20000"], ["GB", "memory", "smaller"]),
        (["-n", "40", "40", "40", "--per-rank", "9"], ["--per-rank", "-n", "drop one"]),
        (["--per-rank", "2000000000"], ["--per-rank", "points along x"]),
        (["--grid", "2", "1", "1"], ["--grid 2 1 1", "1 rank"]),
        (["--grid", "1", "-1", "1"], ["--grid", "'-1'"]),
        (["--exchange", "fast"], ["'fast'", "one-sided", "lock or skipped"]),
        (["--precision", "half"], ["'half'", "single or double"]),
        (["--boundaries", "open"], ["'open'", "surface, absorbing or rigid"]),
        (["--check", "all"], ["'all'", "full-space or standing"]),
        (["--spacing", "0"], ["--spacing", "'0'"]),
        (["--spacing", "nan"], ["--spacing", "'nan'"]),
        (["--steps", "5", "--duration", "1"], ["--steps", "--duration"]),
        (["--dt", "0.01"], ["--dt 0.01 is unstable", "6000 m/s", "0.00824786"]),
        (["--frequency", "2"], ["--frequency", "--source X Y Z"]),
        (["--source", "1000", "1000", "9000"], ["--source 1000 1000 9000", "outside", "z", "6300"]),
        (["--receiver", "-1", "1000", "900"], ["--receiver -1 1000 900", "outside", "x"]),
        (["--source", "900", "900", "900", "--frequency", "9"], ["1.5 points per wavelength", "3464", "2.77"]),
        (["--source", "900", "900", "900", "--moment", "1", "2"], ["--moment", "Myz"]),
        (["--source", "900", "900", "900", "--time-function", "box"], ["'box'", "ricker"]),
        (["--source", "9", "9", "9", "--time-function", "file", "none.txt", "0.1"], ["--time-function", "none.txt"]),
        (["--material", "3000", "2900", "2000"], ["--material", "2900", "0.866"]),
        (["--material", "3000", "1000", "-1"], ["--material", "density -1"]),
        (["--quality", "2", "50"], ["Qp 2", "5 or more"]),
        (["--band", "3", "1"], ["--band", "3 and 1"]),
        (["--layers", "none.txt"], ["--layers none.txt", "read"]),
        (["--medium", "none.npy"], ["--medium none.npy", "read"]),
        (["--layers", "a", "--medium", "b"], ["--layers", "--medium"]),
        (["--receivers", "none.txt"], ["--receivers none.txt", "read"]),
        (["--seismograms", "s.npy"], ["--seismograms", "--receiver"]),
        (["--seismograms", "s.txt", "--receiver", "9", "9", "9"], [".npy or .csv"]),
        (["--seismograms", "no/s.npy", "--receiver", "9", "9", "9"], ["--seismograms no/s.npy"]),
        (["--snapshot-every", "2"], ["--snapshots FOLDER"]),
        (["--snapshots", "folder"], ["--snapshot-every"]),
        (["--snapshot", "vw", "y", "3"], ["'vw'", "vz"]),
        (["--snapshot", "vx", "t", "3"], ["'t'", "axis"]),
        (["--snapshot", "vx", "y", "9e9", "--snapshots", ".", "--snapshot-every", "2"], ["y = 9e+09 m", "outside"]),
        (["--checkpoint-every", "2"], ["--checkpoint FILE"]),
        (["--checkpoint", "no/such/folder/x"], ["--checkpoint no/such/folder/x", "written"]),
        (["--checkpoint", "x", "--exchange", "skipped"], ["--checkpoint", "skipped", "wrong"]),
        (["--repeat", "2", "--checkpoint", "x"], ["--repeat", "checkpoint"]),
        (["--restart", "none"], ["--restart none", "read"]),
        (["--json", "no/such/folder/out.json"], ["no/such/folder/out.json"]),
        (["--check", "full-space", "--boundaries", "surface"], ["full-space", "--boundaries"]),
        (["--check", "full-space", "--quality", "50", "50"], ["full-space", "elastic"]),
        (["--check", "full-space", "--material", "1500", "0", "1000"], ["full-space", "vs above 0"]),
        (["--check", "full-space", "--receiver", "300", "3000", "3000"], ["absorbing layer", "1000"]),
        (["--check", "full-space", "--receiver", "3600", "3600", "3800"], ["nearer", "three spacings"]),
        (["--check", "standing", "--source", "900", "900", "900"], ["standing", "--source"]),
    ],
)
def test_bad_options_are_named(arguments, words):
    assert_refused(wave(*arguments, ranks=ALONE), *words)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--boundaries", "rigid", "-n", "8", "8", "5"], ["5 points along z", "3 processes", "needs 2", "--grid"]),
        (["--grid", "2", "0", "0"], ["--grid 2 0 0", "3 ranks", "divide"]),
        (["-n", "20000", "20000", "20000"], ["GB", "memory"]),
        (["--medium", "none.npy"], ["--medium none.npy", "read"]),
        (["--json", "no/such/folder/out.json"], ["no/such/folder/out.json"]),
        (["--dt", "1"], ["unstable"]),
    ],
)
def test_several_ranks_end_together(arguments, words):
    assert_refused(wave(*arguments, ranks=3), *words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["empty"]),
        ("# nothing\n", ["no row"]),
        ("100 2000 1000\n", ["line 1 has 3 numbers", "4 or 6"]),
        ("100 2000 1000 2000\nx 1 2 3\n", ["line 2", "'x'"]),
        ("-5 2000 1000 2000\n", ["layer 1", "thickness is -5"]),
        ("5 2000 1000 2000\n5 2000 1900 2000\n", ["layer 2", "0.866"]),
    ],
)
def test_tables_of_layers_are_read_with_care(tmp_path, text, words):
    (tmp_path / "layers.txt").write_text(text)
    assert_refused(wave(*SMALL, "--layers", tmp_path / "layers.txt", ranks=ALONE), "layers.txt", *words)


def test_media_that_do_not_fit_are_refused(tmp_path):
    file = tmp_path / "medium.npy"
    good = numpy.empty((3, 24, 24, 24), "f4")
    good[:] = numpy.array([3000, 1000, 2000])[:, None, None, None]
    numpy.save(file, good)
    file.write_bytes(file.read_bytes()[:-4])
    assert_refused(wave(*SMALL, "--medium", file), "medium.npy", "cut off")
    numpy.save(file, good[:, :, :, :-1])
    assert_refused(wave(*SMALL, "--medium", file, ranks=ALONE), "(3, 24, 24, 23)", "(3 or 5, 24, 24, 24)")
    numpy.save(file, good.astype("i4"))
    assert_refused(wave(*SMALL, "--medium", file, ranks=ALONE), "'<i4'", "'<f4' or '<f8'")
    file.write_text("no array")
    assert_refused(wave(*SMALL, "--medium", file, ranks=ALONE), "no array of NumPy's")
    good[1, 20, 3, 4] = 2999
    numpy.save(file, good)
    assert_refused(wave(*SMALL, "--medium", file), "point [20][3][4]", "0.866")


def test_checkpoints_that_do_not_fit_are_refused(tmp_path):
    file = tmp_path / "state"
    wave(*SMALL, "--checkpoint", file, ranks=ALONE)
    content = file.read_bytes()
    for more, words in (
        (("--spacing", 90), ('"spacing 100"', '"spacing 90"')),
        (("--precision", "double"), ("precision single", "precision double")),
        (("--material", 6000, 3000, 2700), ("another problem", "medium")),
        (("--receiver", 900, 900, 900), ("no more", "receiver 900 900 900")),
        (("--steps", 2), ("3 steps already", "--steps")),
    ):
        assert_refused(wave(*SMALL, *more, "--restart", file, ranks=ALONE), "state", *words)
    file.write_bytes(content[:-8])
    assert_refused(wave(*SMALL, "--restart", file), "cut off")
    file.write_bytes(content[:300])
    assert_refused(wave(*SMALL, "--restart", file, ranks=ALONE), "cut off")
    file.write_bytes(b"")
    assert_refused(wave(*SMALL, "--restart", file, ranks=ALONE), "no checkpoint")


def test_bad_input_leaves_no_file(tmp_path):
    outputs = ("--json", tmp_path / "out.json", "--receiver", 9, 9, 9, "--seismograms", tmp_path / "s.npy")
    assert_refused(wave("--dt", 1, *outputs, ranks=ALONE), "unstable")
    assert list(tmp_path.iterdir()) == []
