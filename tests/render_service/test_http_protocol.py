"""Both protocols on real sockets, before an application that says what it was given."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterable
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from render_service.body_budget import BodyBudget
from render_service.http_protocol import BoundedHttpProtocol, HttpConfig
from render_service.inline_protocol import Headers, InlineHttpProtocol
from render_service.reply import Reply, json_reply
from render_service.request_body import Disconnected, read_body

POST = b"POST /a HTTP/1.1\r\nHost: x\r\n"
H2C = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n"
BODY = b"Content-Length: 4\r\n\r\nbody"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n"
MAX_HEADERS = 50
SHORT, PAUSE = 0.05, 0.15
"""Seconds that an idle connection is kept, and longer ones: less than `Quick` waits for more."""


class Quick(BoundedHttpProtocol):
    read_timeout = 0.3


class Inline:
    """What `echo` answers, at once."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    def __call__(self, target: bytes, headers: Headers, length: int) -> Inline | None:
        return self if target == b"/a" and length < 100 else None

    def at_once(self, headers: Headers, body: bytes) -> Reply:
        self.bodies.append(body)
        return json_reply(["POST", body.decode(), [name.decode() for name in headers]])


INLINE = Inline()


class QuickInline(InlineHttpProtocol):
    read_timeout = 0.3
    choose = INLINE


Used: type[BoundedHttpProtocol] = Quick


@pytest.fixture(autouse=True, params=[Quick, QuickInline])
def protocol(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "Used", request.param)
    INLINE.bodies.clear()


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["path"] == "/early":
        await json_reply(["POST", "early", []]).send(send)
        return
    if scope["path"] == "/slow":
        await asyncio.sleep(2 * PAUSE)
    try:
        body = await read_body(receive, {}, 1 << 20, BodyBudget(0))
    except Disconnected:
        return
    names = [name.decode() for name, _ in scope["headers"]]
    await json_reply([scope["method"], body.decode(), names]).send(send)


async def exchange(client: Callable[[int], Awaitable[bytes]], keep_alive: float) -> bytes:
    config = HttpConfig(
        echo,
        max_headers=MAX_HEADERS,
        h11_max_incomplete_event_size=4096,
        log_config=None,
    )
    config.timeout_keep_alive = keep_alive  # type: ignore[assignment]  # a whole number is too long
    loop = asyncio.get_running_loop()
    state = ServerState()
    server = await loop.create_server(lambda: Used(config, state, {}), "127.0.0.1", 0)
    async with server:
        answer = await client(server.sockets[0].getsockname()[1])
        for connection in list(state.connections):
            connection.shutdown()
        return answer


