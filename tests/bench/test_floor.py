# SPDX-License-Identifier: BSD-3-Clause
"""weft bench floor, tiny."""

import pytest
from bench_command import BUILT, bench, measured, needs_bench, refused

from weft.bench.floor import MEANINGS, RINGS


@needs_bench
@pytest.mark.parametrize("mpi", BUILT)
def test_every_floor_is_measured_and_what_moved_is_right(mpi):
    records, summary = measured("floor", "--mpi", mpi, "--bytes", "4K,64K", "--pairs", 1, "--milliseconds", 2)
    assert {record["item"] for record in records} == set(MEANINGS)
    assert all(record.get("right", True) for record in records)
    moved = [(r["item"], r["bytes"]) for r in records if r["item"] in ("copy", "reduce")]
    assert moved == [("copy", 4096), ("copy", 65536), ("reduce", 4096), ("reduce", 65536)]
    rings = [(r["item"], r["bytes"]) for r in records if "ring" in r["item"]]
    assert rings == [(item, ring) for item in ("ring", "streamed_ring") for ring in RINGS]
    assert all(floor["value"] > 0 for floor in summary["floors"] if floor["item"] != "spin")


@needs_bench
def test_a_table_for_people():
    result = bench("floor", "--mpi", BUILT[0], "--pairs", 1, "--milliseconds", 1)
    assert result.returncode == 0, result.stderr
    assert "cache line from core to core" in " ".join(result.stdout.split())


@pytest.mark.parametrize("size", ["lots", "7"])
def test_nonsense_is_refused(size):
    assert f"--bytes {size}" in refused("floor", "--bytes", size)
