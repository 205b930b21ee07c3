"""Streams of the demo model whose states are recorded for each version of `stream_state`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from render_service.model import Model

from . import derender_client as client

Json = dict[str, Any]
FOLDER = Path(__file__).parent.parent / "golden" / "stream_states"


class StateStream(NamedTuple):
    """kind: of answer. settings: of the model. output: what the engine generates."""

    kind: str
    settings: Json
    request: Json
    output: str


# Fingerprints are of a configuration, which may change with a release.
PLAIN: Json = {"fingerprint": "off"}
PARSED: Json = {
    **PLAIN,
    "reasoning_parser": "qwen3",
    "tool_call_parser": "hermes",
    "enable_auto_tool_choice": True,
}
TYPED: Json = {**PARSED, "tool_call_parser": "qwen3_coder"}
XML_CALL = (
    "<tool_call>\n<function=get_weather>\n<parameter=city>\nZürich 🏔️\n</parameter>\n"
    "</function>\n</tool_call>"
)
CALLED = f"{client.REASONED}So:\n{client.CALL}\n{client.CALL}"
STREAMS = {
    "calls": StateStream("chat", PARSED, client.CHAT_TOOLS, CALLED),
    "signed": StateStream("chat", {**PARSED, "state_key": ("a key",)}, client.CHAT_TOOLS, CALLED),
    "typed": StateStream("chat", TYPED, client.CHAT_TOOLS, client.REASONED + XML_CALL),
    "plain": StateStream("chat", PLAIN, client.CHAT, "Tea, café 東京 🎉 <think>"),
    "completion": StateStream("completion", PLAIN, {"prompt": "Hi"}, "Tea, café 東京 🎉!"),
}


def chunks_of(model: Model, stream: StateStream) -> list[Json]:
    return client.cut(client.ids_of(model, stream.output), [1, 2, 3] * 30)


def send(model: Model, stream: StateStream, generated: Json, state: Json | None) -> Json:
    """As vLLM asks: the request with each chunk."""
    body: Json = {
        "stream": True,
        "generate_chunk": generated,
        "stream_state": state,
        f"{stream.kind}_request": stream.request,
        "prompt_token_ids": client.prompt_of(model),
    }
    return (client.chat if stream.kind == "chat" else client.completion)(model, **body)
