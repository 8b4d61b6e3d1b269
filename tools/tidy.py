#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The rules of the house that a machine can check; prints every finding, and runs as a test.

Each rule is one function from a file (or from the list of files) to findings. tests/tidy shows for each of
them a sample that it rejects. LAYERS below is the architecture: who may include whom.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class File(NamedTuple):
    path: str  # from the root, with slashes
    text: str


class Finding(NamedTuple):
    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


# A layer is a folder of src/, a part of executor/, whose readers must not know one another, or a room of mpi/.
# For each, the layers that it may include besides itself. Makers of schedules (planner, algorithm, transform) and
# readers (executor, node, device) meet only in schedule.
LAYERS: dict[str, set[str]] = {
    "base": set(),
    "topology": {"base"},
    "collective": {"base", "topology"},
    "schedule": {"base", "topology", "collective"},
    "observe": {"base"},
    "transport": {"base", "schedule", "collective", "observe"},
    "algorithm": {"base", "topology", "collective", "schedule"},
    "transform": {"base", "topology", "collective", "schedule"},
    "planner": {"base", "topology", "collective", "schedule", "algorithm", "transform"},
    "executor/ready_set": {"base", "schedule", "collective"},
    "node": {"base", "topology", "schedule", "transport", "observe"},
    "device": {"base", "topology", "collective", "schedule", "transport", "observe", "executor/processor"},
}
READER = {"base", "topology", "collective", "schedule", "transport", "observe", "executor/ready_set"}
LAYERS |= {f"executor/{name}": READER for name in ("processor", "verifier", "simulator")}
LAYERS["explain"] = LAYERS["planner"] | {"planner", "node", "device", "transport"}
LAYERS["launcher"] = {"base"}
BEHIND_THE_DOOR = set(LAYERS) - {"launcher"}
# The rooms of the front door, each on the floor above the one before: who is higher may include who is lower.
MPI_ROOMS = ["host", "engine", "arguments", "flight", "communicator", "call", "window", "entry"]
for floor, room in enumerate(MPI_ROOMS):
    LAYERS[f"mpi/{room}"] = BEHIND_THE_DOOR | {f"mpi/{lower}" for lower in MPI_ROOMS[:floor]}

CPP = {".cpp", ".hpp", ".h", ".c"}
SOURCE = CPP | {".py", ".f90", ".cmake", ".sh"}
SOURCE_NAMES = {"CMakeLists.txt", "Makefile", "setup", "run"}
LINE_LIMIT = 400
REACH_LIMIT = 20
GLOSSARY_PAGE = "src/README.md"
MOST_WORDS = 40
RULES_PAGE = "docs/drop_in.md"
TEST_LEVELS = {"unit", "property", "mutation", "golden", "fuzz", "differential"}


def is_source(file: File) -> bool:
    path = PurePosixPath(file.path)
    return path.suffix in SOURCE or path.name in SOURCE_NAMES or file.text.startswith("#!")


def is_cpp_below(file: File, folder: str) -> bool:
    return file.path.startswith(folder + "/") and PurePosixPath(file.path).suffix in CPP


def layer_of(path: str) -> str:
    """Layer of a path below src/: "executor/processor/operation.hpp" -> "executor/processor"."""
    parts = path.split("/")
    if parts[0] not in ("executor", "mpi") or len(parts) < 2:
        return parts[0]
    return f"{parts[0]}/{re.sub(r'(_test)?[.].*', '', parts[1])}"


def without_comments_and_strings(text: str) -> str:
    """C or C++ with comments and literals blanked; lines stay where they are."""
    token = re.compile(
        r"//[^\n]*|/[*].*?[*]/|R\"([^(\s]*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.DOTALL
    )
    return token.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), re.sub(r"(?<=\d)'(?=\d)", "", text))


def line_of(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.start()) + 1


def each_match(file: File, text: str, pattern: str, message: str) -> Iterator[Finding]:
    for match in re.finditer(pattern, text):
        yield Finding(file.path, line_of(text, match), message.format(match.group().strip()))


