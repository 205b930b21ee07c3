"""One output through vLLM's classes: its parser, and what the server around it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .vllm_backend import VllmBackend


class Reader:
    """parser: vLLM's, of this output alone. request: vLLM's, which the parser may change."""

    __slots__ = ("_backend", "_parser", "_processor", "_prompt", "_request")

    def __init__(self, backend: VllmBackend, parser: Any, request: Any) -> None:
        self._backend = backend
        self._parser = parser
        self._request = request
        self._prompt: list[int] | None = None
        self._processor = backend.processor(
            request, parser, enable_auto_tools=backend.auto_tools, parser_cls=backend.parser
        )

    @property
    def called(self) -> bool:
        """Whether a tool call has been emitted."""
        return bool(self._processor.tools_streamed)

    def continues(self, prompt: bool | list[int] | None) -> None:
        """The prompt that the steps continue: its IDs, or whether reasoning has ended."""
        if isinstance(prompt, bool):
            # The parser asks itself before its first step, and that is all it wants to know.
            self._parser.is_reasoning_end = lambda input_ids: prompt
        self._prompt = [] if isinstance(prompt, bool) else prompt

    def step(self, text: str, ids: list[int], finish_reason: str | None) -> Any:
        """A chunk's DeltaMessage, None where there is none yet. finish_reason: with the last."""
        return self._processor.step(text, ids, finish_reason, self._prompt).delta

    def parse(self, text: str, ids: list[int], prompt_token_ids: Sequence[int] | None) -> Any:
        """The ChatMessageFields of a whole output, as vLLM's `_parse_and_assemble` makes them."""
        if prompt_token_ids is not None:
            self._parser.set_prompt_token_ids(list(prompt_token_ids))
        backend, request = self._backend, self._request
        reasoning, content, calls = self._parser.parse(
            text,
            request,
            enable_auto_tools=backend.auto_tools,
            model_output_token_ids=ids,
        )
        return backend.assemble(
            request,
            reasoning,
            content,
            calls,
            enable_auto_tools=backend.auto_tools,
            parser_cls=backend.parser,
        )


def written(call_id: str | None, text: str) -> str:
    """The ID where the model wrote it in its output, else "".

    What a parser makes up is random as a rule, and a retried chunk would get another one.
    """
    return call_id if call_id and call_id in text else ""
