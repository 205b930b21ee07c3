"""Where vLLM is not installed: as much of it as the adapter and a plugin touch, by the same names.

It has vLLM's interfaces and none of its parsers. What vLLM itself answers is tested where it is
installed (`test_vllm_agreement.py`).
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import pytest
from transformers import AutoTokenizer

CHAT = "vllm.entrypoints.openai.chat_completion"


def make_importable(patch: pytest.MonkeyPatch) -> None:
    """`vllm` can be imported: the real one where it is, else this."""
    if importlib.util.find_spec("vllm") is not None:
        return
    for path, names in MODULES.items():
        for end in [i for i, letter in enumerate(path) if letter == "."] + [len(path)]:
            name = path[:end]
            if name not in sys.modules:
                module = ModuleType(name)
                module.__path__ = []
                patch.setitem(sys.modules, name, module)
        vars(sys.modules[path]).update(names)


class Record(SimpleNamespace):
    """A record whose other fields are None."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None


class Request(Record):
    tool_choice: Any
    tools: Any
    include_reasoning: bool
    parallel_tool_calls: bool | None

    @classmethod
    def model_validate(cls, fields: dict[str, Any]) -> Request:
        if not all(isinstance(message, dict) for message in fields["messages"]):
            raise ValueError("messages: not a dictionary")
        choice = "auto" if fields.get("tools") else "none"
        return cls(**{"tool_choice": choice, "include_reasoning": True, **fields})

    @classmethod
    def model_validate_json(cls, text: bytes) -> Request:
        return cls.model_validate(json.loads(text))

    def model_dump_json(self, *, exclude: set[str]) -> str:
        return json.dumps({name: v for name, v in vars(self).items() if name not in exclude})


class Part:
    """What tool and reasoning parsers have in common."""

    supports_required_and_named = True

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        self.vocab = tokenizer.get_vocab()


class ToolParser(Part):
    def __init__(self, tokenizer: Any, tools: Any = None) -> None:
        super().__init__(tokenizer)
        self.prev_tool_call_arr: list[dict[str, Any]] = []
        self.current_tool_id = -1
        self.streamed_args_for_tool: list[str] = []

    def adjust_request(self, request: Any) -> Any:
        return request


class ReasoningParser(Part):
    def set_prompt_token_ids(self, prompt_token_ids: Any) -> None: ...
    def adjust_initial_state_from_prompt(self, prompt_token_ids: Any) -> None: ...


class Registry:
    def __init__(self) -> None:
        self.classes: dict[str, type] = {}

    def register_module(self, name: str) -> Any:
        return lambda cls: self.classes.setdefault(name, cls)

    def list_registered(self) -> list[str]:
        return sorted(self.classes)


class DelegatingParser:
    reasoning_parser_cls: Any = None
    tool_parser_cls: Any = None
    always_adjust_request = False

    def __init__(
        self, tokenizer: Any, tools: Any = None, *, chat_template_kwargs: Any, model_config: Any
    ) -> None:
        reasoning, tool = self.reasoning_parser_cls, self.tool_parser_cls
        self.reasoning_parser = reasoning and reasoning(tokenizer, model_config=model_config)
        self.tool_parser = tool and tool(tokenizer, tools)
        self.text, self.ids = "", []
        self.ended: bool | None = None

    def set_prompt_token_ids(self, prompt_token_ids: list[int]) -> None:
        if self.reasoning_parser is not None:
            self.reasoning_parser.set_prompt_token_ids(prompt_token_ids)

    def is_reasoning_end(self, input_ids: list[int]) -> bool:
        parser = self.reasoning_parser
        return parser is not None and parser.is_reasoning_end(input_ids)

    def adjust_request(self, request: Any) -> Any:
        return request if self.tool_parser is None else self.tool_parser.adjust_request(request)

    def parse(self, text: str, request: Any, **rest: Any) -> tuple[Any, Any, Any]:
        reasoning = None
        if self.reasoning_parser is not None:
            reasoning, text = self.reasoning_parser.extract_reasoning(text, request)
        if self.tool_parser is None or request.tool_choice == "none":
            return reasoning, text, None
        found = self.tool_parser.extract_tool_calls(text or "", request)
        calls = [Record(id=call.id, **vars(call.function)) for call in found.tool_calls]
        return reasoning, found.content, calls

    def parse_delta(
        self,
        delta_text: str,
        delta_token_ids: list[int],
        request: Any,
        prompt_token_ids: list[int] | None = None,
        *,
        finished: bool,
    ) -> Any:
        if self.ended is None:
            self.set_prompt_token_ids(prompt_token_ids or [])
            self.ended = self.reasoning_parser is None or self.is_reasoning_end(
                prompt_token_ids or []
            )
        delta = None
        if not self.ended:
            text, ids = self.text + delta_text, self.ids + delta_token_ids
            delta = self.reasoning_parser.extract_reasoning_streaming(
                self.text, text, delta_text, self.ids, ids, delta_token_ids
            )
            self.text, self.ids = text, ids
            if not self.reasoning_parser.is_reasoning_end(ids):
                return delta
            self.ended, self.text, self.ids = True, "", []
            delta_text, delta.content = delta.content or "", None
        if self.tool_parser is None or request.tool_choice == "none":
            said = Record(content=delta_text)
        else:
            text, ids = self.text + delta_text, self.ids + delta_token_ids
            said = self.tool_parser.extract_tool_calls_streaming(
                self.text, text, delta_text, self.ids, ids, delta_token_ids, request
            )
            self.text, self.ids = text, ids
        if said is not None and delta is not None:
            said.reasoning = delta.reasoning
        return said or delta