def layers(file: File) -> Iterator[Finding]:
    """Includes point down: from a layer only to those that LAYERS allows."""
    if not is_cpp_below(file, "src"):
        return
    own = layer_of(file.path.removeprefix("src/"))
    if own not in LAYERS:
        yield Finding(file.path, 1, f"{own} is no layer: add it to LAYERS in tools/tidy.py, or move the file")
        return
    for number, line in enumerate(file.text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        if not match or match.group(1).startswith("weft/"):
            continue
        included = match.group(1)
        other = layer_of(included)
        if "/" not in included or included.startswith("."):
            # Only generated files lie beside nobody; everything else is named from src/.
            message = f'write "{included}" as a path from src/, so that its layer is seen'
            yield Finding(file.path, number, message)
        elif other not in LAYERS:
            yield Finding(file.path, number, f'"{included}" is in no layer of src/')
        elif other != own and other not in LAYERS[own]:
            allowed = ", ".join(sorted(LAYERS[own])) or "nothing"
            yield Finding(file.path, number, f"{own} must not include {other}; it may include {allowed}")


def size(file: File) -> Iterator[Finding]:
    """A file is one idea; above the limit it holds several."""
    lines = file.text.count("\n")
    if is_source(file) and lines > LINE_LIMIT:
        yield Finding(file.path, LINE_LIMIT, f"{lines} lines, the limit is {LINE_LIMIT}: split it by ideas")


def licence(file: File) -> Iterator[Finding]:
    """One SPDX line, the first, or the second after #!."""
    if is_source(file):
        head = file.text.splitlines()[:2]
        wanted = head[1:2] if head and head[0].startswith("#!") else head[:1]
        if not wanted or not re.fullmatch(r"(//|#|!|/\*) SPDX-License-Identifier: BSD-3-Clause( \*/)?", wanted[0]):
            yield Finding(file.path, 1, "the first line must be the comment SPDX-License-Identifier: BSD-3-Clause")


def environment(file: File) -> Iterator[Finding]:
    """The environment is read in one place, so that there is one list of what it can say."""
    if is_cpp_below(file, "src") and not file.path.startswith("src/base/config"):
        code = without_comments_and_strings(file.text)
        yield from each_match(
            file,
            code,
            r"\b(secure_)?getenv\b|\b(set|put|unset)env\b|\benviron\b",
            "{} belongs in src/base/config",
        )


def silence(file: File) -> Iterator[Finding]:
    """The library never prints and never exits: that is for the program that it is loaded into."""
    if not is_cpp_below(file, "src"):
        return
    code = without_comments_and_strings(file.text)
    if not file.path.startswith("src/base/log"):
        printing = r"\b(std::(cout|cerr|clog|print|println)|fmt::print|v?f?printf|f?puts|perror)\b"
        yield from each_match(file, code, printing, "{}: the library never prints; use the log (base/log)")
    ending = r"(?<![.>\w])(std::)?(_exit|_Exit|exit|quick_exit)\s*\("
    yield from each_match(file, code, ending, "{}): the library never ends the program; return an error")
    if not file.path.startswith("src/base/assert"):
        abort = r"(?<![.>\w])(std::)?(abort|terminate)\s*\("
        yield from each_match(file, code, abort, "{}): only an assertion (base/assert) may end the program")


def leftovers(file: File) -> Iterator[Finding]:
    """Nothing half done, no tabs, nothing that names one person's machine."""
    if not is_source(file) and PurePosixPath(file.path).suffix not in {".md", ".json", ".toml", ".txt"}:
        return
    marks = "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"])
    yield from each_match(file, file.text, rf"\b({marks})\b", "{}: finish it, or write down the limit as a fact")
    folders = "|".join(["ho" + "me", "ro" + "ot", "wo" + "rk", "Us" + "ers"])
    machine_path = rf"(?<![\w.}})*])/({folders})/\w[\w/.]*"
    yield from each_match(file, file.text, machine_path, "{} is a path of one machine")
    if PurePosixPath(file.path).name != "Makefile":
        yield from each_match(file, file.text, r"\t", "tab: indent with spaces")


def registered_tests(files: list[File]) -> Iterator[Finding]:
    """Every GoogleTest source is in tests/tests.txt, and lies in a folder that is a level."""
    register = next((file.text for file in files if file.path == "tests/tests.txt"), "")
    registered = {line for line in register.splitlines() if line and not line.startswith("#")}
    for file in files:
        # Headers, and what tests/support shares among the levels, run with the tests that use them.
        if not file.path.endswith(".cpp") or not is_cpp_below(file, "tests") or "gtest/gtest.h" not in file.text:
            continue
        if file.path.startswith("tests/support/"):
            continue
        name = file.path.removeprefix("tests/")
        if name.split("/")[0] not in TEST_LEVELS:
            yield Finding(
                file.path, 1, f"not below a level of tests/ ({', '.join(sorted(TEST_LEVELS))}): it never runs"
            )
        elif name not in registered:
            yield Finding(file.path, 1, f"not registered: add the line {name} to tests/tests.txt")


def circles(files: list[File]) -> Iterator[Finding]:
    """No unit, which is a header with its source, includes itself by way of others."""
    includes: dict[str, set[str]] = {}
    for file in files:
        if is_cpp_below(file, "src"):
            unit = file.path.removeprefix("src/").rsplit(".", 1)[0]
            named = re.findall(r'^#include "([^"]+)[.]h(?:pp)?"', file.text, re.MULTILINE)
            includes.setdefault(unit, set()).update(name for name in named if name != unit)
    reached = {unit: set(others) for unit, others in includes.items()}
    for middle in includes:
        for unit in includes:
            if middle in reached[unit]:
                reached[unit] |= reached[middle]
    for unit in includes:
        if unit in reached[unit]:
            circle = sorted(other for other in reached[unit] & includes.keys() if unit in reached[other])
            yield Finding(f"src/{unit}", 1, f"includes itself by way of others: {', '.join(circle)}")


