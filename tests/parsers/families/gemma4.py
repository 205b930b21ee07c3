"""Gemma 4: thoughts in a channel, calls with keys and values between `<|"|>` tokens."""

from __future__ import annotations

from typing import Any

from . import Family, Text

START, END, QUOTE = "<|tool_call>", "<tool_call|>", '<|"|>'


def written(value: Any, quote: str = QUOTE) -> str:
    """A value as the templates of both Gemmas write it."""
    if isinstance(value, str):
        return f"{quote}{value}{quote}"
    if isinstance(value, dict):
        return "{" + ",".join(f"{k}:{written(v, quote)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(written(item, quote) for item in value) + "]"
    return {None: "null", True: "true", False: "false"}.get(value) or repr(value)


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"{START}call:{name}{written(arguments)}{END}"


def _call(body: str, end: str = END) -> str:
    return f"{START}call:get_weather{body}{end}"


_Q = QUOTE
_T = "<|channel>thought\n"
ODD: dict[str, Text] = {
    "types": call("get_weather", {
        "city": "12", "days": "7", "limit": "2.0", "metric": "true", "where": '{"lat":1, "x":[]}',
        "tags": '["a","b"]', "unit": "c", "level": "2", "maybe": "null", "either": "5",
        "one": "0", "all": "9", "ref": "3", "free": "4", "int": "8", "odd": "1.5",
    }),
    "bare types": _call(
        "{city:12,days:7,limit:2.0,metric:true,unit:c,level:2,maybe:null,either:5,one:0,free:4}"
    ),
    "types that do not fit": call("get_weather", {"days": "soon", "limit": "inf", "metric": "yes"}),
    "nested types": _call(
        f"{{where:{{lat:1.5,x:2}},tags:[1,{_Q}b{_Q},true],free:{{a:[1,{{b:2}}]}}}}"
    ),
    "nothing in the schema": f"{START}call:run{{a:1,b:true,c:{{d:2}},e:[3,{_Q}x{_Q}]}}{END}",
    "spaces": _call(f"{{ city : {_Q}Paris{_Q} , days : 2 }}"),
    "newlines": _call(f"{{\n  city: {_Q}Paris{_Q},\n  days: 2\n}}\n"),
    "text in a string": _call(f"{{city:{_Q}a, b: {{c}} [d] }}{_Q},days:1}}"),
    "quoted keys": _call(f"{{{_Q}city{_Q}:{_Q}Paris{_Q}}}"),
    "empty values": _call(f"{{city:{_Q}{_Q},tags:[],where:{{}}}}"),
    "bare string": _call("{city:New York,days:2}"),
    "no value": _call("{city:,days:2}"),
    "no value at the end": _call("{days:2,city:}"),
    "trailing comma": _call(f"{{city:{_Q}Paris{_Q},}}"),
    "comma twice": _call("{days:2,,limit:1}"),
    "parentheses": _call(f"(city:{_Q}Paris{_Q})"),
    "parentheses and braces": _call(f"({{city:{_Q}Paris{_Q}}})"),
    "colon only": f"{START}:get_weather{{days:2}}{END}",
    "no call word": f"{START}get_weather{{days:2}}{END}",
    "text before the call word": f"{START} ok call:get_weather{{days:2}}{END}",
    "space in the name": f"{START}call: get_weather {{days:2}}{END}",
    "no arguments at all": f"{START}call:bare{END}",
    "empty call": f"{START}{END}",
    "empty name": f"{START}call:{{days:2}}{END}",
    "brace left open": _call(f"{{city:{_Q}Paris{_Q}"),
    "string left open": _call(f"{{city:{_Q}Paris}}"),
    "list left open": _call("{tags:[a,b}"),
    "one brace too many": _call("{days:2}}"),
    "text after the body": _call("{days:2} so"),
    "no end": _call(f"{{city:{_Q}Paris{_Q}}}", ""),
    "no end, next": _call("{days:2}", "") + _call("{days:3}"),
    "no end, text": _call("{days:2}", "\nDone."),
    "end twice": call("run", {}) + END,
    "start twice": START + call("run", {}),
    "stray end": f"Well {END} then.",
    "only start": f"Well.{START}",
    "start in a string": _call(f"{{city:{_Q}a {START} b{_Q}}}"),
    "end in a string": _call(f"{{city:{_Q}a {END} b{_Q}}}"),
    "repeated key": _call("{days:1,days:2}"),
    "spelt tokens": ["<|tool", "_call>call:run{a:1}<tool", "_call|>"],
    "spelt quotes": [_call('{city:<|"', ""), '|>Paris<|"', "|>}" + END],
    "channel without a prompt": "<|channel>thought\nHm.<channel|>Yes.",
    "thought alone": "thought\nHm.<channel|>Yes.",
    "special token in content": "One<|turn>two<|im_start|>three",
    "special token in a string": _call(f"{{city:{_Q}a<|im_start|>b{_Q}}}"),
    "end token": call("run", {"a": "1"}) + "<|im_end|>",
}  # fmt: skip

FAMILY = Family(
    golden={
        "gemma4": ("gemma4", None),
        "gemma4+gemma4": ("gemma4", "gemma4"),
        "gemma4@reasoning": (None, "gemma4"),
    },
    call=call,
    added=(START, END, QUOTE, "<|channel>", "<channel|>", "<|turn>", "<|tool_response>"),
    think=("<|channel>thought\n", "<channel|>"),
    odd=ODD,
    extra=(
        {"name": "thought prefix alone", "text": "<|channel>thought", "request": {}},
        {"name": "half a thought prefix", "text": "<|channel>thou", "request": {}},
        {"name": "another channel", "text": "<|channel>final\nHm.<channel|>Yes.", "request": {}},
        {"name": "no channel, closed", "text": "Hm.<channel|>Yes.", "request": {}},
        {"name": "thought without a channel", "text": "thought\nHm.<channel|>Yes.", "request": {}},
        {"name": "thought without an end", "text": "thought\nHm.", "request": {}},
        {"name": "thoughtful", "text": "thoughtful words", "request": {}},
        {"name": "two channels", "text": f"{_T}a<channel|>{_T}b<channel|>c", "request": {}},
        *(
            {"name": f"channel, {what}", "text": text, "prompt": prompt, "request": {}}
            for what, prompt, text in (
                ("open", f"<|turn>model\n{_T}", "Hm.<channel|>Yes."),
                ("open, opened again", f"<|turn>model\n{_T}", f"{_T}Hm.<channel|>Yes."),
                ("new turn", "<|turn>model\n", "Yes."),
                ("new turn, thinks", "<|turn>model\n", f"{_T}Hm.<channel|>Yes."),
                ("earlier turn", f"{_T}a<channel|>b<|turn>", "Hm.<channel|>Yes."),
                ("tool response", f"{_T}a<|tool_response>", "Yes."),
            )
        ),
    ),
    markup=(
        f"{START}call:look{{", f"{START}call:run{{", f"{START}call:look{{text:{_Q}", f"{_Q},days:",
        "days:", "where:{", "maybe:[", ":", ",", "{", "}", "[", "]", "(", ")", "thought\n",
        "thou", "ght\n", "call:", "<|tool", "_call>", '<|"', "|>", "<channel", "<|chan",
    ),
    exact=False,
)  # fmt: skip
