"""Checks of `mlp_torch`: parameters, values, gradients, leading dimensions."""

import pytest
import torch
from torch import nn
from torch.func import functional_call

from grader.kit import (
    Mistake,
    assert_close,
    assert_inputs_unchanged,
    assert_parameters,
    assert_same_gradients,
)


def workload(submission, rng):
    return submission.MLP(64, 128, 32).measure(rng.normal(8, 16, 64, dtype=torch.float32))


def shapes(n, hidden, m):
    """The parameters' shapes by name."""
    return {"fc1.weight": (hidden, n), "fc1.bias": (hidden,), "fc2.weight": (m, hidden), "fc2.bias": (m,)}


def draw(rng, mlp, sizes, dtype=torch.float64):
    """Random weights, which the network gets."""
    weights = {name: rng.normal(*shape, dtype=dtype, scale=0.5) for name, shape in shapes(*sizes).items()}
    mlp.load(weights)
    return weights


def built_in(weights, x):
    """nn.Sequential with these weights."""
    own = {name.replace("fc1", "0").replace("fc2", "2"): value for name, value in weights.items()}
    outer, inner = weights["fc2.weight"].shape
    layers = nn.Sequential(nn.Linear(x.shape[-1], inner), nn.ReLU(), nn.Linear(inner, outer))
    return functional_call(layers, own, x)


@pytest.mark.parametrize("sizes", [(5, 7, 3), (3, 13, 11), (1, 2, 1)])
def test_parameters(submission, sizes):
    """its parameters are weight and bias of fc1 (input to hidden) and of fc2 (hidden to output)"""
    assert_parameters(submission.MLP(*sizes), shapes(*sizes))


@pytest.mark.parametrize("sizes", [(5, 7, 3), (3, 13, 11), (5, 5, 5), (1, 2, 1)])
def test_equals_the_built_in(submission, rng, sizes):
    """it equals nn.Sequential(nn.Linear, nn.ReLU, nn.Linear), and so do its gradients"""
    mlp = submission.MLP(*sizes)
    weights = draw(rng, mlp, sizes)
    assert_same_gradients(mlp, built_in, rng.normal(11, sizes[0]), weights=weights)


def test_leading_dimensions(submission, rng):
    """any leading dimensions stay as they are, also of size 1, or none"""
    mlp = submission.MLP(5, 7, 1)
    weights = draw(rng, mlp, (5, 7, 1))
    for shape in [(2, 3, 5), (1, 1, 5), (2, 1, 3, 5), (5,), (13, 5)]:
        x = rng.normal(*shape)
        assert_close(mlp(x), built_in(weights, x))


def test_other_layouts(submission, rng):
    """an x that is not contiguous is right"""
    mlp = submission.MLP(5, 7, 3)
    weights, x = draw(rng, mlp, (5, 7, 3)), rng.normal(5, 2, 11).transpose(0, 2)
    assert_close(mlp(x), built_in(weights, x))


def test_large_values(submission, rng):
    """ReLU passes positive values on as they are, however large"""
    mlp = submission.MLP(5, 7, 3)
    weights, x = draw(rng, mlp, (5, 7, 3)), rng.normal(11, 5, scale=1e3)
    assert_close(mlp(x), built_in(weights, x))


def test_float32_is_kept(submission, rng):
    """float32 is kept, and the gradients are right and float32"""
    mlp = submission.MLP(5, 7, 3)
    weights, x = draw(rng, mlp, (5, 7, 3), torch.float32), rng.normal(2, 3, 5, dtype=torch.float32)
    assert_same_gradients(mlp, built_in, x, weights=weights)


def test_the_same_in_training_and_evaluation(submission, rng):
    """training and evaluation give the same"""
    mlp = submission.MLP(5, 7, 3)
    weights, x = draw(rng, mlp, (5, 7, 3)), rng.normal(11, 5)
    assert_close(mlp.train()(x), built_in(weights, x), what="training")
    assert_close(mlp.eval()(x), built_in(weights, x), what="evaluation")


def test_calls_are_independent(submission, rng):
    """a call uses the weights as they are then, and nothing of the calls and the networks before"""
    mlp, other = submission.MLP(5, 7, 3), submission.MLP(5, 7, 3)
    draw(rng, mlp, (5, 7, 3))
    mlp(rng.normal(2, 5))
    weights, others = draw(rng, mlp, (5, 7, 3)), draw(rng, other, (5, 7, 3))
    x = rng.normal(11, 5)
    assert_close(mlp(x), built_in(weights, x))
    assert_close(other(x), built_in(others, x), what="another network")


