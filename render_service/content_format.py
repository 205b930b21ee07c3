"""Does a template take message content as a string or as a list of parts?

vLLM's `auto` detection (vllm/renderers/hf.py): "openai" where the template loops over the content
of a message, "string" otherwise. Names are followed through assignments, namespaces and macro
parameters, without regard to scopes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from jinja2 import nodes


def detect_content_format(template: nodes.Template) -> Literal["string", "openai"]:
    try:
        return "openai" if _loops_over_content(template) else "string"
    except _NotOneName:
        return "string"


class _NotOneName(Exception):
    """A loop over messages or content whose target is a tuple: vLLM gives up."""


def _loops_over_content(root: nodes.Template) -> bool:
    messages = _message_names(root)
    parameters = _content_parameters(root, messages)
    in_macros = {id(loop) for macro in root.find_all(nodes.Macro) for loop in _loops(macro)}
    for loop in _loops(root):
        source = loop.iter
        over = any(_reads_field(source, name, "content") for name in messages)
        if not over and isinstance(source, nodes.Name):
            in_macro = id(loop) in in_macros
            names = parameters.get(id(loop), set()) if in_macro else {"content"}
            over = source.name in names
        if over:
            _target(loop)
            return True
    return False


def _loops(root: nodes.Node) -> Iterator[nodes.For]:
    return root.find_all(nodes.For)


def _target(loop: nodes.For) -> str:
    if not isinstance(loop.target, nodes.Name):
        raise _NotOneName
    return loop.target.name


def _message_names(root: nodes.Template) -> list[str]:
    """Loop variables over `messages` or a name for it."""
    lists = _aliases(root, "messages")
    return [
        _target(loop) for loop in _loops(root) if any(_reads(loop.iter, name) for name in lists)
    ]


def _aliases(root: nodes.Template, name: str) -> list[str]:
    """The names, `ns.field` among them, that are assigned from a name, however indirectly."""
    found = [name]
    for known in found:  # grows while it is walked
        for assign in root.find_all(nodes.Assign):
            found += [alias for alias in _assigned(assign, known) if alias not in found]
    return found


def _assigned(assign: nodes.Assign, name: str) -> Iterator[str]:
    target, value = assign.target, assign.node
    if isinstance(target, nodes.Name):
        if _reads(value, name):
            yield target.name
        elif (
            isinstance(value, nodes.Call)
            and isinstance(value.node, nodes.Name)
            and value.node.name == "namespace"
        ):
            for keyword in value.kwargs:
                if _reads(keyword.value, name):
                    yield f"{target.name}.{keyword.key}"
    elif isinstance(target, nodes.NSRef) and _reads(value, name):
        yield f"{target.name}.{target.attr}"


def _content_parameters(root: nodes.Template, messages: list[str]) -> dict[int, set[str]]:
    """Loop in a macro -> the macro's parameters that are given a message's content."""
    calls = [call for call in root.find_all(nodes.Call) if isinstance(call.node, nodes.Name)]
    found: dict[int, set[str]] = {}
    for macro in root.find_all(nodes.Macro):
        names = [argument.name for argument in macro.args]
        given: set[str] = set()
        for call in calls:
            if isinstance(call.node, nodes.Name) and call.node.name == macro.name:
                pairs = [
                    *zip(names, call.args, strict=False),
                    *((keyword.key, keyword.value) for keyword in call.kwargs),
                ]
                given |= {
                    name
                    for name, value in pairs
                    if name in names and any(_reads_field(value, m, "content") for m in messages)
                }
        if given:
            found |= {id(loop): given for loop in _loops(macro)}
    return found


def _reads(node: nodes.Node, name: str) -> bool:
    node = _bare(node)
    if isinstance(node, nodes.Name):
        return node.ctx == "load" and node.name == name
    base, dot, attribute = name.rpartition(".")
    return (
        bool(dot)
        and isinstance(node, nodes.Getattr)
        and node.attr == attribute
        and isinstance(node.node, nodes.Name)
        and node.node.name == base
    )


def _reads_field(node: nodes.Node, name: str, field: str) -> bool:
    """`name.field` or `name['field']`."""
    node = _bare(node)
    if isinstance(node, nodes.Getattr):
        key = node.attr
    elif isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const):
        key = node.arg.value
    else:
        return False
    inner = node.node
    return key == field and isinstance(inner, nodes.Name) and inner.name == name


def _bare(node: nodes.Node) -> nodes.Node:
    """Without filters, tests and slices around it."""
    while (
        (isinstance(node, nodes.Filter | nodes.Test))
        or (isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Slice))
    ) and node.node is not None:
        node = node.node
    return node
