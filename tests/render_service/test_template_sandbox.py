"""What the sandbox lets through is what Jinja's lets through, by attribute and by item."""

from __future__ import annotations

import jinja2
import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment

from render_service.template_sandbox import Sandbox


class Text(str):
    """Not quite a string, as what has a `format` of its own may be."""


VALUES = [{"role": "user", "items": 1, "_own": 2}, "a text", Text("b"), [1, 2], 3, None]
NAMES = ["role", "items", "get", "pop", "update", "_own", "missing", "strip", "split", "format"]
NAMES += ["format_map", "startswith", "append", "__class__", "__init__", "mro", "real"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_attributes_are_those_of_jinjas_sandbox(value: object, name: str) -> None:
    seen = []
    for kind in (Sandbox, ImmutableSandboxedEnvironment):
        found = kind().getattr(value, name)
        if isinstance(found, jinja2.Undefined):
            with pytest.raises(jinja2.TemplateError) as caught:
                str(found + 1)
            seen.append((type(caught.value), str(caught.value)))
        else:
            # Formatting is wrapped anew each time.
            wrapped = hasattr(found, "__wrapped__")
            seen.append((type(found), found.__name__ if wrapped else found))
    assert seen[0] == seen[1]
