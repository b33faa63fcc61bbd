"""Simulated networks, as an answer meets them."""

import pytest
import torch
from kit.answers import TEXT

from grader.judge.workers.client import Program
from grader.judge.workers.inprocess import InProcess
from grader.kit import Submission
from grader.kit.families.networks.collectives import AllToAll, Collectives
from grader.kit.families.networks.messages import Messages, Ring
from grader.kit.outcomes import Raised


@pytest.fixture
def asked() -> Submission:
    return Submission(InProcess(Program(TEXT, "answer.py", "answer")))


def connected(asked, network, *methods):
    return network.connect(asked, "network", methods, ["sent"])


def test_collectives(asked):
    network = Collectives(3, gather_sign=-1)
    inside = connected(asked, network, "all_reduce", "all_gather", "reduce_scatter")
    rows = list(torch.arange(9.0).view(3, 1, 3))
    assert torch.equal(inside.all_reduce(rows)[1], torch.tensor([[9.0, 12.0, 15.0]]))
    assert torch.equal(inside.all_gather(rows)[2], -torch.arange(9.0).view(1, 9))
    assert torch.equal(inside.reduce_scatter([row[0] for row in rows])[2], torch.tensor([15.0]))
    assert network.calls == ["all_reduce", "all_gather", "reduce_scatter"]
    assert network.sent == inside.attribute("sent") == 4 + 6 + 2


def test_what_goes_to_all(asked):
    network = AllToAll(2, sign=-1)
    inside = connected(asked, network, "all_to_all")
    floats, integers = torch.ones(3), torch.ones(2, dtype=torch.int64)
    received = inside.all_to_all([[floats, floats[:1]], [integers, floats[:0]]])
    assert [[each.tolist() for each in row] for row in received] == [[[1, 1, 1], [1, 1]], [[-1], []]]
    assert (network.calls, network.sent, network.told) == (1, [1, 0], [[0, 0], [2, 0]])


def test_messages_have_clocks(asked):
    network = Messages(3, sign=-1)
    inside = connected(asked, network, "send", "receive")
    inside.send(0, target=1, tensor=torch.ones(2))
    inside.send(0, 1, torch.ones(1))
    assert torch.equal(inside.receive(source=0, target=1), -torch.ones(2))
    assert network.steps == 2  # the source's own
    inside.receive(0, 1)
    inside.send(1, 2, torch.ones(4))  # after what was received
    assert (network.steps, network.sent) == (3, [3, 4, 0])
    assert network.messages == [(0, 1, 2), (0, 1, 1), (1, 2, 4)]


def test_a_ring_shifts(asked):
    network = Ring(3, sign=-1)
    inside = connected(asked, network, "shift")
    assert [each.item() for each in inside.shift([torch.tensor([r]) for r in (1.0, 2.0, 3.0)])] == [
        -3,
        -1,
        -2,
    ]
    assert (network.shifts, network.sent) == (1, 1)


def graph_through(answer, network):
    leaf = torch.ones(2, requires_grad=True)
    came = network.shift(each for each in (leaf * 2, leaf * 3))
    return [each.requires_grad for each in came]


def test_the_graph_is_cut(asked):
    assert asked.run(graph_through, connected(asked, Ring(2), "shift")) == [False, False]


def writes(answer, network):
    network.sent = 0


@pytest.mark.parametrize(
    "network, method, given, says",
    [
        (Ring(2), "shift", [[torch.ones(1)]], "got 1 tensors, expected one for each of 2 ranks"),
        (Ring(2), "shift", [[torch.ones(1), torch.ones(2)]], "have the same size"),
        (Ring(2), "shift", [["a", "b"]], "tensors are sent, a str came"),
        (Ring(2), "shift", [[], []], "network.shift takes"),
        (Messages(2), "receive", [0, 1], "rank 1 waits for a message of rank 0"),
        (Messages(2), "receive", [2, 1], "source 2 is no rank"),
        (Messages(2), "receive", ["a", 1], "source is the number of a rank"),
        (Collectives(2), "reduce_scatter", [[torch.ones(3), torch.ones(3)]], "make no 2 equal chunks"),
    ],
)
def test_what_cannot_be_sent_raises(asked, network, method, given, says):
    with pytest.raises(Raised, match=says):
        getattr(connected(asked, network, method), method)(*given)


def test_counters_are_read_only(asked):
    with pytest.raises(Raised, match="counts by itself"):
        asked.run(writes, connected(asked, Ring(2), "shift"))
