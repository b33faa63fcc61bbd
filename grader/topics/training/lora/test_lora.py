"""Checks of `LoRALinear`: one linear layer with the summed weight; what is frozen, dropped, merged."""

from functools import partial

import pytest
import torch
from torch import nn
from torch.nn import functional

from grader.kit import (
    assert_accepts,
    assert_arguments_unchanged,
    assert_at_most,
    assert_close,
    assert_distribution,
    assert_dropout_in_training_only,
    assert_equal,
    assert_fits,
    assert_inputs_unchanged,
    assert_nothing_dropped,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
    assert_true,
)
from grader.kit.families.leading_dimensions import of_many_dimensions
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_scenario_keeps_device
from grader.kit.rules.drawn_gradients import assert_gradients_whatever_is_dropped
from grader.kit.rules.new_tensors import largest_new_tensor
from grader.kit.rules.second_backward import assert_backward_leaves_all
from grader.kit.rules.turns import Player, assert_by_turns, with_weights
from grader.kit.small import fill, whole

IN, OUT, RANK = 7, 5, 3
FEW, MANY = (IN, OUT), (131, 139)
MERGES = [("merge unmerge", "10", torch.float64, MANY)]
MERGES += [("unmerge merge merge unmerge unmerge", "01100", torch.float64, FEW)]
MERGES += [("merge unmerge", "10", torch.float32, FEW)]

with_or_without_bias = pytest.mark.parametrize("bias", [True, False])


def workload(submission, rng):
    layer = adapted(submission, 64, 64, rank=8)
    layer.randomize(rng, torch.float32)
    return layer.measure(rng.normal(16, 64, dtype=torch.float32))


LADDER = [(1, 1, 1), (2, 1, 1), (2, 3, 2)]


def smallest(submission, rng, in_features, out_features, rank):
    """small whole numbers give those of one layer with the summed weight"""
    layer = adapted(submission, in_features, out_features, rank=rank, alpha=2.0 * rank)
    weights, x = fill(rng, layer), whole(rng, 1, in_features)
    assert_close(layer(x), expected(weights, x, 2.0))


def plain(answer, in_features, out_features, bias, double=False):
    return nn.Linear(in_features, out_features, bias=bias, dtype=torch.float64 if double else None)


def adapted(submission, in_features=IN, out_features=OUT, bias=True, double=False, **options):
    linear = submission.run(plain, in_features, out_features, bias, double)
    return assert_accepts(submission.LoRALinear, linear, **options)


def summed(weights, scaling):
    return weights["base.weight"].detach() + scaling * weights["lora_B"] @ weights["lora_A"]


def expected(weights, x, scaling):
    """The oracle: one layer with the summed weight, whose own part is frozen."""
    bias = weights["base.bias"].detach() if "base.bias" in weights else None
    return functional.linear(x, summed(weights, scaling), bias)


@with_or_without_bias
def test_parameters(submission, bias):
    """its parameters are base.weight, base.bias (if there is one), lora_A (rank, in), lora_B (out, rank)"""
    of_base = {"base.weight": (OUT, IN)} | ({"base.bias": (OUT,)} if bias else {})
    shapes = {**of_base, "lora_A": (RANK, IN), "lora_B": (OUT, RANK)}
    assert_parameters(adapted(submission, bias=bias, rank=RANK), shapes)


def trained(answer, linear):
    layer = answer.LoRALinear(linear, 3)
    return layer.base is linear, {name: p.requires_grad for name, p in sorted(layer.named_parameters())}


@with_or_without_bias
def test_what_is_trained(submission, bias):
    """base is the given layer and no copy, and frozen; lora_A and lora_B alone require gradients"""
    same, came = submission.run(trained, submission.run(plain, IN, OUT, bias))
    wanted = {"base.weight": False} | ({"base.bias": False} if bias else {})
    assert_equal(came, wanted | {"lora_A": True, "lora_B": True}, what="requires_grad")
    assert_equal(same, True, what="base is the given layer")


