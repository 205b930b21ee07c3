"""What a template's code runs in: Jinja's context, which finds variables quicker.

Rule: a name is looked up in what the template has set, then in what it was given. Code without
blocks looks nothing up that it has set: Jinja's compiler knows those as locals.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jinja2.runtime import Context
from jinja2.utils import missing


class Variables(dict[str, Any]):
    """What a template is given; what it is not given is Jinja's `missing`."""

    def __missing__(self, name: str) -> Any:
        return missing


class TemplateContext(Context):
    """indented: characters of JSON with `indent` so far, see `template_json.py`."""

    indented = 0

    def __init__(
        self,
        environment: Any,
        parent: dict[str, Any],
        name: str | None,
        blocks: Mapping[str, Callable[[Context], Any]],
        globals: Any = None,
    ) -> None:
        super().__init__(environment, parent, name, dict(blocks), globals)
        if not blocks and type(parent) is Variables:
            # Without a call into Python for each; a chat of 60 messages has hundreds. In place of
            # the method for this one context, which mypy does not take.
            self.resolve_or_missing = parent.__getitem__  # type: ignore[assignment, method-assign]
