# SPDX-License-Identifier: BSD-3-Clause
"""Options that several commands share: the fields of a dataclass, Annotated as parameters of a command are."""

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def with_fields(
    group: type, parameter: str, defaults: Mapping[str, Any] | None = None, without: Sequence[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """For a command whose `parameter` is a `group`: on the command line its fields are options behind the command's
    own. `defaults` are of fields that have no others; fields named in `without` are no options there."""
    given = dict(defaults or {})
    tail = {
        field.name: inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=given.get(field.name, field.default),
            annotation=field.type,
        )
        for field in dataclasses.fields(group)
        if field.name not in without
    }

    def decorate(run: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(run)
        own = [each for name, each in signature.parameters.items() if name != parameter]

        def whole(**values: Any) -> None:
            fields = given | {name: values.pop(name) for name in tail}
            run(**values, **{parameter: group(**fields)})

        # What typer reads.
        whole.__doc__ = run.__doc__
        whole.__signature__ = signature.replace(parameters=[*own, *tail.values()])
        whole.__annotations__ = {each.name: each.annotation for each in (*own, *tail.values())}
        return whole

    return decorate
