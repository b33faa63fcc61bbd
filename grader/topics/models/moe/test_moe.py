"""Checks of `MoE` and `load_balancing_loss`: values, gradients, the balance of the experts, what it costs."""

from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from grader.kit import (
    assert_arguments_unchanged,
    assert_close,
    assert_inputs_unchanged,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
    assert_true,
)
from grader.kit.comparison import difference
from grader.kit.families.attention.checks import other_layouts
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole


def workload(submission, rng):
    layer = submission.MoE(64, 128, 8, 2)
    layer.randomize(rng, torch.float32)
    return layer.measure(rng.normal(2, 64, 64, dtype=torch.float32))


LADDER = [(1, 1, 1, 1), (1, 1, 2, 1), (1, 1, 2, 2), (2, 1, 2, 1), (2, 2, 3, 2)]


def smallest(submission, rng, seq, hidden_size, num_experts, top_k):
    """small whole numbers give what all experts with their weights, most of them 0, give"""
    layer = submission.MoE(hidden_size, 1, num_experts, top_k)
    weights, x = fill(rng, layer), whole(rng, 1, seq, hidden_size)
    # No ties: the logits are the first feature, which is not 0, times different numbers.
    x[..., 0] += x[..., 0] == 0
    router = weights["router.weight"] * 0
    router[:, 0] = rng.permutation(num_experts).double()
    layer.load({"router.weight": router})
    assert_close(layer(x), dense({**weights, "router.weight": router}, x, top_k))


def dense(weights, x, top_k=2):
    """All experts run on all tokens, and most weights are 0: those of logits below the top_k-th are -inf."""
    logits = F.linear(x, weights["router.weight"])
    least = logits.sort(dim=-1, descending=True).values[..., top_k - 1, None]
    shares = torch.softmax(logits.masked_fill(logits < least, -torch.inf), dim=-1)
    results = []
    for i in range(logits.shape[-1]):
        gate, up, down = (weights[f"experts.{i}.{name}_proj.weight"] for name in ("gate", "up", "down"))
        results.append(F.linear(F.silu(F.linear(x, gate)) * F.linear(x, up), down))
    return torch.einsum("...e,e...h->...h", shares, torch.stack(results)), logits


def balance(router_logits, top_k):
    """Both shares by loops over tokens and experts."""
    num_experts = router_logits.shape[-1]
    rows = router_logits.reshape(-1, num_experts)
    chosen = [[sum(other > own for other in row) < top_k for own in row] for row in rows.tolist()]
    counts = torch.tensor(chosen).sum(0)
    means = torch.stack([torch.softmax(row, 0) for row in rows]).mean(0)
    return num_experts * (counts / (len(rows) * top_k)).to(rows.dtype) @ means


def made(submission, rng, *sizes, dtype=torch.float64):
    """A layer of these sizes, 7 features, 11 in an expert, 5 experts and 2 of them for a token by default."""
    layer = submission.MoE(*(sizes or (7, 11, 5, 2)))
    return layer, layer.randomize(rng, dtype)


@pytest.mark.parametrize("num_experts, top_k", [(1, 1), (5, 2)])
def test_parameters(submission, num_experts, top_k):
    """the parameters are those of router and experts, linear layers without biases, no others"""
    expected = {"router.weight": (num_experts, 7)}
    for i in range(num_experts):
        expected |= {f"experts.{i}.{name}_proj.weight": (11, 7) for name in ("gate", "up")}
        expected |= {f"experts.{i}.down_proj.weight": (7, 11)}
    assert_parameters(submission.MoE(7, 11, num_experts, top_k), expected)


def test_equals_all_experts_with_most_weights_zero(submission, rng):
    """equals all experts on all tokens, weighted by a softmax of logits of which all but two are -inf"""
    layer, weights = made(submission, rng)
    assert_close(layer(x := rng.normal(3, 5, 7)), dense(weights, x))


@pytest.mark.parametrize("num_experts, top_k", [(5, 1), (5, 5), (7, 3), (2, 2), (1, 1)])
def test_other_numbers_of_experts(submission, rng, num_experts, top_k):
    """one expert for a token (its weight is 1), all of them, and a single expert are right"""
    num_experts += int(rng.integers(7, 31, 1)) if is_second_round() else 0
    layer, weights = made(submission, rng, 7, 11, num_experts, top_k)
    x = rng.normal(3, 5, 7)
    assert_close(layer(x), dense(weights, x, top_k))


def test_gradients(submission, rng):
    """the gradients of x and of every parameter are right, those of the router's weights too"""
    layer, weights = made(submission, rng)
    assert_same_gradients(layer, dense, rng.normal(3, 5, 7), weights=weights)


@pytest.mark.parametrize("num_experts, top_k", [(5, 1), (3, 3)])
def test_gradients_of_other_numbers(submission, rng, num_experts, top_k):
    """so are they where a token uses one expert, and where it uses all"""
    layer, weights = made(submission, rng, 7, 11, num_experts, top_k)
    assert_same_gradients(layer, partial(dense, top_k=top_k), rng.normal(3, 5, 7), weights=weights)


