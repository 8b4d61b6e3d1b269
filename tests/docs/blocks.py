# SPDX-License-Identifier: BSD-3-Clause
"""The fenced code blocks of a Markdown page, with what the page says about running them.

Directives are HTML comments right before a block, so that a reader of the page never sees them:

    <!-- not run: reason -->       the block is left out; the reason is not optional
    <!-- output: exact -->         what a console block shows is all that comes out
    <!-- output: contains -->      every line that a console block shows is among what comes out
    <!-- compile -->               a cpp block compiles against the core, and runs if it has a main
    <!-- compile: continues -->    the same, together with the compiled blocks before it on the page

Shell blocks (bash, sh), console blocks (commands after `$ `) and python blocks run as they are.
"""

import re
from typing import NamedTuple

RUNNABLE = {"bash", "sh", "console", "cpp", "python"}
DIRECTIVES = {
    "not run": lambda value: bool(value),
    "output": lambda value: value in {"exact", "contains"},
    "compile": lambda value: value in {"", "continues"},
}


class Block(NamedTuple):
    page: str
    line: int
    language: str
    text: str
    directives: dict[str, str]

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


class PageError(Exception):
    pass


def read_directive(where, comment):
    name, _, value = (part.strip() for part in comment.partition(":"))
    if name not in DIRECTIVES:
        return {}  # an ordinary comment
    if not DIRECTIVES[name](value):
        raise PageError(f"{where}: <!-- {comment} --> says too little or something unknown; see tests/docs/blocks.py")
    return {name: value}


def blocks_of(page, text):
    """All blocks of a page in a language that can be run."""
    blocks, directives, lines = [], {}, text.splitlines()
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if comment := re.fullmatch(r"\s*<!--\s*(.*?)\s*-->\s*", line):
            directives |= read_directive(f"{page}:{number}", comment.group(1))
        elif fence := re.fullmatch(r"(\s*)(```+|~~~+)\s*([\w+-]*).*", line):
            indent, mark, language = fence.groups()
            start = number
            while number < len(lines) and lines[number].strip() != mark:
                number += 1
            if number == len(lines):
                raise PageError(f"{page}:{start}: the block that opens here is never closed")
            body = [content.removeprefix(indent) for content in lines[start:number]]
            number += 1
            if language in RUNNABLE:
                blocks.append(Block(page, start, language, "\n".join(body) + "\n", directives))
            directives = {}
        elif line.strip():
            directives = {}
    return blocks


def console_commands(block):
    """(command, shown output) of a console block; `> ` and a backslash at the end continue a command."""
    commands = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            commands.append([line[2:], []])
        elif not commands:
            raise PageError(f"{block}: a console block begins with a command after `$ `")
        elif not commands[-1][1] and (line.startswith("> ") or commands[-1][0].endswith("\\")):
            commands[-1][0] += "\n" + line.removeprefix("> ")
        else:
            commands[-1][1].append(line.rstrip())
    return [(command, shown) for command, shown in commands]


def difference(shown, printed, mode):
    """What is wrong with a command's output, or None."""
    printed = [line.rstrip() for line in printed.splitlines()]
    if mode == "exact":
        while shown and not shown[-1]:
            shown = shown[:-1]
        while printed and not printed[-1]:
            printed = printed[:-1]
        return None if shown == printed else "\n".join(["the page shows", *shown, "but the command prints", *printed])
    missing = [line for line in shown if line and line not in printed]
    return "\n".join(["never printed:", *missing, "printed:", *printed]) if missing else None
