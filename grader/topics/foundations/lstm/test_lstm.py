"""Checks of `lstm`: the cell, the loop over a sequence, states handed in and on, gradients, how it starts."""

import math

import pytest
import torch
from torch import nn

from grader.kit import assert_close, assert_equal, assert_inputs_unchanged, assert_parameters, assert_true
from grader.kit.comparison import difference
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_keeps_device, assert_moves
from grader.kit.rules.draws import assert_drawn, uniform
from grader.kit.rules.gradients import OVERWRITTEN
from grader.kit.rules.turns import assert_by_turns, with_weights
from grader.kit.small import fill, whole

pytestmark = pytest.mark.forbid("recurrent")

NAMES = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
with_and_without_state = pytest.mark.parametrize("with_state", [False, True])


def workload(submission, rng):
    layer = submission.LSTM(16, 32)
    layer.randomize(rng, torch.float32)
    return layer.measure(rng.normal(4, 16, 16, dtype=torch.float32))


LADDER = [(1, 1, 1, 1), (1, 2, 1, 1), (1, 1, 2, 1), (2, 3, 2, 1)]


def smallest(submission, rng, batch, seq, input_size, hidden_size):
    """small whole numbers give what nn.LSTM gives"""
    layer = submission.LSTM(input_size, hidden_size)
    built_in = BuiltIn(input_size, hidden_size).with_weights(fill(rng, layer))
    x = whole(rng, batch, seq, input_size)
    assert_close(layer(x), plain(built_in, x))


class BuiltIn(nn.Module):
    """nn.LSTM with the names of an LSTM's parameters, and without a dimension for layers in its state."""

    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.cell = nn.LSTMCell(input_size, hidden_size)
        self.sizes = input_size, hidden_size

    def forward(self, x, state=None):
        own = {f"{name}_l0": value for name, value in self.cell.named_parameters()}
        layered = None if state is None else tuple(each.unsqueeze(0) for each in state)
        layer = nn.LSTM(*self.sizes, batch_first=True).to(x.dtype)
        output, (hidden, cell) = torch.func.functional_call(layer, own, (x, layered))
        return output, (hidden.squeeze(0), cell.squeeze(0))

    def with_weights(self, weights):
        self.to(next(iter(weights.values())).dtype).load_state_dict(dict(weights))
        return self


def cell_with_weights(weights):
    """nn.LSTMCell with these weights."""
    own = {name: weights[name] for name in NAMES}
    cell = nn.LSTMCell(own["weight_ih"].shape[1], own["weight_hh"].shape[1]).to(own["weight_ih"].dtype)
    cell.load_state_dict(own)
    return cell


@torch.no_grad()
def plain(module, *args):
    """What a built-in gives, without gradients."""
    return module(*args)


def draw_state(rng, batch, hidden_size, dtype=torch.float64):
    return tuple(rng.normal(batch, hidden_size, dtype=dtype) for _ in range(2))


def differentiated(answer, module, upstream, frozen, x, *state):
    """The values of a cell or a sequence, the gradients of x and the state, those of the parameters, but for
    what is `frozen` ("inputs" or "parameters"), and those of what is added to the values."""
    beside = [torch.zeros_like(gradient).requires_grad_() for gradient in upstream]
    added = [2 * each for each in beside]  # before the call, so that its turn comes after the call's backward
    leaves = [each.clone().requires_grad_(frozen != "inputs") for each in (x, *state)]
    for parameter in module.parameters():
        parameter.requires_grad_(frozen != "parameters")
    first, rest = module(leaves[0], tuple(leaves[1:]) if state else None)
    values = [first, *rest] if isinstance(rest, tuple | list) else [first, rest]
    parameters = dict(module.named_parameters())
    for parameter in parameters.values():
        parameter.grad = None
    sum(((v + a) * gradient).sum() for v, a, gradient in zip(values, added, upstream, strict=True)).backward()
    found = [torch.zeros_like(each) if each.grad is None else each.grad for each in leaves]
    weights = {n: torch.zeros_like(p) if p.grad is None else p.grad for n, p in parameters.items()}
    return [value.detach() for value in values], found, weights, [each.grad for each in beside]


