"""The facts of a request in a stream's state, so that later chunks need not repeat the request.

JSON in a string, which no client re-writes on its way. Facts that would make the state long are
not carried: then each chunk must bring the request.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct
from msgspec.json import Decoder, Encoder

import parsers

from .request_facts import RequestFacts, sized
from .stop import StopRules
from .stream_state import MAX_CARRIED

if TYPE_CHECKING:
    from .model import Model


class Carried(Struct, omit_defaults=True):
    """s: stop token IDs. b: include_stop_str_in_output. x: ignore_eos. k: skip_special_tokens.
    w: spaces_between_special_tokens. t: return_token_ids. h: include_reasoning.
    l: top_limit. n: numbered_from. c: tool choice. f: named tool. p: parallel tool calls.
    a: template arguments. o: tools by name, with the schemas of their parameters; one that
    says no more than its type is that type.
    """

    s: list[int] = []
    b: bool = False
    x: bool = False
    k: bool = True
    w: bool = True
    t: bool = False
    h: bool = True
    l: int | None = None  # noqa: E741 - short on the wire
    n: int | None = None
    c: str = "none"
    f: str | None = None
    p: bool = True
    a: dict[str, Any] = {}
    o: list[tuple[str, dict[str, Any]]] = []


_decoder = Decoder(Carried)
_encoder = Encoder()


def pack(facts: RequestFacts, context: parsers.Context | None) -> str:
    """What the state carries, "" for facts that are too long for it.

    context: as much as a stream needs of it, None for all of the request.
    """
    if context is None:
        return ""
    stop = facts.stop
    carried = Carried(
        s=sorted(stop.stop_token_ids),
        b=stop.include_stop_str_in_output,
        x=stop.ignore_eos,
        k=facts.skip_special_tokens,
        w=facts.spaces_between_special_tokens,
        t=facts.return_token_ids,
        h=facts.include_reasoning,
        l=facts.top_limit,
        n=facts.numbered_from,
        c=context.tool_choice,
        f=context.named_tool,
        p=context.parallel_tool_calls,
        a=dict(context.template_kwargs),
        o=[(tool.name, _brief(tool)) for tool in context.tools],
    )
    packed = _encoder.encode(carried)
    return packed.decode() if len(packed) <= MAX_CARRIED else ""


def unpack(model: Model, packed: str) -> RequestFacts:
    """The facts again, as far as a stream needs them; ValueError for what `pack` does not write."""

    def build(data: bytes) -> tuple[RequestFacts, int]:
        return sized(_facts(data))

    return model.requests.get("carried", packed.encode(), build)


def _facts(packed: bytes) -> RequestFacts:
    try:
        carried = _decoder.decode(packed)
    except msgspec.MsgspecError as error:
        raise ValueError(f"what it carries of the request is malformed: {error}") from error
    context = parsers.Context(
        tools=tuple(parsers.Tool(name, _parameters(brief)) for name, brief in carried.o),
        tool_choice=carried.c,
        named_tool=carried.f,
        parallel_tool_calls=carried.p,
        include_reasoning=carried.h,
        template_kwargs=carried.a,
    )
    return RequestFacts(
        stop=StopRules(
            stop_token_ids=frozenset(carried.s),
            include_stop_str_in_output=carried.b,
            ignore_eos=carried.x,
        ),
        skip_special_tokens=carried.k,
        spaces_between_special_tokens=carried.w,
        return_token_ids=carried.t,
        include_reasoning=carried.h,
        top_limit=carried.l,
        named_tool=carried.c == "named",
        forces_calls=carried.c in ("named", "required"),
        context=context,
        numbered_from=carried.n,
    )


def _brief(tool: parsers.Tool) -> dict[str, Any]:
    properties: Mapping[str, Any] = (tool.parameters or {}).get("properties", {})
    return {name: _shortest(schema) for name, schema in properties.items()}


def _shortest(schema: Any) -> Any:
    if schema and set(schema) == {"type"} and isinstance(schema["type"], str | list):
        return schema["type"]
    return schema


def _parameters(brief: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if not brief:
        return None
    return {
        "properties": {
            name: {"type": schema} if isinstance(schema, str | list) else schema
            for name, schema in brief.items()
        }
    }
