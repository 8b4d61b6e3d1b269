# SPDX-License-Identifier: BSD-3-Clause
"""`weft reproduce`: the figures and tables of the papers, simulated, beside what the papers say."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from weft.bad_input import BadInput
from weft.console import err, out, progress, say, table

if TYPE_CHECKING:
    from weft.reproduce.simulate import Reproduction


def run(
    names: Annotated[
        list[str] | None, typer.Argument(help="Studies by name, the path of a .toml file, or all; without: the list.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw it; one study.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE.html", help="One page of all that is asked for.")] = None,
    tiny: Annotated[bool, typer.Option("--tiny", help="At few points: to see that it works.")] = False,
    measure: Annotated[
        bool, typer.Option("--measure", help="Measure as well what this machine can of it, which takes a while.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One object per study.")] = False,
) -> None:
    """Simulate a paper's figure, and say which of its claims come out."""
    from weft.reproduce.measure import Bench
    from weft.reproduce.page import page, picture
    from weft.reproduce.simulate import reproduce
    from weft.reproduce.study import find_study, read_study, study_files
    from weft.simulation import save

    files = study_files()
    if not names:
        return show_list(files)
    if plot is not None and (len(names) != 1 or names == ["all"]):
        raise BadInput("--plot is for one study; --html for many.")
    chosen = list(files.values()) if names == ["all"] else [find_study(name) for name in names]
    studies = [read_study(file) for file in chosen]
    count = sum(len(one.series) * len(one.axis.tiny if tiny else one.axis.values) for one in studies)
    bench = Bench(lambda line: err.print(line, soft_wrap=True, markup=False)) if measure else None
    if bench is not None:
        count += sum(len(one.measured) for one in studies)
        if not any(one.measured for one in studies):
            raise BadInput("--measure: nothing of that can be measured on this machine.")
    done: list[Reproduction] = []
    with progress("simulating and measuring" if measure else "simulating", count) as advance:
        for study in studies:
            done.append(reproduce(study, tiny=tiny, bench=bench, advance=advance))
            if as_json:
                print(json.dumps(done[-1].record))
    if plot is not None:
        try:
            picture(done[0]).savefig(plot, dpi=120)
        except OSError as problem:
            raise BadInput(f"{plot} cannot be written: {problem.strerror}.") from problem
    if html is not None:
        save(html, page(done))
    if not as_json:
        for one in done:
            show(one)
    return None


def show_list(files: dict[str, Path]) -> None:
    from weft.reproduce.study import read_study

    rows = table("Studies", "study", "paper", "figure", "what")
    for file in files.values():
        study = read_study(file)
        rows.add_row(study.name, study.paper, study.figure, study.title)
    out.print(rows)


def show(one: "Reproduction") -> None:
    from weft.reproduce.page import columns, measured_notes, rows
    from weft.reproduce.simulate import because

    study = one.study
    say()
    cells = columns(one)
    names = [name for name, _ in cells]
    figure = table(
        f"{study.title} ({study.paper}, {study.figure}), simulated on {study.machine}: {study.metric}",
        study.axis.name,
        *names,
        right=(study.axis.name, *names),
    )
    for point in rows(one):
        figure.add_row(f"{point:,.10g}", *(Text(values.get(point, "")) for _, values in cells))
    out.print(figure)
    verdicts = table("", "the paper says", "where", "paper", "ours", "verdict")
    for claim, judgement in one.judgements:
        says = claim.says + (" (unfavourable)" if claim.unfavourable else "")
        why = because(claim, judgement)
        verdict = judgement.verdict.value + (f": {why}" if why else "")
        verdicts.add_row(*map(Text, (says, claim.where, judgement.paper, judgement.ours, verdict)))
    out.print(verdicts)
    for note in (*study.notes, *measured_notes(one)):
        say(note)
