"""vLLM's parser classes for the configured names, and what is asked of them without an output.

The module that imports them is `vllm_loading.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from .vllm_reader import Reader

NO_BUSINESS = frozenset(
    ("logprobs", "top_logprobs", "logprob_token_ids", "prompt_logprobs", "stream_options")
)
"""Fields that say nothing to a parser, and that other APIs fill as vLLM's chat would not."""


@dataclass(frozen=True, slots=True)
class VllmBackend:
    """Classes and functions of vLLM, imported once.

    parser: composed of the tool and reasoning parser, whose names are as configured, None where
    there is none. tokenizer, model_config: what each parser is built with.
    plugins: digest of the plugins' code. reads_prompt: whether the parser wants more of the prompt
    than whether reasoning has ended behind it. always_adjusts: also requests that may not call.
    """

    version: str
    tool: str | None
    reasoning: str | None
    auto_tools: bool
    parser: Any
    tokenizer: Any
    model_config: Any
    request: Any  # ChatCompletionRequest
    processor: Any  # ChatStreamProcessor
    assemble: Any  # assemble_chat_message_fields
    plugins: str = ""
    reads_prompt: bool = True
    always_adjusts: bool = False

    def reader(self, request: bytes, template_kwargs: Mapping[str, Any]) -> Reader:
        """For one output. request: the chat request as it came."""
        own = self.request.model_validate_json(request)
        return Reader(self, self._parser(own.tools, template_kwargs), own)

    def reasoning_ended(self, prompt: Sequence[int], template_kwargs: Mapping[str, Any]) -> bool:
        """Whether the output of the prompt begins behind the reasoning."""
        return bool(self._parser(None, template_kwargs).is_reasoning_end(list(prompt)))

    def adjusted(
        self, fields: dict[str, Any], prompt: Sequence[int], template_kwargs: Mapping[str, Any]
    ) -> tuple[dict[str, Any], bool]:
        """What of a chat request's fields the parser changes for the engine, as JSON values, and
        whether the constraint is a grammar of the whole output.

        As in vLLM's `preprocess_chat`, only what it changes in place counts.
        """
        if not self.always_adjusts and fields["tool_choice"] == "none":
            return {}, False
        apart = NO_BUSINESS if fields["tools"] else {*NO_BUSINESS, "tools", "tool_choice"}
        request = self.request.model_validate({k: v for k, v in fields.items() if k not in apart})
        before = _builtins(request)
        parser = self._parser(request.tools, template_kwargs)
        parser.set_prompt_token_ids(list(prompt))
        parser.adjust_request(request=request)
        after = _builtins(request)
        changed = {name: value for name, value in after.items() if before.get(name) != value}
        return changed, bool(request._grammar_from_parser)

    def components(self) -> list[Any]:
        """For the fingerprint."""
        return ["vllm", self.version, self.plugins]

    def _parser(self, tools: Any, template_kwargs: Mapping[str, Any]) -> Any:
        return self.parser(
            self.tokenizer,
            tools,
            chat_template_kwargs=dict(template_kwargs),
            model_config=self.model_config,
        )


def _builtins(request: Any) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.json.decode(request.model_dump_json(exclude={"messages"}))
    return fields
