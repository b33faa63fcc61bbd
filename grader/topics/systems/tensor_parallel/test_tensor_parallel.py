"""Checks of tensor parallelism: outputs and gradients against the uncut blocks, shards, and what is sent."""

import pytest
import torch

from grader.kit import assert_at_most, assert_close, assert_equal, assert_raises, assert_true
from grader.kit.comparison import difference
from grader.kit.families.attention.checks import with_large_scores
from grader.kit.families.networks.collectives import Collectives
from grader.kit.families.networks.dense_blocks import dense, drawn, held_by, shards, trained
from grader.kit.families.networks.network import assert_ranks
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_scenario_keeps_device
from grader.kit.rules.gradients import OVERWRITTEN
from grader.kit.rules.turns import Player, assert_by_turns

both = pytest.mark.parametrize("name", ["ParallelMLP", "ParallelAttention"])
sizes = pytest.mark.parametrize("world_size, seq, intermediate", [(2, 3, 8), (4, 131, 596)])
"""The larger ones, no multiples of usual blocks: 131 tokens, and 149 features on a rank."""


def connected(submission, world_size, sign=1):
    """A network, and the object in the worker for it."""
    network = Collectives(world_size, sign, sign)
    return network, network.connect(submission, "collectives", ("all_reduce", "all_gather"), ("calls",))


def options(name, num_heads=4):
    return [num_heads] if name == "ParallelAttention" else []


def made(submission, name, weights, collectives, num_heads=4):
    return getattr(submission, name)(weights, *options(name, num_heads), collectives)


def workload(submission, rng):
    weights = drawn(rng, "ParallelMLP", 64, 256, dtype=torch.float32)
    layer = made(submission, "ParallelMLP", weights, connected(submission, 2)[1])
    return layer.forward.measure([rng.normal(2, 32, 64, dtype=torch.float32)] * 2)


@both
@sizes
def test_equals_the_uncut_block(submission, rng, name, world_size, seq, intermediate):
    """each rank has the uncut block's output"""
    weights, x = drawn(rng, name, 24, intermediate), rng.normal(2, seq, 24)
    layer = made(submission, name, weights, connected(submission, world_size)[1])
    assert_ranks(layer.forward([x] * world_size), [dense(name, weights, x)] * world_size)


@pytest.mark.parametrize("num_heads, world_size, hidden", [(4, 2, 8), (6, 3, 6), (4, 2, 4), (2, 2, 10)])
def test_heads(submission, rng, num_heads, world_size, hidden):
    """attention is right with one or several heads on a rank, of one or several features"""
    weights, x = drawn(rng, "ParallelAttention", hidden), rng.normal(1, 3, hidden)
    layer = made(submission, "ParallelAttention", weights, connected(submission, world_size)[1], num_heads)
    wanted = dense("ParallelAttention", weights, x, num_heads)
    assert_ranks(layer.forward([x] * world_size), [wanted] * world_size)


def test_large_scores_do_not_overflow(submission, rng):
    """scores in the thousands give right outputs, and later tokens no weight with them either"""
    size, sign = (64, -1) if is_second_round() else (6, 1)
    weights, x = drawn(rng, "ParallelAttention", 4 * size), rng.normal(2, 7, 4 * size, scale=0.4)
    weights, x = with_large_scores(weights, x, head_dim=size)
    weights["q_proj.weight"][::size][1::2] *= sign  # that of each second head, and of the second sequence
    x[1, :, 0] *= sign
    layer = made(submission, "ParallelAttention", weights, connected(submission, 2)[1])
    # The tolerance lets a softmax in float32 pass, whose rounding such scores magnify.
    assert_ranks(layer.forward([x] * 2), [dense("ParallelAttention", weights, x)] * 2, tolerance=1e-3)


