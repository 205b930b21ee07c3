"""Which turns of a conversation keep what an engine has cached, and what their outputs are."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from render_service.common_prefix import common_prefix
from render_service.errors import RequestError
from render_service.model import Model
from tests.conftest import Serve

from .prefix_conversations import (
    ASK,
    CALLS,
    RESULT,
    THANKS,
    TOOL,
    TOOLS_LAST,
    Message,
    answer,
    body,
    broken,
    call,
    checked,
    model,
)


def test_a_template_that_changes_nothing() -> None:
    of = model(body())
    one, two = checked(of, ASK, answer(" In\n the tin.\n"), ASK, answer(""), THANKS)
    assert (one.broken, two.broken) == (None, None)
    assert one.lost == 0
    assert one.reusable == len(one.turn.prompt.ids) + len(one.turn.output.ids)
    assert one.turn.output.source == "template"
    spelled = " In\n the tin.\n<|im_end|>"
    assert one.turn.output.ids == of.tokenizer.encode(spelled, add_special_tokens=False)
    assert one.turn.following == two.turn.prompt
    ended = of.tokenizer.token_to_id("<|im_end|>")
    assert two.turn.output.ids == [ended]


def test_what_is_a_turn() -> None:
    of = model(body())
    assert checked(of, ASK) == checked(of, ASK, answer()) == []
    assert checked(of, answer(), ASK) == [], "there is no prompt before it"
    (turn,) = checked(of, answer(), ASK, answer(), THANKS)
    assert (turn.turn.answer, turn.turn.until) == (2, 4)
    turns = checked(of, ASK, answer(), answer(), ASK, answer())
    assert [(t.turn.answer, t.turn.until) for t in turns] == [(1, 2), (2, 4)]


def test_reasoning_is_dropped() -> None:
    of = model()
    said = answer("\n\nIn the tin.", reasoning="\nHm.\n")
    kept, dropped = checked(
        of, ASK, answer(None, reasoning="Look.", **call("{}")), RESULT, said, THANKS, tools=[TOOL]
    )
    assert kept.broken is None
    # All reasoning since the last question goes, so the break lies before the newest answer.
    assert broken(dropped) == ("reasoning_dropped", 1)
    assert dropped.broken is not None
    assert dropped.broken.cached.text.startswith("<think>\nLook.\n</think>")
    assert dropped.broken.following.text.startswith("<tool_call>")
    assert dropped.broken.before.text.endswith("<|im_start|>assistant\n")
    assert dropped.broken.before.ids[-1] == dropped.turn.cached[dropped.reusable - 1]
    (turn,) = checked(of, ASK, said, THANKS)
    assert broken(turn) == ("reasoning_dropped", 1)
    assert turn.reusable == len(turn.turn.prompt.ids)
    text = of.tokenizer.decode(turn.turn.output.ids, skip_special_tokens=False)
    assert text == "<think>\nHm.\n</think>\n\nIn the tin.<|im_end|>"


def test_reasoning_that_the_template_never_writes() -> None:
    of = model(body())
    (turn,) = checked(of, ASK, answer(reasoning="Hm."), THANKS)
    assert turn.turn.output.source == "estimated"
    assert broken(turn) == ("reasoning_dropped", 1)
    assert turn.reusable == len(turn.turn.prompt.ids)


def test_a_stop_token_that_is_the_next_header() -> None:
    """As of GLM models: they end their turn with the token that begins the next."""
    of = model(body(end="").replace("{{ '\n' }}{% endfor %}", "{% endfor %}"))
    header = of.tokenizer.token_to_id("<|im_start|>")
    (turn,) = checked(of, ASK, answer(), THANKS, stop_token_ids=[header])
    assert turn.broken is None
    assert turn.turn.output.ids[-1] == header


# Outputs that are given


def spelled(of: Model, text: str, *, letters: bool = False) -> list[int]:
    encode = of.tokenizer.encode
    parts = list(text) if letters else [text]
    ids = [i for part in parts for i in encode(part, add_special_tokens=False)]
    end = of.generation.eos_token_id
    assert end is not None
    return [*ids, end]


def test_given_tokens() -> None:
    of = model(body())
    ids = spelled(of, "In the tin.")
    (turn,) = checked(of, ASK, answer(token_ids=ids), THANKS)
    assert turn.broken is None
    assert (turn.turn.output.ids, turn.turn.output.source) == (ids, "given")
    (turn,) = checked(of, ASK, answer(token_ids=spelled(of, "In the tin.", letters=True)), THANKS)
    assert broken(turn) == ("retokenized", 1)
    assert turn.broken is not None
    assert turn.broken.cached.ids != turn.broken.following.ids
    (turn,) = checked(of, ASK, answer(token_ids=spelled(of, "In the box.")), THANKS)
    assert broken(turn) == ("message_edited", 1)
    (turn,) = checked(of, ASK, answer(token_ids=spelled(of, "In the tin. ")), THANKS)
    assert broken(turn) == ("content_changed", 1)
    (turn,) = checked(of, ASK, answer(token_ids=spelled(of, "In the tin.")[:-1]), THANKS)
    assert turn.broken is None, "cut off before its end"


def test_a_given_call_is_spaced_otherwise() -> None:
    of = model(body(CALLS))
    text = '<tool_call>{"name":"look","arguments":{"at":"tin"}}</tool_call>'
    said = answer(None, token_ids=spelled(of, text), **call('{"at": "tin"}'))
    (turn,) = checked(of, ASK, said, RESULT)
    assert broken(turn) == ("tool_call_changed", 1)


def test_the_first_token_joins_the_prompt() -> None:
    """A prompt's last tokens are fixed when the model goes on, not when all is encoded again."""
    of = model(body())
    (turn,) = checked(of, ASK, answer("\n\nIn the tin."), THANKS)
    if turn.broken is not None:  # a matter of the vocabulary
        assert broken(turn) == ("retokenized", 1)
    assert turn.turn.cached[: len(turn.turn.prompt.ids)] == turn.turn.prompt.ids


