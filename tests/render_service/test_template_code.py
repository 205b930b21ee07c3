"""Compiled with short cuts or by Jinja alone, a template in the sandbox gives the same text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jinja2
import pytest
from jinja2.runtime import LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from render_service.template_code import OF_LOOP
from render_service.template_context import TemplateContext, Variables
from render_service.template_sandbox import Sandbox

Render = Callable[[str, dict[str, Any]], str]


class Text(str):
    """Not quite a string."""

    def startswith(self, *_: Any) -> str:  # type: ignore[override]
        return "its own"


class Items(dict[str, Any]):
    """Not quite a dict."""

    role = "attribute"


@jinja2.pass_context
def seen(context: jinja2.runtime.Context, name: str = "item") -> Any:
    """What a function that is called sees of the template's variables."""
    return context.get(name, "nothing")


VALUES = {
    "object": {"role": "user", "items": 1, "first": 2, "f": seen, "_own": 3, "strip": seen},
    "odd": Items(role="item", f=seen),
    "text": " a text ",
    "odd_text": Text(" b "),
    "list": [1, 2],
    "number": 3,
    "none": None,
}
NAMES = ["role", "items", "first", "f", "_own", "missing", "strip", "split", "format", "format_map"]
NAMES += ["update", "pop", "append", "clear", "startswith", "__class__", "__init__", "real"]
EXPRESSIONS = [
    "x.{}",
    "x['{}']",
    "x.{}.y",
    "x.{} is defined",
    "x.{}()",
    "x.{}('a')",
    "x.{}('{{}}')",
]
TEMPLATES = [
    "{% for x in [{}, {'first': 1}] %}{{ loop.first }}{{ loop.index0 }}{{ x.first }}{% endfor %}",
    "{% set loop = object %}{{ loop.first }}{{ loop.last is defined }}{{ loop.cycle }}",
    "{% for item in [1, 2] %}{{ object.f() }}{{ object['f']('item') }}{% endfor %}",
    "{% for item in [1, 2] %}{{ object.strip() }}{% endfor %}",
    "{% for item in list %}{% for item in list %}{{ loop.depth0 }}{{ loop.revindex }}{% endfor %}"
    "{{ loop.previtem }}{{ loop.nextitem }}{{ loop.length }}{{ loop.cycle('a', 'b') }}{% endfor %}",
    "{% for item in list recursive %}{{ loop.depth }}{{ loop.changed(item) }}{% endfor %}",
    "{% for item in [object, odd] if item.role == 'user' %}{{ item.role }}{% endfor %}",
    "{% macro m(a, b=object.role) %}{{ a.role ~ b.strip() ~ caller() }}{% endmacro %}"
    "{% call m(odd) %}{{ object.role.upper() }}{% endcall %}",
    "{% set ns = namespace(a=1) %}{% set ns.b = text %}{{ ns.a ~ ns.b.strip() ~ ns.missing }}",
    "{% set ns = namespace(_a=1) %}{{ ns._a }}",
    "{% set ns = namespace() %}{{ ns.__class__ }}",
    "{% set ns = namespace() %}{{ ns['a'] }}{{ ns['__class__'] }}",
    "{{ text.strip().split('t')[-1].upper().startswith('X') }}{{ text[1:].strip() }}",
    "{{ text.replace('a', text.strip('a')).title() }}{{ text.split(sep='t') }}",
    "{{ text.strip(*list) }}",
    "{{ text.strip(1) }}",
    "{{ text.join(list) }}",
    "{{ ((object.role or object.missing).strip() if object.role else text.strip()).upper() }}",
    "{{ 'a{0.__class__}'.format(text) }}",
    "{{ ''['format_map']({'a': 1}) }}{{ '{a}'.format_map({'a': 1}) }}",
    "{{ [object, odd] | map(attribute='role') | join(',') }}{{ list | length }}",
    "{% set it_ = 1 %}{{ object.role }}{{ it_ }}",
    "{% set type = 1 %}{% set dict = 2 %}{% set str = 3 %}{{ object.role }}{{ text.strip() }}",
    "{% block b scoped %}{{ object.role }}{{ object.f('x') }}{% endblock %}",
    "{{ object['role']['__class__'] }}",
    "{{ none.role }}",
    "{{ missing.role }}",
    *(f"{{{{ {name}[{at}] }}}}" for name in (*VALUES, "missing") for at in (0, 1, 2, -1, -2, -3)),
    "{{ list[True] }}{{ list[1:][0] }}{{ [[1]][0][0] }}{{ (1, 2)[0] }}{{ range(3)[1] }}",
    "{% set x = 1 %}{% macro m() %}{{ x ~ number ~ y }}{% endmacro %}{% set y = 2 %}{{ m() }}",
    "{% macro m() %}{{ number }}{% set number = 9 %}{{ number }}{% endmacro %}{{ m() ~ number }}",
    "{% set n = 4 %}{% for i in list %}{{ n }}{% set n = i %}{{ n }}{% endfor %}{{ n }}",
    "{% for i in list %}{{ number }}{% set new = i %}{{ new }}{% endfor %}{{ new }}{{ number }}",
    "{% set number = 4 %}{% block b %}{{ number ~ text }}{% endblock %}{% set text = 5 %}",
    "{% if none %}{% set text = 'x' %}{% endif %}{{ text }}",
    "{% with number = number + 1 %}{{ number }}{% endwith %}{{ number }}",
    "{% set object = object %}{% set text = text ~ object.role %}{{ text }}",
    "{% set ns = namespace(object, a=1) %}{% for i in list %}{% set ns.a = ns.a + i %}{% endfor %}"
    "{{ ns.a ~ ns.role ~ ns }}",
    "{% set ns = namespace(a=1) %}{{ ns is mapping }}{{ ns['a'] ~ ns.b is defined }}",
    "{% set ns = namespace() %}{{ ns + 1 }}",
    "{% set ns = namespace() %}{{ ns | list }}",
    "{% set ns = namespace(1) %}",
    "{% set text.a = 1 %}",
    "{{ namespace is callable }}{% set namespace = 1 %}{{ namespace }}",
    "{% set f = seen %}{{ object.f('number') ~ object.f('number', 1) }}",
]


