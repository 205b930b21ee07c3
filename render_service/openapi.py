"""`GET /openapi.json`: every endpoint, what it takes and answers, from a table and wire structs.

The document is made at the first request and kept. As in vLLM, `--disable-fastapi-docs` leaves it
out; the pages that show it (`/docs`, `/redoc`) are not served.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from . import __version__
from .protocol import answers, bodies
from .protocol.anthropic import MessagesRequest
from .protocol.tokenize import DetokenizeRequest, TokenizeTextRequest

Json = dict[str, Any]

TITLE = "render-service"
ABOUT = (
    "Chat requests to token IDs and token IDs back to chat answers, for engines that speak only "
    "token IDs. Wire-compatible with vLLM 0.33.0's render server."
)
TEXT = "text/plain"
EMPTY = ""

BAD_REQUEST, CONFLICT, MODEL_NOT_FOUND = 400, 409, 404
WORDS = {
    200: "The answer",
    BAD_REQUEST: "The request is refused; `param` names the field",
    401: "No API key, or another one",
    MODEL_NOT_FOUND: "No model is served by this name",
    CONFLICT: "Another configuration rendered this; a replica with that one answers",
    413: "The body is larger than `--max-body-bytes`",
    429: "Too many requests of this API key are in work or waiting: wait",
    431: "The request has too many header lines",
    503: "Too much is queued, or the server drains: retry",
}
NEEDS = "x-render-each-chunk-needs"
HEADERS: Mapping[str, str] = {
    "x-render-fingerprint": "Of the configuration that rendered (not with `--fingerprint off`)",
    "x-render-common-prefix": "Tokens shared with `previous_token_ids`, where the request has it",
    NEEDS: "Field that each chunk of the stream must bring, where there is one",
    "retry-after": "Seconds",
}
Shapes = tuple[Any, ...]


class Operation(NamedTuple):
    """takes: what a body may be, none for a GET. gives: what the answer may be; TEXT or EMPTY for
    one that is no JSON. headers: of the answer, beside those of every one. keyed: below /v1."""

    method: str
    path: str
    summary: str
    takes: Shapes = ()
    gives: Shapes = (EMPTY,)
    refusals: Sequence[int] = ()
    headers: Sequence[str] = ()

    @property
    def statuses(self) -> list[int]:
        keyed = [401] if self.path.startswith("/v1/") else []
        body = [BAD_REQUEST, MODEL_NOT_FOUND, 413, 429, 503] if self.takes else []
        return sorted({*self.refusals, *keyed, *body, 431})


RENDERED = ("x-render-fingerprint", "x-render-common-prefix", NEEDS)
OPERATIONS = (
    Operation(
        "post",
        "/v1/chat/completions/render",
        "A chat request to the body of a generate request",
        (bodies.Chat,),
        (answers.GenerateRequest,),
        headers=RENDERED,
    ),
    Operation(
        "post",
        "/v1/completions/render",
        "The same for completions: one generate request a prompt",
        (bodies.CompletionBody,),
        (list[answers.GenerateRequest],),
        headers=RENDERED,
    ),
    Operation(
        "post",
        "/v1/responses/render",
        "An OpenAI Responses request to the body of a generate request",
        (bodies.Responses,),
        (answers.GenerateRequest,),
        headers=RENDERED,
    ),
    Operation(
        "post",
        "/v1/messages/render",
        "An Anthropic Messages request to the body of a generate request",
        (MessagesRequest,),
        (answers.GenerateRequest,),
        headers=RENDERED,
    ),
    Operation(
        "post",
        "/v1/chat/completions/derender",
        "An engine's output to a chat completion, whole or a chunk",
        (bodies.DerenderChat,),
        (answers.ChatCompletion, answers.ChatChunkAnswer),
        [CONFLICT],
        headers=(NEEDS,),
    ),
    Operation(
        "post",
        "/v1/completions/derender",
        "The same for completions",
        (bodies.DerenderCompletion,),
        (answers.Completion, answers.CompletionChunkAnswer),
        [CONFLICT],
        headers=(NEEDS,),
    ),
    Operation(
        "post",
        "/tokenize",
        "Token IDs of a text or a chat",
        (TokenizeTextRequest, bodies.TokenizeChat),
        (answers.Tokens,),
    ),
    Operation("post", "/detokenize", "Text of token IDs", (DetokenizeRequest,), (answers.Text,)),
    Operation("get", "/v1/models", "The served names", gives=(answers.ModelList,)),
    Operation(
        "get",
        "/v1/fingerprint",
        "What the configuration is, for comparing replicas",
        gives=(answers.FingerprintReport,),
    ),
    Operation("get", "/health", "Alive"),
    Operation("get", "/ping", "Alive"),
    Operation("post", "/ping", "Alive"),
    Operation("get", "/version", "The release", gives=(answers.Version,)),
    Operation("get", "/ready", "Loaded and not draining", (), (answers.Readiness,), [503]),
    Operation("get", "/metrics", "Prometheus: requests, latencies, tokens", gives=(TEXT,)),
    Operation("get", "/openapi.json", "This document", gives=(dict[str, Any],)),
)


def document(operations: Iterable[Operation] = OPERATIONS) -> Json:
    """OpenAPI 3.1. Schemas of structs stand once, below /components."""
    rows = list(operations)
    kinds = [kind for row in rows for kind in (*row.takes, *row.gives) if kind not in (TEXT, EMPTY)]
    kinds += [answers.ErrorAnswer, answers.Refused]
    schemas, components = msgspec.json.schema_components(
        kinds, ref_template="#/components/schemas/{name}"
    )
    schema_of = {repr(kind): schema for kind, schema in zip(kinds, schemas, strict=True)}
    paths: dict[str, Json] = {}
    for row in rows:
        paths.setdefault(row.path, {})[row.method] = _operation(row, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {"title": TITLE, "description": ABOUT, "version": __version__},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(row: Operation, schema_of: Mapping[str, Json]) -> Json:
    found: Json = {
        "summary": row.summary,
        "operationId": f"{row.method}{row.path.replace('/', '_').replace('.', '_')}",
        "responses": {"200": _answer(200, row.gives, row.headers, schema_of)},
    }
    for status in row.statuses:
        shapes = {401: (answers.Refused,), 503: row.gives if not row.takes else ()}.get(status, ())
        headers = ("retry-after",) if status in (429, 503) else ()
        found["responses"][str(status)] = _answer(
            status, shapes or (answers.ErrorAnswer,), headers, schema_of
        )
    if row.takes:
        found["requestBody"] = {"required": True, "content": _content(row.takes, schema_of)}
        found["parameters"] = [
            {
                "name": "X-Request-Id",
                "in": "header",
                "description": "Becomes the request's ID",
                "schema": {"type": "string"},
            }
        ]
    if 401 in row.statuses:
        found["security"] = [{}, {"key": []}]  # without --api-key nobody is asked
    return found


def _answer(
    status: int, shapes: Shapes, headers: Sequence[str], schema_of: Mapping[str, Json]
) -> Json:
    found: Json = {"description": WORDS[status]}
    if shapes == (TEXT,):
        found["content"] = {TEXT: {"schema": {"type": "string"}}}
    elif shapes != (EMPTY,):
        found["content"] = _content(shapes, schema_of)
    if headers:
        found["headers"] = {
            name: {"description": HEADERS[name], "schema": {"type": "string"}} for name in headers
        }
    return found


def _content(shapes: Shapes, schema_of: Mapping[str, Json]) -> Json:
    schemas = [schema_of[repr(shape)] for shape in shapes]
    schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    return {"application/json": {"schema": schema}}
