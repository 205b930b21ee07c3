"""Parsers as a user of vLLM writes them: calls as `<<name {...}>>` or `<<name#id {...}>>`.

`BOOM` in the output fails with TypeError, `VALUE` with ValueError; `HALF` gives half of a
surrogate pair. `reads` counts the chunks that were read.
"""

import json
import re
import uuid

from vllm.entrypoints.generate.base.protocol import (
    DeltaFunctionCall,
    DeltaMessage,
    DeltaToolCall,
    ExtractedToolCallInformation,
    FunctionCall,
    ToolCall,
)
from vllm.reasoning import ReasoningParser, ReasoningParserManager
from vllm.tool_parsers import ToolParser, ToolParserManager

CALL = re.compile(r"<<(\w+)(?:#(\w+))? (\{.*?\})>>", re.DOTALL)
END = "</think>"


@ToolParserManager.register_module("angle")
class AngleToolParser(ToolParser):
    supports_required_and_named = False
    reads = 0

    def adjust_request(self, request):
        request.skip_special_tokens = False
        request.stop_token_ids = [7]
        return request

    def extract_tool_calls(self, model_output, request):
        _fail(model_output)
        calls = [
            ToolCall(
                id=written or f"call_{uuid.uuid4().hex}",
                function=FunctionCall(name=name, arguments=arguments),
            )
            for name, written, arguments in CALL.findall(model_output)
        ]
        content = CALL.sub("", model_output).replace("HALF", "\ud83d") or None
        return ExtractedToolCallInformation(
            tools_called=bool(calls), tool_calls=calls, content=content
        )

    def extract_tool_calls_streaming(
        self,
        previous_text,
        current_text,
        delta_text,
        previous_token_ids,
        current_token_ids,
        delta_token_ids,
        request,
    ):
        AngleToolParser.reads += 1
        _fail(current_text)
        calls = []
        for name, written, arguments in CALL.findall(current_text)[len(self.prev_tool_call_arr) :]:
            self.current_tool_id += 1
            self.prev_tool_call_arr.append({"name": name, "arguments": json.loads(arguments)})
            self.streamed_args_for_tool.append(arguments)
            function = DeltaFunctionCall(name=name, arguments=arguments)
            calls.append(
                DeltaToolCall(
                    index=self.current_tool_id,
                    id=written or f"call_{uuid.uuid4().hex}",
                    type="function",
                    function=function,
                )
            )
        before = _content(previous_text)
        content = _content(current_text)[len(before) :].replace("HALF", "\ud83d")
        if not calls and not content:
            return None
        return DeltaMessage(content=content or None, tool_calls=calls)


@ReasoningParserManager.register_module("until_think_ends")
class UntilThinkEnds(ReasoningParser):
    def __init__(self, tokenizer, *args, **kwargs):
        super().__init__(tokenizer, *args, **kwargs)
        self.end = self.vocab[END]

    def is_reasoning_end(self, input_ids):
        return self.end in input_ids

    def extract_content_ids(self, input_ids):
        return input_ids[input_ids.index(self.end) + 1 :] if self.end in input_ids else []

    def extract_reasoning(self, model_output, request):
        reasoning, end, content = model_output.partition(END)
        return reasoning or None, (content if end else None) or None

    def extract_reasoning_streaming(
        self,
        previous_text,
        current_text,
        delta_text,
        previous_token_ids,
        current_token_ids,
        delta_token_ids,
    ):
        reasoning, end, content = delta_text.partition(END)
        if not end:
            return DeltaMessage(reasoning=delta_text)
        return DeltaMessage(reasoning=reasoning or None, content=content or None)


@ReasoningParserManager.register_module("reads_the_prompt")
class ReadsThePrompt(UntilThinkEnds):
    """It wants the prompt itself: reasoning has no end where the prompt is empty."""

    prompt = ()

    def set_prompt_token_ids(self, prompt_token_ids):
        self.prompt = tuple(prompt_token_ids)

    def extract_reasoning_streaming(self, previous_text, *rest):
        delta = super().extract_reasoning_streaming(previous_text, *rest)
        if not previous_text and delta.reasoning is not None:
            delta.reasoning = f"[{len(self.prompt)}]{delta.reasoning}"
        return delta


def _content(text):
    """Text that is no call, up to what may become one."""
    return CALL.sub("", text).split("<")[0] if "<" in CALL.sub("", text) else CALL.sub("", text)


def _fail(text):
    if "BOOM" in text:
        raise TypeError("cannot\nread this")
    if "VALUE" in text:
        raise ValueError("not a call \ud83d")
