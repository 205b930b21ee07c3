"""What a request tells the parser. The same context must be given again to resume a stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the request offers. parameters: its JSON schema, or None."""

    name: str
    parameters: Mapping[str, Any] | None = None

    def definitions(self) -> Mapping[str, Any]:
        """What the schema may refer to (`$defs`), by name."""
        found = (self.parameters or {}).get("$defs")
        return found if isinstance(found, Mapping) else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """tool_choice: "none", "auto", "required" or "named" (then named_tool says which).

    template_kwargs: the effective chat template arguments (`enable_thinking` and so on).
    """

    tools: tuple[Tool, ...] = ()
    tool_choice: str = "none"
    named_tool: str | None = None
    parallel_tool_calls: bool = True
    include_reasoning: bool = True
    template_kwargs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def keeps_calls(self) -> bool:
        """Whether calls reach the client: forced, or `auto` with tools."""
        if self.tool_choice == "auto":
            return bool(self.tools)
        return self.tool_choice in ("required", "named")

    def properties(self, tool: str) -> Mapping[str, Any]:
        """The schemas of a tool's parameters by name; empty where the request gives none."""
        for offered in self.tools:
            if offered.name == tool:
                found = (offered.parameters or {}).get("properties")
                return found if isinstance(found, Mapping) else {}
        return {}

    def definitions(self, tool: str) -> Mapping[str, Any]:
        """What the schemas of a tool's parameters may refer to, by name."""
        return next((offered.definitions() for offered in self.tools if offered.name == tool), {})
