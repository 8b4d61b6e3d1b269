# SPDX-License-Identifier: BSD-3-Clause
"""weft bench agreement: two runs whose ratios are known."""

import json

from bench_command import bench, refused


def run(file, **weft_times):
    """Records of one pair per collective, the host's time always 10."""
    with file.open("w") as lines:
        for collective, microseconds in weft_times.items():
            for who, time in (("host", 10.0), ("weft", microseconds)):
                record = {"benchmark": "latency", "collective": collective, "bytes": 8, "ranks": 2, "pair": 0}
                record |= {"implementation": who, "mpi": "Open MPI", "microseconds": time}
                lines.write(json.dumps(record) + "\n")
    return file


def test_rows_agree_by_their_ratios(tmp_path):
    first = run(tmp_path / "first.jsonl", bcast=5.0, reduce=5.0, barrier=5.0)
    second = run(tmp_path / "second.jsonl", bcast=5.4, reduce=4.0)
    result = bench("agreement", first, second, "--json")
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    assert summary["rows"] == 2
    assert summary["agreeing"] == 0.5
    assert "1 of 2 rows (50 %) agree within 10 %" in bench("agreement", first, second).stdout


def test_files_without_a_common_row_are_refused(tmp_path):
    first, second = run(tmp_path / "first.jsonl", bcast=5.0), run(tmp_path / "second.jsonl", reduce=4.0)
    assert "no row in common" in refused("agreement", first, second)


def test_files_that_are_no_records_are_refused(tmp_path):
    (tmp_path / "text").write_text("hello\n")
    assert "line 1, is not a record" in refused("agreement", tmp_path / "text", tmp_path / "text")
    assert "cannot be read" in refused("agreement", tmp_path / "none", tmp_path / "text")
