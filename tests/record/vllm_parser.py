"""vLLM's own parsers, driven as its derender endpoints drive them. Needs vLLM 0.33.0."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tokenizers.decoders import DecodeStream
from transformers import AddedToken, AutoTokenizer
from vllm.entrypoints.openai.chat_completion.message_assembly import assemble_chat_message_fields
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
from vllm.entrypoints.openai.chat_completion.stream_processor import ChatStreamProcessor
from vllm.entrypoints.serve.utils.tool_calls_utils import resolve_finish_reason
from vllm.parser import ParserManager

from tests.record.harmony_encoding import prepare


class Oracle:
    """One combination of parser names on one tokenizer, with tokens added to it."""

    def __init__(
        self,
        model: Path,
        tool: str | None,
        reasoning: str | None,
        added: list[str],
        response_template: Mapping[str, Any] | None = None,
    ):
        self.tokenizer = AutoTokenizer.from_pretrained(str(model))
        self.tokenizer.response_template = response_template
        if added:
            tokens = [AddedToken(text, special=True, normalized=False) for text in added]
            self.tokenizer.add_tokens(tokens, special_tokens=True)
        vocab = self.tokenizer.get_vocab()
        self.tokenizer.get_vocab = lambda: vocab  # as vLLM's own wrapper keeps it
        harmony = tool == "openai" or reasoning == "openai_gptoss"
        if harmony:
            prepare(model)
        self.parser = ParserManager.get_parser(
            tool_parser_name=tool,
            reasoning_parser_name=reasoning,
            enable_auto_tools=True,
            model_name="recorded",
            is_harmony=harmony,
            tokenizer=self.tokenizer,
        )

    def facts(self) -> dict[str, Any]:
        """The added tokens by text, without reserved ones, and which of them are special."""
        added = self.tokenizer.get_added_vocab()
        vocab = {text: token for text, token in added.items() if "reserved" not in text}
        special = set(self.tokenizer.all_special_ids)
        return {"vocab": vocab, "special_ids": sorted(special & set(vocab.values()))}

    def texts(self, tokens: Iterable[int]) -> dict[int, str]:
        return {token: self.tokenizer.decode([token]) for token in sorted(tokens)}

    def answer(self, case: dict[str, Any]) -> dict[str, Any]:
        """The case with its pieces and vLLM's answers."""
        tokenizer = self.tokenizer
        parts = [case["text"]] if isinstance(case["text"], str) else case["text"]
        ids = [t for part in parts for t in tokenizer.encode(part, add_special_tokens=False)]
        prompt = tokenizer.encode(case.get("prompt", "hi"), add_special_tokens=False)
        finish = case.get("finish_reason", "stop")
        decode = DecodeStream(skip_special_tokens=False)
        texts = [decode.step(tokenizer._tokenizer, token) or "" for token in ids]
        if finish == "stop" and ids and ids[-1] == tokenizer.eos_token_id:
            texts[-1] = ""  # the token that ended the output shows no text
        added = tokenizer.get_added_vocab().values()
        pieces = [
            [text] if token in added else text
            for text, token in zip(texts, ids, strict=True)
            if text
        ]
        fields = {"messages": [{"role": "user", "content": "hi"}], **case.get("request", {})}
        record = {"name": case["name"], "request": case.get("request", {}), "prompt_ids": prompt}
        record |= {"finish_reason": finish, "pieces": pieces}
        record["batch"] = self._tried(self._batch, fields, ids, texts, prompt, finish)
        streams = {}
        for size in (1, 3, 7, max(8, len(ids))):
            name = str(size) if size < 8 else "all"
            streams[name] = self._tried(self._stream, fields, ids, texts, prompt, finish, size)
        different = {size: got for size, got in streams.items() if got != record["batch"]}
        return record | {"stream": different}

    def _tried(self, run: Any, fields: dict[str, Any], *rest: Any) -> dict[str, Any]:
        request = ChatCompletionRequest.model_validate(json.loads(json.dumps(fields)))
        kwargs = request.chat_template_kwargs or {}
        parser = self.parser(
            self.tokenizer, request.tools, chat_template_kwargs=kwargs, model_config=None
        )
        try:
            return dict(run(parser, request, *rest))
        except Exception as error:
            return {"error": f"{type(error).__name__}: {error}"}

    def _batch(
        self, parser: Any, request: Any, ids: list[int], texts: list[str], prompt: Any, finish: str
    ) -> dict[str, Any]:
        parser.set_prompt_token_ids(prompt)
        reasoning, content, calls = parser.parse(
            "".join(texts), request, enable_auto_tools=True, model_output_token_ids=ids
        )
        fields = assemble_chat_message_fields(
            request, reasoning, content, calls, enable_auto_tools=True, parser_cls=self.parser
        )
        return {
            "reasoning": fields.reasoning,
            "content": fields.content,
            "calls": [[c.function.name, c.function.arguments] for c in fields.tool_calls],
            "finish_reason": resolve_finish_reason(finish, request, bool(fields.tool_calls)),
        }

    def _stream(
        self,
        parser: Any,
        request: Any,
        ids: list[int],
        texts: list[str],
        prompt: Any,
        finish: str,
        size: int,
    ) -> dict[str, Any]:
        steps = ChatStreamProcessor(request, parser, enable_auto_tools=True, parser_cls=self.parser)
        reasoning, content, end = "", "", None
        calls: dict[int, list[str]] = {}
        for at in range(0, len(ids), size):
            reason = finish if at + size >= len(ids) else None
            text = "".join(texts[at : at + size])
            delta, ended = steps.step(text, ids[at : at + size], reason, prompt)
            end = ended or end
            if delta is None:
                continue
            reasoning += delta.reasoning or ""
            content += delta.content or ""
            for part in delta.tool_calls or []:
                call = calls.setdefault(part.index, ["", ""])
                if part.function is not None:
                    call[0] += part.function.name or ""
                    call[1] += part.function.arguments or ""
        return {
            "reasoning": reasoning or None,
            "content": content or None,
            "calls": [calls[index] for index in sorted(calls)],
            "finish_reason": end,
        }
