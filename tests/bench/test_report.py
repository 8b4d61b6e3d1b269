# SPDX-License-Identifier: BSD-3-Clause
"""weft bench report: one page about some of the questions, tiny."""

from bench_command import bench, needs_bench, refused


@needs_bench
def test_a_page_with_tables_pictures_and_records(tmp_path):
    folder = tmp_path / "results"
    result = bench("report", "--only", "floor,skew", "--quick", "--output", folder)
    assert result.returncode == 0, result.stdout + result.stderr
    page = (folder / "report.md").read_text()
    assert "$ weft bench floor" in page
    assert "cache line from core to core" in page
    assert "![Skew](skew.png)" in page
    assert (folder / "skew.png").exists()
    assert {file.name.split("-")[0] for file in folder.glob("*.jsonl")} == {"floor", "skew"}


def test_unknown_questions_are_refused(tmp_path):
    assert "--only tea" in refused("report", "--only", "tea", "--output", tmp_path)