def test_input_is_not_modified(submission, rng):
    """x is not modified"""
    assert_inputs_unchanged(submission.MLP(5, 7, 3), rng.normal(2, 3, 5, dtype=torch.float32))


MISTAKES = [
    Mistake(
        "relu-missing",
        find="        hidden = torch.relu(pre)",
        replace="        hidden = pre",
        says="You have no activation between the layers. Two linear layers in a row are one linear layer, "
        "whatever the hidden size: W2 (W1 x) = (W2 W1) x. Apply ReLU to the output of fc1.",
    ),
    Mistake(
        "relu-on-the-output",
        find="        return self.fc2(hidden)",
        replace="        return torch.relu(self.fc2(hidden))",
        says="You apply ReLU to the output too, so it can never be negative, and where it is 0 no gradient "
        "flows. ReLU stands between the two layers only; the second one is linear.",
    ),
    Mistake(
        "relu-on-the-input",
        find="""\
        pre = self.fc1(x)  # (..., hidden_size)
        # Without ReLU the two layers would be one: a product of matrices is a matrix.
        hidden = torch.relu(pre)""",
        replace="        hidden = self.fc1(torch.relu(x))",
        says="You apply ReLU to the input, which throws away its negative part, and nothing stands between "
        "the two linear layers. The order is fc1, ReLU, fc2.",
    ),
    Mistake(
        "input-overwritten-by-relu",
        find="        pre = self.fc1(x)",
        replace="        pre = self.fc1(nn.functional.relu(x, inplace=True))",
        says="You apply an in-place ReLU to x: that changes the caller's tensor, and a leaf that requires a "
        "gradient raises. x goes into fc1 as it is; ReLU comes after.",
    ),
    Mistake(
        "gelu-instead-of-relu",
        find="        hidden = torch.relu(pre)",
        replace="        hidden = nn.functional.gelu(pre)",
        says="You use GELU. Later transformers do, but here ReLU was asked for: max(x, 0).",
    ),
    Mistake(
        "leaky-relu",
        find="        hidden = torch.relu(pre)",
        replace="        hidden = nn.functional.leaky_relu(pre)",
        says="You use leaky ReLU, which lets 1 % of a negative value through. ReLU gives exactly 0 there.",
    ),
    Mistake(
        "sigmoid-instead-of-relu",
        find="        hidden = torch.relu(pre)",
        replace="        hidden = torch.sigmoid(pre)",
        says="You use a sigmoid between the layers. It saturates on both sides, where its gradient vanishes; "
        "ReLU was asked for: max(x, 0).",
    ),
    Mistake(
        "tanh-instead-of-relu",
        find="        hidden = torch.relu(pre)",
        replace="        hidden = torch.tanh(pre)",
        says="You use tanh between the layers. It saturates on both sides, where its gradient vanishes; "
        "ReLU was asked for: max(x, 0).",
    ),
    Mistake(
        "softmax-on-the-output",
        find="        return self.fc2(hidden)",
        replace="        return torch.softmax(self.fc2(hidden), dim=-1)",
        says="You apply a softmax to the output. The network gives what fc2 gives (logits, in a classifier): "
        "cross entropy applies the softmax itself, and twice is wrong.",
    ),
    *(
        Mistake(
            "dropout-added" + suffix,
            find="        hidden = torch.relu(pre)",
            replace=f"        hidden = nn.functional.dropout(torch.relu(pre), {p}, self.training)",
            says="You drop hidden units in training. That is common, but not asked for here: training and "
            "evaluation give the same.",
        )
        # What is dropped is drawn from the worker's seed, so that it is the same for the same rate.
        for p, suffix in ((0.5, ""), (0.1, "-0.1"), (0.2, "-0.2"))
    ),
    Mistake(
        "hidden-detached",
        find="        hidden = torch.relu(pre)",
        replace="        hidden = torch.relu(pre).detach()",
        says="Your values are right, but you cut the graph between the layers (detach, .data and no_grad all "
        "do), so neither fc1 nor x gets a gradient and fc1 never learns.",
    ),
    Mistake(
        "no-biases",
        find="""\
        self.fc1 = nn.Linear(input_size, hidden_size)
        self.fc2 = nn.Linear(hidden_size, output_size)""",
        replace="""\
        self.fc1 = nn.Linear(input_size, hidden_size, bias=False)
        self.fc2 = nn.Linear(hidden_size, output_size, bias=False)""",
        says="Your layers have no bias. Both have one here (the default of nn.Linear): without it every "
        "hidden unit's kink goes through the origin, and x = 0 always gives 0.",
    ),
    *(
        Mistake(
            f"no-bias-in-{layer}",
            find=f"        self.{layer} = nn.Linear({sizes})",
            replace=f"        self.{layer} = nn.Linear({sizes}, bias=False)",
            says=f"Your {layer} has no bias. Both layers have one here (the default of nn.Linear).",
        )
        for layer, sizes in (("fc1", "input_size, hidden_size"), ("fc2", "hidden_size, output_size"))
    ),
    Mistake(
        "layers-in-a-list",
        find="""\
        self.fc1 = nn.Linear(input_size, hidden_size)
        self.fc2 = nn.Linear(hidden_size, output_size)""",
        replace="""\
        layers = [nn.Linear(input_size, hidden_size), nn.Linear(hidden_size, output_size)]
        self.__dict__.update(layers=layers, fc1=layers[0], fc2=layers[1])""",
        says="Your module has no parameters: it does not see layers that are kept in a Python list (or "
        "dict), so no optimizer trains them and the state dict is empty. Assign each layer to an attribute: "
        "self.fc1, self.fc2.",
    ),
    Mistake(
        "layers-in-a-sequential",
        find="""\
        self.fc1 = nn.Linear(input_size, hidden_size)
        self.fc2 = nn.Linear(hidden_size, output_size)""",
        replace="""\
        first, second = nn.Linear(input_size, hidden_size), nn.Linear(hidden_size, output_size)
        self.net = nn.Sequential(first, nn.ReLU(), second)
        self.__dict__.update(fc1=first, fc2=second)""",
        says="Your layers are right, but their weights are called net.0 and net.2 after their place in the "
        "Sequential. They have to be fc1 and fc2, so that weights can be loaded by name: assign them to "
        "self.fc1 and self.fc2.",
    ),
    Mistake(
        "sizes-swapped",
        find="        self.fc1 = nn.Linear(input_size, hidden_size)",
        replace="        self.fc1 = nn.Linear(hidden_size, input_size)",
        says="You swap the sizes of fc1: nn.Linear takes the input's size first, then the output's. (Its "
        "weight is stored the other way round, (output, input), which misleads.)",
    ),
    Mistake(
        "super-not-called",
        find="        super().__init__()\n",
        replace="",
        says="You do not call super().__init__(), so the module has no place to register its layers, and the "
        "first assignment fails. Call it before anything else in __init__.",
    ),
    Mistake(
        "module-instead-of-its-result",
        find="        hidden = torch.relu(pre)",
        replace="        hidden = nn.ReLU(pre)",
        says="nn.ReLU(pre) makes a ReLU module (pre is taken for its argument inplace); it does not apply "
        "one. Make the module first and call it, nn.ReLU()(pre), or use the function torch.relu(pre).",
    ),
    Mistake(
        "leading-dimensions-flattened",
        find="        pre = self.fc1(x)",
        replace="        pre = self.fc1(x.flatten(1))",
        says="You flatten everything but the first dimension, as before a classifier of images. Here the "
        "features are the last dimension alone: nn.Linear acts on it and leaves the others as they are.",
    ),
    Mistake(
        "leading-dimensions-not-restored",
        find="        pre = self.fc1(x)",
        replace="        pre = self.fc1(x.reshape(-1, x.shape[-1]))",
        says="You make one list of vectors out of the leading dimensions and leave it at that, so (2, 3, 5) "
        "comes out as (6, 1). Shape the result back, x.shape[:-1] and then the output's size, or flatten "
        "nothing: nn.Linear acts on the last dimension and leaves the others as they are.",
    ),
    Mistake(
        "view-of-any-layout",
        find="        pre = self.fc1(x)",
        replace="        pre = self.fc1(x.view(-1, x.shape[-1]).view(x.shape))",
        says="You flatten x with view, which raises for a transposed tensor: its rows do not lie behind each "
        "other in memory. Use reshape, or none at all: nn.Linear takes any leading dimensions.",
    ),
    Mistake(
        "cast-to-float32",
        find="        pre = self.fc1(x)",
        replace="        pre = self.fc1(x.float())",
        says="You cast to float32 on the way (x.float(), for example), so a float64 network multiplies a "
        "float32 matrix by a float64 one, which raises. Cast nothing: x has the dtype of the parameters.",
    ),
    Mistake(
        "output-squeezed",
        find="        return self.fc2(hidden)",
        replace="        return self.fc2(hidden).squeeze()",
        says="You squeeze the output, which removes every dimension of size 1: the batch of a single sample, "
        "a single token, a single output. The leading dimensions stay as they are.",
    ),
]