@both
def test_one_rank(submission, rng, name):
    """with one rank it is the uncut block"""
    weights, x = drawn(rng, name), rng.normal(1, 1, 24)
    layer = made(submission, name, weights, connected(submission, 1)[1])
    assert_ranks(layer.forward([x]), [dense(name, weights, x)])


@both
@pytest.mark.parametrize("world_size", [2, 4])
def test_shards(submission, rng, name, world_size):
    """each rank holds its chunks, and the last bias whole"""
    weights = drawn(rng, name)
    layer = made(submission, name, weights, connected(submission, world_size)[1])
    assert_ranks(layer.attribute("ranks"), shards(weights, world_size))


@both
@pytest.mark.parametrize("world_size, needed", [(2, False), (2, True), (1, False)])
def test_memory(submission, rng, name, world_size, needed):
    """ranks hold leaves that require gradients, with memory of their own, whether the weights require any"""
    inside = connected(submission, world_size)[1]
    found = submission.run(held_by, name, drawn(rng, name), options(name), inside, needed)
    lacking, larger, shared = found
    assert_true(not lacking, f"some of what the ranks hold {lacking}", seen=lacking or "leaves")
    message = (
        "what the ranks hold keeps more memory alive than it has elements: a slice or chunk is a view of the "
        "whole weight. clone() it"
    )
    assert_true(not larger, message, seen=larger)
    message = (
        "to change what one rank holds changes what another one, or the caller, has: clone() it for each"
    )
    assert_true(not shared, message, seen=shared)


@both
@sizes
def test_gradients(submission, rng, name, world_size, seq, intermediate):
    """under equal upstream gradients every x and every shard gets the uncut block's gradient"""
    inside, weights = connected(submission, world_size)[1], drawn(rng, name, 24, intermediate)
    x, upstream = rng.normal(2, seq, 24), rng.normal(2, seq, 24)
    (came,) = submission.run(trained, name, weights, options(name), x, upstream, True, inside)
    assert_gradients(came, name, weights, x, upstream, world_size)


@both
def test_networks_keep_apart(submission, rng, name):
    """two blocks with other collectives, of which one turns signs: backward goes through each one's own"""
    weights, x, upstream = drawn(rng, name), rng.normal(2, 3, 24), rng.normal(2, 3, 24)
    insides = [connected(submission, 2, sign)[1] for sign in (1, -1)]
    came = submission.run(trained, name, weights, options(name), x, upstream, True, *insides)
    for each, sign in zip(came, (1, -1), strict=True):
        assert_gradients(each, name, weights, x, upstream, 2, sign)


def assert_gradients(came, name, weights, x, upstream, world_size, sign=1):
    leaves = {key: value.clone().requires_grad_() for key, value in weights.items()}
    inner = x.clone().requires_grad_()
    (dense(name, leaves, inner) * upstream).sum().backward()
    of_xs, of_shards = came
    assert_ranks(of_xs, [sign * inner.grad] * world_size, what="gradients of the xs")
    wanted = shards({key: leaf.grad for key, leaf in leaves.items()}, world_size)
    assert_ranks(of_shards, wanted, what="gradients of the shards")


@both
@pytest.mark.parametrize("needed", [True, False])
def test_collectives(submission, rng, name, needed):
    """one all_reduce in forward and one in backward, of one output's size, is all that is sent"""
    weights, x, upstream = drawn(rng, name), rng.normal(2, 3, 24), rng.normal(2, 3, 24)
    network, inside = connected(submission, 2)
    made(submission, name, weights, inside).forward([x] * 2)
    sent = 2 * x.numel() // 2  # of an all-reduce over 2 ranks
    assert_equal((network.calls, network.sent), (["all_reduce"], sent), what="in forward: calls, elements")
    network, inside = connected(submission, 2)
    submission.run(trained, name, weights, options(name), x, upstream, needed, inside)
    times = 2 if needed else 1  # where no x needs a gradient, there is nothing to sum
    came = (network.calls, network.sent)
    assert_equal(came, (["all_reduce"] * times, times * sent), what="with backward: calls, elements sent")