class Step(NamedTuple):
    delta: Any
    finish_reason: str | None


class ChatStreamProcessor:
    def __init__(self, request: Any, parser: Any, **rest: Any) -> None:
        self.request, self.parser, self.tools_streamed = request, parser, False

    def step(self, text: str, ids: list[int], finish: str | None, prompt: Any) -> Step:
        delta = self.parser.parse_delta(
            text, ids, self.request, prompt, finished=finish is not None
        )
        self.tools_streamed |= delta is not None and bool(delta.tool_calls)
        return Step(delta, finish)


def assemble(request: Any, reasoning: Any, content: Any, calls: Any, **rest: Any) -> Any:
    made = [Record(id=call.id, function=call) for call in calls or ()]
    return Record(reasoning=reasoning, content=content, tool_calls=made)


def get_parser(**given: Any) -> type | None:
    tool = given["tool_parser_name"] if given["enable_auto_tools"] else None
    if tool is None and given["reasoning_parser_name"] is None:
        return None
    parts = {
        "tool_parser_cls": TOOLS.classes.get(tool or ""),
        "reasoning_parser_cls": REASONINGS.classes.get(given["reasoning_parser_name"] or ""),
    }
    parser = type("_Parser", (DelegatingParser,), parts)
    parser(given["tokenizer"], chat_template_kwargs={}, model_config=None)
    return parser


def import_plugin(path: str) -> ModuleType | None:
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        name = os.path.splitext(os.path.basename(path))[0]
        spec = spec_from_file_location(name, path)
        try:
            assert spec is not None
            assert spec.loader is not None
            module = sys.modules[name] = module_from_spec(spec)
            spec.loader.exec_module(module)
        except Exception:
            return None
        return module


TOOLS, REASONINGS = Registry(), Registry()
RECORDS = (
    "DeltaFunctionCall DeltaMessage DeltaToolCall ExtractedToolCallInformation FunctionCall "
    "ToolCall"
)
MODULES: dict[str, dict[str, Any]] = {
    "vllm": {"__version__": "0.33.0"},
    "vllm.parser": {
        "DelegatingParser": DelegatingParser,
        "ParserManager": SimpleNamespace(get_parser=get_parser),
    },
    "vllm.tool_parsers": {"ToolParser": ToolParser, "ToolParserManager": TOOLS},
    "vllm.reasoning": {
        "ReasoningParser": ReasoningParser,
        "ReasoningParserManager": REASONINGS,
    },
    "vllm.tokenizers": {
        "get_tokenizer": lambda folder, **rest: AutoTokenizer.from_pretrained(folder)
    },
    "vllm.utils.import_utils": {"import_plugin": import_plugin},
    "vllm.entrypoints.generate.base.protocol": dict.fromkeys(RECORDS.split(), Record),
    f"{CHAT}.protocol": {"ChatCompletionRequest": Request},
    f"{CHAT}.message_assembly": {"assemble_chat_message_fields": assemble},
    f"{CHAT}.stream_processor": {"ChatStreamProcessor": ChatStreamProcessor},
}
