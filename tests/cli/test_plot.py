# SPDX-License-Identifier: BSD-3-Clause
"""weft plot: what each program writes is recognised and drawn, and what is damaged is named."""

import json
import os

import pytest
from command_line import ENVIRONMENT, answer, json_answer, refusal

from weft import installation, launch
from weft.pictures import applications

numpy = pytest.importorskip("numpy")
PNG = b"\x89PNG"

OPERATIONS = ("matvec", "inner_products", "precond", "axpy", "scale")
PCG = {
    "program": "pcg", "ranks": 2, "tolerance": 1e-8, "exchange": "overlapped", "iallreduce_latency_us": 1.0,
    "algorithms": [
        {
            "name": name, "residual_history": [1.0, 0.1, 1e-9], "iallreduce": iallreduce,
            "table": dict.fromkeys(OPERATIONS, 0.1) | {"solver_time": 0.7},
            "breakdown": {"computation": 0.5, "halo": halo, "allreduce_and_wait": 0.1},
        }
        for name, halo, iallreduce in (
            ("hypre", None, []),
            ("overlap", 0.1, [{"name": "gamma", "count": 2, "start_us": 1.0, "available_us": 3.0, "wait_us": 0.5}]),
        )
    ],
}  # fmt: skip
POISSON = {
    "program": "poisson", "ranks": 2, "exchange": "neighbour",
    "times": dict.fromkeys(applications.ITERATIVE_PARTS.values(), 0.1) | {"whole": 1.0},
}  # fmt: skip
WAVE = {
    "program": "wave", "ranks": 2, "exchange": "one-sided",
    "times": dict.fromkeys(applications.WAVE_PARTS.values(), 0.1) | {"whole": 1.0},
}  # fmt: skip
FFT3D = {
    "program": "fft3d", "ranks": 2, "exchange": "pipelined", "seconds": 1.0,
    "parts_seconds": dict.fromkeys(applications.TRANSFORM_PARTS.values(), 0.1), "taylor_green": None,
}  # fmt: skip
VORTEX = FFT3D | {
    "taylor_green": {
        "viscosity": 0.01, "decay_error": 1e-15,
        "history": [{"time": t, "energy": 2 - 0.12 * t, "enstrophy": 6.0} for t in (0, 0.5, 1)],
    }
}  # fmt: skip
COMPRESS = {
    "program": "compress", "ranks": 2, "exchange": "pipelined", "seconds": 1.0, "megabytes_per_second": 10.0,
} | dict.fromkeys(applications.COMPRESS_PARTS.values(), 0.2)  # fmt: skip
OBJECTS = {"pcg": PCG, "poisson": POISSON, "fft3d": FFT3D, "compress": COMPRESS, "wave": WAVE}
RECORD = {
    "benchmark": "skew", "collective": "bcast", "bytes": 8, "ranks": 2, "by_us": 10.0, "lost_us": 5.0,
    "implementation": "host", "mpi": "Open MPI", "pair": 0, "right": True,
}  # fmt: skip


@pytest.fixture
def write(tmp_path):
    def one(content, name="run.json"):
        file = tmp_path / name
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return file

    return one


@pytest.fixture
def picture(tmp_path):
    return tmp_path / "picture.png"


def drawn(picture, *files):
    """The panels of the picture, and what the files were recognised as."""
    said = json_answer("plot", *files, "-o", picture)
    assert picture.read_bytes().startswith(PNG)
    return said["panels"], [file["recognised"] for file in said["files"]]


# ---- from objects to panels ----


def test_pcg_has_residuals_both_tables_and_what_hides_a_reduction():
    residuals, operations, shares, reductions = applications.pcg([("run", PCG)])
    assert [curve.label for curve in residuals.curves] == ["hypre", "overlap"]
    assert residuals.curves[0].y == [1.0, 0.1, 1e-9]
    assert operations.whole == [0.7, 0.7]
    assert shares.parts["halo"] == [0.0, 0.1]
    assert (reductions.labels, reductions.kinds["available to hide it"]) == (["overlap: gamma"], [3.0])


