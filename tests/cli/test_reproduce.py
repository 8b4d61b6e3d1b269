# SPDX-License-Identifier: BSD-3-Clause
"""`weft reproduce`: every study is sound and runs, verdicts are what the numbers say, bad files are refused."""

import json
from pathlib import Path

import pytest
from command_line import answer, refusal

from weft.bad_input import BadInput
from weft.machine_file import machine_files, read_machine
from weft.reproduce.judge import KINDS
from weft.reproduce.programs import run
from weft.reproduce.programs.compression import pipeline
from weft.reproduce.programs.nbcbench import counted
from weft.reproduce.programs.poisson import most_cubic
from weft.reproduce.simulate import reproduce
from weft.reproduce.study import read_study, study_files

LOGGOPS = "loggops:L=2500,o=1500,g=1000,G=6,S=65535"
STUDIES = study_files()

SMALL = """title = "a test"
paper = "nobody"
figure = "figure 0"
machine = "example"
metric = "latency_us"

[axis]
name = "ranks"
values = [2, 4, 8]
tiny = [2]

[common]
program = "collective"
collective = "barrier"

[[series]]
name = "a"
algorithm = "dissemination"

[[series]]
name = "b"
algorithm = "recursive_k_ing"

[[claim]]
says = "what it says"
where = "there"
"""


def small(folder: Path, claim: str = 'kind = "words"\nwhy = "so"', change: tuple[str, str] = ("", "")) -> Path:
    file = folder / "small.toml"
    file.write_text(SMALL.replace(*change) + claim + "\n")
    return file


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_is_sound_and_runs_at_its_few_points(name: str):
    study = read_study(STUDIES[name])
    assert study.claims
    done = reproduce(study, tiny=True)
    assert set(done.points) == set(study.axis.tiny) <= set(study.axis.values)
    assert len(done.results) == len(study.series) * len(study.axis.tiny)
    assert len(done.judgements) == len(study.claims)
    json.dumps(done.record)
    for claim in study.claims:
        metric = claim.parameters.get("metric", study.metric)
        for series in (claim.parameters[key] for key in KINDS[claim.kind].series):
            assert all(metric in done.results[series, point] for point in study.axis.tiny)


@pytest.mark.parametrize("name", machine_files())
def test_each_number_of_a_machine_says_where_it_is_from(name: str):
    machine = read_machine(machine_files()[name])
    assert machine.name == name
    assert all(bool(one.source) != bool(one.assumed) for one in machine.parameters)
    assert run("collective", {"machine": machine.text, "collective": "barrier", "ranks": 4})["latency_us"] > 0


def test_all_studies_are_one_page(tmp_path: Path):
    answer("reproduce", "all", "--tiny", "--html", tmp_path / "all.html")
    page = (tmp_path / "all.html").read_text()
    for name, file in STUDIES.items():
        assert f'<h2 id="{name}">' in page
        assert page.count(f'href="#{name}"') == 1
        assert read_study(file).figure.replace("'", "&#x27;") in page
    assert page.count("data:image/png") == len(STUDIES)


def test_the_list_a_picture_and_json(tmp_path: Path):
    listed = answer("reproduce", COLUMNS="300")
    assert all(name in listed for name in STUDIES)
    file = small(tmp_path)
    answer("reproduce", file, "--plot", tmp_path / "small.png")
    assert (tmp_path / "small.png").read_bytes().startswith(b"\x89PNG")
    record = json.loads(answer("reproduce", file, "--json"))
    assert [point["ranks"] for point in record["points"]] == [2, 4, 8] * 2
    assert record["claims"][0]["verdict"] == "not judged"


WORDS = 'kind = "words"\nwhy = "so"'
VALUE = 'kind = "value"\nseries = "a"\nat = 4\npaper = '
ORDER = 'kind = "order"\nsmaller = "a"\nlarger = "b"'


