"""Checks of `weight_init`: how weights are distributed, which modules get what, and what stays as it is."""

import math
from dataclasses import replace

import pytest
import torch
from torch import nn

from grader.kit import assert_equal
from grader.kit.families.models.started_modules import SOMETHING, assert_as_it_was, given_alone, started
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_scenario_keeps_device
from grader.kit.rules.draws import assert_drawn, normal, uniform

pytestmark = pytest.mark.forbid("initialization")

SHAPE = (131, 211)
EXPECTED = {
    "xavier_uniform_": lambda fan_out, fan_in: uniform(math.sqrt(6 / (fan_in + fan_out))),
    "kaiming_normal_": lambda fan_out, fan_in: normal(math.sqrt(2 / fan_in)),
}


def workload(submission, rng):
    # What is drawn is each answer's own.
    return replace(submission.xavier_uniform_.measure(torch.zeros(256, 256)), value=None)


def filled(answer, name, shape, before, dtype, beside=0, transposed=False):
    """What is made of a weight, and of the memory beside it: so many rows above and columns to the left."""
    whole = torch.full([size + beside for size in shape], before, dtype=getattr(torch, dtype))
    whole = nn.Parameter(whole.t().contiguous().t() if transposed else whole)
    getattr(answer, name)(whole[beside:, beside:] if beside else whole)
    whole = whole.detach()
    return whole[beside:, beside:].clone(), [whole[:beside].clone(), whole[:, :beside].clone()]