def crowded(submission, rng, *sizes):
    """A layer, its weights, and x under which all tokens choose the experts 3 and 1, nearly alike."""
    layer, weights = made(submission, rng, *sizes)
    weights["router.weight"] *= 0.1
    weights["router.weight"][:5, 0] += torch.tensor([0.0, 4.0, 1.0, 4.0, -1.0])
    x = rng.normal(3, 47, 7)
    x[..., 0] = 1.0
    layer.load(weights)
    return layer, weights, x


def test_no_token_is_dropped(submission, rng):
    """where all tokens choose the same two experts, of 5 or of 67, each of them gets both"""
    layer, weights, x = crowded(submission, rng)
    assert_close(layer(x), dense(weights, x))
    layer, weights, x = crowded(submission, rng, 7, 3, 67, 2)
    said = difference(layer(x), dense(weights, x))
    # For diagnosis not which tokens are dropped: that is a matter of the room that an expert has.
    assert_true(said is None, f"with 67 experts: {said}", seen=said is None)


def test_gradients_of_experts_without_tokens(submission, rng):
    """where experts get no tokens, the gradients are right, theirs zero"""
    layer, weights, x = crowded(submission, rng)
    assert_same_gradients(layer, dense, x, weights=weights)


def test_unused_experts_change_nothing(submission, rng):
    """an expert that no token has chosen is without effect, also if its weights are NaN"""
    layer, weights, x = crowded(submission, rng)
    expected = [dense(weights, some) for some in (x, x[:1, :1])]
    unused = {name: value for name, value in weights.items() if name.startswith(("experts.0", "experts.4"))}
    layer.load(weights | {name: torch.full_like(value, torch.nan) for name, value in unused.items()})
    assert_close([layer(x), layer(x[:1, :1])], expected)


@pytest.mark.parametrize("is_crowded, batch, seq", [(False, 3, 47), (True, 3, 47), (True, 2, 1)])
def test_experts_run_on_their_own_tokens(submission, rng, is_crowded, batch, seq):
    """matrix products take 1.1 times the FLOPs of the router and of two experts for each token, at most"""
    layer, weights, x = crowded(submission, rng) if is_crowded else (*made(submission, rng), None)
    x = rng.normal(batch, seq, 7) if x is None else x[:batch, :seq]
    assert_close((measured := layer.measure(x)).value, dense(weights, x))
    needed = 2 * batch * seq * (7 * 5 + 2 * 3 * 7 * 11)
    times = measured.matmul_flops / needed
    message = (
        f"matrix products take {times:.2f} times the FLOPs of the router and two experts for each token. "
        "Usual causes are experts that run on all tokens, and products with one-hot matrices to gather "
        "tokens: pick an expert's tokens by their indices"
    )
    assert_true(times <= 1.1, message, seen=times <= 1.1 or round(times, 1))


def test_large_logits(submission, rng):
    """logits around 1000 and around -1000 give finite, right weights"""
    layer, weights = made(submission, rng)
    weights["router.weight"][:, 0] = 1e3
    layer.load(weights)
    x = rng.normal(99, 7)
    x[:, 0] = 1.0 - 2.0 * (torch.arange(99) % 2)
    # Far enough from each other for those who choose in float32, where 1000 is known to 6e-5.
    second, third = F.linear(x, weights["router.weight"]).sort(descending=True).values[:, 1:3].T
    x = x[second - third > 1e-2][:15].view(3, 5, 7)
    assert_close(layer(x), dense(weights, x), tolerance=1e-3)


def test_evaluation(submission, rng):
    """in evaluation it gives what it gives in training"""
    layer, weights = made(submission, rng)
    x = rng.normal(3, 5, 7)
    assert_close([layer.train()(x), layer.eval()(x)], [dense(weights, x)] * 2)


def test_other_layouts(submission, rng):
    """a single token, a batch of one and an x that is not contiguous are right"""
    layer, weights = made(submission, rng)
    xs = other_layouts(rng, 3, 5, 7)
    assert_close([layer(x) for x in xs], [dense(weights, x) for x in xs])


def test_float32_is_kept(submission, rng):
    """float32 is kept, in both results"""
    layer, weights = made(submission, rng, dtype=torch.float32)
    assert_close(layer(x := rng.normal(3, 5, 7, dtype=torch.float32)), dense(weights, x))


def test_layers_are_independent(submission, rng):
    """two layers of other sizes, used by turns, give what each alone gives"""
    first, second = submission.MoE(7, 11, 5, 2), submission.MoE(7, 5, 3, 1).eval()
    of_first, of_second = ([(rng.normal(3, 5, 7),) for _ in range(4)] for _ in range(2))
    assert_by_turns(
        with_weights(rng, first, dense, of_first),
        with_weights(rng, second, lambda weights, x: dense(weights, x, 1), of_second),
    )


