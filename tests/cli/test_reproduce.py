# SPDX-License-Identifier: BSD-3-Clause
"""`weft reproduce`: every study is sound and runs, verdicts are what the numbers say, bad files are refused."""

import json
from pathlib import Path

import pytest
from command_line import answer, refusal

from weft.bad_input import BadInput
from weft.machine_file import machine_files, read_machine
from weft.reproduce.judge import KINDS, Judgement, Verdict, judge
from weft.reproduce.programs import run
from weft.reproduce.programs.compression import pipeline
from weft.reproduce.programs.nbcbench import counted
from weft.reproduce.programs.poisson import most_cubic
from weft.reproduce.simulate import reproduce
from weft.reproduce.study import Study, read_study, study_files

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


def judged(folder: Path, claim: str, a: list[float], b: list[float]) -> Judgement:
    study = read_study(small(folder, claim))
    values = {"a": a, "b": b}
    results = {
        (name, point): {"latency_us": value, "other": 2 * value}
        for name in ("a", "b")
        for point, value in zip(study.axis.values, values[name], strict=False)
    }
    return judge(study, study.claims[0], results)


ORDER = 'kind = "order"\nsmaller = "a"\nlarger = "b"'
RATIO = 'kind = "ratio"\nof = "a"\nto = "b"\nat = 4\npaper = '
VALUE = 'kind = "value"\nseries = "a"\nat = 4\npaper = '
TREND = 'kind = "trend"\nseries = "a"\ngoes = '
GAP = 'kind = "gap"\nfirst = "a"\nsecond = "b"\ngoes = '
ALIKE = 'kind = "alike"\nfirst = "a"\nsecond = "b"'
BOUND = 'kind = "bound"\nseries = "a"\n'
POWER = 'kind = "power"\nseries = "a"\npaper = '
INSIDE = 'kind = "inside"\nseries = "a"'
UP, DOWN, FLAT = [1.0, 2.0, 4.0], [4.0, 2.0, 1.0], [2.0, 2.0, 2.1]


@pytest.mark.parametrize(
    ("claim", "a", "b", "verdict"),
    [
        (ORDER, UP, [2.0, 3.0, 5.0], Verdict.holds),
        (ORDER, UP, FLAT, Verdict.does_not_hold),
        (ORDER + "\nat = [2]", UP, FLAT, Verdict.holds),
        (ORDER + "\nat = 8", [1.0, 1.0], FLAT, Verdict.not_judged),
        (ORDER + "\nby = 1.2", UP, [1.3, 2.6, 5.2], Verdict.holds),
        (ORDER + "\nby = 1.5", UP, [1.3, 2.6, 5.2], Verdict.same_direction),
        (ORDER + "\nby = 1.5", UP, FLAT, Verdict.does_not_hold),
        (RATIO + "0.5", FLAT, [4.0, 4.0, 4.0], Verdict.holds),
        (RATIO + "0.1", FLAT, [4.0, 4.0, 4.0], Verdict.same_direction),
        (RATIO + "2.0", FLAT, [4.0, 4.0, 4.0], Verdict.does_not_hold),
        (RATIO + "2.0", [1.0], [1.0], Verdict.not_judged),
        (VALUE + "2.4", UP, UP, Verdict.holds),
        (VALUE + "2.6", UP, UP, Verdict.does_not_hold),
        (VALUE + "4\nwithin = 1.0\nmetric = 'other'", UP, UP, Verdict.holds),
        (VALUE + "2", [1.0], UP, Verdict.not_judged),
        (TREND + '"rises"', UP, UP, Verdict.holds),
        (TREND + '"rises"', DOWN, UP, Verdict.does_not_hold),
        (TREND + '"falls"', DOWN, UP, Verdict.holds),
        (TREND + '"constant"', FLAT, UP, Verdict.holds),
        (TREND + '"rises"', [-1.0, 0.0, 1.0], UP, Verdict.holds),
        (TREND + '"rises"', [1.0], UP, Verdict.not_judged),
        (GAP + '"widens"', FLAT, UP, Verdict.holds),
        (GAP + '"narrows"', FLAT, UP, Verdict.does_not_hold),
        (ALIKE, FLAT, [2.1, 2.1, 2.0], Verdict.holds),
        (ALIKE, UP, FLAT, Verdict.does_not_hold),
        (ALIKE + "\nwithin = 2.0", UP, FLAT, Verdict.holds),
        (BOUND + "from = 1", UP, UP, Verdict.holds),
        (BOUND + "from = 2", UP, UP, Verdict.does_not_hold),
        (BOUND + "to = 0", [-1.0, -2.0, -3.0], UP, Verdict.holds),
        (BOUND + "from = 2\nto = 4\nat = [4, 8]", UP, UP, Verdict.holds),
        (POWER + "1", UP, UP, Verdict.holds),
        (POWER + "-1", DOWN, UP, Verdict.holds),
        (POWER + "1", FLAT, UP, Verdict.does_not_hold),
        (POWER + "1", [1.0], UP, Verdict.not_judged),
        (INSIDE, [2.0, 1.0, 2.0], UP, Verdict.holds),
        (INSIDE, UP, UP, Verdict.does_not_hold),
        (INSIDE, [2.0, 1.0], UP, Verdict.not_judged),
        ('kind = "words"\nwhy = "so"', UP, UP, Verdict.not_judged),
    ],
)
def test_a_verdict_is_what_the_numbers_say(tmp_path: Path, claim: str, a: list, b: list, verdict: Verdict):
    assert judged(tmp_path, claim, a, b).verdict == verdict


