"""Messages of a worker, however they come, each within its time."""

import os
import socket
import time
from collections.abc import Iterator

import pytest

from grader.judge.workers.launch import Started
from grader.judge.workers.pipe import OutOfTime, Pipe
from grader.worker import wire
from grader.worker.serve import LATE, REPLY


def message(kind: bytes, content: bytes) -> bytes:
    return wire.HEADER.pack(len(content) + 1) + kind + content


@pytest.fixture
def ends() -> Iterator[tuple[Pipe, socket.socket]]:
    """The judge's end, and the worker's."""
    channel, worker = socket.socketpair()
    output, printing = os.pipe()
    pipe = Pipe(Started(channel, output), bytearray())
    _, reports, _, _ = socket.recv_fds(worker, 1, 1)
    yield pipe, worker
    pipe.close()
    worker.close()
    for descriptor in (*reports, printing):
        os.close(descriptor)


def test_messages_that_come_together(ends):
    pipe, worker = ends
    worker.sendall(message(LATE, b"7") + message(REPLY, b"") + message(REPLY, b"x" * 50_000))
    later = time.monotonic() + 10
    came = [pipe.receive(later) for _ in range(3)]
    assert came == [(LATE, b"7"), (REPLY, b""), (REPLY, b"x" * 50_000)]


def test_a_message_in_two_pieces(ends):
    pipe, worker = ends
    whole = message(REPLY, b"content")
    worker.sendall(whole[:5])
    with pytest.raises(OutOfTime):
        pipe.receive(time.monotonic() + 0.01)
    worker.sendall(whole[5:])
    assert pipe.receive(time.monotonic() + 10) == (REPLY, b"content")


def test_what_came_before_has_no_more_time(ends):
    pipe, worker = ends
    worker.sendall(2 * message(REPLY, b""))
    pipe.receive(time.monotonic() + 10)
    with pytest.raises(OutOfTime):
        pipe.receive(time.monotonic())


def test_the_end_of_a_worker(ends):
    pipe, worker = ends
    worker.sendall(message(REPLY, b"last"))
    worker.shutdown(socket.SHUT_WR)
    assert pipe.receive(time.monotonic() + 10) == (REPLY, b"last")
    with pytest.raises(EOFError):
        pipe.receive(time.monotonic() + 10)


@pytest.mark.parametrize("data", [wire.HEADER.pack(0), wire.HEADER.pack(2**60), message(b"?", b"")])
def test_what_is_no_message(ends, data):
    pipe, worker = ends
    worker.sendall(data)
    with pytest.raises(ValueError, match="not a message"):
        pipe.receive(time.monotonic() + 10)
