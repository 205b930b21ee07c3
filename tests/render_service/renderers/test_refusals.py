"""What families refuse, beyond the recorded chats: a 400, in words that tell what to mend."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from render_service.errors import RequestError
from render_service.hub import find
from render_service.renderers.chat import Chat, Renderer
from render_service.renderers.choice import load_family_tokenizer, load_renderer
from render_service.tokenizer_mode import Mode

from ..family_models import make

USER = {"role": "user", "content": "hi"}
MODELS: dict[str, tuple[str, Mode]] = {
    "cohere": ("demo", "cohere"),
    "deepseek_v32": ("demo", "deepseek_v32"),
    "deepseek_v4": ("demo", "deepseek_v4"),
    "deepseek_v41": ("demo", "deepseek_v41"),
    "harmony": ("harmony_demo", "hf"),
    "inkling": ("inkling", "inkling"),
    "kimi_k3": ("kimi_k3", "kimi_k3"),
    "mistral": ("mistral_v3", "mistral"),
}
LIBRARIES = {"cohere": "cohere_melody", "kimi_k3": "transformers", "mistral": "mistral_common"}


BOMB = '{"a":[' + "[]," * 300_000 + "1]}"
"""More arrays than a body so short may hold."""


def called(arguments: str) -> list[dict[str, Any]]:
    function = {"name": "f", "arguments": arguments}
    calls = [{"id": "123456789", "type": "function", "function": function}]
    answered = {"role": "tool", "tool_call_id": "123456789", "content": "{}"}
    return [USER, {"role": "assistant", "tool_calls": calls}, answered]


def blocks(*given: Any) -> dict[str, Any]:
    return {"messages": [{**USER, "content_blocks": list(given)}]}


def result(content: Any) -> dict[str, Any]:
    return {"type": "tool_result", "content": content}


# The family, what is special in the chat, and a part of the message.
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("cohere", {"kwargs": {"tools": [5]}}, "Unsupported tool type: int"),
    ("cohere", {"kwargs": {"citation_options": {"mode": 5}}}, "lower"),
    ("cohere", {"kwargs": {"template": "x"}}, "'template' is not accepted"),
    ("cohere", {"messages": [{"role": "critic", "content": "x"}]}, "Unsupported message role"),
    ("deepseek_v32", {"messages": []}, "at least one message"),
    ("deepseek_v32", {"messages": [{"role": "developer", "content": ""}]}, "Invalid message"),
    ("deepseek_v32", {"kwargs": {"tools": [5]}}, "Tools must be a list"),
    ("deepseek_v4", {"kwargs": {"tools": "ab"}}, "Tools must be a list"),
    ("deepseek_v4", {"messages": [{"role": "critic", "content": "x"}]}, "Invalid role: critic"),
    ("deepseek_v41", {"messages": [{"role": "critic", "content": "x"}]}, "Invalid role: critic"),
    ("deepseek_v41", {"messages": [{**USER, "content": "<｜deepseek_image｜>"}]}, "image special"),
    ("deepseek_v41", blocks(5), "array of objects"),
    ("deepseek_v41", blocks(result([5])), "array of typed objects"),
    ("deepseek_v41", {"kwargs": {"reasoning_effort": True}}, "reasoning_effort must be"),
    ("harmony", {"messages": [{"role": "critic", "content": "x"}]}, "Unknown role: 'critic'"),
    ("harmony", {"messages": [{**USER, "content": [{"text": 5}]}]}, "must be a string"),
    ("harmony", {"messages": [{**USER, "content": [5]}]}, "must be a string"),
    ("inkling", {"kwargs": {"continue_final_message": True}}, "does not support"),
    ("inkling", {"kwargs": {"reasoning_effort": 1}}, r"in \[0.0, 0.99\], got 1.0"),
    ("inkling", {"kwargs": {"tools": [{"function": {}}]}}, "each with a named `function`"),
    ("inkling", {"messages": [{"role": "critic", "content": "x"}]}, "'critic'"),
    (
        "inkling",
        {"messages": [{"role": "assistant", "content": "x", "reasoning": {"a": 1}}]},
        "must be a string",
    ),
    (
        "inkling",
        {"kwargs": {"tools": [{"function": {"name": "f", "parameters": {"a": float("nan")}}}]}},
        "JSON compliant",
    ),
    ("kimi_k3", {"kwargs": {"reasoning_effort": "medium"}}, "thinking_effort values: low, high"),
    ("kimi_k3", {"kwargs": {"refuse": 1}}, "refused"),
    ("mistral", {"messages": []}, "out of range"),
    (
        "mistral",
        {"kwargs": {"add_generation_prompt": True, "continue_final_message": True}},
        "Cannot set both",
    ),
    ("mistral", {"kwargs": {"continue_final_message": True}}, "not from the assistant"),
    (
        "mistral",
        {
            "messages": [USER, {"role": "assistant", "content": "x"}],
            "kwargs": {"add_generation_prompt": True},
        },
        "last message is from the assistant",
    ),
]


@pytest.fixture(scope="module", params=MODELS)
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Renderer]:
    name, mode = MODELS[request.param]
    if request.param in LIBRARIES:
        pytest.importorskip(LIBRARIES[request.param])
    folder = make(name, Path(), tmp_path_factory.mktemp("model"))
    files = find(str(folder))
    config = files.json("config.json") or {}
    tokenizer = load_family_tokenizer(mode, files, config, remote_code=True)
    renderer = load_renderer(mode, config, tokenizer, None)
    assert renderer is not None
    return request.param, renderer


def test_refused(served: tuple[str, Renderer]) -> None:
    family, renderer = served
    for name, fields, words in REFUSED:
        if name == family:
            with pytest.raises(RequestError, match=words) as caught:
                renderer.render(Chat(**{"messages": [USER], **fields}))
            assert caught.value.status == 400


def test_a_plain_chat_is_rendered(served: tuple[str, Renderer]) -> None:
    assert served[1].render(Chat(messages=[USER], kwargs={"add_generation_prompt": True}))


def test_blocks_that_the_client_made(served: tuple[str, Renderer]) -> None:
    family, renderer = served
    if family != "deepseek_v41":
        return
    parts = [{"type": "text", "text": "t"}, result("a"), result([{"type": "text", "text": "b"}])]
    text = renderer.render(Chat(**blocks(*parts, result([{"type": "x"}]), {"type": "y"})))
    assert isinstance(text, str)
    assert (
        "<｜User｜>t\n\n<tool_result>a</tool_result>\n\n<tool_result>b</tool_result>\n\n"
        "<tool_result>[Unsupported x]</tool_result>\n\n[Unsupported y]<｜Assistant｜>"
    ) in text


def test_arguments_that_hold_too_much(served: tuple[str, Renderer]) -> None:
    """Harmony writes them as they are."""
    family, renderer = served
    assert renderer.render(Chat(messages=called("{}")))
    if family != "harmony":
        with pytest.raises(RequestError, match="too many objects") as refused:
            renderer.render(Chat(messages=called(BOMB)))
        assert (refused.value.status, refused.value.param) == (400, "tool_calls")


@pytest.mark.parametrize("content", [BOMB, [{"type": "text", "text": BOMB}]])
def test_results_that_mistral_reads(served: tuple[str, Renderer], content: Any) -> None:
    family, renderer = served
    if family != "mistral":
        return
    messages = called("{}")
    messages[-1]["content"] = content
    with pytest.raises(RequestError, match="too many objects") as refused:
        renderer.render(Chat(messages=messages))
    assert (refused.value.status, refused.value.param) == (400, "messages")
