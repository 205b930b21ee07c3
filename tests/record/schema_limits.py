"""Record which JSON schemas vLLM takes for its grammar library, into `golden/schema_limits.json`.

    RENDER_PEERS=FOLDER python tests/record/schema_limits.py

FOLDER as in `parsers.py`. The file is a list of pairs: a schema, and whether it is taken.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "schema_limits.json"

SCHEMAS: list[Any] = [
    {},
    True,
    {"type": "object"},
    {"type": "integer", "multipleOf": 2},
    {"type": "number", "multipleOf": 0.5},
    {"type": ["null", "number"], "multipleOf": 2},
    {"type": "string", "multipleOf": 2},
    {"type": {"integer": 1}, "multipleOf": 2},
    *({"type": "array", key: 1} for key in ("uniqueItems", "contains", "minContains")),
    {"type": "array", "maxContains": 3},
    {"type": "array", "minItems": 1},
    {"uniqueItems": True},
    {"type": "string", "format": "email"},
    {"type": "string", "format": "uri-template"},
    {"type": "string", "format": "iri"},
    {"type": "string", "format": "email", "maxLength": 5},
    {"type": "string", "pattern": "a", "minLength": 5},
    {"type": "string", "pattern": "a"},
    {"type": "string", "maxLength": 5},
    {"type": "integer", "format": "int32"},
    {"type": "object", "propertyNames": {"pattern": "a"}},
    {"type": "object", "propertyNames": {"pattern": "a", "maxLength": 3}},
    {"type": "object", "propertyNames": True},
    {"type": "object", "propertyNames": {}, "properties": {}},
    {"type": "object", "propertyNames": {}, "patternProperties": {}},
    {"type": "object", "propertyNames": {}, "unevaluatedProperties": False},
    {"type": "object", "propertyNames": {}, "unevaluatedProperties": True},
    {"type": "object", "patternProperties": {"a": {}}},
    {"type": "object", "patternProperties": {"a": {}}, "properties": {}},
    {"type": "object", "patternProperties": {"a": {}, "b": {}}},
    {"type": "object", "patternProperties": []},
    {"allOf": [{"type": "string"}]},
    {"allOf": [{"type": "string"}, {"enum": ["a"]}]},
    {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}},
    {"properties": {"a": {"type": "array", "items": {"type": "integer", "multipleOf": 2}}}},
    {"anyOf": [{"type": "null"}, {"type": "string", "format": "x"}]},
    {"anyOf": [[{"type": "string", "format": "x"}]]},
]


def main() -> None:
    from vllm.v1.structured_output.backend_xgrammar import has_xgrammar_unsupported_json_features

    pairs = [[schema, not has_xgrammar_unsupported_json_features(schema)] for schema in SCHEMAS]
    GOLDEN.write_text("[\n" + ",\n".join(map(json.dumps, pairs)) + "\n]\n", encoding="utf-8")
    print(f"{len(pairs)} schemas, {sum(taken for _, taken in pairs)} taken")


if __name__ == "__main__":
    from peers import under_vllm  # beside this file, whose folder is on the path

    under_vllm(__file__)
    main()
