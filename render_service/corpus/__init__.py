"""Requests that we wrote, to compare two servers with and to record vLLM's answers to.

Rule: data, and loops that make data; nothing here sends or reads anything. Names are unique within
a path. A request that only one kind of server takes (a parser, a flag) is taken or refused by both.
"""

from __future__ import annotations

from .case import CHAT, Case
from .chats import chat_cases
from .conversations import CONVERSATIONS
from .outputs import output_cases
from .texts import completion_cases, raw_cases, tokenize_cases

__all__ = ["Case", "cases", "conversation_cases"]


def cases() -> list[Case]:
    """All of them: chats, completions, texts to tokenize, bodies that are none, and outputs."""
    return [
        *conversation_cases(),
        *chat_cases(),
        *completion_cases(),
        *tokenize_cases(),
        *raw_cases(),
        *output_cases(),
    ]


def conversation_cases() -> list[Case]:
    """Chats that differ in what the template sees."""
    return [Case(name, CHAT, request) for name, request in CONVERSATIONS.items()]