@pytest.mark.parametrize(
    ("claim", "change", "line", "message"),
    [
        ('kind = "words"', ("", ""), 25, "has why"),
        ('kind = "feeling"', ("", ""), 27, "no kind of claim"),
        ('kind = "words"\nwhy = "so"', ('paper = "nobody"\n', ""), None, "paper: a study needs it"),
        ('kind = "words"\nwhy = "so"', ('paper = "nobody"', "paper = 3"), 2, "3 is no str"),
        ('kind = "words"\nwhy = "so"', ('name = "b"', 'name = "a"'), 17, "two series"),
        ('kind = "words"\nwhy = "so"', ('"collective"', '"dance"'), 13, "no program; there are collective"),
        ('kind = "words"\nwhy = "so"', ('algorithm = "d', 'algorism = "d'), 18, "no such parameter"),
        ('kind = "words"\nwhy = "so"', ('collective = "barrier"\n', ""), 16, "needs collective"),
        ('kind = "words"\nwhy = "so"', ('name = "ranks"', 'name = "people"'), 8, "no such parameter"),
        ('kind = "words"\nwhy = "so"', ('"example"', '"earl"'), 4, "there is no such machine"),
        ('kind = "words"\nwhy = "so"', ('name = "b"', 'name = "b"\nmachine = "earl"'), 22, "there is no such machine"),
        ('kind = "words"\nwhy = "so"', ('title = "a test"', 'title = "a test"\nhue = 3'), 2, "nothing of that name"),
        ('kind = "words"\nwhy = "so"', ("tiny = [2]", "tine = [2]"), 10, "an axis has"),
        ('kind = "order"\nsmaller = "a"\nlarger = "c"', ("", ""), 29, "no series; there are a, b"),
        ('kind = "order"\nsmaller = "a"\nlarger = "b"\nat = 3', ("", ""), 25, "the axis has no such value"),
        (VALUE + '"much"', ("", ""), None, "has a number there"),
        (VALUE.replace("4", "[4]") + "1", ("", ""), None, "has a number there"),
        (TREND + '"up"', ("", ""), 29, "goes rises, falls, constant"),
        (ORDER + "\ncolour = 1", ("", ""), 30, "a claim of kind order has smaller"),
    ],
)
def test_a_bad_study_is_refused_with_its_line(
    tmp_path: Path, claim: str, change: tuple[str, str], line: int | None, message: str
):
    file = small(tmp_path, claim, change)
    with pytest.raises(BadInput) as refused:
        read_study(file)
    assert message in str(refused.value)
    assert str(refused.value).startswith(f"{file}:{line}: " if line else f"{file}:")


def test_the_command_line_refuses_as_well(tmp_path: Path):
    assert "there is no study odd: choose all" in refusal("reproduce", "odd")
    assert "--plot is for one study" in refusal("reproduce", "all", "--plot", tmp_path / "all.png")
    file = tmp_path / "broken.toml"
    file.write_text('title = "a\n')
    assert f"{file}: " in (said := refusal("reproduce", file))
    assert "line 1" in said
    file = small(tmp_path, change=('"latency_us"', '"height_us"'))
    assert f"{file}: metric height_us: collective has latency_us" in refusal("reproduce", file, "--tiny")
    file = small(tmp_path, change=('"dissemination"', '"telepathy"'))
    assert f"{file}: series a at ranks = 2: " in refusal("reproduce", file, "--tiny")


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


def test_studies_name_their_points_once():
    for study in map(read_study, STUDIES.values()):
        assert is_in_order(study), study.name


def is_in_order(study: Study) -> bool:
    return list(study.axis.values) == sorted(set(study.axis.values))