def assert_same_with_gradients(submission, built_in, module, upstream, x, *state, frozen=""):
    """Values and gradients of a handle equal the built-in's."""
    values, of_inputs, of_weights, beside = submission.run(
        differentiated, module, upstream, frozen, x, *state
    )
    wanted, wanted_inputs, wanted_weights, _ = differentiated(None, built_in, upstream, frozen, x, *state)
    assert_close(values, wanted)
    for name, came, expected in zip(("x", "hidden", "cell"), of_inputs, wanted_inputs, strict=False):
        assert_close(came, expected, what=f"gradient of {name}")
    assert_close(of_weights, wanted_weights, what="gradient")
    assert_true(difference(beside, [2 * gradient for gradient in upstream]) is None, OVERWRITTEN)


@pytest.mark.parametrize("name, prefix", [("LSTMCell", ""), ("LSTM", "cell.")])
def test_parameters(submission, name, prefix):
    """parameters are two weights and two biases of four gates each; those of a sequence are its cell's"""
    shapes = dict(zip(NAMES, [(20, 3), (20, 5), (20,), (20,)], strict=True))
    layer = getattr(submission, name)(3, 5)
    assert_parameters(layer, {prefix + each: shape for each, shape in shapes.items()})
    dtypes = {each: str(value.dtype) for each, value in layer.parameters().items()}
    assert_equal(dtypes, dict.fromkeys(dtypes, "torch.float32"))


def drawn_size(rng):
    """A hidden_size: 53, and another one in the second round."""
    return int(rng.integers(71, 101, 1)) if is_second_round() else 53


def started(answer, times, size, *names):
    """These parameters of so many cells, and of that of a sequence."""
    cells = [answer.LSTMCell(131, size) for _ in range(times)] + [answer.LSTM(131, size).cell]
    return [[getattr(cell, name).detach() for name in names] for cell in cells]


@pytest.mark.parametrize("name", ["weight_ih", "weight_hh"])
def test_start_of_the_weights(submission, rng, name):
    """weights are drawn uniformly between ±1/sqrt(hidden_size), anew for each cell"""
    (first,), (second,) = submission.run(started, 1, size := drawn_size(rng), name)
    assert_drawn(first, uniform(1 / math.sqrt(size)), again=second, what=name)


@pytest.mark.parametrize("name, other", [("bias_ih", "bias_hh"), ("bias_hh", "bias_ih")])
def test_start_of_the_biases(submission, rng, name, other):
    """biases are drawn uniformly between ±1/sqrt(hidden_size) too, each by itself, anew for each cell"""
    cells = submission.run(started, 15, size := drawn_size(rng), name, other)
    own, others = (torch.stack(each) for each in zip(*cells, strict=True))  # (16, 4 * size)
    assert_drawn(own, uniform(1 / math.sqrt(size)), again=others, what=name)


@pytest.mark.parametrize("batch, input_size, hidden_size", [(2, 3, 5), (1, 1, 1), (137, 3, 2), (2, 131, 67)])
@with_and_without_state
def test_cell(submission, rng, batch, input_size, hidden_size, with_state):
    """a cell gives the next state as nn.LSTMCell does, with a state and without, and the gradients"""
    cell = submission.LSTMCell(input_size, hidden_size)
    built_in, x = cell_with_weights(cell.randomize(rng)), rng.normal(batch, input_size)
    state = draw_state(rng, batch, hidden_size) if with_state else ()
    upstream = list(draw_state(rng, batch, hidden_size))
    assert_same_with_gradients(submission, built_in, cell, upstream, x, *state)