def test_a_residual_that_is_no_number_is_a_gap():
    lost = PCG | {"algorithms": [PCG["algorithms"][0] | {"residual_history": [1.0, None]}]}
    assert numpy.isnan(applications.pcg([("run", lost)])[0].curves[0].y[1])


def test_algorithms_of_several_runs_are_named_by_their_files():
    residuals, *_ = applications.pcg([("a", PCG), ("b", PCG)])
    assert [curve.label for curve in residuals.curves] == ["hypre, a", "overlap, a", "hypre, b", "overlap, b"]
    assert residuals.curves[0].style != residuals.curves[2].style


def test_an_energy_that_decays_as_viscosity_takes_it_lies_on_the_line_of_what_it_took():
    _, energies, _ = applications.fft3d([("run", VORTEX)])
    energy, left, known = energies.curves
    assert left.y == pytest.approx(energy.y)
    assert known.y == pytest.approx([1, 0.9704, 0.9418], abs=1e-4)


def test_a_decay_that_is_not_known_is_not_drawn():
    large = VORTEX | {"taylor_green": VORTEX["taylor_green"] | {"decay_error": None}}
    assert len(applications.fft3d([("run", large)])[1].curves) == 2


def test_memorys_bandwidth_is_drawn_where_it_was_measured():
    measured = POISSON | {"gigabytes_per_second": 5.0, "triad_gigabytes_per_second": 10.0}
    assert len(applications.poisson([("run", POISSON)])) == 1
    assert applications.poisson([("run", measured)])[1].kinds == {"this program": [5.0], "stream triad": [10.0]}


# ---- the command ----


@pytest.mark.parametrize("program", OBJECTS)
def test_each_programs_object_is_recognised_and_several_stand_side_by_side(program, write, picture):
    panels, recognised = drawn(picture, write(OBJECTS[program]), write(OBJECTS[program], "other.json"))
    assert panels[0] in ("Residuals", "Time by part")
    assert recognised == [program, program]


def test_different_programs_and_arrays_share_a_picture(write, picture, tmp_path):
    numpy.save(tmp_path / "slice.npy", numpy.ones((4, 6)))
    numpy.save(tmp_path / "field.npy", numpy.ones((3, 4, 6), numpy.float32))
    panels, recognised = drawn(
        picture, write(VORTEX), write(COMPRESS, "c.json"), tmp_path / "slice.npy", tmp_path / "field.npy"
    )
    assert panels == [
        "fft3d: Time by part", "fft3d: Taylor-Green vortex: energy", "fft3d: Taylor-Green vortex: enstrophy",
        "compress: Time by part", "compress: Throughput", "slice.npy", "field.npy, plane z = 1",
    ]  # fmt: skip
    assert recognised == ["fft3d", "compress", "array", "array"]


def test_records_of_a_benchmark_are_drawn_as_it_draws_them(write, picture):
    records = [RECORD, RECORD | {"by_us": 100.0}, {"summary": "skew"}]
    assert drawn(picture, write("\n".join(map(json.dumps, records)), "skew.jsonl")) == (["skew"], ["records"])


def test_depths_of_a_hierarchy_are_drawn_as_such_though_latency_measured_them(write, picture):
    record = RECORD | {"benchmark": "latency", "microseconds": 2.0}
    depths = [record, record | {"implementation": "flat"}, record | {"implementation": "node"}]
    assert drawn(picture, write("\n".join(map(json.dumps, depths)))) == (["hierarchies"], ["records"])