@pytest.mark.parametrize(
    ("claim", "change", "line", "message"),
    [
        ('kind = "words"', ("", ""), 27, "has why"),
        ('kind = "feeling"', ("", ""), 27, "no kind of claim"),
        (WORDS, ('paper = "nobody"\n', ""), 1, "paper: a study needs it"),
        (WORDS, ('paper = "nobody"', "paper = 3"), 2, "3 is no str"),
        (WORDS, ('title = "a test"', 'title = "a test"\nhue = 3'), 2, "nothing of that name"),
        (WORDS, ('title = "a test"', 'title = "a test"\nnotes = [3]'), 2, "these are texts"),
        (WORDS, ("values = [2, 4, 8]", "values = [2, 4"), 10, "Unclosed array"),
        # Machines, also in a series.
        (WORDS, ('"example"', '"earl"'), 4, "there is no such machine"),
        (WORDS, ('"example"', '"loggops:L=abc"'), 4, "use a number of ns"),
        (WORDS, ('name = "b"', 'name = "b"\nmachine = "earl"'), 22, "there is no such machine"),
        # The axis.
        (WORDS, ('name = "ranks"', 'name = "people"'), 8, "no such parameter"),
        (WORDS, ("tiny = [2]", "tine = [2]"), 10, "an axis has"),
        (WORDS, ("tiny = [2]", "tiny = [3]"), 10, "3: the axis has no such value"),
        (WORDS, ("tiny = [2]", "tiny = []"), 10, "at least one"),
        (WORDS, ("[2, 4, 8]", '[2, "x", 8]'), 9, "'x' is no number"),
        (WORDS, ("[2, 4, 8]", "[2, true, 8]"), 9, "True is no number"),
        (WORDS, ("[2, 4, 8]", "[2, nan]"), 9, "nan is no number"),
        (WORDS, ("[2, 4, 8]", "[8, 4, 2]"), 9, "4 follows 8"),
        (WORDS, ("[2, 4, 8]", "[2, 2, 8]"), 9, "2 follows 2"),
        (WORDS, ("[2, 4, 8]", "[2, 4.5]"), 9, "takes a whole number for ranks"),
        # Series.
        (WORDS, ('name = "b"', 'name = "a"'), 21, "two series"),
        (WORDS, ('"collective"', '"dance"'), 13, "no program; there are collective"),
        (WORDS, ('algorithm = "d', 'algorism = "d'), 18, "no such parameter"),
        (WORDS, ('algorithm = "d', 'ranks = 3\nalgorithm = "d'), 18, "it is the axis"),
        (WORDS, ('algorithm = "dissemination"', "algorithm = 3"), 18, "takes a text"),
        (WORDS, ('collective = "barrier"\n', ""), 16, "needs collective"),
        # Claims.
        ('kind = "order"\nsmaller = "a"\nlarger = "c"', ("", ""), 29, "no series; there are a, b"),
        (ORDER + "\nat = 3", ("", ""), 30, "the axis has no such value"),
        (ORDER + "\nat = [8, 2]", ("", ""), 30, "let them rise"),
        (ORDER + "\nby = 0.5", ("", ""), 30, "1 or more"),
        (ORDER + "\ncolour = 1", ("", ""), 30, "a claim of kind order has smaller"),
        (VALUE + '"much"', ("", ""), 30, "there has to be a number"),
        (VALUE + "0", ("", ""), 30, "write a bound"),
        (VALUE.replace("4", "[4]") + "1", ("", ""), 29, "there has to be a number"),
        ('kind = "trend"\nseries = "a"\ngoes = "up"', ("", ""), 29, "goes rises or falls or constant"),
        ('kind = "bound"\nseries = "a"', ("", ""), 27, "else it cannot fail"),
        ('kind = "bound"\nseries = "a"\nfrom = 2\nto = 1', ("", ""), 29, "it cannot hold"),
        ('kind = "gap"\nfirst = "a"\nsecond = "b"\ngoes = "widens"\npaper = 3', ("", ""), 31, "[first, last]"),
        (WORDS, ("[[claim]]", '[[measured]]\nname = "m"\n[[claim]]'), 24, "command: a study needs it"),
        (
            WORDS,
            ("[[claim]]", '[[measured]]\nname = "m"\ncommand = "odd"\nvalue = "v"\ndiffers = "d"\n[[claim]]'),
            26,
            "no question of weft bench",
        ),
    ],
)
def test_a_bad_study_is_refused_with_its_line(
    tmp_path: Path, claim: str, change: tuple[str, str], line: int, message: str
):
    file = small(tmp_path, claim, change)
    with pytest.raises(BadInput) as refused:
        read_study(file)
    assert message in str(refused.value)
    assert str(refused.value).startswith(f"{file}:{line}: ")


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (('"latency_us"', '"height_us"'), 5, "metric: height_us: collective has latency_us"),
        (('"dissemination"', '"telepathy"'), 18, "algorithm: series a at ranks = 2: "),
        (('"barrier"', '"ballet"'), 14, "collective: series a at ranks = 2: "),
        (('"recursive_k_ing"', '"recursive_k_ing"\nmoved_by = "magic"'), 23, "moved_by: series b at ranks = 2: "),
        (('"recursive_k_ing"', '"recursive_k_ing"\nranks_per_node = 3'), 23, "ranks_per_node: series b at ranks = 2: "),
        (("[2, 4, 8]\ntiny = [2]", "[-2, 4]"), 9, "values: series a at ranks = -2: "),
    ],
)
def test_what_only_a_program_knows_is_refused_with_its_line_as_well(
    tmp_path: Path, change: tuple[str, str], line: int, message: str
):
    file = small(tmp_path, change=change)
    with pytest.raises(BadInput) as refused:
        reproduce(read_study(file), tiny=True)
    assert str(refused.value).startswith(f"{file}:{line}: {message}")


