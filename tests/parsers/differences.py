"""Why our answer is deliberately not vLLM's whole answer: by what differs, the first reason counts.

The answers are in `golden/parsers/differences.json`; `record/parser_differences.py` writes it,
to be read before it is committed. docs/parser-differences.md has the same by parser name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Difference:
    """asked: the prompt's IDs of most cases of the recording."""

    case: dict[str, Any]
    ours: Answer
    theirs: Answer
    asked: list[int]

    @property
    def text(self) -> str:
        """What the model wrote."""
        pieces = self.case["pieces"]
        return "".join(piece if isinstance(piece, str) else piece[0] for piece in pieces)

    def same(self, field: str) -> bool:
        """Whether the texts are the same but for white space."""
        return dense(self.ours[field]) == dense(self.theirs[field])

    @property
    def forced(self) -> bool:
        choice = self.case["request"].get("tool_choice")
        return choice == "required" or isinstance(choice, dict)

    @property
    def same_texts(self) -> bool:
        return self.same("reasoning") and self.same("content")

    @property
    def same_calls(self) -> bool:
        return bool(self.ours["calls"] == self.theirs["calls"])

    @property
    def moved(self) -> bool:
        """Whether both have the same text, divided otherwise."""
        return sorted(flat(self.ours)) == sorted(flat(self.theirs))

    @property
    def called_first(self) -> bool:
        """Whether we have all of vLLM's calls, and more."""
        theirs = [name for name, _ in self.theirs["calls"]]
        ours = [name for name, _ in self.ours["calls"]]
        return len(ours) > len(theirs) and all(name in ours for name in theirs)


class Reason(NamedTuple):
    text: str
    holds: Callable[[Difference], bool]


def dense(text: str | None) -> str:
    return "".join((text or "").split())


def flat(answer: Answer) -> str:
    """All text of an answer, without white space."""
    calls = "".join(name + arguments for name, arguments in answer["calls"])
    return dense(answer["reasoning"]) + dense(answer["content"]) + dense(calls)


REASONS = {
    "white space": Reason(
        "Only white space differs, or null and the empty text: white space beside calls and around "
        "markers is what the stream knows it to be, and nothing at all is null.",
        lambda d: d.same_texts and d.same_calls,
    ),
    "cut short": Reason(
        "The output was cut short: a call that has begun stays one, with a prefix of its "
        "arguments, and what had been sent cannot be taken back, as in vLLM's streamed answer.",
        lambda d: d.case["finish_reason"] == "length",
    ),
    "forced": Reason(
        "Text that is not the JSON that the request forces is content; vLLM's whole answer loses "
        "it, or hands it on as arguments.",
        lambda d: d.forced and not d.same_calls,
    ),
    "called": Reason(
        "A call that vLLM's whole answer takes for text or leaves out is one: it has begun, "
        "whatever goes wrong later, lacks or surrounds it; its streamed answers mostly agree.",
        lambda d: d.called_first,
    ),
    "lost text": Reason(
        "vLLM's whole answer loses text beside calls or reasoning, or inside markup that is no "
        "call, or a repeated or longer value; here it stays.",
        lambda d: len(flat(d.ours)) > len(flat(d.theirs)),
    ),
    "arguments": Reason(
        "The arguments are JSON, as the model wrote them: mended where they were none, neither "
        "adapted to the schema nor rewritten where they were.",
        lambda d: d.same_texts and len(d.ours["calls"]) == len(d.theirs["calls"]),
    ),
    "spelt": Reason(
        "Text that only looks like a marker, or a header that nothing opens, is text; vLLM's whole "
        "answer takes it for one.",
        lambda d: bool(
            (d.moved and d.case["name"].startswith("spelt"))
            or re.search(r"\w +to=self<\|message\|>", d.text)
        ),
    ),
    "prompt": Reason(
        "The prompt decides whether reasoning is open, as in vLLM's streamed answer; its whole "
        "answer ignores the prompt for this name or vocabulary.",
        lambda d: d.case["prompt_ids"] != d.asked,
    ),
    "nonempty": Reason(
        "force_nonempty_content has vLLM's whole answer turn reasoning into content where there is "
        "no other, which a stream cannot take back.",
        lambda d: d.moved and d.case["name"].startswith("nonempty content"),
    ),
    "unended": Reason(
        "Reasoning that nothing ends is reasoning, as in vLLM's streamed answer; its whole answer "
        "takes it for content.",
        lambda d: not dense(d.theirs["reasoning"]) and d.same_calls and not d.same("reasoning"),
    ),
    "unopened": Reason(
        "Text before an end of reasoning that nothing opened is content, since a stream has sent "
        "it by then; vLLM's whole answer looks ahead.",
        lambda d: d.moved and d.same_calls and not d.ours["reasoning"],
    ),
    "rest": Reason(
        "What of a call's body is no JSON is content; vLLM's whole answer has it in the arguments, "
        "or the whole call as text.",
        lambda d: d.moved and not d.same_calls,
    ),
    "markup": Reason(
        "Markup means something wherever it stands: vLLM's whole answer hands it on as text where "
        "nothing is in it, or where it reads only the first block or call.",
        lambda d: len(flat(d.ours)) < len(flat(d.theirs)),
    ),
}


def usual_prompt(cases: Sequence[dict[str, Any]]) -> list[int]:
    """The IDs of the prompt that most cases have."""
    return list(Counter(tuple(case["prompt_ids"]) for case in cases).most_common(1)[0][0])


def reason_of(difference: Difference) -> str | None:
    """The key of the first reason that holds."""
    return next((key for key, reason in REASONS.items() if reason.holds(difference)), None)
