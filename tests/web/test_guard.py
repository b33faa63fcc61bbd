"""The guard: who may see the page."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from grader.web.guard import Guard
from grader.web.keys import Keys, keep, load_kept

PORT = 8417
HOST = f"127.0.0.1:{PORT}"
ORIGIN = f"http://{HOST}"


def keys() -> Keys:
    return Keys(secret="s" * 32, token="t" * 32)


def asked(
    known: Keys,
    headers: Mapping[str, str | list[str]],
    kind: str = "http",
    method: str = "GET",
    path: str = "/",
    query: str = "",
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What the guard sends, and the scopes that it lets pass."""
    passed: list[dict[str, Any]] = []
    sent: list[dict[str, Any]] = []

    async def app(scope, receive, send) -> None:
        passed.append(dict(scope))
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message) -> None:
        sent.append(dict(message))

    lines = [
        (name.encode(), value.encode())
        for name, values in {"host": HOST, **headers}.items()
        for value in ([values] if isinstance(values, str) else values)
    ]
    scope = {"type": kind, "path": path, "query_string": query.encode(), "headers": lines}
    if kind == "http":
        scope["method"] = method
    asyncio.run(Guard(app, known, PORT)(scope, None, send))  # type: ignore[arg-type]
    return sent, passed


def is_refused(answer: tuple[list[dict[str, Any]], list[dict[str, Any]]]) -> bool:
    sent, passed = answer
    first = sent[0]
    return passed == [] and (first.get("status") == 403 or first["type"] == "websocket.close")


COOKIE = {"cookie": f"other=1; byheart-{PORT}={'s' * 32}"}


@pytest.mark.parametrize(
    ("headers", "options"),
    [
        (COOKIE, {}),
        ({**COOKIE, "sec-fetch-site": "same-origin", "origin": ORIGIN}, {}),
        ({**COOKIE, "sec-fetch-site": "none"}, {}),
        ({**COOKIE, "origin": ORIGIN}, {"method": "POST"}),
        ({**COOKIE, "origin": ORIGIN}, {"kind": "websocket"}),
        ({**COOKIE, "host": "localhost:9000", "origin": "http://localhost:9000"}, {"kind": "websocket"}),
        ({**COOKIE, "host": f"[::1]:{PORT}"}, {}),
    ],
)
def test_the_page_itself_passes(headers: Mapping[str, str], options: Mapping[str, str]) -> None:
    sent, passed = asked(keys(), headers, **options)
    assert len(passed) == 1
    assert any(name == b"content-security-policy" for name, _ in sent[0]["headers"])


@pytest.mark.parametrize(
    ("headers", "options"),
    [
        ({}, {}),
        ({"cookie": f"byheart-{PORT}=guessed"}, {}),
        ({"cookie": f"byheart-{PORT}="}, {}),
        ({"cookie": f"byheart-9999={'s' * 32}"}, {}),
        ({**COOKIE, "host": "evil.example:8417"}, {}),
        ({**COOKIE, "host": "127.0.0.1.evil.example"}, {}),
        ({**COOKIE, "host": "evil.example@127.0.0.1.nip.io"}, {}),
        ({**COOKIE, "host": ""}, {}),
        ({**COOKIE, "host": "[::1"}, {}),
        ({**COOKIE, "host": [HOST, "evil.example"]}, {}),
        ({**COOKIE, "origin": "https://evil.example"}, {}),
        ({**COOKIE, "origin": "null"}, {}),
        ({**COOKIE, "origin": "http://127.0.0.1:9999"}, {}),
        ({**COOKIE, "origin": "http://localhost:8417"}, {}),
        ({**COOKIE, "sec-fetch-site": "cross-site"}, {}),
        ({**COOKIE, "sec-fetch-site": "same-site"}, {}),
        (COOKIE, {"method": "POST"}),
        (COOKIE, {"method": "PUT"}),
        ({**COOKIE, "origin": "https://evil.example"}, {"method": "POST"}),
        ({**COOKIE, "origin": "null"}, {"method": "POST"}),
        (COOKIE, {"kind": "websocket"}),
        ({"origin": ORIGIN}, {"kind": "websocket"}),
        ({**COOKIE, "origin": "https://evil.example"}, {"kind": "websocket"}),
        ({**COOKIE, "host": "evil.example", "origin": "http://evil.example"}, {"kind": "websocket"}),
        ({"origin": ORIGIN}, {"kind": "websocket", "query": f"token={'t' * 32}"}),
        ({"origin": ORIGIN}, {"method": "POST", "query": f"token={'t' * 32}"}),
        ({}, {"path": "/_nicegui_ws/socket.io/", "query": f"token={'t' * 32}"}),
        ({"host": "evil.example"}, {"query": f"token={'t' * 32}"}),
        ({}, {"query": "token="}),
        ({}, {"query": "token=guessed"}),
        ({}, {"query": f"token=x&token={'t' * 32}"}),
        ({}, {"path": "/_nicegui/3/static/nicegui.js"}),
    ],
)
def test_everyone_else_is_refused(headers: Mapping[str, str], options: Mapping[str, str]) -> None:
    known = keys()
    assert is_refused(asked(known, headers, **options))
    assert known.token == "t" * 32


def test_an_address_works_once_and_becomes_a_cookie() -> None:
    known = keys()
    told: list[str] = []
    known.used = lambda: told.append(known.token)
    elsewhere = {"sec-fetch-site": "cross-site"}  # from a terminal in a browser, say
    sent, passed = asked(known, elsewhere, path="/topic/gqa", query=f"token={'t' * 32}")
    cookie = dict(sent[0]["headers"])[b"set-cookie"].decode()
    assert (sent[0]["status"], passed) == (200, [])
    assert cookie == f"byheart-{PORT}={'s' * 32}; HttpOnly; SameSite=Strict; Path=/"
    assert b"url=/topic/gqa" in sent[1]["body"]
    assert told == [known.token]
    assert is_refused(asked(known, {}, query=f"token={'t' * 32}"))
    assert not is_refused(asked(known, {}, query=f"token={known.token}"))


@pytest.mark.parametrize("path", ["//evil.example", '/"><script>', "/topic/%22", "/a;b", "/\u00e9"])
def test_only_plain_paths_are_gone_on_to(path: str) -> None:
    sent, _ = asked(keys(), {}, path=path, query=f"token={'t' * 32}")
    assert b'content="0;url=/"' in sent[1]["body"]


def test_what_a_proxy_would_say_is_not_believed() -> None:
    _, passed = asked(keys(), {**COOKIE, "x-forwarded-prefix": "//evil.example"})
    assert [name for name, _ in passed[0]["headers"]] == [b"host", b"cookie"]


def test_the_secret_stays_and_only_its_owner_can_read_it(tmp_path) -> None:
    file = tmp_path / ".practice" / "page.json"
    first = load_kept(file)
    assert first.port is None and first.secret != load_kept(file).secret
    keep(file, type(first)(first.secret, PORT))
    assert load_kept(file) == type(first)(first.secret, PORT)
    assert file.stat().st_mode & 0o777 == 0o600
    for damaged in ("", "[]", "{", '{"secret": "", "port": 1}', '{"secret": 5, "port": "1"}'):
        file.write_text(damaged, encoding="utf-8")
        assert load_kept(file).port is None