@pytest.mark.parametrize("num_experts, top_k", [(5, 0), (5, 6), (5, -1), (1, 2)])
def test_bad_top_k_raises(submission, num_experts, top_k):
    """a top_k below 1 or above num_experts raises ValueError in the constructor"""
    assert_raises(submission.MoE, 7, 11, num_experts, top_k)


def test_device(submission, rng):
    """nothing lands on the default device where x and the parameters are on another"""
    assert_keeps_device(submission, "MoE", rng.normal(2, 5, 7, dtype=torch.float32), made_with=(7, 11, 3, 2))


def test_x_is_not_modified(submission, rng):
    """x is not modified"""
    assert_inputs_unchanged(submission.MoE(7, 11, 5, 2), rng.normal(3, 5, 7, dtype=torch.float32))
    assert_arguments_unchanged(submission.MoE(7, 11, 5, 2).to(torch.float64), rng.normal(3, 5, 7))


# The loss


def assert_losses(submission, *calls):
    """Each call gives what the loops give."""
    came, expected = [submission.load_balancing_loss(*call) for call in calls], [balance(*c) for c in calls]
    if all(isinstance(each, Tensor) and each.shape == () for each in came):
        assert_close(torch.stack(came), torch.stack(expected))
    assert_close(came, expected)


def test_loss_equals_loops(submission, rng):
    """equals num_experts times the sum of f and P of each expert, counted by loops over the tokens"""
    num_experts = int(rng.integers(11, 37, 1)) if is_second_round() else 5
    assert_losses(submission, *((rng.normal(139, num_experts, scale=2.0), top_k) for top_k in (2, 3)))


def test_loss_of_one_choice_and_of_all(submission, rng):
    """top_k may be 1, and it may be num_experts: then the loss is 1"""
    assert_losses(submission, *((rng.normal(17, 5, scale=2.0), top_k) for top_k in (1, 5)))


def test_loss_of_any_leading_dimensions(submission, rng):
    """all leading dimensions together are the tokens, and there may be none"""
    shapes = [(5,), (1, 5), (3, 7, 5), (2, 3, 7, 5), *[(rng.option(1, 1025, 2100), 5)] * is_second_round()]
    transposed = rng.normal(5, 7, 3, scale=2.0).transpose(0, 2)
    assert_losses(submission, *((rng.normal(*s, scale=2.0), 2) for s in shapes), (transposed, 2))


@pytest.mark.parametrize("top_k", [1, 2])
def test_even_load_has_loss_one(submission, top_k):
    """where each expert gets as many tokens as the others the loss is 1, for any top_k"""
    rows = torch.arange(5.0, dtype=torch.float64)
    logits = torch.stack([rows.roll(shift) for shift in range(5)] * 3)
    assert_losses(submission, (logits, top_k), (2 * logits, top_k))


def test_collapse_has_the_largest_loss(submission, rng):
    """where all tokens choose the same experts and are sure of them the loss is num_experts / top_k"""
    logits = rng.normal(17, 5) + torch.tensor([0.0, 0.0, 60.0, 30.0, 0.0])
    assert_losses(submission, (logits, 1), (logits, 2))


def test_gradients_of_the_loss(submission, rng):
    """the gradient of the logits is that through P alone"""
    loss, constants = submission.load_balancing_loss, {"top_k": 2}
    assert_same_gradients(loss, balance, rng.normal(3, 47, 7, scale=2.0), constants=constants)


def test_loss_of_large_logits(submission, rng):
    """logits around 1000 and around -1000 give finite, right losses"""
    logits = torch.stack([rng.permutation(5) for _ in range(17)]).double()
    levels = (1e3, 1), (1e3, 2), (-1e3, 2), (1e3 * (-1.0) ** torch.arange(17)[:, None], 2)
    assert_losses(submission, *((logits + level, top_k) for level, top_k in levels))


def test_loss_in_float32(submission, rng):
    """a loss of float32 is a float32"""
    assert_losses(submission, *((rng.normal(3, 7, 5, dtype=torch.float32), top_k) for top_k in (1, 2)))


def test_losses_are_independent(submission, rng):
    """a call gives the same whatever was called before it, with other numbers of tokens and experts"""
    calls = [(rng.normal(7, 5), 2), (rng.normal(3, 3), 1), (rng.normal(7, 5), 2), (rng.normal(11, 5), 3)]
    assert_losses(submission, *calls)


def test_device_of_the_loss(submission, rng):
    """the loss is on the device of the logits where the default device is another one"""
    assert_keeps_device(submission, "load_balancing_loss", rng.normal(7, 5), 2)


def test_logits_are_not_modified(submission, rng):
    """router_logits is not modified"""
    assert_arguments_unchanged(submission.load_balancing_loss, rng.normal(3, 7, 5), 2)
