# SPDX-License-Identifier: BSD-3-Clause
"""Every code block of README.md, docs/ and src/README.md does what the page says; see blocks.py."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from blocks import PageError, blocks_of, console_commands, difference

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("WEFT_BUILD_DIR", ROOT / "build/release"))
PAGES = [ROOT / "README.md", ROOT / "src/README.md", *sorted(ROOT.glob("docs/**/*.md"))]
TIMEOUT_SECONDS = 240


def all_blocks():
    pages = [page for page in PAGES if page.exists()]
    return [block for page in pages for block in blocks_of(page.relative_to(ROOT).as_posix(), page.read_text())]


BLOCKS = all_blocks()


@pytest.fixture
def desk(tmp_path):
    """A folder that looks like the root of the repository, so that what a block writes stays out of it."""
    for entry in ROOT.iterdir():
        if entry.name != ".git":
            (tmp_path / entry.name).symlink_to(entry)
    return tmp_path


def run(command, desk, block):
    path = f"{ROOT / '.venv/bin'}:{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "110"}
    result = subprocess.run(
        command,
        cwd=desk,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert result.returncode == 0, f"{block}: code {result.returncode}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def run_console(block, desk):
    for command, shown in console_commands(block):
        printed = run(["bash", "-euo", "pipefail", "-c", command], desk, block)
        mode = block.directives.get("output")
        problem = difference(shown, printed, mode) if mode else None
        assert problem is None, f"{block}: {command}\n{problem}"


def run_cpp(block, desk):
    mode = block.directives.get("compile")
    assert mode is not None, f"{block}: say <!-- compile -->, or <!-- not run: reason -->"
    before = []
    if mode == "continues":
        before = [b.text for b in BLOCKS if b.page == block.page and b.line < block.line and "compile" in b.directives]
    text = "\n".join([*before, block.text])
    (desk / "block.cpp").write_text(text)
    compiler = [
        os.environ.get("CXX", "g++"),
        "-std=c++20",
        "-Wall",
        "-Wextra",
        "-DFMT_HEADER_ONLY",
        "-Isrc",
        "-Iinclude",
    ]
    if not re.search(r"\bint main\s*\(", text):
        run([*compiler, "-c", "block.cpp", "-o", "block.o"], desk, block)
        return
    libraries = [str(BUILD / "libweft_core.a"), "-pthread", "-ldl", "-lm"]
    run([*compiler, "block.cpp", "-o", "block", *libraries], desk, block)
    run(["./block"], desk, block)


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_block(block, desk):
    if reason := block.directives.get("not run"):
        pytest.skip(reason)
    if block.language == "console":
        run_console(block, desk)
    elif block.language == "cpp":
        run_cpp(block, desk)
    elif block.language == "python":
        run([sys.executable, "-c", block.text], desk, block)
    else:
        run(["bash", "-euo", "pipefail", "-c", block.text], desk, block)


@pytest.mark.parametrize("page", [page for page in PAGES if page.exists()], ids=lambda page: page.name)
def test_links_to_files_lead_somewhere(page):
    targets = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", page.read_text())
    gone = [target for target in targets if not (page.parent / target).exists()]
    assert not gone, f"{page.name} links to {gone}"


# What runs the pages is itself held to account.

PAGE = """
<!-- not run: needs two machines -->
```bash
false
```

<!-- output: exact -->

```console
$ echo a \\
    b
a b
$ true
```
Words in between end a directive.
```sh
true
```
```text
not run
```
"""


def test_blocks_are_found_with_their_directives():
    found = [(b.language, b.line, b.directives) for b in blocks_of("p", PAGE)]
    expected = [
        ("bash", 3, {"not run": "needs two machines"}),
        ("console", 9, {"output": "exact"}),
        ("sh", 16, {}),
    ]
    assert found == expected


def test_console_blocks_are_split_into_commands_and_output():
    commands = console_commands(blocks_of("p", PAGE)[1])
    assert commands == [("echo a \\\n    b", ["a b"]), ("true", [])]


@pytest.mark.parametrize(
    "text",
    ["<!-- not run: -->\n```bash\n```\n", "<!-- output: roughly -->\n```console\n```\n", "```bash\ntrue\n"],
)
def test_a_page_that_is_unclear_is_rejected(text):
    with pytest.raises(PageError):
        blocks_of("p", text)


def test_a_console_block_without_a_command_is_rejected():
    with pytest.raises(PageError):
        console_commands(blocks_of("p", "```console\nhello\n```\n")[0])


def test_wrong_output_is_noticed():
    assert difference(["a"], "a\n", "exact") is None
    assert difference(["a"], "a\nb\n", "exact")
    assert difference(["b"], "a\nb\n", "contains") is None
    assert difference(["c"], "a\nb\n", "contains")


@pytest.mark.parametrize(
    ("runner", "text"),
    [
        (run_console, "```console\n$ false\n```\n"),
        (run_console, "<!-- output: exact -->\n```console\n$ echo a\nb\n```\n"),
        (run_cpp, "```cpp\nint x;\n```\n"),
        (run_cpp, "<!-- compile -->\n```cpp\nint x = ;\n```\n"),
        (run_cpp, "<!-- compile -->\n```cpp\nint main() { return 1; }\n```\n"),
    ],
)
def test_a_block_that_fails_fails_the_test(runner, text, desk):
    with pytest.raises(AssertionError):
        runner(blocks_of("p", text)[0], desk)