@pytest.mark.parametrize(
    "batch, seq, input_size, hidden_size",
    [(2, 5, 3, 7), (1, 1, 1, 1), (4, 4, 4, 4), (3, 2, 5, 1), (1, 7, 2, 3)],
)
@with_and_without_state
def test_sequence(submission, rng, batch, seq, input_size, hidden_size, with_state):
    """a sequence gives what nn.LSTM does, and gradients run through all steps into x, state and parameters"""
    layer = submission.LSTM(input_size, hidden_size)
    built_in = BuiltIn(input_size, hidden_size).with_weights(layer.randomize(rng))
    state = draw_state(rng, batch, hidden_size) if with_state else ()
    upstream = [rng.normal(batch, seq, hidden_size), *draw_state(rng, batch, hidden_size)]
    x = rng.normal(batch, seq, input_size)
    assert_same_with_gradients(submission, built_in, layer, upstream, x, *state)


@pytest.mark.parametrize("frozen", ["", "inputs", "parameters"])
def test_gradient_of_the_last_step(submission, rng, frozen):
    """the last output alone sends gradients to the first step, in evaluation, and where some need none"""
    layer = submission.LSTM(3, 5).eval()
    built_in = BuiltIn(3, 5).with_weights(layer.randomize(rng))
    upstream = [torch.zeros(2, 6, 5).double(), *(torch.zeros(2, 5).double() for _ in range(2))]
    upstream[0][:, -1] = rng.normal(2, 5)
    assert_same_with_gradients(submission, built_in, layer, upstream, rng.normal(2, 6, 3), frozen=frozen)


@pytest.mark.parametrize("dtype, size", [(torch.float32, 100.0), (torch.float64, 1000.0)])
def test_large_gates_and_cells(submission, rng, dtype, size):
    """where gates and cells are large, so that exponentials overflow, values and gradients are right"""
    cell = submission.LSTMCell(3, 5)
    # Whole numbers, so that the gates are exact, in whatever order they are added up.
    weights = {name: value.to(dtype) for name, value in fill(rng, cell).items()}
    cell.load(weights)
    x, *state = (size * whole(rng, 7, count).to(dtype) for count in (3, 5, 5))
    upstream = list(draw_state(rng, 7, 5, dtype))
    assert_same_with_gradients(submission, cell_with_weights(weights), cell, upstream, x, *state)
    layer = submission.LSTM(3, 5)
    layer.load({f"cell.{name}": value for name, value in weights.items()})
    built_in = BuiltIn(3, 5).with_weights(layer.parameters())
    upstream = [rng.normal(7, 1, 5, dtype=dtype), *draw_state(rng, 7, 5, dtype)]
    assert_same_with_gradients(submission, built_in, layer, upstream, x[:, None], *state)


def test_many_steps(submission, rng):
    """gradients run through all steps of a long sequence"""
    layer = submission.LSTM(2, 3)
    built_in, x = BuiltIn(2, 3).with_weights(layer.randomize(rng)), rng.normal(1, 133, 2)
    upstream = [rng.normal(1, 133, 3), *draw_state(rng, 1, 3)]
    assert_same_with_gradients(submission, built_in, layer, upstream, x)


def in_two_pieces(answer, layer, x, first):
    """The outputs and the last state of a sequence in two pieces, and the gradient of x."""
    x = x.clone().requires_grad_()
    one, state = layer(x[:, :first])
    other, (hidden, cell) = layer(x[:, first:], state)
    output = torch.cat([one, other], dim=1)
    (output.square().sum() + hidden.sum() + cell.square().sum()).backward()
    return output.detach(), hidden.detach(), cell.detach(), x.grad


@pytest.mark.parametrize("first", [1, 3])
def test_two_pieces(submission, rng, first):
    """a sequence in two pieces, with the state handed on, is the whole, with its gradients"""
    layer = submission.LSTM(3, 5)
    built_in, x = BuiltIn(3, 5).with_weights(layer.randomize(rng)), rng.normal(2, 5, 3)
    assert_close(submission.run(in_two_pieces, layer, x, first), in_two_pieces(None, built_in, x, first))


