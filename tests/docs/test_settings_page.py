# SPDX-License-Identifier: BSD-3-Clause
"""docs/settings.md says of every setting what the library's own table says; UPDATE_GOLDEN=1 rewrites it."""

import os
from pathlib import Path

import pytest

_core = pytest.importorskip("weft._core", reason="the table is in the compiled core, which is not built")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"
HEAD = "| setting | default | allowed | whose | meaning |"


def expected():
    lines = [HEAD, "|---|---|---|---|---|"]
    for setting in _core.settings():
        whose = {"process": "each process", "job": "rank 0", "communicator": f"rank 0; `{setting['info_key']}`"}
        cells = [
            f"`{setting['name']}`",
            f"`{setting['default']}`" if setting["default"] else "",
            setting["allowed"],
            whose[setting["scope"]],
            setting["meaning"],
        ]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return lines


def test_the_page_has_the_table_of_the_library():
    lines = PAGE.read_text().splitlines()
    begin = lines.index(HEAD)
    end = next(i for i in range(begin, len(lines)) if not lines[i].startswith("|"))
    if os.environ.get("UPDATE_GOLDEN") == "1":
        PAGE.write_text("\n".join([*lines[:begin], *expected(), *lines[end:]]) + "\n")
        return
    assert lines[begin:end] == expected(), "UPDATE_GOLDEN=1 rewrites the table"
