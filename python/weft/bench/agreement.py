# SPDX-License-Identifier: BSD-3-Clause
"""`weft bench agreement FIRST SECOND`: do two runs of the same measurement give the same ratios?"""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from weft.bad_input import BadInput
from weft.bench import analysis, options
from weft.compare import Spread
from weft.console import out, print_json, say, table
from weft.units import show_size

KEYS = ("benchmark", "collective", "bytes", "ranks", "method")
SHOWN = 12


def run(
    first: Annotated[Path, typer.Argument(metavar="FIRST.jsonl", help="Records, as --results keeps them.")],
    second: Annotated[Path, typer.Argument(metavar="SECOND.jsonl")],
    within: Annotated[float, typer.Option(min=0, help="Agreement: ratios that differ by at most this, in %.")] = 10.0,
    as_json: options.AsJson = False,
) -> None:
    """Compare the ratios (not the times) of two runs, row by row."""
    rows = compared(ratios(first), ratios(second))
    if not rows:
        raise BadInput(f"{first} and {second} have no row in common: they must be records of the same measurement.")
    agreeing = sum(row["difference_percent"] <= within for row in rows)
    summary = {
        "summary": "agreement", "rows": len(rows), "within_percent": within, "agreeing": agreeing / len(rows),
        "rows_compared": rows,
    }  # fmt: skip
    if as_json:
        print_json(summary)
        return
    shown = table("Rows that differ most", "row", "MPI", "first", "second", "%", right=("first", "second", "%"))
    for row in sorted(rows, key=lambda row: -row["difference_percent"])[:SHOWN]:
        method = f", {row['method']}" if row["method"] else ""
        name = f"{row['collective']} {show_size(row['bytes'])} on {row['ranks']} ranks{method}"
        difference = f"{row['difference_percent']:.1f}"
        shown.add_row(name, row["mpi"], str(row["first"]), str(row["second"]), difference)
    out.print(shown)
    say(f"{agreeing} of {len(rows)} rows ({100 * agreeing / len(rows):.0f} %) agree within {within:g} %.")


def ratios(file: Path) -> dict[tuple[tuple[Any, ...], str], Spread]:
    """(row, MPI) -> Weft over host."""
    found = {}
    for point in analysis.points(read_records(file), KEYS):
        for mpi in dict.fromkeys(mpi for _, mpi in point.series):
            ratio = point.ratio(mpi=mpi)
            if ratio is not None:
                found[tuple(point.key.get(key) for key in KEYS), mpi] = ratio
    return found


def read_records(file: Path) -> list[dict[str, Any]]:
    try:
        lines = file.read_text().splitlines()
    except OSError as problem:
        raise BadInput(f"{file} cannot be read: {problem.strerror}.") from problem
    records = []
    for number, line in enumerate(lines, 1):
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError as problem:
            raise BadInput(f"{file}, line {number}, is not a record: {problem.msg}.") from problem
    return [record for record in records if "implementation" in record]


def compared(
    first: dict[tuple[tuple[Any, ...], str], Spread], second: dict[tuple[tuple[Any, ...], str], Spread]
) -> list[dict[str, Any]]:
    """Rows that both have; the difference is of the larger over the smaller."""
    rows = []
    for (key, mpi), a in first.items():
        b = second.get((key, mpi))
        if b is None:
            continue
        difference = 100 * (max(a.median, b.median) / min(a.median, b.median) - 1)
        row = dict(zip(KEYS, key, strict=True)) | {"mpi": mpi}
        rows.append(row | {"first": round(a.median, 4), "second": round(b.median, 4), "difference_percent": difference})
    return rows