def test_what_cannot_be_rendered() -> None:
    refuses = "{% if messages | length > 2 %}{{ raise_exception('Too many.') }}{% endif %}x"
    with pytest.raises(RequestError) as caught:
        checked(model(refuses), ASK, answer(), THANKS)
    assert caught.value.message == "messages[:3]: Too many."


def test_messages_of_odd_shapes() -> None:
    of = model(body(TOOLS_LAST + CALLS))
    parts = [{"type": "text", "text": "Where"}, {"type": "text", "text": "is it?"}]
    for arguments in ("", "{", "[1]", '{"a": {"b": {}}}'):
        asked = {"role": "user", "content": parts}
        turn = checked(of, asked, answer("{{", **call(arguments)), RESULT, tools=[TOOL])[0]
        assert broken(turn) == ("tools_changed", 0)
        (turn,) = checked(of, asked, answer("{{", **call(arguments)), RESULT)
        assert turn.broken is None


TEXTS = st.text("a \n{<é", max_size=6)
ANSWERS = st.fixed_dictionaries(
    {"role": st.just("assistant"), "content": TEXTS | st.none()},
    optional={
        "reasoning": TEXTS | st.none() | st.just(5),
        "tool_calls": st.just([]) | st.builds(lambda text: call(text)["tool_calls"], TEXTS),
        "token_ids": st.lists(st.integers(0, 1500), min_size=1, max_size=5),
    },
)
CUSTOM = [{"id": "1", "type": "custom", "custom": {}}]
OTHERS = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "system", "developer"]), "content": TEXTS},
    optional={"tool_calls": st.just(CUSTOM)},
)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(ANSWERS | OTHERS, max_size=6),
    st.sampled_from([None, body(), body(CALLS + TOOLS_LAST, end="")]),
)
def test_any_conversation(messages: list[Message], template: str | None) -> None:
    for turn in checked(model(template), ASK, *messages, THANKS, tools=[TOOL]):
        cached, following = turn.turn.cached, turn.turn.following.ids
        assert turn.reusable == common_prefix(cached, following)
        assert (turn.broken is None) == (turn.reusable == len(cached))
        if turn.broken is not None:
            assert broken(turn)[1] < turn.turn.until


# Against an engine


def test_derived_outputs_are_the_engines(serve: Serve, engine: Serve) -> None:
    flags = ("--reasoning-parser", "qwen3", "--tool-call-parser", "hermes")
    server, tokens = serve("", *flags, "--enable-auto-tool-choice"), engine()
    chat: dict[str, Any] = {"messages": [ASK], "tools": [TOOL]}
    outputs, lengths = [], []
    for following in ([RESULT], [THANKS], [ASK], []):
        url = f"{server.url}/v1/chat/completions"
        asked = chat | ({"previous_token_ids": outputs[-1]} if outputs else {})
        rendered = httpx.post(f"{url}/render", json=asked)
        lengths += rendered.headers.get_list("x-render-common-prefix")
        prompt = rendered.json()["token_ids"]
        output = httpx.post(f"{tokens.url}/inference/v1/generate", json=rendered.json()).json()
        outputs.append(prompt + output["choices"][0]["token_ids"])
        question = {"chat_request": chat, "generate_response": output, "prompt_token_ids": prompt}
        said = httpx.post(f"{url}/derender", json=question).json()["choices"][0]["message"]
        chat["messages"] = [*chat["messages"], said, *following]
    turns = checked(model(), *chat["messages"], tools=[TOOL])
    assert [turn.turn.cached for turn in turns] == outputs[:-1]
    assert [str(turn.reusable) for turn in turns] == lengths
    assert [turn.broken is None for turn in turns] == [True, False, False]
