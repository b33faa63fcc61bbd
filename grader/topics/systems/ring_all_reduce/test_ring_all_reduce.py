"""Checks of the ring: sums and joined shards, and what goes over the network for them."""

import pytest
import torch

from grader.kit import assert_equal, assert_inputs_unchanged, assert_true
from grader.kit.comparison import difference
from grader.kit.families.networks.messages import Messages
from grader.kit.families.networks.network import assert_ranks
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_scenario_keeps_device

all_three = pytest.mark.parametrize("name", ["ring_reduce_scatter", "ring_all_gather", "ring_all_reduce"])


def connected(submission, world_size, sign=1):
    """A network, and the object in the worker for it."""
    network = Messages(world_size, sign)
    counters = ("sent", "messages", "steps")
    return network, network.connect(submission, "network", ("send", "receive"), counters)


def drawn(rng, world_size, n, dtype=torch.float64):
    return [rng.normal(n, dtype=dtype) for _ in range(world_size)]


def expected(name, tensors, sign=1, shift=0):
    """What each rank has: hop after hop, `sign` for each, chunk r + shift of the sum at rank r in between."""
    world_size = len(tensors)
    sums = tensors
    if name != "ring_all_gather":
        chunks = torch.stack(tensors).unflatten(1, (world_size, -1))  # (rank, chunk, elements)
        sums = [
            sum(sign**hops * chunks[rank - hops, (rank + shift) % world_size] for hops in range(world_size))
            for rank in range(world_size)
        ]
    if name == "ring_reduce_scatter":
        return sums
    sources = [(place - shift) % world_size for place in range(world_size)]
    return [
        torch.cat([sign ** ((rank - source) % world_size) * sums[source] for source in sources])
        for rank in range(world_size)
    ]


def summed(tensors):
    return [torch.stack(tensors).sum(0)] * len(tensors)


def workload(submission, rng):
    _, inside = connected(submission, 3)
    return submission.ring_all_reduce.measure(drawn(rng, 3, 3072), inside)


@pytest.mark.parametrize("world_size, chunk", [(2, 3), (4, 2)])
def test_reduce_scatter(submission, rng, world_size, chunk):
    """ring_reduce_scatter gives rank r chunk r of the sum"""
    tensors = drawn(rng, world_size, world_size * chunk)
    _, inside = connected(submission, world_size)
    wanted = torch.stack(tensors).sum(0).chunk(world_size)
    assert_ranks(submission.ring_reduce_scatter(tensors, inside), wanted)


@pytest.mark.parametrize("world_size, shard", [(2, 3), (4, 2)])
def test_all_gather(submission, rng, world_size, shard):
    """ring_all_gather gives every rank all shards, in rank order"""
    shards = drawn(rng, world_size, shard)
    _, inside = connected(submission, world_size)
    assert_ranks(submission.ring_all_gather(shards, inside), [torch.cat(shards)] * world_size)


@pytest.mark.parametrize("world_size, n", [(2, 6), (3, 3), (4, 8)])
def test_all_reduce(submission, rng, world_size, n):
    """ring_all_reduce gives every rank the sum"""
    tensors = drawn(rng, world_size, n)
    _, inside = connected(submission, world_size)
    assert_ranks(submission.ring_all_reduce(tensors, inside), summed(tensors))


