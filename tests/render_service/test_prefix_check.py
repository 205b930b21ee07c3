"""Which turns of a conversation keep what an engine has cached, where they break and why."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from render_service.common_prefix import common_prefix
from render_service.errors import RequestError
from render_service.loading import load_model
from render_service.model import Model
from render_service.prefix_cause import CAUSES
from render_service.prefix_check import Checked, check
from render_service.protocol.chat import decode_chat_request
from render_service.settings import Settings
from render_service.template_source import ChatTemplates, Source
from tests.conftest import Serve

Message = dict[str, Any]

TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
ASK = {"role": "user", "content": "Where is the tea?"}
THANKS = {"role": "user", "content": "Thanks."}

# One turn after the other, as it is: nothing that a template may do to an answer.
HEADER = "<|im_start|>{{ m.role }}{{ '\n' }}"
OPENING = "{% if add_generation_prompt %}<|im_start|>assistant{{ '\n' }}{% endif %}"
CONTENT = "{{ m.content }}"


def body(text: str = CONTENT, end: str = "<|im_end|>", opening: str = OPENING) -> str:
    each = f"{HEADER}{text}{end}{{{{ '\n' }}}}"
    return f"{{% for m in messages %}}{each}{{% endfor %}}{opening}"


def newest(text: str, older: str = "") -> str:
    """For the newest answer one text, for older ones another."""
    newer = "loop.last and m.role == 'assistant'"
    return f"{{% if {newer} %}}{text}{{% else %}}{older}{{% endif %}}"


@lru_cache(maxsize=8)
def loaded(folder: str | None = None) -> Model:
    return load_model(Settings(model=folder))


def model(template: str | None = None, folder: str | None = None) -> Model:
    of = loaded(folder)
    if template is None:
        return of
    sources = {"default": Source(template, "test")}
    templates = ChatTemplates(sources, special_tokens=of.tokenizer.special_tokens_map)
    return dataclasses.replace(of, templates=templates)


def answer(content: str | None = "In the tin.", **fields: Any) -> Message:
    return {"role": "assistant", "content": content, **fields}


def call(arguments: str, name: str = "look") -> Message:
    function = {"name": name, "arguments": arguments}
    return {"tool_calls": [{"id": "call_1", "type": "function", "function": function}]}


RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "18"}


def checked(of: Model, *messages: Message, **fields: Any) -> list[Checked]:
    request = decode_chat_request(json.dumps({"messages": messages, **fields}).encode())
    return list(check(of, request))


def broken(turn: Checked) -> tuple[str, int]:
    assert turn.broken is not None
    assert turn.broken.cause in CAUSES
    assert turn.broken.position == turn.reusable
    return turn.broken.cause, turn.broken.message


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


CALLS = (
    "{{ m.content or '' }}{% for c in m.tool_calls or [] %}<tool_call>"
    '{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}'
    "</tool_call>{% endfor %}"
)
CALLS_ALONE = "{% if m.tool_calls %}" + CALLS.partition("}}")[2] + "{% else %}X{% endif %}"
TOOLS_LAST = "{% if tools and loop.last %}{{ tools | tojson }}{% endif %}"
SYSTEM_LAST = (
    "{% set s = messages | selectattr('role', 'equalto', 'system') | list %}"
    "{% for m in messages if m.role != 'system' %}"
    f"{HEADER}X{{% if s and loop.last %}}{{{{ s[0].content }}}}: {{% endif %}}{CONTENT}<|im_end|>"
    "{% endfor %}"
)
SYSTEM = {"role": "system", "content": "Be brief."}
LATER = {"role": "developer", "content": "Be brief."}
TIN = call('{"at": "tin"}')
CHAT = [ASK, answer(), THANKS]
THOUGHT = [ASK, answer(reasoning="Hm."), THANKS]
CALLED = [ASK, answer("Wait.", **TIN), RESULT]
TOOLS = {"tools": [TOOL]}

Case = tuple[str, int, str | None, list[Message], dict[str, Any]]
BREAKS: Mapping[str, Case] = {
    "reasoning in other white space": (
        "reasoning_changed", 1,
        body("<think>" + newest("", "{{ '\n' }}") + "{{ m.reasoning }}</think>" + CONTENT),
        THOUGHT, {},
    ),
    "content trimmed": (
        "content_changed", 1, body("{{ m.content | trim }}"), [ASK, answer("Hi. \n"), THANKS], {},
    ),
    "white space before it trimmed": (
        "content_changed", 1, body("{{ m.content | trim }}"), [ASK, answer("  Hi."), THANKS], {},
    ),
    "content replaced": (
        "content_changed", 1, body("{{ m.content | replace('tin', 'box') }}"), CHAT, {},
    ),
    "content dropped beside a call": (
        "content_changed", 1, body(CALLS_ALONE.replace("X", CONTENT)), CALLED, {},
    ),
    "arguments spaced": (
        "tool_call_changed", 1, body(CALLS), [ASK, answer(None, **call('{"a":1}')), RESULT], {},
    ),
    "a call in other words": (
        "tool_call_changed", 1, body(newest(CALLS, CALLS.replace('"name"', '"tool"'))), CALLED, {},
    ),
    "a call that is no JSON": (
        "tool_call_changed", 1,
        body("{{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>{{ c.function.name }}"
             "{% endfor %}" + newest("(tin)", "(box)")),
        CALLED, {},
    ),
    "a call dropped": (
        "tool_call_changed", 1, body("{{ m.content or '' }}"),
        [ASK, answer(None, **TIN), RESULT], {},
    ),
    "no end of turn": ("end_of_turn", 1, body(end=""), CHAT, {}),
    "another end of turn": (
        "end_of_turn", 1, body(end=newest("<|im_end|>", "<|endoftext|>")), CHAT, {},
    ),
    "the opening": (
        "opening_changed", 1,
        body(opening=OPENING.replace("{% endif %}", "<think>{% endif %}")), CHAT, {},
    ),
    "an empty block of reasoning": (
        "opening_changed", 1, body(newest("<think></think>") + CONTENT), CHAT, {},
    ),
    "tools beside the last message": ("tools_changed", 0, body(TOOLS_LAST + CONTENT), CHAT, TOOLS),
    "system beside the last message": (
        "system_changed", 0, SYSTEM_LAST.replace("X", "") + OPENING, [SYSTEM, *CHAT], {},
    ),
    "both beside the last message": (
        "tools_and_system_changed", 0,
        SYSTEM_LAST.replace("X", TOOLS_LAST) + OPENING, [SYSTEM, *CHAT], TOOLS,
    ),
    "a later system message": ("system_changed", 0, None, [ASK, answer(), LATER, THANKS], {}),
    "a word behind the last message": (
        "unknown", 0, body(CONTENT + "{% if loop.last %}/think{% endif %}"), CHAT, {},
    ),
    "between reasoning and content": (
        "unknown", 1, body("<think>{{ m.reasoning }}</think>" + newest("...") + CONTENT),
        THOUGHT, {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BREAKS)
def test_where_and_why(case: str) -> None:
    cause, message, template, messages, fields = BREAKS[case]
    turn = checked(model(template), *messages, **fields)[-1]
    assert broken(turn) == (cause, message)
    assert turn.broken is not None
    assert turn.broken.role == messages[message]["role"]


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


def test_templates_that_refuse_what_is_tried() -> None:
    """The newest message must be a user's: the output is estimated then."""
    picky = (
        "{% if messages[-1].role == 'assistant' %}{{ raise_exception('No.') }}{% endif %}"
        "{% if '\ue000' in messages[0].content %}{{ raise_exception('No.') }}{% endif %}"
    ) + body(TOOLS_LAST + CONTENT)
    (turn,) = checked(model(picky), ASK, answer(), THANKS)
    assert turn.turn.output.source == "estimated"
    assert turn.broken is None
    (turn,) = checked(model(picky), ASK, answer(), THANKS, tools=[TOOL])
    assert broken(turn) == ("tools_changed", 0), "all the same"


