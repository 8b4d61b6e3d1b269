# SPDX-License-Identifier: BSD-3-Clause
"""weft bench dgemm: what it measures is consistent, and a wrong product or reduction does not go unnoticed."""

import shutil
import statistics
import subprocess

import pytest
from bench_command import BUILT, bench, measured, refused

from weft import binary, installation, launch
from weft.bad_input import BadInput
from weft.bench import contest, dgemm

DGEMM = [name for name in BUILT if installation.application(f"bench_dgemm_{name}")]
needs_dgemm = pytest.mark.skipif(not DGEMM, reason="bench/dgemm is not built (it needs OpenBLAS)")
TINY = ("--pairs", 1, "--iterations", 2)


@needs_dgemm
@pytest.mark.parametrize("mpi", DGEMM)
def test_throughput_is_against_the_same_product_alone(mpi):
    records, summary = measured("dgemm", "--sizes", "1,7,200", "--mpi", mpi, *TINY)
    assert [(r["matrix"], r["implementation"]) for r in records] == [
        (n, who) for who in ("host", "weft") for n in (1, 7, 200)
    ]
    for record in records:
        assert record["right"]
        assert record["product_right"]
        assert record["iterations"] == 2
        assert "OpenBLAS" in record["blas"]
        assert record["gflops"] * record["microseconds"] * 1e3 == pytest.approx(2 * record["matrix"] ** 3)
        assert record["overhead_microseconds"] == pytest.approx(
            record["start_microseconds"] + record["wait_microseconds"]
        )
        assert record["dgemm_fastest_microseconds"] <= record["dgemm_slowest_microseconds"]
        assert record["peak_gflops"] > 0
    host, weft = records[2], records[5]
    last = summary["points"][-1]
    assert last["ratio"] == pytest.approx(weft["gflops"] / host["gflops"])
    assert last["weft_overhead_microseconds"] == weft["overhead_microseconds"]
    assert summary["ratio"] == pytest.approx(statistics.geometric_mean(point["ratio"] for point in summary["points"]))
    assert summary["ratio_low"] == summary["ratio"] == summary["ratio_high"], "there is one pair"


@needs_dgemm
@pytest.mark.parametrize("ranks", [1, 3])
def test_everything_that_has_a_start_and_a_wait_is_measured(ranks):
    names = ["ibarrier", "iallreduce", "ireduce", "isend", "ialltoallw", "bcast_init"]
    asked = ("--collective", ",".join(names), "--bytes", "8,13", "--sizes", 20, "--ranks", ranks)
    records, summary = measured("dgemm", *asked, "--mpi", DGEMM[0], *TINY)
    assert all(record["right"] for record in records)
    assert len(summary["points"]) == 2 * len(names) - 1


@needs_dgemm
def test_agents_flat_and_two_level_are_measured_beside_the_host():
    names = ["host", "agent-flat", "agent-two-level"]
    asked = ("--sizes", "30", "--implementation", ",".join(names), "--mpi", DGEMM[0])
    records, summary = measured("dgemm", *asked, *TINY)
    assert [record["implementation"] for record in records] == names
    assert all(record["right"] for record in records)
    assert {f"{name}_overhead_microseconds" for name in names} <= set(summary["points"][0])


@needs_dgemm
@pytest.mark.parametrize(("order", "milliseconds", "iterations"), [(400, 0.1, 1), (4, 3_600_000, 10_000)])
def test_iterations_follow_the_time(order, milliseconds, iterations):
    asked = ("--sizes", order, "--milliseconds", milliseconds)
    records, _ = measured("dgemm", *asked, "--mpi", DGEMM[0], "--pairs", 1)
    assert {r["iterations"] for r in records} == {iterations}


BROKEN = {
    "product": "void cblas_dgemm() {}\n",
    "result": "#include <mpi.h>\n"
    "int MPI_Iallreduce(const void* in, void* out, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c, MPI_Request* r)"
    " { *r = MPI_REQUEST_NULL; return MPI_SUCCESS; }\n",
}


@needs_dgemm
@pytest.mark.parametrize("what", BROKEN)
def test_what_is_not_computed_is_noticed(what, tmp_path):
    host = installation.host(DGEMM[0])
    compiler = shutil.which(f"mpicc.{host.name}") or shutil.which("mpicc")
    if not compiler:
        pytest.skip("needs an MPI compiler")
    source, library = tmp_path / "broken.c", tmp_path / "broken.so"
    source.write_text(BROKEN[what])
    subprocess.run([compiler, "-w", "-shared", "-fPIC", "-o", library, source], check=True, timeout=60)
    program = binary.inspect([str(contest.program("dgemm", host)), "--sizes", "5", "--iterations", "2"])
    start = launch.Launch(host, 2, program, with_weft=False, variables={"LD_PRELOAD": str(library)})
    done = launch.capture(start, tmp_path, 60)
    (record,) = contest.parse(done.stdout)
    assert not record["right"]
    assert record["product_right"] == (what != "product")
    assert record["result_right"] == (what != "result")
    assert done.returncode == 1


def record(implementation, mpi, gflops, pair=0, **more):
    return {
        "collective": "iallreduce", "bytes": 8, "ranks": 2, "matrix": 100, "implementation": implementation, "mpi": mpi,
        "pair": pair, "gflops": gflops, "peak_gflops": 40.0, "overhead_microseconds": 100 / gflops,
        "dgemm_spread_microseconds": 0.5, "right": True,
    } | more  # fmt: skip


def test_the_best_mpi_is_the_one_with_the_highest_throughput():
    records = [
        record("host", "A", 10.0),
        record("weft", "A", 30.0),
        record("host", "B", 20.0),
        record("weft", "B", 5.0),
    ]
    summary = dgemm.summarize(records, 1)
    assert summary["ratio"] == 1.5
    (point,) = summary["points"]
    assert (point["host_gflops"], point["weft_gflops"]) == (20.0, 30.0)


def test_a_wrong_product_has_no_throughput():
    summary = dgemm.summarize([record("host", "A", 10.0), record("weft", "A", 99.0, right=False)], 1)
    assert summary["ratio"] is None
    assert summary["wrong_answers"] == ["collective iallreduce bytes 8 ranks 2 matrix 100 (weft, A)"]


@needs_dgemm
def test_a_table_and_both_figures(tmp_path):
    plot = tmp_path / "dgemm.png"
    result = bench("dgemm", "--sizes", "5,50", "--mpi", DGEMM[0], "--plot", plot, *TINY)
    assert result.returncode == 0, result.stderr
    assert "weft/host" in result.stdout
    assert "start + wait" in result.stdout
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_without_openblas_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(installation, "application", lambda _: None)
    contestants = [contest.Contestant("host", installation.Host("openmpi", "Open MPI", None, "4", None, None, ""))]
    with pytest.raises(BadInput, match="libopenblas-dev"):
        dgemm.check_built(contestants)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--collective", "allreduce"], "no start and wait"),
        (["--collective", "sendrecv"], "no start and wait"),
        (["--sizes", "0"], "--sizes 0"),
        (["--sizes", "huge"], "--sizes huge"),
        (["--sizes", "30000"], "20000"),
        (["--iterations", "20000"], "10000"),
        (["--mpi", "lam"], "--mpi lam"),
    ],
)
def test_impossible_questions_are_refused(arguments, says):
    assert says in refused("dgemm", *arguments)
