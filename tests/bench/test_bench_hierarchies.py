# SPDX-License-Identifier: BSD-3-Clause
"""weft bench hierarchies: tiny runs; every depth really is another plan, and each is compared with the one before."""

import pytest
from bench_command import BUILT, bench, measured, needs_bench, refused

TINY = ("--pairs", 1, "--milliseconds", 1, "--topology", "node:2 socket:2 core:1")


@needs_bench
def test_every_depth_is_compared_with_the_one_before(tmp_path):
    asked = ("--collective", "barrier,allreduce", "--bytes", "8,4K", "--mpi", BUILT[0])
    records, summary = measured("hierarchies", *asked, *TINY)
    assert [(record["implementation"], record["ranks"]) for record in records[:12:3]] == [
        (who, 4) for who in ("host", "flat", "node", "socket+node")
    ]
    assert all(record["right"] for record in records)
    gains = {"flat/host", "node/flat", "socket+node/node"}
    assert [(point["collective"], point["bytes"]) for point in summary["points"]] == [
        ("barrier", 0),
        ("allreduce", 8),
        ("allreduce", 4096),
    ]
    for point in summary["points"]:
        here = [r for r in records if (r["collective"], r["bytes"]) == (point["collective"], point["bytes"])]
        times = {record["implementation"]: record["microseconds"] for record in here}
        for gain in gains:
            depth, before = gain.split("/")
            assert point[gain] == pytest.approx(times[depth] / times[before])
    plot = tmp_path / "depths.png"
    result = bench("hierarchies", *asked, *TINY, "--plot", plot)
    assert result.returncode == 0, result.stderr
    assert "node / flat" in result.stdout
    assert plot.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["hierarchies", "--topology", "rack:2"], "rack"),
        (["hierarchies", "--depths", "flat,l3"], "l3"),
        (["hierarchies", "--mpi", "lam"], "lam"),
    ],
)
def test_impossible_questions_are_refused(arguments, says):
    assert says in refused(*arguments)