def test_a_metric_of_a_claim_that_is_not_there_is_refused(tmp_path: Path):
    file = small(tmp_path, ORDER + '\nmetric = "weight"')
    with pytest.raises(BadInput, match=f"{file}:30: metric: weight: collective has latency_us"):
        reproduce(read_study(file), tiny=True)


def test_a_claim_without_any_series_or_claim_is_refused(tmp_path: Path):
    file = tmp_path / "empty.toml"
    head, tail = SMALL.split("[[series]]", 1)
    file.write_text(head + "[[claim]]" + tail.split("[[claim]]")[1] + WORDS)
    with pytest.raises(BadInput, match="series: a study has at least one"):
        read_study(file)
    file.write_text(SMALL.split("[[claim]]")[0])
    with pytest.raises(BadInput, match="claim: a study has at least one"):
        read_study(file)


def test_the_command_line_refuses_as_well(tmp_path: Path):
    assert "there is no study odd: choose all" in refusal("reproduce", "odd")
    assert "Perhaps libnbc-fig4" in refusal("reproduce", "libnbc-fig44")
    assert refusal("reproduce", tmp_path / "nothere.toml").strip().endswith("nothere.toml: there is no such file.")
    assert "nothing of that can be measured" in refusal("reproduce", small(tmp_path), "--measure")
    assert "--plot is for one study" in refusal("reproduce", "all", "--plot", tmp_path / "all.png")
    file = tmp_path / "broken.toml"
    file.write_text('title = "a\n')
    assert f"{file}:1: " in refusal("reproduce", file)
    file = small(tmp_path, change=('"dissemination"', '"telepathy"'))
    assert f"{file}:18: algorithm: series a at ranks = 2: " in refusal("reproduce", file, "--tiny")


def test_a_pipeline_has_no_more_on_their_way_than_it_may():
    for blocks, outstanding in ((1, 0), (4, 0), (1, 1), (5, 2), (7, 3), (3, 3)):
        under_way, done = set(), 0
        for what, which in pipeline(blocks, outstanding, 1.0):
            if what == "start":
                assert which not in under_way
                under_way.add(which)
            elif what == "wait":
                under_way.remove(which)
                done += 1
            assert len(under_way) <= max(outstanding, 1)
        assert done == blocks
        assert not under_way