def test_templates_that_do_without_nothing() -> None:
    """What is tried to find a cause may be refused as well."""
    moving = SYSTEM_LAST.replace("X", "") + OPENING
    strict = "{% if messages[0].role != 'system' %}{{ raise_exception('No.') }}{% endif %}"
    (turn,) = checked(model(strict + moving), SYSTEM, *CHAT)
    assert broken(turn) == ("unknown", 0)
    hasty = "{% if not add_generation_prompt %}{{ raise_exception('No.') }}{% endif %}"
    (turn,) = checked(model(hasty + body()), *CHAT)
    assert (turn.broken, turn.turn.output.source) == (None, "estimated")
    (turn,) = checked(model(hasty + body("{{ m.content | trim }}")), ASK, answer(" Hi. "), THANKS)
    assert broken(turn) == ("content_changed", 1)


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


# Published models


@pytest.fixture
def published(model_folder: Callable[[str], Path]) -> Callable[..., Model]:
    def load(name: str, template: str | None = None) -> Model:
        folder = model_folder(name)
        path = None if template is None else folder.parent / "templates" / f"{template}.jinja"
        if path is not None and not path.is_file():
            pytest.skip(f"no {path}")
        return model(None if path is None else path.read_text("utf-8"), str(folder))

    return load


def test_qwen3_drops_old_reasoning(published: Callable[..., Model]) -> None:
    of = published("qwen3")
    said = answer("\n\nIn the tin.", reasoning="\nThe tea is in the tin.\n")
    kept, dropped, plain = checked(
        of,
        ASK,
        answer("", reasoning="\nLook.\n", **call('{"at": "shelf"}')),
        RESULT,
        said,
        THANKS,
        answer("\n\nYou are welcome.", reasoning="\nPolite.\n"),
        ASK,
        tools=[TOOL],
    )
    assert kept.broken is None
    assert broken(dropped) == ("reasoning_dropped", 1)
    assert broken(plain) == ("reasoning_dropped", 5)
    # Without reasoning nothing is dropped, but the prompt has an empty block that is.
    quiet = {"chat_template_kwargs": {"enable_thinking": False}}
    (turn,) = checked(of, ASK, answer(), THANKS, **quiet)
    assert broken(turn) == ("opening_changed", 1)
    # The content keeps its newlines, which become one token with the header's.
    assert dropped.broken is not None
    assert plain.broken is not None
    assert plain.broken.following.text.startswith("\n\n\nYou are")


