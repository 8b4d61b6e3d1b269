# SPDX-License-Identifier: BSD-3-Clause
"""weft plot: what wave writes beside its JSON: seismograms, planes, and films of them."""

import pytest
from command_line import json_answer, refusal

numpy = pytest.importorskip("numpy")


@pytest.fixture
def planes(tmp_path):
    folder = tmp_path / "planes"
    folder.mkdir()
    for step in (10, 20, 30):
        x = numpy.arange(12)
        numpy.save(folder / f"vz_y_{step:06}.npy", numpy.outer(numpy.sin(x[:8] + step), numpy.cos(x)).astype("f4"))
    return folder


def test_seismograms_are_traces_of_each_receiver(tmp_path):
    rows = numpy.zeros((2, 50), [("t", "f8"), ("vx", "f8"), ("vy", "f8"), ("vz", "f8")])
    rows["t"] = numpy.arange(50) * 0.1
    rows["vx"] = numpy.sin(rows["t"])
    numpy.save(tmp_path / "s.npy", rows)
    said = json_answer("plot", tmp_path / "s.npy", "-o", tmp_path / "picture.png")
    assert said["panels"] == ["s.npy, receiver 0", "s.npy, receiver 1"]
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_a_plane_is_an_image_with_zero_in_the_middle_of_its_colours(planes, tmp_path):
    said = json_answer("plot", planes / "vz_y_000020.npy", "-o", tmp_path / "picture.png")
    assert said["panels"] == ["vz across y, step 20"]


def test_a_folder_of_planes_is_a_film(planes, tmp_path):
    said = json_answer("plot", planes, "-o", tmp_path / "film.gif")
    assert said["panels"] == ["vz across y, 3 planes"]
    assert said["files"] == [{"file": str(planes), "recognised": "snapshots"}]
    film = (tmp_path / "film.gif").read_bytes()
    assert film.startswith(b"GIF89a")
    assert film.count(b"\x21\xf9\x04") == 3  # frames


def test_films_that_cannot_be_are_refused(planes, tmp_path):
    film = tmp_path / "film.gif"
    assert "whose name ends in .gif" in refusal("plot", planes, "-o", tmp_path / "film.png")
    assert "one folder" in refusal("plot", planes, planes / "vz_y_000010.npy", "-o", film)
    assert "has no planes" in refusal("plot", tmp_path, "-o", film)
    numpy.save(planes / "vz_y_000040.npy", numpy.zeros((3, 3)))
    assert "another shape" in refusal("plot", planes, "-o", film)
    (planes / "vz_y_000040.npy").write_bytes(b"cut off")
    assert "damaged" in refusal("plot", planes, "-o", film)
    (planes / "vz_y_000040.npy").rename(planes / "vx_y_000040.npy")
    assert "vx_y and vz_y" in refusal("plot", planes, "-o", film)
    assert not film.exists()
