"""The server as it runs: who reaches it, where it listens, and how it ends."""

import contextlib
import http.client
import stat
from collections.abc import Iterator

import psutil
import pytest
from driving import byheart, has_ended
from web.serving import Served

from grader.web.server import FURTHER_PORTS, USUAL_PORT, CannotListen, listening

pytest.importorskip("nicegui", reason="the extra `web` is not installed: the first `make open` does it")

pytestmark = pytest.mark.xdist_group("page")  # a page that is begun again wants the port that it had before


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    server = Served(tmp_path_factory.mktemp("served"))
    yield server
    if server.process.poll() is None:
        server.end()


def asked(served: Served, path: str, method: str = "GET", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


def test_only_the_address_opens_it_and_only_once(served: Served) -> None:
    path = served.addresses[0].removeprefix(served.base)
    for method in ("GET", "POST"):
        assert asked(served, "/", method).status == 403
    assert asked(served, "/_nicegui_ws/socket.io/?EIO=4&transport=polling").status == 403
    first = asked(served, path)
    cookie = first.headers["set-cookie"].partition(";")[0]
    assert first.status == 200
    assert asked(served, path).status == 403
    second = served.next_address()
    assert asked(served, second.removeprefix(served.base)).status == 200
    for inside in ("/", "/mock", "/session", "/topic/softmax", "/drill/softmax", "/statistics"):
        answer = asked(served, inside, Cookie=cookie)
        assert answer.status == 200
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert asked(served, "/", Cookie=cookie, Host="evil.example").status == 403
    assert asked(served, "/", Cookie=cookie, Origin="http://evil.example").status == 403
    handshake = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    handshake["Sec-WebSocket-Key"] = "AAAAAAAAAAAAAAAAAAAAAA=="
    socket = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    assert asked(served, socket, **handshake, Origin=served.base).status == 403
    assert asked(served, socket, **handshake, Origin="http://evil.example", Cookie=cookie).status == 403
    assert asked(served, socket, **handshake, Origin=served.base, Cookie=cookie).status == 101
    for trick in (
        "/topic/..%2f..%2fsolutions%2fsoftmax",
        "/topic/../../byheart.toml",
        "/notebook/..%2f..%2f..%2f.practice%2fpage.json",
        "/notebook/%2e%2e",
        "/_nicegui/../.practice/page.json",
        "/.practice/page.json",
    ):
        answer = asked(served, trick, Cookie=cookie)
        assert answer.status in (200, 404)  # 200: a page that says that there is no such topic
        assert "secret" not in str(answer.headers)


def test_nothing_tells_of_it_but_the_terminal(served: Served) -> None:
    tokens = [address.partition("token=")[2] for address in served.addresses]
    everything = " ".join(" ".join(each.info["cmdline"] or ()) for each in psutil.process_iter(["cmdline"]))
    assert not any(token in everything for token in tokens)
    kept = served.workspace.practice / "page.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_it_listens_on_this_machine_alone(served: Served) -> None:
    connections = []
    for process in (psutil.Process(served.process.pid), *served.below()):
        with contextlib.suppress(psutil.NoSuchProcess):  # one that has just ended listens nowhere
            connections += process.net_connections("inet")
    assert [each.laddr.ip for each in connections if each.status == psutil.CONN_LISTEN] == ["127.0.0.1"]


def test_where_the_usual_port_is_taken_one_beside_it_is() -> None:
    """None that the system hands out to connections: it is to be free when the page comes back."""
    with listening(None, None) as first, listening(None, None) as second:
        ports = first.getsockname()[1], second.getsockname()[1]
        assert {*ports} < {USUAL_PORT, *FURTHER_PORTS} and ports[0] != ports[1]
        with listening(None, ports[0]) as third:
            assert third.getsockname()[1] not in ports
    with listening(None, ports[1]) as again:
        assert again.getsockname()[1] == ports[1]


def comes_back_where_it_was(served: Served) -> None:
    """At the same port: to a browser, the same page. Unless a stranger to it took that port meanwhile, as
    anybody on this machine may.
    """
    for _ in range(3):
        before = served.port
        served.begin()
        if served.port == before:
            return
        with contextlib.suppress(CannotListen), listening(before, None):
            raise AssertionError(f"port {before} is free, and the page came back at {served.port}")
        assert str(served.workspace.root) not in listeners(before), "what it left behind holds its port"
        served.end()
    raise AssertionError("whenever it had ended, a stranger took its port")


def listeners(port: int) -> str:
    """The command lines of those that listen there, as far as they are to be seen."""
    found = [each for each in psutil.net_connections("inet") if each.laddr and each.laddr.port == port]
    pids = {each.pid for each in found if each.status == psutil.CONN_LISTEN}
    return "\n".join(
        " ".join(each.info["cmdline"] or ()) for each in psutil.process_iter(["cmdline"]) if each.pid in pids
    )


def test_ctrl_c_ends_it_and_everything_below(served: Served) -> None:
    below = served.below()
    assert below, "no judge was warming up"
    assert served.end() == 130
    psutil.wait_procs(below, timeout=20)
    assert [process for process in below if not has_ended(process)] == []
    comes_back_where_it_was(served)
    taken = byheart(
        served.workspace.root, "--workspace", str(served.workspace.root), "open", "--port", str(served.port)
    )
    assert taken.returncode == 1
    assert f"Port {served.port} cannot be used" in taken.stderr
