"""Calls as Python writes them, in a list: `[f(city='Paris', days=2), g()]`."""

from __future__ import annotations

from typing import Any

from . import Family, Text


def call(name: str, arguments: dict[str, Any]) -> str:
    return f"[{one(name, arguments)}]"


def one(name: str, arguments: dict[str, Any]) -> str:
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"


def odd(before: str = "[", after: str = "]", glue: str = ", ") -> dict[str, Text]:
    """Calls in ways that Python knows; `before` and `after` stand around them."""

    def calls(*each: str) -> str:
        return before + glue.join(each) + after

    code = one("run", {"code": "print(1)"})
    return {
        "parallel calls": calls(one("get_weather", {"city": "Paris", "days": 2}), code),
        "three parallel calls": calls(code, one("bare", {}), code),
        "trailing comma": calls(f"{code},"),
        "empty list": calls(),
        "no spaces": calls("run(a=1,b='x',c=[1,2],d={'k':'v'})"),
        "spaces": calls("run ( a = 1 , b = [ 1 , 2 ] , c = { 'k' : 'v' } )"),
        "trailing comma in a call": calls("run(a=1, b=2,)"),
        "double quotes": calls("""run(a="it's", b='say "hi"')"""),
        "triple quotes": calls('''run(a="""one "two" three""", b="")'''),
        "raw string": calls(r"run(a=r'\d+\n', b='\d')"),
        "f-string": calls("run(a=f'plain {{x}}', b='{y}')"),
        "f-string with a value": calls("run(a=f'it is {x}')"),
        "bytes": calls("run(a=b'x')"),
        "string escapes": calls(r"run(a='\x41\u00e9\U0001f600\N{BULLET}\101\0\a\'\"\\ \q')"),
        "strings side by side": calls("run(a='one ' 'two', b=('three '\n 'four'))"),
        "numbers of all kinds": calls(
            "run(a=-1, b=+2, c=1.50, d=1e3, e=.5, f=5., g=1_000, h=0xff, i=0b11, j=1E-7)"
        ),
        "complex number": calls("run(a=1j)"),
        "huge number": calls("run(a=1e999)"),
        "literals of both kinds": calls(
            "run(a=True, b=False, c=None, d=true, e=false, f=null, g=[None, true])"
        ),
        "tuples and sets": calls("run(a=(1, 2), b=(1,), c=(1), d=(), e={1, 2}, f={'x'}, g={})"),
        "nested": calls("run(a={'b': [{'c': (1, {'d': {}})}, []], 'e': {'f': {1, 2}}})"),
        "keys that are no strings": calls("run(a={1: 'x', None: 2, True: 3, 1.5: 4})"),
        "list as a key": calls("run(a={[1]: 2})"),
        "repeated key": calls("run(a={'x': 1, 'x': 2})"),
        "repeated parameter": calls("run(a=1, b=2, b=3)"),
        "variable as a value": calls("run(a=x)"),
        "expression as a value": calls("run(a=1 + 2)"),
        "call as a value": calls("run(a=f(1))"),
        "positional argument": calls("run(1, a=2)"),
        "only positional arguments": calls("run('x')"),
        "name with an underscore": calls("_run_2(a_b=1)"),
        "dotted name": calls("tools.run(a=1)"),
        "keyword as a parameter": calls("run(from=1, class='x')"),
        "leading zeros": calls("run(month=07, day=00)"),
        "raw newline in a string": calls("run(a='one\ntwo\tthree')"),
        "nested quotes": calls("run(a='sed -n '1,9p' f.py')"),
        "brackets in a string": calls("run(a='[f(x=1)] ) ] }', b=1)"),
        "argument left open": calls("run(a=[1, 2)"),
        "mismatched brackets": calls("run(a=[1, 2})"),
        "no value": calls("run(a=)"),
        "comma twice": calls("run(a=1,, b=2)"),
        "no name": calls("(a=1)"),
        "second call is malformed": calls(code, "oh no"),
        "second call is positional": calls(code, "run(1)"),
        "lines": calls("run(\n  a=1,\n  b=2,\n)"),
    }


ODD: dict[str, Text] = {
    **odd(),
    "list of numbers": "[1, 2, 3]",
    "list of words": "[a, b](http://x)",
    "markdown link": "[see(also)](http://x.y) it",
    "list in prose": "Look: [run(a=1)]",
    "space before": " [run(a=1)]",
    "no brackets": "run(a=1)",
    "no closing bracket": "[run(a=1)",
    "end token": "[run(a=1)]<|im_end|>",
    "python tags": "<|python_start|>[run(a=1)]<|python_end|>",
    "python tags and space": "<|python_start|> [run(a=1)] <|python_end|>\n",
    "python tag alone": "<|python_start|>Hi there.<|python_end|>",
    "python tag in prose": "Well <|python_start|>[run(a=1)]<|python_end|>",
    "python end tag": "[run(a=1)]<|python_end|>",
    "spelt python tags": ["<|python", "_start|>[run(a=1)]<|python", "_end|>"],
}

FAMILY = Family(
    golden={
        "pythonic": ("pythonic", None),
        "pythonic+deepseek_r1": ("pythonic", "deepseek_r1"),
        "llama4_pythonic": ("llama4_pythonic", None),
    },
    call=call,
    added=("<|python_start|>", "<|python_end|>"),
    odd=ODD,
    markup=(
        "[", "]", "look(", "look(text='", "run(a=", ")", ", ", "days=", "'", '"', "'''", "=",
        "{", "}", "(", ":", "r'", "f'", "\\x4", "\\u00e9", "\\N{BULLET}", "-", "1", "True", "None",
        "[run()]", "[look(days=1), run(a='x')]", "\n",
    ),
)  # fmt: skip