def answers(*parts: bytes, pause: float = 0.0, keep_alive: float = 60) -> list[list[object]]:
    """The bodies of all answers to what is sent in these parts; the last closes the connection."""

    async def client(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for part in parts:
            writer.write(part)
            await asyncio.sleep(pause)
        try:
            return await reader.read()
        except ConnectionError:  # it was closed while we sent
            return b""
        finally:
            writer.close()

    received = asyncio.run(exchange(client, keep_alive))
    bodies = [part.partition(b"\r\n\r\n")[2] for part in received.split(b"HTTP/1.1 ")[1:]]
    return [json.loads(body) if body.startswith(b"[") else [body.decode()] for body in bodies]


def bytewise(data: bytes) -> Iterable[bytes]:
    return (data[at : at + 1] for at in range(len(data)))


CLOSE = POST + b"Connection: close\r\n" + BODY


@pytest.mark.parametrize("body", [BODY, CHUNKED + b"\r\n"])
@pytest.mark.parametrize("cut", ["whole", "after the head", "bytewise"])
def test_an_upgrade_is_ignored(body: bytes, cut: str) -> None:
    request = POST + H2C + body
    head = request.index(b"\r\n\r\n") + 4
    parts = {
        "whole": [request + CLOSE],
        "after the head": [request[:head], request[head:], CLOSE],
        "bytewise": [*bytewise(request + CLOSE)],
    }[cut]
    first, second = answers(*parts, pause=0.001)
    assert first[:2] == second[:2] == ["POST", "body"]
    assert not {"connection", "upgrade", "http2-settings"} & set(first[2])  # type: ignore[call-overload]  # a list


def test_an_upgrade_that_closes_still_closes() -> None:
    head = POST + H2C.replace(b"Upgrade, ", b"close, Upgrade, ")
    assert len(answers(head + BODY)) == 1


def test_connect_is_refused() -> None:
    assert answers(b"CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n") == [["CONNECT is not supported."]]


def test_headers_over_the_bound_are_not_kept() -> None:
    many = b"".join(b"a%d:\r\n" % number for number in range(200))
    ((_, _, names),) = answers(POST + many + b"Connection: close\r\n" + BODY + b"")[:1]
    assert len(names) == MAX_HEADERS + 1  # type: ignore[arg-type]  # a list


def test_trailers_are_not_headers() -> None:
    trailers = b"".join(b"t%d: x\r\n" % number for number in range(1000)) + b"\r\n"
    (first, _) = answers(POST + CHUNKED + trailers + CLOSE)
    assert first[2] == ["host", "transfer-encoding"]


@pytest.mark.parametrize(
    "start", [b"", POST, POST + b"Content-Length: 9\r\n\r\nb", POST + CHUNKED[:-3]]
)
def test_what_does_not_go_on_is_closed(start: bytes) -> None:
    assert answers(start) == []


def test_a_head_that_comes_bit_by_bit_is_closed() -> None:
    assert answers(*bytewise(POST[:24]), pause=0.02) == []


def test_a_slow_body_that_goes_on_is_read() -> None:
    request = POST + b"Connection: close\r\nContent-Length: 8\r\n\r\n"
    assert answers(request, *bytewise(b"slowbody"), pause=0.06)[0][1] == "slowbody"


def test_requests_sent_at_once_are_answered_in_order() -> None:
    texts = [b"one!", b"two!", b"long" * 50, b"four", b"last"]
    bodies = [b"Content-Length: %d\r\n\r\n%b" % (len(text), text) for text in texts]
    requests = [POST + body for body in bodies[:-1]] + [
        POST + b"Connection: close\r\n" + bodies[-1]
    ]
    assert [body.encode() for _, body, _ in answers(b"".join(requests))] == texts  # type: ignore[attr-defined]
    assert INLINE.bodies == ([b"one!"] if Used is QuickInline else [])


def test_what_waits_for_other_requests_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that sends on and on is read no faster than it is answered."""
    longest = [0]
    complete = Used.on_response_complete

    def seen(self: BoundedHttpProtocol) -> None:
        longest.append(len(self.pipeline))
        complete(self)

    monkeypatch.setattr(Used, "on_response_complete", seen)
    request, count = REQUESTS[b"elsewhere"], 20_000

    async def client(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request * count + CLOSE)
        received = await reader.read()
        writer.close()
        return received

    received = asyncio.run(exchange(client, 60))
    assert received.count(b"HTTP/1.1 200") == count + 1
    # What two reads hold.
    assert 0 < max(longest) <= 2 * 256 * 1024 // len(request) < count / 2


def test_a_small_request_is_answered_at_once() -> None:
    request = POST + BODY
    assert [body for _, body, _ in answers(request, request, CLOSE, pause=0.01)] == ["body"] * 3
    assert INLINE.bodies == ([b"body"] * 2 if Used is QuickInline else [])


def test_a_head_that_came_before_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    parse = Used.on_url
    monkeypatch.setattr(Used, "on_url", lambda self, url: (seen.append(url), parse(self, url))[1])
    head = POST + b"X-A: again\r\nContent-Length: 4\r\n\r\n"
    requests = [head + b"one!", head + b"two!", head + b"\r\n\r\n", head + b"four" + head, b"five"]
    found = [body for _, body, _ in answers(*requests, CLOSE, pause=0.01)]
    assert found == ["one!", "two!", "\r\n\r\n", "four", "five", "body"]
    # The first time; what has more than one request in a read; and the last.
    assert len(seen) == (4 if Used is QuickInline else 6)


@pytest.mark.parametrize("more", [b"Expect: 100-continue\r\n", b"Connection: close\r\n"])
def test_what_is_not_simple_goes_the_ordinary_way(more: bytes) -> None:
    assert answers(POST + more + BODY, CLOSE, pause=0.01)[-1][1] == "body"
    assert INLINE.bodies == []


def sized(text: bytes, more: bytes = b"") -> bytes:
    return POST + more + b"Content-Length: %d\r\n\r\n%b" % (len(text), text)


REQUESTS = {
    b"small": sized(b"small"),
    b"": sized(b""),
    b"large" * 50: sized(b"large" * 50),
    b"body": POST + CHUNKED + b"\r\n",
    b"waits": sized(b"waits", b"Expect: 100-continue\r\n"),
    b"h2c": sized(b"h2c", H2C),
    b"elsewhere": sized(b"elsewhere").replace(b"/a", b"/b"),
}


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    texts=st.lists(st.sampled_from(sorted(REQUESTS)), max_size=6),
    cuts=st.lists(st.integers(0, 1200), max_size=6),
)
def test_many_requests_cut_anyhow(texts: list[bytes], cuts: list[int]) -> None:
    data = b"".join(REQUESTS[text] for text in texts) + CLOSE
    places = [0, *sorted(cuts), len(data)]
    parts = [data[start:end] for start, end in pairwise(places)]
    found = [body for body in answers(*parts, pause=0.001) if len(body) > 1]  # not 100 Continue
    assert [str(body[1]).encode() for body in found] == [*texts, b"body"]


@pytest.mark.parametrize("cut", [1, 20, len(POST + BODY) - 3])
def test_a_connection_is_not_idle_once_the_next_request_has_begun(cut: int) -> None:
    request = POST + BODY
    parts = (request + request[:cut], request[cut:] + CLOSE)
    assert len(answers(*parts, pause=PAUSE, keep_alive=SHORT)) == 3


@pytest.mark.parametrize("before", [b"", POST + BODY, (POST + BODY) * 3])
def test_a_connection_is_not_idle_while_a_request_is_worked_on(before: bytes) -> None:
    slow = CLOSE.replace(b"/a", b"/slow")
    assert len(answers(before + slow, keep_alive=SHORT)) == before.count(POST) + 1


@pytest.mark.parametrize("requests", [POST + BODY, (POST + BODY) * 3, POST + CHUNKED + b"\r\n"])
def test_an_idle_connection_is_closed(requests: bytes) -> None:
    assert len(answers(requests, keep_alive=SHORT)) == requests.count(POST)


def test_a_connection_is_idle_when_the_rest_of_an_answered_request_has_come() -> None:
    early = (POST + BODY).replace(b"/a", b"/early")
    assert answers(early[:-2], early[-2:], pause=PAUSE, keep_alive=SHORT) == [["POST", "early", []]]


@pytest.mark.parametrize("start", [POST, POST + b"Content-Length: 9\r\n\r\nb"])
def test_what_does_not_go_on_behind_another_request_is_closed(start: bytes) -> None:
    assert len(answers(POST + BODY + start)) == 1
