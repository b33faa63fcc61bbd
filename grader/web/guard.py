"""The guard: every request and every websocket passes it before anything else of the page sees it.

Whoever else is on this machine or in the browser is kept out by four questions. Is the page asked for under a
name of this machine (another name that leads here is DNS rebinding)? Does the request come from the page
itself, not from another site or port? Is there the cookie? If not, does the address hold the token that was
given out, which works once?
"""

from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from grader.web.keys import Keys

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
"""Names of this machine. The port does not matter: a tunnel (`ssh -L`) may have another one."""

TOKEN = "token"
"""The parameter of an address that opens the page."""

_READING = {"GET", "HEAD"}

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",  # NiceGUI has both
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "frame-src 'self'",
        "frame-ancestors 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
"""What a browser is told: nothing is loaded from, or sent to, anywhere else."""

_HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]

ONCE = "This address has been used, or is none of this page's. The terminal shows one that works."
NO_KEY = "The page opens with the address that the terminal shows."
NOT_HERE = "This is not the page's own name or origin."

# A page of its own, because a browser that comes from elsewhere would not send the cookie along a redirect.
_WELCOME = '<!doctype html><title>byheart</title><meta http-equiv="refresh" content="0;url={path}">'


class Guard:
    """An ASGI application around another one."""

    def __init__(self, app: App, keys: Keys, port: int) -> None:
        self.app = app
        self._keys = keys
        self._cookie = f"byheart-{port}"  # cookies of one name are shared by all ports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what may come in, and refuse the rest."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        request = _Request(scope)
        token = request.token
        if not request.is_at_home:
            await _refuse(scope, send, NOT_HERE)
        elif token is not None:
            await self._open(scope, send, token)
        elif not request.is_own:
            await _refuse(scope, send, NOT_HERE)
        elif not any(self._keys.knows(secret) for secret in request.cookies(self._cookie)):
            await _refuse(scope, send, NO_KEY)
        else:
            scope["headers"] = request.without_claims
            await self._pass_on(scope, receive, send)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_gone = False

        async def received() -> Message:
            nonlocal is_gone
            message = await receive()
            is_gone = is_gone or message["type"] == "http.disconnect"
            return message

        try:
            await self.app(scope, received, _with_headers(send))
        except RuntimeError:  # Starlette's complaint that nothing was answered
            if not is_gone:
                raise

    async def _open(self, scope: Scope, send: Send, token: str) -> None:
        if not self._keys.opens(token):
            await _refuse(scope, send, ONCE)
            return
        cookie = f"{self._cookie}={self._keys.secret}; HttpOnly; SameSite=Strict; Path=/"
        body = _WELCOME.format(path=_plain_path(scope["path"]))
        await _answer(send, 200, body, "text/html", [(b"set-cookie", cookie.encode())])


class _Request:
    """What a request says of itself."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._headers: list[tuple[bytes, bytes]] = list(scope["headers"])

    @property
    def is_at_home(self) -> bool:
        """Whether it asks for this machine by one of its names."""
        hosts = self._all(b"host")
        if len(hosts) != 1:
            return False
        try:
            return urlsplit(f"//{hosts[0]}").hostname in LOOPBACK
        except ValueError:
            return False

    @property
    def is_own(self) -> bool:
        """Whether it comes from the page itself or, to read, from whoever types an address."""
        origins, sites = self._all(b"origin"), self._all(b"sec-fetch-site")
        if any(origin != f"http://{self._all(b'host')[0]}" for origin in origins):
            return False
        if any(site not in ("same-origin", "none") for site in sites):
            return False
        return bool(origins) or self._reads

    @property
    def token(self) -> str | None:
        """The token in the address: where one is expected."""
        if self._scope["type"] != "http" or self._scope["method"] != "GET":
            return None
        named = parse_qs(self._scope["query_string"].decode("latin-1")).get(TOKEN, [])
        return named[0] if len(named) == 1 and not self._scope["path"].startswith("/_nicegui") else None

    def cookies(self, name: str) -> Iterator[str]:
        """The values of the cookies of that name."""
        for header in self._all(b"cookie"):
            for part in header.split(";"):
                key, _, value = part.strip().partition("=")
                if key == name:
                    yield value

    @property
    def without_claims(self) -> list[tuple[bytes, bytes]]:
        """Its headers but for those with which a proxy says who is behind it: there is none."""
        return [header for header in self._headers if not header[0].lower().startswith(b"x-forwarded")]

    @property
    def _reads(self) -> bool:
        return self._scope["type"] == "http" and self._scope["method"] in _READING

    def _all(self, name: bytes) -> list[str]:
        return [value.decode("latin-1") for key, value in self._headers if key.lower() == name]


def _plain_path(path: str) -> str:
    """A path to go on to: nothing that could end an attribute or lead to another host."""
    harmless = path.replace("/", "").replace("_", "").replace("-", "")
    return path if harmless.isascii() and harmless.isalnum() and not path.startswith("//") else "/"


async def _refuse(scope: Scope, send: Send, sentence: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})  # before it is accepted: the answer is 403
    else:
        await _answer(send, 403, sentence, "text/plain", [])


async def _answer(send: Send, status: int, body: str, kind: str, headers: list[tuple[bytes, bytes]]) -> None:
    own = [(b"content-type", f"{kind}; charset=utf-8".encode()), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": [*own, *headers, *_HEADERS]})
    await send({"type": "http.response.body", "body": body.encode()})


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", []), *_HEADERS]
        await send(message)

    return sent