def test_types_of_results(submission, rng):
    """a cell gives (hidden, cell), a sequence (output, (hidden, cell)), without a dimension for layers"""
    cell, layer = submission.LSTMCell(3, 5), submission.LSTM(3, 5)
    step, sequence = cell_with_weights(cell.randomize(rng)), BuiltIn(3, 5).with_weights(layer.randomize(rng))
    x, state = rng.normal(2, 4, 3), draw_state(rng, 2, 5)
    assert_close(cell(x[:, 0], state), plain(step, x[:, 0], state))
    assert_close(layer(x, state), plain(sequence, x, state))


def test_float32_is_kept(submission, rng):
    """float32 is kept, in values, states and gradients"""
    layer = submission.LSTM(3, 5)
    built_in = BuiltIn(3, 5).with_weights(layer.randomize(rng, torch.float32))
    x, state = rng.normal(2, 4, 3, dtype=torch.float32), draw_state(rng, 2, 5, torch.float32)
    upstream = [rng.normal(2, 4, 5, dtype=torch.float32), *draw_state(rng, 2, 5, torch.float32)]
    assert_same_with_gradients(submission, built_in, layer, upstream, x)
    assert_same_with_gradients(submission, built_in, layer, upstream, x, *state)


def test_another_dtype_afterwards(submission, rng):
    """a layer that has been used in float32 is right in float64"""
    layer = submission.LSTM(3, 5)
    for dtype in (torch.float32, torch.float64):
        built_in, x = (
            BuiltIn(3, 5).with_weights(layer.randomize(rng, dtype)),
            rng.normal(2, 4, 3, dtype=dtype),
        )
        assert_close(layer(x), plain(built_in, x))


def test_other_layouts(submission, rng):
    """a sequence and a state that are not contiguous are right"""
    layer = submission.LSTM(3, 5)
    built_in = BuiltIn(3, 5).with_weights(layer.randomize(rng))
    x, state = rng.normal(3, 4, 2).permute(2, 1, 0), tuple(rng.normal(5, 2).T for _ in range(2))
    assert_close(layer(x, state), plain(built_in, x, state))


def test_layers_keep_apart(submission, rng):
    """cells and sequences of other sizes, used by turns, give what each alone gives, and keep no state"""

    def player(module, built_in, *shape):
        calls = [(rng.normal(*shape),) for _ in range(4)]
        return with_weights(rng, module, lambda weights, x: plain(built_in(weights), x), calls)

    assert_by_turns(
        player(submission.LSTMCell(3, 5).eval(), cell_with_weights, 2, 3),
        player(submission.LSTM(3, 5).train(), BuiltIn(3, 5).with_weights, 2, 4, 3),
        player(submission.LSTM(2, 7).eval(), BuiltIn(2, 7).with_weights, 2, 4, 2),
    )


def test_zeros_are_numbers_like_others(submission, rng):
    """a state of zeros, and zeros in x, count like any other values, and have gradients"""
    layer, zeros = submission.LSTM(3, 5), torch.zeros(2, 5, dtype=torch.float64)
    built_in, x = BuiltIn(3, 5).with_weights(layer.randomize(rng)), whole(rng, 2, 4, 3)
    x[0] = 0.0
    cell, upstream = rng.normal(2, 5), [rng.normal(2, 4, 5), *draw_state(rng, 2, 5)]
    for steps, *state in ((x, zeros, cell), (x, cell, zeros), (0 * x, zeros, zeros)):
        assert_same_with_gradients(submission, built_in, layer, upstream, steps, *state)


def test_device(submission, rng):
    """nothing is made on the default device where the arguments are on another one"""
    x = rng.normal(2, 4, 3, dtype=torch.float32)
    assert_keeps_device(submission, "LSTMCell", x[:, 0], made_with=(3, 5))
    assert_keeps_device(submission, "LSTM", x, made_with=(3, 5))
    assert_moves(submission, "LSTM", x, made_with=(3, 5))


def test_arguments_are_not_modified(submission, rng):
    """x and the state are not modified"""
    x, state = rng.normal(2, 4, 3, dtype=torch.float32), draw_state(rng, 2, 5, torch.float32)
    assert_inputs_unchanged(submission.LSTMCell(3, 5), x[:, 0], state)
    assert_inputs_unchanged(submission.LSTM(3, 5), x, state)
