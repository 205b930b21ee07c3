"""Record which fields vLLM's OpenAPI document names, into tests/golden/server/openapi.json.

    vllm launch render MODEL --port 8100        (vLLM 0.33.0)
    python -m tests.record.openapi http://127.0.0.1:8100

By path: the fields of each form of the body, and the answers' statuses.
"""

from __future__ import annotations

import json
import sys
import urllib.request
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent.parent / "golden" / "server" / "openapi.json"
Json = dict[str, Any]


def fields(document: Json) -> Json:
    """Works for any such document, so also for ours."""
    found = {}
    for path, methods in document["paths"].items():
        operation = methods.get("post", {})
        if "requestBody" in operation:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            found[path] = {
                "body": forms(document, schema),
                "statuses": list(operation["responses"]),
            }
    return found


def forms(document: Json, schema: Json) -> list[list[str]]:
    """The names of the properties, for each of the forms that a schema has."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    inner = schema.get("anyOf") or schema.get("oneOf")
    if inner:
        return [form for one in inner for form in forms(document, one)]
    return [sorted(schema.get("properties", {}))]


def main() -> None:
    with urllib.request.urlopen(f"{sys.argv[1]}/openapi.json") as answer:
        found = fields(json.load(answer))
    GOLDEN.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