def test_first_output(submission, rng):
    """the first output is that of the given layer, as lora_B starts at zeros, where its gradient is not 0"""
    layer = adapted(submission, rank=RANK).eval()
    weights, x = layer.parameters(), rng.normal(11, IN, dtype=torch.float32)
    assert_true(not weights["lora_B"].any(), "lora_B has entries that are not 0")  # and not which ones
    weights["lora_A"] = rng.normal(RANK, IN, dtype=torch.float32)  # what it drew is no mistake of anybody's
    layer.load(weights)
    assert_backward_leaves_all(layer, partial(expected, scaling=16 / RANK), x, weights=weights)


def test_first_lora_A(submission):
    """lora_A starts with random numbers, others in every instance, none of them 0: or nothing is learned"""
    first, second = (adapted(submission, 61, rank=8).parameters()["lora_A"].double() for _ in range(2))
    zeros = int((first == 0).sum())  # a uniform float32 is 0 once in 2^24 draws
    assert_true(zeros <= 1, f"of {first.numel()} entries {zeros} are 0", seen=zeros > 1)
    constant, repeated = len(first.unique()) == 1, bool((first == second).all())
    assert_true(not constant, f"all entries are {float(first[0, 0]):g}: none is random", seen=constant)
    assert_true(not repeated, "the entries are the same in every instance", seen=repeated)
    full = bool(torch.linalg.matrix_rank(first, rtol=1e-6) == 8)
    assert_true(full, "the rows depend on each other: what is learned is of a lower rank", seen=full)


@pytest.mark.parametrize("rank, alpha, sizes", [(RANK, 16, MANY), (1, 0.5, FEW), (11, 2.0, FEW), (2, 0, FEW)])
def test_sum_and_gradients(submission, rng, rank, alpha, sizes):
    """it gives base(x) + alpha / rank x Aᵀ Bᵀ, with gradients for x, lora_A and lora_B alone"""
    cases = [(rank, alpha, sizes, torch.float64)]
    if is_second_round():
        cases.append((rng.option(8, 1, 64), rng.option(16.0, 0.01, 1e3), FEW, torch.float32))
    for rank, alpha, sizes, dtype in cases:
        layer = adapted(submission, *sizes, rank=rank, alpha=alpha)
        oracle, x = partial(expected, scaling=alpha / rank), rng.normal(2, 137, sizes[0], dtype=dtype)
        assert_same_gradients(layer, oracle, x, weights=layer.randomize(rng, dtype))


def test_defaults(submission, rng):
    """rank is 8 and alpha 16 by default, and nothing is dropped"""
    layer = adapted(submission).train()
    weights, x = layer.randomize(rng), rng.normal(3, IN)
    assert_equal(tuple(weights["lora_A"].shape), (8, IN), what="shape of lora_A")
    assert_close(layer(x), expected(weights, x, 2.0))


@pytest.mark.parametrize("shape, bias", [((IN,), True), ((IN,), False), ((IN, 1, 3, 2), False)])
def test_leading_dimensions(submission, rng, shape, bias):
    """any leading dimensions do, also none, in an x that is not contiguous, with and without a bias"""
    layer, shape = adapted(submission, bias=bias, rank=RANK), of_many_dimensions(rng, shape[::-1])[::-1]
    weights, x = layer.randomize(rng), rng.normal(*shape).movedim(0, -1)
    assert_close(layer(x), expected(weights, x, 16 / RANK))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_dtype_of_the_layer(submission, rng, dtype):
    """lora_A, lora_B and the output have the layer's dtype"""
    layer = adapted(submission, double=dtype == torch.float64)
    weights, x = layer.parameters(), rng.normal(3, IN, dtype=dtype)
    dtypes = {name: str(value.dtype) for name, value in weights.items()}
    assert_equal(dtypes, dict.fromkeys(dtypes, str(dtype)), what="dtypes")
    assert_close(layer(x), expected(weights, x, 2.0))


def on_its_device(answer, x):
    layer = answer.LoRALinear(nn.Linear(x.shape[-1], 5, device=x.device), 2, 16.0, 0.5)
    parts = [layer(x), layer.lora_A, layer.lora_B]
    layer.merge()
    return [*parts, layer(x), layer.base.weight]


