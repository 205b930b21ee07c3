"""The OpenAPI document is complete, and true: what is answered fits what it says."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from render_service import compare_outputs, pages
from render_service.answer import Answer
from render_service.app import App
from render_service.corpus import Case, cases
from render_service.endpoints import ENDPOINTS
from render_service.errors import RequestError
from render_service.metrics import Metrics
from render_service.model import Model
from render_service.openapi import OPERATIONS, Operation, document
from render_service.protocol.answers import ErrorAnswer
from tests.conftest import DEMO_MODEL, Serve
from tests.record.openapi import fields
from tests.render_service.derender_client import ids_of, parsed_demo

GOLDEN = Path(__file__).parent.parent / "golden"
NOT_SERVED = {"/v1/systemone", "/v1/decisions", "/invocations"}
DOCS = Path(__file__).parent.parent.parent
FUNCTIONS: dict[str, Callable[[Model, bytes, str | None], Answer]] = {
    row.path: row.function for row in ENDPOINTS
}
USUAL = ("question", "exchange", "called", "tools, ", "output", "plain", "effort")
"""Cases that no leniency is needed for: the document says what to send, not what is let pass."""
BY_PATH = {row.path: row for row in OPERATIONS if row.method == "post"}


@pytest.fixture(scope="module")
def model() -> Model:
    return parsed_demo(served_model_name=("qwen3",))


def test_every_route_is_described(model: Model) -> None:
    routes = App(model, Metrics())._routes
    served = {(path, m.lower()) for path, methods in routes.items() for m in methods if m != "HEAD"}
    assert served == {(row.path, row.method) for row in OPERATIONS}


def test_references_resolve_and_names_are_unique() -> None:
    made = document()
    text = json.dumps(made)
    schemas = made["components"]["schemas"]
    used = set(re.findall(r'"#/components/schemas/([^"]+)"', text))
    assert used <= set(schemas)
    names = re.findall(r'"operationId": "([^"]+)"', text)
    assert len(names) == len(set(names)) == len(OPERATIONS)


def names(bodies: list[list[str]]) -> set[str]:
    return {name for form in bodies for name in form}


def test_bodies_have_the_fields_of_vllm() -> None:
    """vLLM's are recorded by tests/record/openapi.py."""
    ours = fields(json.loads(json.dumps(document())))
    for path, recorded in json.loads((GOLDEN / "server" / "openapi.json").read_text()).items():
        if path not in NOT_SERVED:
            theirs, mine = names(recorded["body"]), names(ours[path]["body"])
            assert mine - theirs <= {"previous_token_ids"}
            assert theirs - mine <= {"prompt" if "responses" in path else None}  # refused there


def body_of(case: Case) -> bytes:
    return case.body if isinstance(case.body, bytes) else json.dumps(case.body).encode()


def fits(kinds: tuple[Any, ...], value: Any) -> None:
    """Raises where the value is none of these."""
    faults = []
    for kind in kinds:
        try:
            msgspec.convert(value, kind)
            return
        except msgspec.ValidationError as fault:
            faults.append(str(fault))
    raise AssertionError(faults)


def answered(model: Model, path: str, body: bytes) -> Any:
    """The answer, which must fit; None where the request was refused, as is said."""
    row = BY_PATH[path]
    try:
        answer = json.loads(FUNCTIONS[path](model, body, None).body)
    except RequestError as error:
        refusal = error
    else:
        fits(row.gives, answer)
        return answer
    assert refusal.status in row.statuses
    fits((ErrorAnswer,), json.loads(refusal.body()))
    return None


@pytest.mark.parametrize("path", sorted({case.path for case in cases()}))
def test_answers_and_bodies_fit(path: str, model: Model) -> None:
    taken = 0
    for case in cases():
        if case.path != path or answered(model, path, body_of(case)) is None:
            continue
        taken += 1
        if case.name.startswith(USUAL) and isinstance(case.body, dict):
            assert any(accepts(kind, case.body) for kind in BY_PATH[path].takes), case.name
    assert taken > 5


def accepts(kind: Any, body: dict[str, Any]) -> bool:
    try:
        msgspec.json.decode(json.dumps(body), type=kind, strict=False)
    except msgspec.ValidationError:
        return False
    return True


def derender_bodies(model: Model) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Requests for the corpus's outputs, whole and streamed; whether it continues the last one."""
    for case in cases():
        if not case.outputs or not isinstance(case.body, dict):
            continue
        rendered = answered(model, case.path, body_of(case))
        ids = [
            ids_of(model, output.text) if isinstance(output.text, str) else output.text
            for output in case.outputs
        ]
        requests = rendered if isinstance(rendered, list) else [rendered]
        path = compare_outputs.CHAT if "chat" in case.path else compare_outputs.COMPLETION
        output = compare_outputs.generated(
            path, case.body, requests, list(zip(case.outputs, ids, strict=True))
        )
        yield path, compare_outputs.whole(output), False
        for stream in compare_outputs.streams(output, 5):
            for place, body in enumerate(stream):
                yield path, body, place > 0


def test_derendered_answers_fit(model: Model) -> None:
    state, taken = None, 0
    for path, body, continued in derender_bodies(model):
        if body.get("stream"):
            body["stream_state"] = state if continued else None
        assert any(accepts(kind, body) for kind in BY_PATH[path].takes)
        answer = answered(model, path, json.dumps(body).encode())
        state = None if answer is None else answer.get("stream_state")
        taken += answer is not None
    assert taken > 300


def test_pages_fit(model: Model) -> None:
    made = {
        "/v1/models": pages.models(model),
        "/v1/fingerprint": pages.fingerprint(model),
        "/version": pages.VERSION,
        "/ready": pages.READY,
        "/openapi.json": pages.openapi(),
    }
    rows = {row.path: row for row in OPERATIONS}
    for path, reply in made.items():
        fits(rows[path].gives, json.loads(reply.body))
    fits(rows["/ready"].gives, json.loads(pages.DRAINING.body))


def test_refusals_to_try_again_say_when() -> None:
    for methods in document()["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                assert ("retry-after" in answer.get("headers", ())) == (status in ("429", "503"))


def asked(port: int, method: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, "/openapi.json")
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_it_is_served_unless_the_docs_are_disabled(serve: Serve) -> None:
    service = serve(DEMO_MODEL)
    status, body = asked(service.port, "GET")
    assert status == 200
    assert json.loads(body) == json.loads(json.dumps(document()))
    assert asked(service.port, "HEAD") == (200, b"")
    assert asked(serve(DEMO_MODEL, "--disable-fastapi-docs").port, "GET")[0] == 404


def table_line(row: Operation) -> str:
    statuses = ", ".join(str(status) for status in row.statuses if status != 431)
    return f"| `{row.method.upper()} {row.path}` | {row.summary} | {statuses} |"


def test_the_documented_table_is_this_one() -> None:
    page = (DOCS / "docs" / "protocol.md").read_text(encoding="utf-8")
    for row in OPERATIONS:
        assert table_line(row) in page
    readme = (DOCS / "README.md").read_text(encoding="utf-8")
    assert all(row.path in readme for row in OPERATIONS)
