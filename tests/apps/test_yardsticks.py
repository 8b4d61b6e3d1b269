# SPDX-License-Identifier: BSD-3-Clause
"""Each application's own yardstick on 1 to 8 ranks, on Open MPI and MPICH, without Weft, with it and with its agent
between two nodes: all find the answer right, and where the order of sums is fixed it is the same bit for bit."""

import hashlib
import itertools
import json
import random

import pytest
from applications import MPIS, WAYS, Application

COMPRESS = Application("compress", "libbz2 and libzstd", text=False)
FFT3D = Application("fft3d", "FFTW (Debian: libfftw3-dev)")
PCG = Application("pcg", "hypre (Debian: libhypre-dev)")
POISSON = Application("poisson", "an MPI")
WAVE = Application("wave", "an MPI")
RANKS = [1, 2, 3, 4, 6, 8]


def everywhere(application, tmp_path, ranks, *arguments):
    """The reports of runs on all MPIs that an application is built with, without Weft and with it, which must have
    executed something; each with how it was made."""
    mpis = [mpi for mpi in MPIS if application.programs[mpi]]
    if not mpis:
        pytest.skip(f"{application.name} is not built")
    for mpi, way in itertools.product(mpis, WAYS):
        statistics = tmp_path / f"{mpi} {way}"
        variables = {"WEFT_REPRODUCIBLE": "1", "WEFT_STATS": str(statistics)}
        report = application.report(*arguments, ranks=ranks, mpi=mpi, way=way, variables=variables)
        assert report["ranks"] == ranks
        if way != "host":
            calls = json.loads(statistics.read_text())["collectives"].values()
            assert sum(call["weft"] for call in calls) > 0, (mpi, way)
        yield mpi, way, report


def assert_all_equal(answers):
    assert len(set(answers.values())) == 1, answers


@pytest.mark.parametrize("ranks", RANKS)
def test_compress_makes_the_same_bytes(tmp_path, ranks):
    """Of which its own `right` says that they are, decompressed, what came in."""
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.write_bytes(bytes(random.Random(ranks).choices(b"abcdef", k=400_000)))
    arguments = (plain, "-o", packed, "--force", "--level", 1, "--block", 30_000)
    answers = {}
    for mpi, way, report in everywhere(COMPRESS, tmp_path, ranks, *arguments):
        assert report["right"] is True, (mpi, way)
        answers[mpi, way] = hashlib.sha256(packed.read_bytes()).hexdigest()
    assert_all_equal(answers)


@pytest.mark.parametrize("ranks", RANKS)
def test_fft3d_has_the_same_errors(tmp_path, ranks):
    """Nothing is summed up on the way: its spectra, and so what they differ by from the exact ones, are fixed."""
    answers = {}
    for mpi, way, report in everywhere(FFT3D, tmp_path, ranks, "-n", 17, 9, 22, "--plan", "estimate", "--repeat", 1):
        assert report["right"] is True, (mpi, way)
        answers[mpi, way] = tuple((test["spectrum_error"], test["round_trip_error"]) for test in report["tests"])
    assert_all_equal(answers)


@pytest.mark.parametrize("ranks", RANKS)
def test_poisson_finds_the_same_solution(tmp_path, ranks):
    """The order of its sums is each MPI's own, and Weft's is fixed on request; over two ranks there is but one."""
    answers = {}
    for mpi, way, report in everywhere(POISSON, tmp_path, ranks, "-n", 11, 9, 10):
        assert report["right"] is True, (mpi, way)
        assert report["iterations"] == pytest.approx(27, abs=1), (mpi, way)
        if ranks <= 2 or way != "host":
            answers[mpi, way] = report["fingerprint"]
    assert_all_equal(answers)


@pytest.mark.parametrize("ranks", RANKS)
def test_wave_has_the_same_bits(tmp_path, ranks):
    """Nothing is summed up across ranks; of the exchanges the one that puts, whose windows are Weft's."""
    answers = {}
    for mpi, way, report in everywhere(WAVE, tmp_path, ranks, "-n", 16, 17, 18, "--check", "standing", "--steps", 12):
        assert report["right"] is True, (mpi, way)
        assert report["exchange"] == "one-sided"
        answers[mpi, way] = report["fingerprint"]
    assert_all_equal(answers)


@pytest.mark.parametrize("ranks", RANKS)
def test_pcg_solves_the_system_by_every_algorithm(tmp_path, ranks):
    answers = {}
    for mpi, way, report in everywhere(PCG, tmp_path, ranks, "-n", 6, 6, 6):
        for one in report["algorithms"]:
            assert one["converged"], (mpi, way, one["name"])
            assert one["true_residual"] <= 1.1e-8, (mpi, way, one["name"])
        answers[mpi, way] = tuple((one["name"], one["iterations"]) for one in report["algorithms"])
    assert_all_equal(answers)
