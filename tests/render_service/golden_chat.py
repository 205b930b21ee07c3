"""Recorded renderings of chats (tests/record/chat.py), and ours in the same form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from render_service.errors import RequestError
from render_service.messages import conversation
from render_service.protocol.message_shape import check_messages
from render_service.template_source import ChatTemplates

GOLDEN = Path(__file__).parent.parent / "golden" / "chat"
# What the templates of the recording model see.
SPECIAL_TOKENS = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
TEMPLATES = ChatTemplates({}, special_tokens=SPECIAL_TOKENS)


def lines(name: str) -> list[dict[str, Any]]:
    with open(GOLDEN / f"{name}.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def answer(line: dict[str, Any]) -> dict[str, Any]:
    return {key: line[key] for key in ("text", "tokens", "error") if key in line}


def rendered(request: dict[str, Any], source: str) -> dict[str, Any]:
    """The request rendered with a template: `{"text"}` or `{"error"}`, as recorded."""
    tools = request.get("tools")
    kwargs = {
        **request.get("chat_template_kwargs", {}),
        "add_generation_prompt": request.get("add_generation_prompt", True),
        "continue_final_message": request.get("continue_final_message", False),
    }
    try:
        check_messages(request["messages"])
        template = TEMPLATES.pick(tools=tools, source=source)
        messages = conversation(request["messages"], content_format=template.content_format)
        return {"text": template.render(messages, tools=tools, kwargs=kwargs)}
    except RequestError as error:
        return {"error": json.loads(error.body())["error"]}