def rendered(source: str, values: dict[str, Any]) -> str:
    return ImmutableSandboxedEnvironment().from_string(source).render(values)


def quick(source: str, values: dict[str, Any]) -> str:
    return Sandbox().from_string(source).render(values)


def called(source: str, values: dict[str, Any]) -> str:
    """As a chat template is."""
    environment = Sandbox()
    template = environment.from_string(source)
    variables = Variables({**environment.globals, **values})
    context = TemplateContext(environment, variables, template.name, template.blocks)
    return "".join(template.root_render_func(context))


def outcome(render: Render, source: str, values: dict[str, Any]) -> str:
    try:
        return render(source, values)
    except Exception as error:  # whatever an expression raises
        return f"{type(error).__name__}: {error}".split(" at 0x")[0]


def agree(source: str, values: dict[str, Any]) -> None:
    jinja, *ours = (
        outcome(render, source, values).split(" at 0x")[0] for render in (rendered, quick, called)
    )
    assert ours == [jinja] * 2


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("name", NAMES)
def test_an_expression_gives_what_it_gives_in_jinja(expression: str, name: str) -> None:
    source = f"{{{{ {expression.format(name)} }}}}"
    for value in VALUES.values():
        agree(source, {"x": value})
        agree(f"{{% for y in [1] %}}{source}{{% endfor %}}", {"x": value})


@pytest.mark.parametrize("source", TEMPLATES)
def test_a_template_gives_what_it_gives_in_jinja(source: str) -> None:
    agree(source, VALUES)


def test_loops_have_no_other_numbers() -> None:
    public = {name for name in dir(LoopContext([], jinja2.Undefined)) if name[0] != "_"}
    assert public == OF_LOOP | {"cycle", "changed"}