def assert_filled(submission, name, shape=SHAPE, *, before=SOMETHING, dtype="float32", **memory):
    came, beside = submission.run(filled, name, shape, before, dtype, **memory)
    assert_equal(str(came.dtype), f"torch.{dtype}")
    assert_drawn(came, EXPECTED[name](*shape))
    kept = [torch.full_like(each, before) for each in beside]
    assert_equal(beside, kept, what="what lies beside it in memory")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_xavier_uniform(submission, dtype):
    """xavier_uniform_ draws evenly between ±sqrt(6 / (fan_in + fan_out))"""
    assert_filled(submission, "xavier_uniform_", dtype=dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_kaiming_normal(submission, dtype):
    """kaiming_normal_ draws from the normal distribution of variance 2 / fan_in"""
    assert_filled(submission, "kaiming_normal_", dtype=dtype)


def filled_anew(answer, name, shape, times):
    weights = [torch.full(shape, 7.0) for _ in range(times)]
    for weight in weights:
        getattr(answer, name)(weight)
    return torch.stack(weights)


@pytest.mark.parametrize("name", EXPECTED)
def test_calls_are_independent(submission, name):
    """every call draws anew"""
    came = submission.run(filled_anew, name, SHAPE, 2)
    assert_drawn(came[0], EXPECTED[name](*SHAPE), again=came[1])


@pytest.mark.parametrize("name", EXPECTED)
def test_transposed(submission, rng, name):
    """a weight that is not contiguous is filled like any other"""
    assert_filled(submission, name, tuple(rng.option(size, 70, 500) for size in SHAPE), transposed=True)


@pytest.mark.parametrize("name", EXPECTED)
def test_part_of_a_larger_weight(submission, name):
    """some rows and columns of a larger weight are filled in its memory, and the others stay"""
    assert_filled(submission, name, beside=3)


@pytest.mark.parametrize("name", EXPECTED)
def test_nan_before(submission, name):
    """what the weight held before does not matter, NaN neither"""
    assert_filled(submission, name, before=math.nan)


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("shape", [(1, 4001), (4001, 1)])
def test_one_row_or_column(submission, name, shape):
    """a single row or column is filled with its own fans"""
    assert_filled(submission, name, shape)


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("shape, times", [((1, 1), 3750), ((2, 3), 950)])
def test_small_weights(submission, name, shape, times):
    """a single number, or a few, are drawn by themselves too: their own mean and spread are chance"""
    assert_drawn(submission.run(filled_anew, name, shape, times).flatten(1), EXPECTED[name](*shape))


@pytest.mark.parametrize("kind", ["Linear", "Embedding"])
def test_small_modules(submission, kind):
    """in a small module too each number is drawn by itself: the mean and the spread of a few are chance"""
    came = submission.run(started, {str(number): [kind, [2, 2], {}] for number in range(300)})
    weights = [value.flatten() for name, value in came.items() if name.endswith("weight")]
    assert_drawn(torch.stack(weights), normal(0.02))


@pytest.mark.parametrize("name", EXPECTED)
def test_large_weight(submission, name):
    """in a large weight too each number is drawn by itself, and normal ones are not cut off"""
    assert_filled(submission, name, (401, 401))


@pytest.mark.parametrize("kind", ["Linear", "Embedding"])
def test_large_modules(submission, kind):
    """in a module with a large weight too each number is drawn by itself, and none is cut off"""
    came = submission.run(started, {"module": [kind, [401, 401], {}]})["module.weight"]
    assert_drawn(came, normal(0.02))


@pytest.mark.parametrize("bias", [True, False])
def test_linear(submission, bias):
    """a linear layer gets normal weights of standard deviation 0.02 and a bias of 0, if it has one"""
    came = submission.run(started, {"fc": ["Linear", [211, 97], {"bias": bias}]})
    assert_drawn(came["fc.weight"], normal(0.02))
    assert_equal(came.get("fc.bias"), torch.zeros(97) if bias else None, what="bias")


@pytest.mark.parametrize("kind", ["Linear", "Embedding"])
def test_std(submission, rng, kind):
    """the standard deviation is std where it is given, and every call draws anew"""
    layers = {name: [kind, [97, 211], {}] for name in ("first", "second")}
    for std in (0.3, 0.01, 0.05, rng.option(0.3, 1e-3, 10.0))[: 4 if is_second_round() else 1]:
        came = submission.run(started, layers, std)
        assert_drawn(came["first.weight"], normal(std), again=came["second.weight"])


@pytest.mark.parametrize("padding_idx", [None, 0, -1])
def test_embedding(submission, padding_idx):
    """an embedding gets normal weights, and its row padding_idx is 0, if it has one"""
    layers = {"layer": ["Embedding", [97, 211], {"padding_idx": padding_idx}]}
    weight = submission.run(started, layers)["layer.weight"]
    if padding_idx is not None:
        assert_equal(weight[padding_idx], torch.zeros(211), what="row of the padding")
    drawn = [row for row in range(97) if padding_idx is None or row != padding_idx % 97]
    assert_drawn(weight[drawn], normal(0.02))


@pytest.mark.parametrize("options", [{}, {"bias": False}, {"elementwise_affine": False}])
def test_layer_norm(submission, options):
    """a layer norm gets ones and zeros, as far as it has them"""
    for shape in [(7,), (3, 5)] if is_second_round() else [(7,)]:
        came = submission.run(started, {"norm": ["LayerNorm", [shape], options]})
        assert_equal(came, {name: torch.full(shape, float(name == "norm.weight")) for name in came})


def assert_left(submission, layers):
    assert_as_it_was(submission.run(started, layers))


def test_other_modules(submission):
    """modules of other kinds are left as they are, convolutions too"""
    layers = {"conv1d": ["Conv1d", [2, 3, 5], {}], "conv2d": ["Conv2d", [2, 3, 5], {}]}
    assert_left(submission, layers | {"bag": ["EmbeddingBag", [7, 5], {}], "prelu": ["PReLU", [3], {}]})
    if is_second_round():
        others = {"lstm": ["LSTM", [3, 5], {}], "bilinear": ["Bilinear", [2, 3, 5], {}]}
        assert_left(submission, others)
        assert_as_it_was(submission.run(given_alone, SOMETHING))


def test_other_norms(submission):
    """of the norms layer norm alone is started: batch norm and group norm are left as they are"""
    layers = {f"batch_norm{kind}": [f"BatchNorm{kind}", [3], {}] for kind in ("1d", "2d")}
    assert_left(submission, layers | {"group_norm": ["GroupNorm", [2, 6], {}]})


def test_rms_norm(submission):
    """RMSNorm is left as it is, too"""
    assert_left(submission, {"norm": ["RMSNorm", [7], {}]})


MODEL = {
    "embedding": ["Embedding", [97, 101], {"padding_idx": 0}],
    "fc": ["Linear", [101, 103], {}],
    "norm": ["LayerNorm", [101], {}],
}


def assert_started(came, dtype=torch.float32):
    kinds = {name: str(value.dtype) for name, value in came.items()}
    assert_equal(kinds, dict.fromkeys(kinds, str(dtype)))
    assert_equal(came["norm.weight"], torch.ones(101, dtype=dtype), what="weight of the layer norm")
    assert_equal(came["norm.bias"], torch.zeros(101, dtype=dtype), what="bias of the layer norm")
    assert_equal(came["fc.bias"], torch.zeros(103, dtype=dtype), what="bias of the linear layer")
    assert_equal(came["embedding.weight"][0], torch.zeros(101, dtype=dtype), what="row of the padding")
    assert_drawn(came["fc.weight"], normal(0.02), what="weight of the linear layer")
    assert_drawn(came["embedding.weight"][1:], normal(0.02), what="weight of the embedding")


def test_float64(submission):
    """a module in float64 stays in float64, also with weights that are not contiguous"""
    assert_started(submission.run(started, MODEL, dtype="float64", turned=True), torch.float64)


def test_nan_before_in_modules(submission):
    """what a module's parameters held before does not matter, NaN neither"""
    assert_started(submission.run(started, MODEL, before=math.nan))


def test_subclasses(submission):
    """subclasses of the three kinds are treated like them"""
    assert_started(submission.run(started, MODEL, subclassed=True))


def test_apply(submission):
    """apply starts all modules of a model"""
    assert_started(submission.run(started, MODEL, applied=True))


def states(answer, requires_grad, kinds):
    """What is still so after each function, by its name or the kind of module it got."""
    found = {}
    for name in ("xavier_uniform_", "kaiming_normal_"):
        torch.set_grad_enabled(requires_grad)
        weight = nn.Parameter(torch.zeros(3, 5), requires_grad=requires_grad)
        getattr(answer, name)(weight)
        kept = weight.is_leaf and weight.requires_grad == requires_grad
        found[name] = {"a leaf as before": kept}
        found[name]["grad mode as before"] = torch.is_grad_enabled() == requires_grad
    for kind in kinds:
        torch.set_grad_enabled(requires_grad)
        bare = type("Bare", (getattr(nn, kind),), {"reset_parameters": lambda self: None})
        module = (bare(5) if kind == "LayerNorm" else bare(5, 3)).requires_grad_(requires_grad)
        before = list(module.parameters())
        answer.init_bert_(module)
        after = list(module.parameters())
        found[kind] = {
            "the same parameters": [*map(id, before)] == [*map(id, after)],
            "leaves as before": all(each.is_leaf and each.requires_grad == requires_grad for each in after),
            "grad mode as before": torch.is_grad_enabled() == requires_grad,
        }
    torch.set_grad_enabled(True)
    return found


@pytest.mark.parametrize(
    "requires_grad, kinds", [(True, ["Linear", "Embedding", "LayerNorm"]), (False, ["Linear"])]
)
def test_parameters_stay(submission, requires_grad, kinds):
    """parameters stay the same leaves, requires_grad and the grad mode stay as they are"""
    came = submission.run(states, requires_grad, kinds)
    assert_equal(came, {name: dict.fromkeys(facts, True) for name, facts in came.items()})


def on_the_cpu(answer, name):
    """What is on the CPU is started where the default device may be another one."""
    if name != "init_bert_":
        weight = torch.zeros(3, 5, device="cpu")
        getattr(answer, name)(weight)
        return [weight]
    weights = []
    for kind, args in (("Linear", [5, 3]), ("Embedding", [5, 3, 1]), ("LayerNorm", [5])):
        bare = type("Bare", (getattr(nn, kind),), {"reset_parameters": lambda self: None})
        module = bare(*args, device="cpu")
        answer.init_bert_(module)
        weights += [value.detach() for value in module.parameters()]
    return weights


@pytest.mark.parametrize("name", [*EXPECTED, "init_bert_"])
def test_device(submission, name):
    """nothing lands on the default device where the weights are on another one"""
    assert_scenario_keeps_device(submission, on_the_cpu, name)