def test_llama31_trims_content(published: Callable[..., Model]) -> None:
    of = published("llama31", "meta-llama-Llama-3.1-8B-Instruct")
    looked = answer(None, **call('{"at": "shelf"}'))
    one, two, three = checked(
        of, ASK, looked, RESULT, answer("In the tin."), THANKS, answer("Good. "), ASK, tools=[TOOL]
    )
    assert (one.broken, two.broken) == (None, None)
    assert broken(three) == ("content_changed", 5)
    end = of.tokenizer.token_to_id("<|eot_id|>")
    assert {turn.turn.output.ids[-1] for turn in (one, two, three)} == {end}
    # The template writes a call as JSON with spaces.
    (turn,) = checked(of, ASK, answer(None, **call('{"at":"shelf"}')), RESULT, tools=[TOOL])
    assert broken(turn) == ("tool_call_changed", 1)


def test_harmony_ends_older_answers_otherwise(
    model_folder: Callable[[str], Path], tmp_path: Path
) -> None:
    """What its own renderer makes of answers, whose older reasoning and end change."""
    for file in model_folder("gptoss").iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "config.json").unlink()
    config = {"model_type": "gpt_oss", "max_position_embeddings": 4096}
    (tmp_path / "config.json").write_text(json.dumps(config))
    of = loaded(str(tmp_path))
    looked = answer("", reasoning="Look.", **call('{"at":"shelf"}'))
    one, two, three = checked(
        of, ASK, answer(), THANKS, looked, RESULT, answer(reasoning="Hm."), ASK, tools=[TOOL]
    )
    assert broken(one) == ("end_of_turn", 1)
    assert one.lost == 1
    assert two.broken is None
    assert broken(three) == ("reasoning_dropped", 3)


def test_mistral_moves_tools(published: Callable[..., Model]) -> None:
    of = published("llama31", "mistralai-Mistral-Nemo-Instruct-2407")
    (turn,) = checked(of, ASK, answer(), THANKS, tools=[TOOL])
    assert broken(turn) == ("tools_changed", 0)
