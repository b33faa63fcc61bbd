"""The worker that is ready before anybody asks for it: who gets it, and what comes of it if it is gone."""

import os
import socket
from collections.abc import Iterator

import pytest

from grader.judge.workers.launch import NO_PARTS, Ending, Started
from grader.judge.workers.starting import Setup, Starter, WorkerFault
from grader.worker import wire
from grader.worker.serve import REPLY
from grader.worker.torch_import import Part
from grader.worker.unpacking import decode
from grader.worker.walls.wall import Wall

SOFTMAX, CONV = Setup(("softmax",)), Setup(("conv2d",))


class Launched:
    """The far end of a worker that does as it is told: it prints a word, and says that it has its setup."""

    def __init__(self, channel: socket.socket, printing: int, says: bytes | None) -> None:
        self.channel, self._printing = channel, printing
        if says is not None:
            channel.sendall(wire.HEADER.pack(len(says)) + says)
        os.write(printing, b"hello")

    def was_told(self) -> dict[str, object]:
        """The first request that came, behind the message that hands over a descriptor."""
        _, reports, _, _ = socket.recv_fds(self.channel, 1, 1)
        os.close(reports[0])
        data = self.channel.recv(2**16)
        return decode(data[wire.HEADER.size :])

    def close(self) -> None:
        self.channel.close()
        os.close(self._printing)


class Launcher:
    """Counts workers, and says of each what the judge would hear of a real one."""

    def __init__(self) -> None:
        self.launched: list[Launched] = []
        self.ended = 0
        self.says: bytes | None = REPLY + wire.encode({})
        self.is_broken = False

    def start(self, parts: Part = NO_PARTS) -> Started:
        if self.is_broken:
            raise OSError("no process can be made")
        channel, remote = socket.socketpair()
        output, printing = os.pipe()
        self.launched.append(Launched(remote, printing, self.says))
        return Started(channel, output)

    def end(self, by_itself: bool = False) -> Ending:
        self.launched[self.ended].close()
        self.ended += 1
        return Ending(status=3)

    def walls(self) -> Wall:
        return Wall(0)

    def close(self) -> None:
        assert self.ended == len(self.launched)


@pytest.fixture
def launcher() -> Launcher:
    return Launcher()


@pytest.fixture
def starter(launcher: Launcher) -> Iterator[Starter]:
    starter = Starter(launcher)
    yield starter
    starter.close()


def test_who_is_ready_is_taken_for_the_same_setup(launcher, starter):
    starter.make_ready(SOFTMAX)
    starter.make_ready(SOFTMAX)
    printed = bytearray()
    pipe = starter.start(SOFTMAX, printed)
    assert len(launcher.launched) == 1
    assert launcher.launched[0].was_told()["forbid"] == ("softmax",)
    pipe.read_all_output()
    assert printed == b"hello"
    starter.end(pipe)


def test_for_another_setup_there_is_another_worker(launcher, starter):
    starter.make_ready(SOFTMAX)
    pipe = starter.start(CONV, bytearray())
    assert (len(launcher.launched), launcher.ended) == (2, 1)
    assert launcher.launched[1].was_told()["forbid"] == ("conv2d",)
    starter.end(pipe)


def test_one_that_was_killed_while_it_waited_is_replaced(launcher, starter):
    starter.make_ready(SOFTMAX)
    launcher.launched[0].channel.shutdown(socket.SHUT_RDWR)
    pipe = starter.start(SOFTMAX, bytearray())
    assert (len(launcher.launched), launcher.ended) == (2, 1)
    starter.end(pipe)


def test_one_that_is_killed_before_it_has_its_setup_is_replaced(launcher, starter):
    has_its_setup, launcher.says = launcher.says, None
    starter.make_ready(SOFTMAX)
    launcher.launched[0].channel.shutdown(socket.SHUT_RDWR)
    launcher.says = has_its_setup
    pipe = starter.start(SOFTMAX, bytearray())
    assert (len(launcher.launched), launcher.ended) == (2, 1)
    starter.end(pipe)


def test_what_cannot_be_made_ready_is_told_when_it_is_asked_for(launcher, starter):
    launcher.is_broken = True
    starter.make_ready(SOFTMAX)
    with pytest.raises(OSError, match="no process can be made"):
        starter.start(SOFTMAX, bytearray())


@pytest.mark.parametrize(
    "says", [REPLY + wire.encode({"empty": True}), b"?", b""], ids=["more", "no reply", "nothing"]
)
def test_a_worker_that_says_something_else_is_a_fault_of_ours(launcher, starter, says):
    launcher.says = says
    with pytest.raises(WorkerFault, match="a worker does not start"):
        starter.start(SOFTMAX, bytearray())
    assert launcher.ended == 1