def test_device_of_the_layer(submission, rng):
    """lora_A, lora_B and the output are on the layer's device, whatever the default device is"""
    assert_scenario_keeps_device(submission, on_its_device, rng.normal(3, IN, dtype=torch.float32))


@pytest.mark.parametrize("rank", [0, -1])
def test_rank_below_one(submission, rank):
    """a rank below 1 raises when constructed"""
    assert_raises(submission.LoRALinear, submission.run(plain, IN, OUT, True), rank=rank)


def test_dropout_in_training_only(submission, rng):
    """dropout acts in training, where gradients are those of what came, and not in evaluation"""
    layer = adapted(submission, rank=RANK, dropout=0.4)
    weights, x = layer.randomize(rng), rng.normal(11, IN)
    assert_dropout_in_training_only(layer, x)
    assert_nothing_dropped(layer, x, expected=expected(weights, x, 16 / RANK))
    _ = is_second_round() and assert_gradients_whatever_is_dropped(layer, x)


def test_what_is_dropped(submission, rng):
    """dropout is the probability for each entry of the adapter's input; the rest is divided by 1 - dropout"""
    keep = 1 - (dropped := rng.option(0.2, 0.05, 0.95))
    layer = adapted(submission, 2, 2, rank=1, alpha=1.0, dropout=dropped).train()
    # Each output is base's, plus the first input's and ten times the second's: it tells what was dropped.
    own = {"lora_A": torch.tensor([[1.0, 10.0]]).double(), "lora_B": torch.ones(2, 1).double()}
    layer.load(weights := layer.randomize(rng) | own)
    x = torch.ones(round(80 / min(dropped, keep) ** 2), 2, dtype=torch.float64)
    base = functional.linear(x, weights["base.weight"], weights["base.bias"])
    sums = torch.tensor([0, 1, 10, 11, keep, 10 * keep, 11 * keep], dtype=torch.float64) / keep
    shares = sums.new_tensor([dropped**2, *[dropped * keep] * 2, keep**2, *[0] * 4]).round(decimals=9)
    left = "what is left (0 none, 1 first, 2 second, 3 both; 4 to 6 the same, not divided; 7 else)"
    for dim in range(2):  # with gradients and without
        came = layer(x.unsqueeze(dim) if is_second_round() else x).reshape(base.shape)
        near = ((came - base).double().unsqueeze(-1) - sums).abs() < 1e-4
        kinds = torch.where(near.any(-1), near.int().argmax(-1), 7)
        same = bool((kinds[:, 0] == kinds[:, 1]).all())
        assert_true(same, "the outputs of one row miss other inputs: it is they that are dropped", seen=same)
        assert_distribution(kinds[:, 0], shares, what=left)


def merging(answer, layer, x, steps):
    """The weight, `merged` and the output after each step: in training while merged, else in evaluation."""
    weight, after, kept = layer.base.weight, {}, []
    for number, step in enumerate(steps.split(), 1):
        layer.merge() if step == "merge" else layer.unmerge()
        layer.train() if layer.merged else layer.eval()
        seen = {"merged": layer.merged, "weight": weight.detach().clone(), "output": layer(x).detach()}
        after[f"{number} {step}"] = seen
        now = layer.base.weight  # merged, too: unmerging may make a leaf of it again
        kept += [now is weight, now.is_leaf, not now.requires_grad]
    return after, kept, [layer.lora_A.detach(), layer.lora_B.detach()]


@pytest.mark.parametrize("steps, merged, dtype, sizes", MERGES)
def test_merged(submission, rng, steps, merged, dtype, sizes):
    """merge adds alpha / rank B A to base.weight, unmerge takes it away; repeated, they do nothing"""
    layer = adapted(submission, *sizes, rank=RANK, alpha=(alpha := rng.option(2.0, 0.01, 64.0)), dropout=0.2)
    weights, x = layer.randomize(rng, dtype), rng.normal(11, sizes[0], dtype=dtype)
    came, kept, ends = assert_accepts(lambda _: submission.run(merging, layer, x, steps), steps)
    by_digit = {"0": weights["base.weight"], "1": summed(weights, alpha / RANK)}
    output = expected(weights, x, alpha / RANK)
    wanted = [{"merged": digit == "1", "weight": by_digit[digit], "output": output} for digit in merged]
    assert_close(came, dict(zip(came, wanted, strict=True)))
    each_step = "after each step base.weight is the same Parameter, a leaf, frozen"
    assert_equal(kept, [True] * len(kept), what=each_step)
    assert_close(ends, [weights["lora_A"], weights["lora_B"]], what="lora_A and lora_B")


