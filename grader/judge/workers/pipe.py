"""Framed messages to and from a worker, each with a deadline; meanwhile what the worker prints is read."""

import contextlib
import os
import select
import socket
import time

from grader.judge.workers.launch import Started
from grader.worker import wire
from grader.worker.serve import CALLBACK, HANDOVER, LATE, REPLY

KEPT_OUTPUT = 2**16
"""Bytes of the submission's prints that are kept: the last ones."""


AT_ONCE = 2**14
"""Bytes that are asked of a worker's connection at least: most messages are shorter, and come whole."""
MAX_READS = 256
"""Of what a pipe holds, at most, at a time."""


class OutOfTime(Exception):
    """The deadline has passed."""


class Pipe:
    """The judge's ends of one worker. `printed` collects the end of what comes out of it.

    A send or receive raises OutOfTime after `deadline` (monotonic seconds), EOFError or OSError when the
    worker is gone, ValueError when what comes is no message.
    """

    def __init__(self, started: Started, printed: bytearray) -> None:
        self._channel = started.channel
        self._reports, reports = os.pipe()
        with contextlib.suppress(OSError):  # it has ended: the first request says so
            socket.send_fds(self._channel, [HANDOVER], [reports])
        os.close(reports)
        os.set_blocking(self._reports, False)
        self._output = started.output
        self.printed = printed
        self._received = bytearray()  # what came with the message before
        self._channel.setblocking(False)
        os.set_blocking(self._output, False)
        self._poll = select.poll()
        self._poll.register(self._output, select.POLLIN)

    def send(self, data: bytes, deadline: float) -> None:
        """Send one message."""
        view = memoryview(wire.HEADER.pack(len(data)) + data)
        while view:
            try:
                view = view[self._channel.send(view) :]
            except BlockingIOError:
                self._wait(select.POLLOUT, deadline)

    def receive(self, deadline: float) -> tuple[bytes, bytes]:
        """The kind of the next message (REPLY, CALLBACK or LATE) and its content."""
        (size,) = wire.HEADER.unpack(self._exactly(wire.HEADER.size, deadline))
        if not 0 < size <= wire.MAX_MESSAGE + 2**16:
            raise ValueError("not a message")
        data = self._exactly(size, deadline)
        if data[:1] not in (REPLY, CALLBACK, LATE):
            raise ValueError("not a message")
        return data[:1], data[1:]

    def is_open(self) -> bool:
        """Whether the worker has its end still. (Asked when nothing is to come from it.)"""
        try:
            return self._channel.recv(1, socket.MSG_PEEK) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def read_report(self) -> bytes:
        """The report of a refusal that has not been read yet, empty when there is none."""
        with contextlib.suppress(BlockingIOError):
            return os.read(self._reports, select.PIPE_BUF)
        return b""

    def read_output(self) -> int | None:
        """Read some of what was printed and say how many bytes: 0 once all writers are gone, None when there
        is nothing."""
        try:
            part = os.read(self._output, 2**18)
        except BlockingIOError:
            return None
        self.printed += part
        if len(self.printed) > 4 * KEPT_OUTPUT:
            del self.printed[:-KEPT_OUTPUT]
        return len(part)

    def read_all_output(self) -> None:
        """Read what has been printed, but not for ever, if somebody goes on printing."""
        for _ in range(MAX_READS):
            if not self.read_output():
                return

    def close(self) -> None:
        """Read what is left of the output, and let go."""
        self.read_all_output()
        self._channel.close()
        os.close(self._output)
        os.close(self._reports)

    def _exactly(self, size: int, deadline: float) -> bytes:
        data = self._received
        while True:
            # Asked each time: a worker that keeps talking has no more time than one that is silent.
            if time.monotonic() >= deadline:
                raise OutOfTime
            if len(data) >= size:
                break
            try:
                part = self._channel.recv(max(min(size - len(data), 2**20), AT_ONCE))
            except BlockingIOError:
                self._wait(select.POLLIN, deadline)
                continue
            if not part:
                raise EOFError("the connection is closed")
            data += part
        whole = bytes(data[:size])
        del data[:size]
        return whole

    def _wait(self, event: int, deadline: float) -> None:
        """Until the channel is ready for `event`; what the submission prints is read meanwhile."""
        self._poll.register(self._channel, event)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise OutOfTime
            ready = {number for number, _ in self._poll.poll(min(left, 3600) * 1000)}
            if self._output in ready and self.read_output() == 0:
                self._poll.unregister(self._output)
            if self._channel.fileno() in ready:
                return
