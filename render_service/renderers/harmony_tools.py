"""The functions a model may call, as gpt-oss sees them: a namespace of TypeScript types.

Source of the rules: oss-harmony 0.0.11, which vLLM 0.33.0 renders with. It reads JSON schemas in
its own way (`anyOf` and `$ref` are `any`, say); this follows it, since the model learnt that form.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

SCALARS = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean"}


class Function(NamedTuple):
    name: str
    description: str
    parameters: Mapping[str, Any] | None


def namespace(name: str, functions: Sequence[Function]) -> str:
    """The section of one group of tools; `functions` holds those that a request brings."""
    return "\n".join(
        (
            f"## {name}\n",
            f"namespace {name} {{\n",
            *(_declared(function) for function in functions),
            f"}} // namespace {name}",
        )
    )


def _declared(function: Function) -> str:
    comment = "".join(f"// {line}\n" for line in _lines(function.description))
    given = function.parameters
    parameters = "" if given is None else f"_: {typescript(given)}"
    return f"{comment}type {function.name} = ({parameters}) => any;\n"


def _lines(text: str) -> list[str]:
    """Rust's `str::lines`."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def typescript(schema: Any, indent: str = "") -> str:
    """The type that a schema stands for; the lines of an object start with the indent."""
    if not isinstance(schema, Mapping):
        return "any"
    if isinstance(schema.get("oneOf"), list):
        variants = (_variant(v, indent, quoted=True) for v in schema["oneOf"])
        return "".join(f"\n{indent} | {variant}" for variant in variants)
    kind = schema.get("type")
    if isinstance(kind, list):
        names = ["number" if k == "integer" else k for k in kind if isinstance(k, str)]
        return " | ".join(names) or "any"
    if kind == "object":
        return _object(schema, indent)
    if kind == "array":
        return f"{typescript(schema['items'], indent)}[]" if "items" in schema else "Array<any>"
    if kind == "string" and _is_enum(schema):
        values = [f'"{value}"' for value in schema["enum"] if isinstance(value, str)]
        return " | ".join(values) or "string"
    return SCALARS.get(kind, "any") if isinstance(kind, str) else "any"


def _object(schema: Mapping[str, Any], indent: str) -> str:
    required = schema.get("required")
    required = required if isinstance(required, list) else []
    properties = schema.get("properties")
    properties = properties if isinstance(properties, Mapping) else {}
    lines = []
    for name, value in properties.items():
        mark = "" if name in required else "?"
        value = value if isinstance(value, Mapping) else {}
        lines += [indent + line for line in _property(f"{name}{mark}", value, indent)]
    body = "".join(f"{line}\n" for line in lines)
    return f"{_comment(schema, indent)}{{\n{body}{indent}}}"


def _comment(schema: Mapping[str, Any], indent: str) -> str:
    described = schema.get("description")
    return f"{indent}// {described}\n" if isinstance(described, str) else ""


def _property(name: str, schema: Mapping[str, Any], indent: str) -> Iterator[str]:
    """Its lines, without the indent."""
    title, described = schema.get("title"), schema.get("description")
    if isinstance(title, str):
        yield f"// {title}"
        yield "//"
    if isinstance(described, str) and "oneOf" not in schema:
        yield f"// {described}"
    examples = schema.get("examples")
    if isinstance(examples, list) and examples:
        yield "// Examples:"
        yield from (f'// - "{example}"' for example in examples if isinstance(example, str))
    if not isinstance(schema.get("oneOf"), list):
        shown = "default" in schema and "oneOf" not in schema
        default = f" // {_default(schema)}" if shown else ""
        yield f"{name}: {_nullable(schema, indent + '    ')},{default}"
        return
    variants = schema["oneOf"]
    first = variants[0].get("description") if variants and _is_map(variants[0]) else None
    if isinstance(described, str) and described != first:
        yield f"// {described}"
    if "default" in schema:
        yield f"// {_default(schema)}"
    yield f"{name}:"
    for index, variant in enumerate(variants):
        # The first one's words are taken for the property's.
        hidden = described if index else first
        shown = (
            not isinstance(described, str)
            or not _is_map(variant)
            or variant.get("description") != hidden
        )
        yield f" | {_variant(variant, indent, described=shown)}"
    yield ","


def _variant(schema: Any, indent: str, *, described: bool = True, quoted: bool = False) -> str:
    """One type of several, with what is known of it behind it."""
    schema = schema if _is_map(schema) else {}
    text = schema.get("description")
    notes = [text] if described and isinstance(text, str) else []
    if "default" in schema:
        notes.append(_default(schema, quoted))
    end = f" // {' '.join(notes)}" if notes else ""
    return f"{_nullable(schema, indent + '   ')}{end}"


def _nullable(schema: Mapping[str, Any], indent: str) -> str:
    text = typescript(schema, indent)
    return f"{text} | null" if schema.get("nullable") is True and "null" not in text else text


def _default(schema: Mapping[str, Any], quoted: bool = False) -> str:
    """quoted: one of an enumeration is written as JSON instead of bare."""
    value = schema["default"]
    if isinstance(value, str) and not (quoted and _is_enum(schema)):
        return f"default: {value}" if _is_enum(schema) else f'default: "{value}"'
    return f"default: {_json(value)}"


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_enum(schema: Mapping[str, Any]) -> bool:
    return isinstance(schema.get("enum"), list) and bool(schema["enum"])


def _json(value: Any) -> str:
    """Compact, numbers written as Rust's serde_json does."""
    if isinstance(value, Mapping):
        pairs = (f"{_json(key)}:{_json(item)}" for key, item in value.items())
        return f"{{{','.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{','.join(map(_json, value))}]"
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        value = float(value)
    if isinstance(value, float):
        return _number(value)
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    digits, e, exponent = repr(value).partition("e")
    if not e:
        return digits
    if exponent == "-05":
        sign, digits = ("-", digits[1:]) if digits[0] == "-" else ("", digits)
        return f"{sign}0.0000{digits.replace('.', '')}"
    return f"{digits}e{exponent[0]}{exponent[1:].lstrip('0')}"