def test_calls_and_modes_change_no_weights(submission, rng):
    """neither calls nor train() and eval() change weights: only merge and unmerge do"""
    weights = (layer := adapted(submission, rank=RANK)).randomize(rng)
    for switch in (layer.train, layer.eval):
        switch()(rng.normal(3, IN))
        assert_close(layer.parameters(), dict(weights), tolerance=0.0)


def test_merged_after_learning(submission, rng):
    """merge and unmerge take all weights as they are then, also when others were merged before"""
    layer = adapted(submission, rank=RANK)
    weights, x = layer.randomize(rng), rng.normal(3, IN)
    layer.merge()
    layer.unmerge()
    weights |= {name: 2.5 * weights[name] for name in ("lora_B", "base.weight")}
    layer.load(weights)
    layer.merge()
    assert_close(layer(x), expected(weights, x, 16 / RANK))
    layer.unmerge()
    assert_close(layer.parameters(), dict(weights))


@pytest.mark.parametrize("rank, shape", [(2, (24,)), (1, (3, 24)), (29, (3, 24))])
def test_product_is_not_formed(submission, rng, rank, shape):
    """unmerged, no operation of forward makes a tensor as large as the layer's weight, whatever the rank"""
    layer = adapted(submission, 24, 24, rank=rank, alpha=2.0 * rank, dropout=0.5).eval()
    weights, x = layer.randomize(rng), rng.normal(*shape)
    measured = [layer.measure(x), layer.train().measure(x)]
    cause = "It is lora_B @ lora_A, for example. Multiply from the left: (x @ A.T) @ B.T"
    largest = max(largest_new_tensor(each, but=[24 * rank]) for each in measured)  # a factor may be scaled
    assert_at_most(largest, 575, "elements of the largest new tensor (the weight: 576)", cause=cause)
    assert_close(measured[0].value, expected(weights, x, 2.0))
    wide = rng.normal(1, 2048, dtype=torch.float32)
    assert_fits(submission, with_a_large_layer, wide, expected=lambda: 2 * wide, memory=7 * 2**22)


def with_a_large_layer(answer, x):
    linear = nn.Linear(1, 1, bias=False)  # weights that are drawn take longer than all else
    linear.in_features = linear.out_features = size = x.shape[-1]
    linear.weight = nn.Parameter(torch.zeros(size, size))
    with torch.no_grad():
        layer = answer.LoRALinear(linear, 1, 2.0)
        layer.lora_A.zero_()[0, 0] = 1.0
        layer.lora_B.copy_(x.T / x[0, 0])
        return layer(x)


def test_instances_keep_apart(submission, rng):
    """two layers with other ranks, alphas and weights, of which one is merged, keep apart"""
    first, second = adapted(submission, rank=2, alpha=3.0), adapted(submission, rank=4, alpha=1.0, bias=False)
    own = first.randomize(rng)
    first.merge()
    calls, others = ([(rng.normal(3, IN),) for _ in range(4)] for _ in range(2))
    assert_by_turns(
        Player(first, lambda x: expected(own, x, 1.5), calls),
        with_weights(rng, second.eval(), lambda weights, x: expected(weights, x, 0.25), others),
    )


def test_input_is_not_modified(submission, rng):
    """x is not modified, with dropout neither"""
    layer = adapted(submission, double=True, rank=RANK, dropout=0.5)
    assert_arguments_unchanged(layer.train(), rng.normal(3, IN))
    assert_inputs_unchanged(layer.eval(), rng.normal(3, IN))