@both
@pytest.mark.parametrize("world_size", [2, 4])
def test_work_is_shared_out(submission, rng, name, world_size):
    """all ranks together take no more FLOPs than the uncut block"""
    weights, x = drawn(rng, name, 24, 20), rng.normal(2, 5, 24)
    layer = made(submission, name, weights, connected(submission, world_size)[1])
    measured = layer.forward.measure([x] * world_size)
    flops = 4 * 10 * 24 * 20 if name == "ParallelMLP" else 8 * 10 * 24 * 24 + 4 * 2 * 5 * 5 * 24
    cause = "So ranks compute the same: each computes with its own shards only, for its own features or heads"
    assert_at_most(measured.matmul_flops, flops, "FLOPs of all ranks", cause=cause)
    assert_ranks(measured.value, [dense(name, weights, x)] * world_size)


@both
@pytest.mark.parametrize("world_size", [2, 4])
def test_ranks_learn_through_collectives(submission, rng, name, world_size):
    """a rank learns of the others by collectives alone: where these turn signs, sums are turned"""
    weights, x, upstream = drawn(rng, name), rng.normal(2, 3, 24), rng.normal(2, 3, 24)
    inside = connected(submission, world_size, sign=-1)[1]
    bias = weights["down_proj.bias" if name == "ParallelMLP" else "o_proj.bias"]
    turned = 2 * bias - dense(name, weights, x)  # the bias is added after the sum
    layer = made(submission, name, weights, inside)
    assert_ranks(layer.forward([x] * world_size), [turned] * world_size)
    (came,) = submission.run(trained, name, weights, options(name), x, upstream, True, inside)
    assert_gradients(came, name, weights, x, upstream, world_size, sign=-1)


@pytest.mark.parametrize("name, shape", [("copy_to_ranks", (3,)), ("reduce_from_ranks", (2, 1, 3))])
def test_f_and_g(submission, rng, name, shape):
    """copy_to_ranks sums gradients and leaves values, reduce_from_ranks sums values and leaves gradients"""
    network, inside = connected(submission, 3)
    xs, upstream = ([rng.normal(*shape) for _ in range(3)] for _ in range(2))
    values, gradients, beside = submission.run(through, name, xs, upstream, inside)
    sums = [[torch.stack(each).sum(0)] * 3 for each in (xs, upstream)]
    is_copy = name == "copy_to_ranks"
    assert_ranks(values, xs if is_copy else sums[0])
    assert_ranks(gradients, sums[1] if is_copy else upstream, what="gradients")
    assert_true(difference(beside, [2 * gradient for gradient in upstream]) is None, OVERWRITTEN)
    assert_equal(network.calls, ["all_reduce"], what="calls in forward and backward")


def through(answer, name, xs, upstream, collectives):
    """Values, gradients of the xs, and those of what is added to the values."""
    xs, beside = ([each.clone().requires_grad_() for each in values] for values in (xs, [0 * x for x in xs]))
    added = [2 * each for each in beside]  # before the call, so that its turn comes after the call's backward
    values = getattr(answer, name)(xs, collectives)
    sum(((v + a) * gradient).sum() for v, a, gradient in zip(values, added, upstream, strict=True)).backward()
    found = [torch.zeros_like(x) if x.grad is None else x.grad for x in xs]
    return [value.detach() for value in values], found, [each.grad for each in beside]


@both
@pytest.mark.parametrize("differentiable", [True, False])
def test_forward_uses_what_ranks_hold(submission, rng, name, differentiable):
    """forward computes with what the ranks hold, after it has changed too, with and without gradients"""
    weights, x = drawn(rng, name), rng.normal(2, 3, 24)
    inside = connected(submission, 2)[1]
    came = submission.run(stepped, name, weights, options(name), inside, x, differentiable)
    moved = {key: value + 0.1 for key, value in weights.items()}
    assert_ranks(came, [dense(name, moved, x)] * 2)


