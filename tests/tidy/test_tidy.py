# SPDX-License-Identifier: BSD-3-Clause
"""The tree follows the rules of tools/tidy.py, and each rule rejects what it is there to reject."""

import importlib.util
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "tidy.py"
spec = importlib.util.spec_from_file_location("tidy", TOOL)
tidy = importlib.util.module_from_spec(spec)
sys.modules["tidy"] = tidy
spec.loader.exec_module(tidy)

SPDX = "// SPDX-License-Identifier: BSD-3-Clause\n"


def messages(rule, path, text):
    return [finding.message for finding in rule(tidy.File(path, text))]


def lines(rule, path, text):
    return [finding.line for finding in rule(tidy.File(path, text))]


def test_the_tree_is_tidy():
    findings = tidy.check(tidy.tree())
    assert not findings, "\n" + "\n".join(map(str, findings))


def test_the_layers_have_no_cycle():
    done = set()
    while len(done) < len(tidy.LAYERS):
        ready = {layer for layer, below in tidy.LAYERS.items() if layer not in done and below - {layer} <= done}
        assert ready, f"cycle among {sorted(set(tidy.LAYERS) - done)}"
        done |= ready


@pytest.mark.parametrize(
    ("path", "included"),
    [
        ("src/base/clock.hpp", "schedule/task.hpp"),
        ("src/schedule/builder.cpp", "algorithm/catalog.hpp"),
        ("src/schedule/builder.cpp", "executor/ready_set.hpp"),
        ("src/algorithm/bcast/k_nomial.cpp", "executor/processor/operation.hpp"),
        ("src/algorithm/bcast/k_nomial.cpp", "planner/planner.hpp"),
        ("src/executor/processor/operation.cpp", "executor/verifier/verify.hpp"),
        ("src/executor/verifier/verify.cpp", "planner/planner.hpp"),
        ("src/executor/ready_set.cpp", "transport/transport.hpp"),
        ("src/transport/in_process.cpp", "executor/processor/operation.hpp"),
        ("src/observe/counters.cpp", "schedule/task.hpp"),
        ("src/planner/planner.cpp", "mpi/flight/request.hpp"),
        ("src/mpi/engine/waits.cpp", "mpi/flight/launch.hpp"),
        ("src/mpi/flight/launch.cpp", "mpi/communicator/communicator.hpp"),
        ("src/mpi/alone.cpp", "base/clock.hpp"),
        ("src/base/clock.cpp", "clock.hpp"),
        ("src/base/clock.cpp", "../mpi/flight/request.hpp"),
        ("src/base/clock.cpp", "vendor/thing.hpp"),
        ("src/strange/thing.cpp", "base/clock.hpp"),
    ],
)
def test_an_include_that_points_up_is_rejected(path, included):
    assert messages(tidy.layers, path, f'{SPDX}#include "{included}"\n')


@pytest.mark.parametrize(
    ("path", "included"),
    [
        ("src/base/clock.cpp", "base/clock.hpp"),
        ("src/base/clock.cpp", "weft/weft.h"),
        ("src/executor/processor/operation.cpp", "executor/ready_set.hpp"),
        ("src/executor/processor/operation.cpp", "executor/processor/operation.hpp"),
        ("src/mpi/host/progress.cpp", "executor/processor/operation.hpp"),
        ("src/mpi/call/collective.cpp", "mpi/flight/launch.hpp"),
        ("src/planner/planner.cpp", "algorithm/catalog.hpp"),
        ("tests/unit/clock_test.cpp", "mpi/flight/request.hpp"),
    ],
)
def test_an_include_that_points_down_is_accepted(path, included):
    assert not messages(tidy.layers, path, f'{SPDX}#include "{included}"\n#include <vector>\n')