def reach(files: list[File]) -> Iterator[Finding]:
    """Whoever includes a header of the front door reads little: it pulls in few others of ours."""
    includes = {
        file.path.removeprefix("src/"): re.findall(r'^#include "([^"]+[.]hpp)"', file.text, re.MULTILINE)
        for file in files
        if is_cpp_below(file, "src") and file.path.endswith(".hpp")
    }
    for header in includes:
        if not header.startswith("mpi/"):
            continue
        reached: set[str] = set()
        found = [header]
        while found:
            new = {name for name in includes[found.pop()] if name in includes} - reached
            reached |= new
            found += new
        if len(reached) > REACH_LIMIT:
            message = f"pulls in {len(reached)} headers, the limit is {REACH_LIMIT}: {', '.join(sorted(reached))}"
            yield Finding(f"src/{header}", 1, message)


def glossary(files: list[File]) -> Iterator[Finding]:
    """The words of src/README.md have one meaning each: one row, and at most one type of that name in src/."""
    page = next((file for file in files if file.path == GLOSSARY_PAGE), File(GLOSSARY_PAGE, ""))
    table = page.text.partition("## Glossary")[2]
    words = re.findall(r"^[|] (\w+) [|] (?!what it means here)", table, re.MULTILINE)
    if len(words) > MOST_WORDS:
        yield Finding(page.path, 1, f"the glossary has {len(words)} words, the limit is {MOST_WORDS}")
    for word in sorted({word for word in words if words.count(word) > 1}):
        yield Finding(page.path, 1, f"the glossary explains {word} twice")
    names = "|".join(word.capitalize() for word in words)
    definition = re.compile(
        rf"^\s*(?:(?:struct|class|enum class) ({names})\b(?!::)[^;{{(]*{{|using ({names}) =)", re.MULTILINE
    )
    defined: dict[str, str] = {}
    for file in files:
        if not is_cpp_below(file, "src") or not words:
            continue
        code = without_comments_and_strings(file.text)
        for match in definition.finditer(code):
            name = match[1] or match[2]
            if name in defined:
                message = f"{name} is a word of {GLOSSARY_PAGE}, and {defined[name]} has a type of that name already"
                yield Finding(file.path, line_of(code, match), message)
            defined.setdefault(name, file.path)


def cited_rules(files: list[File]) -> Iterator[Finding]:
    """A "drop_in rule N" is one of docs/drop_in.md, each of which names tests that exist."""
    page = next((file for file in files if file.path == RULES_PAGE), File(RULES_PAGE, ""))
    beginnings = [*re.finditer(r"^## (\d+)\. ", page.text, re.MULTILINE)]
    known = {match[1] for match in beginnings}
    gap = r"[\s/#*!]+"  # a citation may go over the end of a comment's line
    citation = re.compile(rf"\bdrop_in{gap}rules?{gap}(\d+(?:(?:,|{gap}and|{gap}or){gap}\d+)*)")
    for file in files:
        for match in citation.finditer(file.text):
            for number in sorted(set(re.findall(r"\d+", match[1])) - known):
                yield Finding(file.path, line_of(file.text, match), f"{RULES_PAGE} has no rule {number}")
    paths = {file.path for file in files}
    test = re.compile(r"\btests/[\w./-]+\.\w+")
    ends = [match.start() for match in beginnings[1:]] + [len(page.text)]
    for begin, end in zip(beginnings, ends, strict=False):
        if not test.search(page.text, begin.end(), end):
            yield Finding(page.path, line_of(page.text, begin), f"rule {begin[1]} names no test that holds it")
    for match in test.finditer(page.text):
        if match.group() not in paths:
            yield Finding(page.path, line_of(page.text, match), f"there is no {match.group()}")


FILE_RULES = [layers, size, licence, environment, silence, leftovers]
TREE_RULES = [registered_tests, circles, reach, glossary, cited_rules]


def check(files: list[File]) -> list[Finding]:
    findings = [finding for file in files for rule in FILE_RULES for finding in rule(file)]
    findings += [finding for rule in TREE_RULES for finding in rule(files)]
    return sorted(findings)


def tree() -> list[File]:
    """The files that git tracks or would track; in a copy without git, all but what the build makes."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode == 0:
        paths = [ROOT / name for name in set(listing.stdout.split("\0")) if name]
    else:
        made = {".git", ".venv", "build", "dist", "__pycache__", ".pytest_cache", ".ruff_cache"}
        paths = [path for path in ROOT.rglob("*") if not made.intersection(path.relative_to(ROOT).parts)]
    files = []
    for path in sorted(paths):
        if path.is_file() and not path.is_symlink():
            try:
                files.append(File(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")))
            except UnicodeDecodeError:
                continue  # pictures and other binary files follow no rule of text
    return files


def main() -> int:
    files = tree()
    findings = check(files)
    for finding in findings:
        print(finding)
    print(f"tidy: {len(files)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