ARGUMENTS = {
    "pcg": ("-n", 4, 4, 4),
    "poisson": ("-n", 8, 8, 8, "--bandwidth"),
    "wave": ("-n", 16, 16, 16, "--absorbing-width", 4, "--steps", 4, "--bandwidth"),
    "fft3d": ("-n", 8, 8, 8, "--taylor-green", 3, "--slice", "slice.npy"),
    "compress": ("input", "-o", "result"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_what_a_program_really_writes_is_drawn(name, tmp_path, picture):
    program = installation.application(name)
    host = next((one for one in installation.hosts() if one.name == "openmpi"), None)
    if program is None or host is None:
        pytest.skip(f"{name} or Open MPI is not there")
    (tmp_path / "input").write_bytes(b"words " * 10_000)
    words = [host.launcher, "-n", 1, program, *ARGUMENTS[name], "--json", "run.json"]
    command = ["env", "-C", str(tmp_path), *map(str, words)]
    done = launch.capture_command(command, launch.environment() | ENVIRONMENT, 100)
    assert done.returncode == 0, done.stderr
    files = [tmp_path / "run.json", *tmp_path.glob("slice.npy")]
    assert drawn(picture, *files)[1] == [name, "array"][: len(files)]


def test_a_person_is_told_where_the_picture_is(write, picture):
    assert answer("plot", write(POISSON), "-o", picture) == ""
    assert picture.is_file()


# ---- what makes no sense ----


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "run.json is empty"),
        (json.dumps(PCG)[:200], "run.json is damaged, or not JSON: line 1, column"),
        ("[1, 2]", "JSON that does not say of which program it is"),
        ({"program": "lu"}, "an object of 'lu': weft plot draws what pcg, fft3d, compress, poisson, wave write"),
        (PCG | {"algorithms": []}, "an object of pcg, but a damaged one"),
        (POISSON | {"times": {"whole": 1.0}}, "'product_inner' is missing): run poisson again with --json"),
        (COMPRESS | {"seconds": "1.0"}, "'1.0' stands where a number should be"),
        (RECORD | {"benchmark": "floor"}, "records of floor under host, for which there is no picture"),
        (RECORD | {"implementation": "node"}, "records of skew under node, for which there is no picture"),
        (RECORD | {"lost_us": "5"}, "records that are damaged"),
        (RECORD | {"right": False}, "no right answer"),
        ({"benchmark": "skew"}, "records that are damaged, or of another version ('implementation' is missing)"),
    ],
)
def test_what_cannot_be_drawn_is_named(content, says, write, picture):
    assert says in refusal("plot", write(content), "-o", picture)
    assert not picture.exists()


def test_the_damaged_one_of_several_files_is_named(write, picture):
    assert "bad.json is an object of pcg" in refusal(
        "plot", write(PCG), write({"program": "pcg"}, "bad.json"), "-o", picture
    )


def test_damaged_arrays_are_named(tmp_path, picture):
    file = tmp_path / "slice.npy"
    numpy.save(file, numpy.ones((4, 4)))
    file.write_bytes(file.read_bytes()[:-8])
    assert "slice.npy is no array of NumPy's, or damaged" in refusal("plot", file, "-o", picture)
    numpy.save(file, numpy.ones((2, 2), complex))
    assert "slice.npy is an array 2 x 2 of complex128" in refusal("plot", file, "-o", picture)


def test_records_fill_a_picture_by_themselves(write, picture):
    assert "give it alone" in refusal("plot", write(RECORD), write(PCG, "pcg.json"), "-o", picture)


def test_places_where_no_picture_can_be_are_refused(write, tmp_path):
    file = write(PCG)
    assert "there is no folder" in refusal("plot", file, "-o", tmp_path / "none" / "picture.png")
    assert "a picture's name ends in one of" in refusal("plot", file, "-o", tmp_path / "picture.bmp")
    assert "is one of the files to draw" in refusal("plot", file, "-o", os.path.relpath(file))
    assert "no_such.json cannot be read: No such file" in refusal("plot", "no_such.json", "-o", tmp_path / "a.png")