@pytest.mark.parametrize("world_size, n", [(2, 5), (3, 7), (3, 1), (4, 6), (4, 3)])
def test_any_length(submission, rng, world_size, n):
    """ring_all_reduce is right where the ranks do not divide n, and sends no more than full chunks"""
    tensors = drawn(rng, world_size, n)
    network, inside = connected(submission, world_size)
    assert_ranks(submission.ring_all_reduce(tensors, inside), summed(tensors))
    most, sent = 2 * (world_size - 1) * -(-n // world_size), max(network.sent)
    message = f"a rank sends {sent} elements, at most {most} are allowed for n = {n} on {world_size} ranks"
    assert_true(sent <= most, message, seen=sent <= most)
    assert_steps(network, 2 * (world_size - 1))
    assert_ring(network)


def assert_steps(network, most):
    message = (
        f"it takes {network.steps} steps, {most} are enough. Usual causes are ranks that wait for each other "
        "(in a step all send, and then all receive), or more steps than there are other ranks"
    )
    # How many more depends on who waits for whom.
    assert_true(network.steps <= most, message, seen=network.steps <= most)


def assert_ring(network):
    off = [
        (source, target)
        for source, target, _ in network.messages
        if target != (source + 1) % network.world_size
    ]
    pair = off[0] if off else (0, 0)
    message = (
        f"rank {pair[0]} sends to rank {pair[1]}: rank r sends to rank (r + 1) % {network.world_size} only"
    )
    assert_true(not off, message, seen=not off)


@all_three
@pytest.mark.parametrize("world_size, chunk", [(2, 3), (3, 2)])
def test_messages(submission, rng, name, world_size, chunk):
    """every rank sends one chunk per step to the next rank, w - 1 times (twice that in all-reduce)"""
    network, inside = connected(submission, world_size)
    getattr(submission, name)(drawn(rng, world_size, chunk * (1 if "gather" in name else world_size)), inside)
    assert_ring(network)
    times = (world_size - 1) * (2 if name == "ring_all_reduce" else 1)
    sizes = {
        f"rank {rank}": [elements for source, _, elements in network.messages if source == rank]
        for rank in range(world_size)
    }
    assert_equal(sizes, {rank: [chunk] * times for rank in sizes}, what="elements of each message, of")
    assert_steps(network, times)


@all_three
@pytest.mark.parametrize("world_size", [2, 4])
def test_ranks_learn_by_messages(submission, rng, name, world_size):
    """a rank learns of the others by messages alone: where each arrives with its sign turned, so do they"""
    tensors = drawn(rng, world_size, 2 * world_size)
    _, inside = connected(submission, world_size, sign=-1)
    came = getattr(submission, name)(tensors, inside)
    wanted = expected(name, tensors, sign=-1)
    if name == "ring_all_reduce":
        # Which rank has which chunk in the middle is nobody's business.
        others = (expected(name, tensors, sign=-1, shift=shift) for shift in range(world_size))
        wanted = next((each for each in others if difference(came, each) is None), wanted)
    assert_ranks(came, wanted)


@pytest.mark.parametrize("world_size, n", [(2, 5), (4, 7)])
def test_remainders_come_by_messages(submission, rng, world_size, n):
    """a rank learns of the others by messages alone also where the ranks do not divide n"""
    tensors = drawn(rng, world_size, n)
    _, inside = connected(submission, world_size, sign=-1)
    # Of an even number of ranks, all that are an odd number of messages away are turned, on any way.
    signed = torch.stack([(-1) ** rank * tensor for rank, tensor in enumerate(tensors)]).sum(0)
    wanted = [(-1) ** rank * signed for rank in range(world_size)]
    assert_ranks(submission.ring_all_reduce(tensors, inside), wanted)


def is_passed_on(name, own, sent, received, result):
    """Whether a rank's messages, and its result, are what it received last: with one of its own chunks added
    while sums are made, and of a gather its own shard first.
    """
    hops = 0 if name == "ring_all_gather" else len(own) - 1

    def at_hand(hop):
        if hop > hops:
            return [received[hop - 1]]
        return [chunk + received[hop - 1] if hop else chunk for chunk in own]

    pieces = result.split(len(own[0]))
    pairs = [(message, at_hand(hop)) for hop, message in enumerate(sent)]
    pairs += [(piece, [*at_hand(hops), *received[hops:]]) for piece in pieces]
    return all(any(difference(one, each) is None for each in known) for one, known in pairs)


@all_three
def test_messages_are_passed_on(submission, rng, name):
    """what a rank sends and ends with is what it received last, with chunks of its own while sums are made"""
    tensors = drawn(rng, 4, 8)
    network, inside = connected(submission, 4)
    came = getattr(submission, name)(tensors, inside)
    assert_ranks(came, expected(name, tensors))
    sides = zip(tensors, network.carried, network.received, came, strict=True)
    off = [
        rank
        for rank, (own, *side) in enumerate(sides)
        if not is_passed_on(name, own.chunk(1 if name == "ring_all_gather" else 4), *side)
    ]
    message = (
        f"ranks {off} send or give something else than what came by the messages before, with chunks of "
        "their own: what is another rank's is read where it lies"
    )
    assert_true(not off, message, seen=not off)


@all_three
def test_one_rank(submission, rng, name):
    """with one rank the result is its own tensor, and nothing is sent"""
    tensors = drawn(rng, 1, 5)
    network, inside = connected(submission, 1)
    assert_ranks(getattr(submission, name)(tensors, inside), tensors)
    assert_equal(len(network.messages), 0, what="messages")


@all_three
def test_float32_and_strides(submission, rng, name):
    """float32 stays float32, and tensors that are not contiguous are right"""
    tensors = list(rng.normal(6, 3, dtype=torch.float32).unbind(1))
    _, inside = connected(submission, 3)
    assert_ranks(getattr(submission, name)(tensors, inside), expected(name, tensors))


@pytest.mark.parametrize("world_size, n", [(4, 103), (11, 7)])
def test_sums_are_the_same_everywhere(submission, rng, world_size, n):
    """all ranks end with the same sums, bit for bit, also where there are fewer elements than ranks"""
    own = enumerate(drawn(rng, world_size, n, dtype=torch.float32))
    tensors = [10.0 ** (3 * (rank % 4)) * each for rank, each in own]
    _, inside = connected(submission, world_size)
    came = submission.ring_all_reduce(tensors, inside)
    assert_ranks(came, summed(tensors), tolerance=1e-5)
    differ = [rank for rank in range(world_size) if not torch.equal(came[rank], came[0])]
    message = (
        f"ranks {differ} and rank 0 differ in the last bits: each adds in an order of its own. Each element "
        "is to be summed once, on one way round the ring, and then passed on"
    )
    assert_true(not differ, message, seen=not differ)


@all_three
def test_used_again(submission, rng, name):
    """a second call on the same network is right, and no message of the first is left"""
    network, inside = connected(submission, 3)
    for call in range(2):
        tensors = drawn(rng, 3, 6 + 3 * call)
        assert_ranks(getattr(submission, name)(tensors, inside), expected(name, tensors))
    messages = (2 + 2) * (2 if name == "ring_all_reduce" else 1)
    assert_equal([network.steps, len(network.messages)], [messages, 3 * messages], what="steps, messages")


@all_three
@pytest.mark.parametrize("world_size", [1, 3])
def test_no_memory_is_shared(submission, rng, name, world_size):
    """results share no memory with the tensors or with each other"""
    _, inside = connected(submission, world_size)
    came = submission.run(written_to, name, drawn(rng, world_size, 6), inside)
    message = (
        "to write to one of the results changes others, or the caller's tensors: they share memory. Usual "
        "causes are one tensor in the list for every rank, a chunk or slice of an argument, the argument "
        "itself"
    )
    assert_true(not came, message, seen=sorted(came))


def written_to(answer, name, tensors, network):
    results = getattr(answer, name)(tensors, network)
    found = set()
    for rank, result in enumerate(results):
        others = [(kind, one) for kind, each in (("tensors", tensors), ("results", results)) for one in each]
        others = [(kind, one, one.clone()) for kind, one in others if one is not result]
        # The same object twice is shared too.
        found |= {"results" for other in results[:rank] if other is result}
        found |= {"tensors" for one in tensors if one is result}
        try:
            result.add_(1)
        except RuntimeError:
            found.add("results")  # an expanded tensor
        found |= {kind for kind, one, before in others if not torch.equal(one, before)}
    return list(found)


@all_three
def test_inputs_are_not_modified(submission, rng, name):
    """the tensors are not modified, nor is their list, also where the ranks do not divide n"""
    _, inside = connected(submission, 3)
    for n in (6, 7) if name == "ring_all_reduce" else (6,):
        assert_inputs_unchanged(getattr(submission, name), drawn(rng, 3, n), inside)


@all_three
def test_device(submission, rng, name):
    """results are on the device of the tensors, whatever the default device is"""
    n = 7 if name == "ring_all_reduce" else 6
    assert_scenario_keeps_device(submission, at_home, name, drawn(rng, 3, n))
    if is_second_round():  # less than an element per rank
        assert_scenario_keeps_device(submission, at_home, "ring_all_reduce", drawn(rng, 3, 2))


def at_home(answer, name, tensors):
    class Network:
        world_size = 3
        steps = 0

        def __init__(self):
            self.sent, self.messages, self.lines = [0] * 3, [], {}

        def send(self, source, target, tensor):
            self.lines.setdefault((source, target), []).append(tensor.clone())

        def receive(self, source, target):
            return self.lines[source, target].pop(0)

    return getattr(answer, name)(tensors, Network())