def stepped(answer, name, weights, options, collectives, x, differentiable):
    layer = getattr(answer, name)(weights, *options, collectives)
    with torch.set_grad_enabled(differentiable):
        layer.forward([x, x])
        with torch.no_grad():
            for tensor in (each for held in layer.ranks for each in held.values()):
                tensor.add_(0.1)
        return [each.detach() for each in layer.forward([x, x])]


@both
def test_instances_keep_apart(submission, rng, name):
    """two blocks of other sizes, on the same collectives, give what each alone gives"""
    inside = connected(submission, 2)[1]
    players = []
    for hidden, intermediate, num_heads in ((24, 8, 4), (4, 6, 2)):
        weights = drawn(rng, name, hidden, intermediate)
        layer = made(submission, name, weights, inside, num_heads)
        calls = [([rng.normal(2, 3, hidden)] * 2,) for _ in range(2)]

        def oracle(xs, weights=weights, num_heads=num_heads):
            return [dense(name, weights, x, num_heads) for x in xs]

        players.append(Player(layer.forward, oracle, calls))
    assert_by_turns(*players)


@both
def test_float32_and_strides(submission, rng, name):
    """float32 is kept, and weights and inputs that are not contiguous are right"""
    weights = drawn(rng, name, dtype=torch.float32)
    turned = {key: value.t().contiguous().t() for key, value in weights.items()}
    x = rng.normal(3, 2, 24, dtype=torch.float32).transpose(0, 1)
    layer = made(submission, name, turned, connected(submission, 2)[1])
    assert_ranks(layer.forward([x] * 2), [dense(name, weights, x)] * 2)


@pytest.mark.parametrize("world_size, intermediate", [(3, 8), (4, 6)])
def test_intermediate_is_divided(submission, rng, world_size, intermediate):
    """ParallelMLP raises where the ranks do not divide the intermediate size"""
    weights = drawn(rng, "ParallelMLP", 12, intermediate)
    assert_raises(submission.ParallelMLP, weights, connected(submission, world_size)[1])


@pytest.mark.parametrize("world_size, num_heads, hidden", [(2, 3, 12), (2, 8, 12), (4, 2, 12)])
def test_heads_are_divided(submission, rng, world_size, num_heads, hidden):
    """ParallelAttention raises where ranks do not divide the heads, or heads the features"""
    weights = drawn(rng, "ParallelAttention", hidden)
    assert_raises(submission.ParallelAttention, weights, num_heads, connected(submission, world_size)[1])


@both
def test_arguments_are_not_modified(submission, rng, name):
    """the caller's weights and xs are not modified, and need no gradients afterwards"""
    weights, x = drawn(rng, name), rng.normal(2, 3, 24)
    came = submission.run(arguments_after, name, weights, options(name), connected(submission, 2)[1], x)
    assert_close(came, (weights, [x, x], False))


def arguments_after(answer, name, weights, options, collectives, x):
    xs = [x.clone(), x.clone()]
    for output in getattr(answer, name)(weights, *options, collectives).forward(xs):
        output.sum()
    return weights, xs, any(tensor.requires_grad for tensor in weights.values())


@both
def test_device(submission, rng, name):
    """results are on the device of the xs, whatever the default device is"""
    weights, x = drawn(rng, name), rng.normal(2, 3, 24)
    assert_scenario_keeps_device(submission, at_home, name, weights, options(name), x)


def at_home(answer, name, weights, options, x):
    class Collectives:
        def __init__(self):
            self.world_size, self.calls = 2, []

        def all_reduce(self, tensors):
            return [sum(each.detach() for each in tensors) for _ in tensors]

        def all_gather(self, tensors):
            return [torch.cat([each.detach() for each in tensors], dim=-1) for _ in tensors]

    return getattr(answer, name)(weights, *options, Collectives()).forward([x, x])