def test_requests_are_counted_by_round():
    assert counted("alltoall", 8, 100, "pairwise") == ([14], 1400)
    assert counted("allgather", 8, 100, "ring") == ([2] * 7, 1400)


def test_grids_are_as_cubic_as_can_be():
    assert [most_cubic(ranks) for ranks in (1, 8, 12, 7, 64)] == [(1, 1, 1), (2, 2, 2), (3, 2, 2), (7, 1, 1), (4, 4, 4)]


def test_what_is_on_its_way_meanwhile_takes_less_time():
    machine = {"machine": LOGGOPS}
    given = machine | {"ranks": 8, "input_bytes": 1 << 20, "alone_seconds": 0.1}
    blocking = run("compression", given)
    pipelined = run("compression", given | {"blocks": 8, "outstanding": 2, "tests_per_block": 4})
    assert 0 < pipelined["gain_percent"] <= blocking["hidden_percent"] < 100
    given = machine | {"ranks": 8, "points": 64, "gigaflops": 1.0}
    pipelined = run("fft_planes", given | {"planes": 2, "outstanding": 2, "tests_per_group": 8})
    assert run("fft_planes", given)["total_us"] > pipelined["total_us"]
    given = machine | {"ranks": 8, "points": 64, "product_ns": 12.0, "vectors_ns": 20.0}
    assert run("poisson", given | {"overlaps": True, "tests": 8})["gain_percent"] > 0
    given = machine | {"ranks": 8, "collective": "barrier", "algorithm": "recursive_k_ing"}
    for test in ("wait-based", "polling-based"):
        lists = run("offload", given | {"test": test})
        assert (
            lists["available_percent"] > run("offload", given | {"moved_by": "host", "test": test})["available_percent"]
        )


def test_a_step_inside_nodes_spares_messages_between_them():
    machine = "loggops:L=2500,o=1500,g=1000,G=6,nic=node,task=200,post=500;node:L=300,o=100,G=0.2,l=100,c=0.2"
    for collective, algorithm, in_node in (("barrier", "dissemination", "exchange"), ("bcast", "k_nomial", "fan_out")):
        given = {
            "machine": machine,
            "collective": collective,
            "algorithm": algorithm,
            "ranks": 16,
            "ranks_per_node": 4,
            "bytes": 8,
        }
        flat, hierarchical = run("offload", given), run("offload", given | {"in_node": in_node})
        assert hierarchical["latency_us"] < flat["latency_us"]
        assert (hierarchical["connections"], flat["connections"]) == ((3, 7) if collective == "barrier" else (2, 4))


@pytest.mark.parametrize(("radix", "connections"), [(2, 6), (4, 9), (8, 14)])
def test_a_rank_of_a_tree_has_as_many_connections_as_the_formula(radix: int, connections: int):
    given = {
        "machine": LOGGOPS,
        "collective": "bcast",
        "algorithm": "k_nomial",
        "ranks": 64,
        "radix": radix,
        "bytes": 8,
    }
    assert run("offload", given)["connections"] == connections
    assert run("offload", given | {"bytes": 0})["available_percent"] == 0  # nothing to do


def test_programs_refuse_what_does_not_fit():
    for name, given in (
        ("compression", {"ranks": 2, "input_bytes": 8, "alone_seconds": 1, "blocks": 2, "outstanding": 3}),
        ("fft_planes", {"ranks": 3, "points": 64, "gigaflops": 1}),
        ("fft_planes", {"ranks": 4, "points": 64, "gigaflops": 1, "planes": 3, "outstanding": 1}),
        ("poisson", {"ranks": 0, "points": 64, "product_ns": 1, "vectors_ns": 1}),
        ("offload", {"collective": "barrier", "ranks": 4, "algorithm": "dissemination", "test": "odd"}),
        ("odd", {}),
        ("collective", {"collective": "barrier"}),
        ("collective", {"collective": "barrier", "ranks": 4, "odd": 1}),
    ):
        with pytest.raises(BadInput):
            run(name, {"machine": LOGGOPS} | given)
