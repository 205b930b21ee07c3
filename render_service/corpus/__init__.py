"""Requests that we wrote, to compare two servers with and to record vLLM's answers to.

Rule: data, and loops that make data; nothing here sends anything. Bodies that a server is to refuse
are among them. known.py has what differs from vLLM on purpose.
"""

from __future__ import annotations

from collections import Counter

from .anthropic import message_cases
from .case import CHAT, Case
from .chats import chat_cases
from .conversations import CONVERSATIONS
from .outputs import output_cases
from .responses import response_cases
from .spellings import spelling_cases
from .texts import completion_cases, raw_cases, tokenize_cases

__all__ = ["Case", "cases", "conversation_cases"]


def cases() -> list[Case]:
    """All of them: requests of each kind, texts to tokenize, bodies that are none, and outputs."""
    return unique(
        [
            *conversation_cases(),
            *chat_cases(),
            *completion_cases(),
            *response_cases(),
            *message_cases(),
            *tokenize_cases(),
            *raw_cases(),
            *spelling_cases(),
            *output_cases(),
        ]
    )


def conversation_cases() -> list[Case]:
    """Chats that differ in what the template sees."""
    return [Case(name, CHAT, request) for name, request in CONVERSATIONS.items()]


def unique(given: list[Case]) -> list[Case]:
    """A number behind names that come again, so that each can be asked for."""
    seen: Counter[str] = Counter()
    found = []
    for case in given:
        seen[case.name] += 1
        number = seen[case.name]
        found.append(case if number == 1 else case._replace(name=f"{case.name} #{number}"))
    return found