def test_a_long_file_is_rejected():
    assert messages(tidy.size, "src/base/a.cpp", "\n" * 401)
    assert messages(tidy.size, "python/weft/a.py", "\n" * 401)
    assert not messages(tidy.size, "src/base/a.cpp", "\n" * 400)
    assert not messages(tidy.size, "docs/a.md", "\n" * 401)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/base/a.cpp", "#pragma once\n" + SPDX),
        ("src/base/a.cpp", ""),
        ("tools/a.py", "#!/usr/bin/env python3\nimport sys\n"),
        ("tests/mpi/a.f90", "program a\n"),
        ("src/base/a.cpp", "// SPDX-License-Identifier: MIT\n"),
    ],
)
def test_a_missing_licence_line_is_rejected(path, text):
    assert messages(tidy.licence, path, text)


def test_a_licence_line_is_accepted():
    line = "SPDX-License-Identifier: BSD-3-Clause"
    assert not messages(tidy.licence, "src/base/a.cpp", f"// {line}\n")
    assert not messages(tidy.licence, "tests/mpi/a.f90", f"! {line}\n")
    assert not messages(tidy.licence, "tools/a.py", f"#!/usr/bin/env python3\n# {line}\n")


@pytest.mark.parametrize("name", ["getenv", "secure_getenv", "std::getenv", "setenv"])
def test_reading_the_environment_is_rejected(name):
    text = f'{SPDX}auto x = {name}("A");\n'
    assert lines(tidy.environment, "src/mpi/a.cpp", text) == [2]
    assert not messages(tidy.environment, "src/base/config.cpp", text)
    assert not messages(tidy.environment, "tests/unit/a.cpp", text)


@pytest.mark.parametrize(
    "statement",
    [
        "printf(x);",
        "std::fprintf(stderr, x);",
        "std::cout << x;",
        "std::cerr << x;",
        "puts(x);",
        "fmt::print(x);",
        "exit(1);",
        "std::exit(1);",
        "_exit(1);",
        "abort();",
        "std::terminate();",
    ],
)
def test_printing_and_exiting_are_rejected(statement):
    assert lines(tidy.silence, "src/mpi/a.cpp", f"{SPDX}\n{statement}\n") == [3]
    assert not messages(tidy.silence, "apps/pcg/a.cpp", f"{SPDX}\n{statement}\n")


def test_words_that_only_look_like_printing_are_accepted():
    text = """// never printf( or exit(1)
    std::snprintf(b, n, "printf(%d) getenv std::cout", 1'000); /* std::cerr
    abort() */ operation.exit(1); on_exit(2); PMPI_Abort(c, 1); char q = '"'; schedule::print_text(s);
    auto raw = R"(exit(1))"; fingerprintf_(x);
    """
    assert not messages(tidy.silence, "src/mpi/a.cpp", text)
    assert not messages(tidy.environment, "src/mpi/a.cpp", text)


def test_a_literal_does_not_hide_the_code_after_it():
    assert lines(tidy.silence, "src/mpi/a.cpp", 'auto a = "\\"";\nexit(1);\nauto b = "";\n') == [2]
    assert lines(tidy.silence, "src/mpi/a.cpp", "int n = 1'000;\nexit(1);\nchar c = 'a';\n") == [2]


@pytest.mark.parametrize(
    "text",
    [
        "// TO" + "DO later\n",
        "// FIX" + "ME\n",
        "\tint x;\n",
        "// see /ho" + "me/ann/x\n",
        "cd /wo" + "rk/main\n",
    ],
)
def test_leftovers_are_rejected(text):
    assert lines(tidy.leftovers, "src/base/a.cpp", SPDX + text) == [2]


def test_leftovers_spare_what_is_no_leftover():
    assert not messages(tidy.leftovers, "Makefile", "all:\n\techo\n")
    assert not messages(tidy.leftovers, "docs/a.md", "weights in model/wo" + "rk/x and ${root}/ho" + "me/x\n")


def test_a_test_that_would_never_run_is_rejected():
    test = tidy.File("tests/unit/a_test.cpp", SPDX + "#include <gtest/gtest.h>\n")
    register = tidy.File("tests/tests.txt", "# unit/a_test.cpp\n")
    complete = tidy.File("tests/tests.txt", "unit/a_test.cpp\n")
    astray = tidy.File("tests/units/a_test.cpp", test.text)
    assert list(tidy.registered_tests([test, register]))
    assert list(tidy.registered_tests([astray, complete]))
    assert not list(tidy.registered_tests([test, complete]))
    helper = tidy.File("tests/support/golden.hpp", test.text)
    assert not list(tidy.registered_tests([helper, register]))


