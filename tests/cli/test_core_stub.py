# SPDX-License-Identifier: BSD-3-Clause
"""_core.pyi says of the compiled core what is there, and nothing else."""

import ast
import types
import typing
from pathlib import Path

import pytest

_core = pytest.importorskip("weft._core", reason="the compiled core is not built")
stubgen = pytest.importorskip("nanobind.stubgen")

TEXT = (Path(__file__).resolve().parents[2] / "python/weft/_core.pyi").read_text()
# Classes may be named before they are declared.
NAMES = {"__name__": "stub"}
exec("from __future__ import annotations\n" + TEXT, NAMES)
RECORDS = {name: made for name, made in NAMES.items() if typing.is_typeddict(made)}


def generated():
    stub = stubgen.StubGen(_core)
    stub.put(_core)
    return stub.get()


def functions(text):
    """Signature by name ("build", "Schedules.text") without what a body or a comment says."""

    def of(nodes, before=""):
        for node in nodes:
            if isinstance(node, ast.ClassDef) and node.name not in RECORDS:
                yield before + node.name, None
                yield from of(node.body, f"{before}{node.name}.")
            if isinstance(node, ast.FunctionDef):
                decorators = [ast.unparse(one) for one in node.decorator_list]
                yield before + node.name, (decorators, ast.unparse(node.args), ast.unparse(node.returns))

    return dict(of(ast.parse(text).body))


def is_as_declared(value, declared):
    """The value, and all that is in it."""
    if typing.is_typeddict(declared):
        fields = typing.get_type_hints(declared, NAMES | vars(_core))
        return value.keys() == fields.keys() and all(is_as_declared(value[name], fields[name]) for name in fields)
    if typing.get_origin(declared) is list:
        return type(value) is list and all(is_as_declared(one, typing.get_args(declared)[0]) for one in value)
    if typing.get_origin(declared) is types.UnionType:
        return any(is_as_declared(value, one) for one in typing.get_args(declared))
    return type(value) is declared


def values():
    """What those functions return of which the module only says that it is a dict or a list."""
    call, topology = _core.Call("allreduce", ranks=4, bytes=8), _core.Topology("node:2 core:2")
    return {
        "choose": [_core.choose(call), _core.choose(call, topology, "node")],
        "cost": [_core.cost(call, "ring")],
        "movers": [_core.movers(_core.build_chosen(call)), _core.movers(_core.build(call, "ring"), topology, "agent")],
        "catalog": [_core.catalog()],
        "settings": [_core.settings()],
        "settings_in_effect": [_core.settings_in_effect()],
        "survey_fabric": [_core.survey_fabric("tcp", "lo")],
        "Hierarchy.tiers": [_core.Hierarchy(topology, "node").tiers],
    }


def test_every_function_is_declared_as_it_is():
    declared, found = functions(TEXT), functions(generated())
    assert declared.keys() == found.keys()
    vague = {name for name, signature in found.items() if signature and signature[2] in ("dict", "list")}
    assert vague == values().keys()
    for name, signature in found.items():
        if name in vague:
            assert declared[name][:2] == signature[:2], name
        else:
            assert declared[name] == signature, name


@pytest.mark.parametrize("name", values())
def test_records_have_the_fields_and_types_that_are_declared(name):
    declared = eval(functions(TEXT)[name][2], NAMES)
    for value in values()[name]:
        assert value
        assert is_as_declared(value, declared), value
