"""The server: it listens on this machine alone, and ends with everything below it."""

import contextlib
import os
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from pathlib import Path

from grader.curriculum.catalog import Topic
from grader.curriculum.workspace import Workspace, current_workspace
from grader.web.keys import Kept, Keys, keep, load_kept, write_private

ADDRESS = "127.0.0.1"
USUAL_PORT = 8417
FURTHER_PORTS = range(USUAL_PORT + 1, USUAL_PORT + 21)
"""Where the usual one is taken. Of those that the system hands out, a connection may have got one by the time
that the page comes back, and to a browser another port is another page."""


class CannotListen(Exception):
    """The port is not to be had; the message is a sentence."""


def listening(port: int | None, usual: int | None) -> socket.socket:
    """A socket on the loopback address: on that port, or (None) on the usual one if it is free, else on
    one beside it, or any. Raises CannotListen.
    """
    candidates = [port] if port is not None else [usual or USUAL_PORT, *FURTHER_PORTS, 0]
    for candidate in candidates:
        bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((ADDRESS, candidate))
            bound.listen(128)
            return bound
        except OSError as error:
            bound.close()
            reason = error.strerror
    raise CannotListen(f"Port {port} cannot be used: {reason}. Without --port, a free one is taken.")


def serve(topic: Topic | None, port: int | None, opens_browser: bool) -> None:
    """Serve the page until Ctrl-C, from a topic or from home. Raises CannotListen, OSError."""
    workspace = current_workspace()
    file = workspace.practice / "page.json"
    kept = load_kept(file)
    with listening(port, kept.port) as bound, tempfile.TemporaryDirectory() as storage:
        number = bound.getsockname()[1]
        keep(file, Kept(kept.secret, number))
        os.environ["NICEGUI_STORAGE_PATH"] = storage  # made at its import, in the current folder else
        from grader.web.site import site

        keys = Keys(kept.secret)
        path = "/" if topic is None else f"/topic/{topic.id}"

        def address() -> str:
            return f"http://{ADDRESS}:{number}{path}?token={keys.token}"

        with site(keys, number, topic) as server, _door(workspace) as door:

            def used() -> None:
                door.unlink(missing_ok=True)
                print(f"Opened. For another browser: {address()}", flush=True)

            def ready() -> None:
                print(f"Practise here: {address()}\nCtrl-C ends it.", flush=True)
                if opens_browser:
                    _open(address(), door)

            keys.used = used
            server.run_until_stopped(bound, ready)


@contextlib.contextmanager
def _door(workspace: Workspace) -> Iterator[Path]:
    """A file that leads to the page: its address is not to be seen in the list of processes."""
    door = workspace.build / "open.html"
    try:
        yield door
    finally:
        door.unlink(missing_ok=True)


def _open(address: str, door: Path) -> None:
    """Lead the browser there, if it has a window; one in the terminal would take that."""
    has_window = sys.platform == "darwin" or any(
        map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
    )
    if not has_window:
        return
    page = f'<!doctype html><title>byheart</title><meta http-equiv="refresh" content="0;url={address}">'
    with contextlib.suppress(OSError):
        write_private(door, page)
        threading.Thread(target=webbrowser.open, args=[door.as_uri()], daemon=True).start()