def test_units_that_include_one_another_are_rejected():
    first = tidy.File("src/base/first.hpp", SPDX + '#include "base/second.hpp"\n')
    second = tidy.File("src/base/second.hpp", SPDX)
    back = tidy.File("src/base/second.cpp", SPDX + '#include "base/second.hpp"\n#include "base/first.hpp"\n')
    assert not list(tidy.circles([first, second]))
    assert [finding.path for finding in tidy.circles([first, second, back])] == ["src/base/first", "src/base/second"]


def test_a_header_that_pulls_in_many_is_rejected():
    def headers(count):
        names = [f"base/h{i}.hpp" for i in range(count)]
        chain = [tidy.File(f"src/{a}", f'#include "{b}"\n') for a, b in zip(names, [*names[1:], ""], strict=True)]
        return [*chain, tidy.File("src/mpi/call/a.hpp", '#include "base/h0.hpp"\n')]

    assert not list(tidy.reach(headers(tidy.REACH_LIMIT)))
    (finding,) = tidy.reach(headers(tidy.REACH_LIMIT + 1))
    assert (finding.path, "pulls in 21 headers" in finding.message) == ("src/mpi/call/a.hpp", True)


def glossary_of(*words):
    rows = "".join(f"| {word} | something |\n" for word in words)
    return tidy.File("src/README.md", f"## Glossary\n\n| word | what it means here |\n|---|---|\n{rows}")


def test_a_word_of_the_glossary_has_one_meaning():
    once = tidy.File("src/base/a.hpp", "struct Slot {\n};\nstruct Call;\n")
    again = tidy.File("src/base/b.hpp", "  using Slot = int;\n")
    assert not list(tidy.glossary([glossary_of("slot", "call"), once]))
    assert [finding.path for finding in tidy.glossary([glossary_of("slot"), once, again])] == ["src/base/b.hpp"]
    assert not list(tidy.glossary([glossary_of("call"), once, again]))
    assert ["twice" in finding.message for finding in tidy.glossary([glossary_of("slot", "slot")])] == [True]
    assert list(tidy.glossary([glossary_of(*(f"w{i}" for i in range(tidy.MOST_WORDS + 1)))]))


TWO_RULES = tidy.File(
    "docs/drop_in.md", "## 1. One\n\n`tests/mpi/test_a.py`\n\n## 2. Two\n\nTests: `tests/mpi/test_a.py`.\n"
)
A_TEST = tidy.File("tests/mpi/test_a.py", "")
CITED = "drop_in " + "rule"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"// ({CITED} 3)\n", 1),
        (f"\n// {CITED}\n// 12\n", 2),
        (f"// {CITED}s 1 and 3\n", 1),
        (f"# {CITED}s 1, 3 or 2\n", 1),
    ],
)
def test_a_rule_that_does_not_exist_is_not_cited(text, line):
    (finding,) = tidy.cited_rules([TWO_RULES, A_TEST, tidy.File("src/base/a.hpp", text)])
    assert (finding.path, finding.line) == ("src/base/a.hpp", line)


def test_rules_that_exist_are_cited():
    text = f"// ({CITED} 2), 3 ranks\n// {CITED}s 1\n// and 2; docs/drop_in.md\n"
    assert not list(tidy.cited_rules([TWO_RULES, A_TEST, tidy.File("src/base/a.hpp", text)]))
    assert list(tidy.cited_rules([tidy.File("src/base/a.hpp", text)]))


def test_a_rule_names_tests_that_exist():
    assert [finding.line for finding in tidy.cited_rules([TWO_RULES])] == [3, 7]
    untested = tidy.File("docs/drop_in.md", TWO_RULES.text.replace("Tests: `tests/mpi/test_a.py`.", "Nobody looks."))
    (finding,) = tidy.cited_rules([untested, A_TEST])
    assert (finding.line, "rule 2" in finding.message) == (5, True)
