"""What models of Mistral's own tokenizers may write, as a Lark grammar for the engine.

The grammar is mistral-common's of 1.11 and 1.12, with which vLLM 0.33.0 can make one: 1.13 wants an
argument that it does not give, and each of its requests fails. Text for the engine's llguidance;
neither library is needed here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .errors import RequestError
from .protocol.fields import ToolParam

Mode = Literal["auto", "none", "required"]

FIRST_VERSION = 11
"""Of the tokenizers that have a grammar; they must be tekken ones."""
THINKS, THINKS_BEFORE_JSON = 13, 15
"""First versions that reason between tokens, if they have these, and do so before JSON."""

_NAMED_CALL = "{calls} SAFE_WS? {name} {args} SAFE_WS? %json {schema} SAFE_WS?"
_NO_ARGUMENTS = {"type": "object", "properties": {}, "additionalProperties": False}
_BODY: Mapping[Mode, str] = {
    "auto": "content | (content? fcalls)",
    "required": "content? fcalls",
    "none": "content",
}
_BODY_BEHIND_THOUGHT: Mapping[Mode, str] = {
    "auto": "think? (content | fcalls)",
    "required": "think? fcalls",
    "none": "think? content",
}


@dataclass(frozen=True, slots=True)
class MistralGrammar:
    """tokens: special tokens by text. version: the tokenizer's."""

    tokens: Mapping[str, int]
    version: int

    def text(
        self,
        mode: Mode,
        tools: Sequence[ToolParam],
        *,
        named: str | None = None,
        schema: Any = None,
        parallel: bool = True,
        only_json: bool = False,
    ) -> str:
        """named: the only tool that may be called. schema: of an answer that is allowed too.

        parallel: there may be several calls. RequestError (400) where a token, or a tool that must
        be called, is missing.
        """
        if mode == "required" and named is None and not tools:
            raise RequestError("A required tool call needs tools, and there are none.")
        thinks = self.version >= THINKS and "[THINK]" in self.tokens
        calls = "" if mode == "none" else self._calls(tools, named, parallel)
        answer = f"SAFE_WS? %json {_json(schema)}" if schema else None
        start = "start: "
        if answer is not None and thinks:
            start += "json_grammar" if only_json else "body | json_grammar"
            thought = "think? " if self.version >= THINKS_BEFORE_JSON else ""
            start += f"\njson_grammar: {thought}{answer}"
        elif answer is not None:
            start += answer if only_json else f"body | {answer}"
        else:
            start += "body"
        body = (_BODY_BEHIND_THOUGHT if thinks else _BODY)[mode]
        rules = [
            f"{start}\nbody: {body}\nfcalls: {'content? ' if thinks else ''}{calls}",
            r"content: (/(.|\n)+/)+",
            r"SAFE_WS: /[ \t\r\n]{1,8}/",
        ]
        if thinks:
            rules.insert(2, f"think: {self._token('[THINK]')} content {self._token('[/THINK]')}")
        return "\n\n".join(rules)

    def _calls(self, tools: Sequence[ToolParam], named: str | None, parallel: bool) -> str:
        if named is not None:
            tools = [tool for tool in tools if tool.function.name == named][:1]
            if not tools:
                raise RequestError(
                    f"Tool choice requires the {named} tool but no tools with this name has been "
                    "passed."
                )
        # One strict tool binds the arguments of all that are, and the names.
        if any(tool.function.strict for tool in tools):
            entries = [(f'"{tool.function.name}"', _arguments(tool)) for tool in tools]
        else:
            entries = [("/.+/" if named is None else f'"{named}"', {"type": "object"})]
        calls, args = self._token("[TOOL_CALLS]"), self._token("[ARGS]")
        parts = [
            _NAMED_CALL.format(calls=calls, name=name, args=args, schema=_json(schema))
            for name, schema in entries
        ]
        call = parts[0] if len(parts) == 1 else " | ".join(f"({part})" for part in parts)
        return f"({call})+" if parallel else call

    def _token(self, text: str) -> str:
        if text not in self.tokens:
            raise RequestError(f"Unknown special token: {text}")
        return f"<[{self.tokens[text]}]>"


def _arguments(tool: ToolParam) -> dict[str, Any]:
    wanted = tool.function.parameters if tool.function.strict else {"type": "object"}
    return wanted or _NO_ARGUMENTS


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
