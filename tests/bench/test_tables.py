# SPDX-License-Identifier: BSD-3-Clause
"""Tables on narrow terminals: nothing of them is cut off."""

import pytest

from weft import console

RATIO = "0.97 [0.92, 1.00]"
TEXT = "what the CPU time is spent on"


@pytest.fixture
def lines(monkeypatch):
    """The lines of a table with a name, a text and a ratio, by the width of the terminal."""

    def lines(width):
        monkeypatch.setattr(console.out, "width", width)
        table = console.table("", "collective", "what is measured", "slowest to fastest", right=("slowest to fastest",))
        table.add_row("neighbor_alltoallw_init", TEXT, RATIO)
        with console.out.capture() as printed:
            console.out.print(table)
        return printed.get().splitlines()

    return lines


def test_what_fits_is_one_line_per_row(lines):
    heading, _, row = lines(80)
    assert heading.split() == ["collective", "what", "is", "measured", "slowest", "to", "fastest"]
    assert row.split() == ["neighbor_alltoallw_init", *TEXT.split(), *RATIO.split()]


def test_texts_and_headings_fold_between_words_and_numbers_do_not(lines):
    narrow = lines(60)
    assert max(map(len, narrow)) == 60
    assert len(narrow) > 4
    assert any(line.endswith(RATIO) for line in narrow)
    assert sorted(" ".join(narrow[-2:]).split()) == sorted(["neighbor_alltoallw_init", *TEXT.split(), *RATIO.split()])


def test_what_cannot_fit_is_left_to_the_terminal(lines):
    assert lines(30) == lines(80)
