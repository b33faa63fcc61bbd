"""Checks of `dropout`: what is kept and dropped, how often, how independently; evaluation; p of 0 and 1."""

import math

import pytest
import torch

from grader.kit import (
    Mistake,
    assert_accepts,
    assert_at_most,
    assert_close,
    assert_equal,
    assert_inputs_unchanged,
    assert_numbers,
    assert_parameters,
    assert_raises,
    assert_true,
)

pytestmark = pytest.mark.forbid("dropout")

SHAPE = (13, 29, 31)
PAIRS = 5843
SIGMAS = 5
TOLERANCE = {torch.float64: 1e-6, torch.float32: 1e-4}


def workload(submission, rng):
    return submission.Dropout(0.1).train().measure(rng.normal(64, 64, 64, dtype=torch.float32))


def dropout(submission, p):
    return assert_accepts(submission.Dropout, p).train()


def assert_times(came, x, factors, of="x"):
    """`came` is `x`, each element times one of the factors (smallest, largest), both of which occur."""
    # What is noted is the same whatever is drawn, so that diagnosis can compare two answers by it.
    odd = came.masked_fill(came.isfinite(), 0.0) if isinstance(came, torch.Tensor) else came
    assert_equal(odd, torch.zeros_like(x))
    extremes = dict(
        zip((f"smallest factor of {of}", f"largest factor of {of}"), (came / x).aminmax(), strict=True)
    )
    tolerance = TOLERANCE[x.dtype]
    assert_numbers(extremes, dict(zip(extremes, factors, strict=True)), tolerance=tolerance)
    between = (came / x - torch.where(came == 0, *factors)).abs() > tolerance * factors[1]
    message = f"{between.sum()} of {x.numel()} factors of {of} lie in between"
    assert_true(not between.any(), message, seen=bool(between.any()))


def signs(came):
    """-1 where an element was dropped, else 1: for p = 0.5 the mean is 0 and the variance 1."""
    return 1 - 2 * (came == 0).double()


def assert_uncorrelated(correlations, count):
    """Correlation coefficients by name, each the mean of so many products, are 0 up to chance."""
    sizes = {f"correlation {name}": float(abs(value)) for name, value in correlations.items()}
    # First rounded, for diagnosis: what is left is the same whatever is drawn.
    assert_numbers({name: round(5 * size) / 5 for name, size in sizes.items()}, dict.fromkeys(sizes, 0.0))
    name, largest = max(sizes.items(), key=lambda entry: entry[1])
    assert_at_most(largest * math.sqrt(count), SIGMAS, f"{name}, in standard deviations of chance")


def test_no_parameters(submission):
    """it has no parameters"""
    assert_parameters(submission.Dropout(0.5), {})


@pytest.mark.parametrize("p", [0.2, 0.75])
def test_elements_are_dropped_or_scaled(submission, rng, p):
    """in training each element becomes 0 or is divided by 1 - p"""
    x = rng.normal(*SHAPE)
    assert_times(dropout(submission, p)(x), x, (0.0, 1 / (1 - p)))


@pytest.mark.parametrize("p", [0.25, 0.8])
def test_share_of_dropped_elements(submission, rng, p):
    """an element is dropped with probability p"""
    share = (dropout(submission, p)(rng.normal(1, 2 * PAIRS)) == 0).double().mean()
    # First rounded to a twentieth, for diagnosis: what is left is the same whatever is drawn.
    rounded = round(20 * float(share)) / 20
    shares, expected = {"share dropped": rounded, "share kept": 1 - rounded}, (p, 1 - p)
    assert_numbers(shares, dict(zip(shares, expected, strict=True)))
    deviation = abs(float(share) - p) * math.sqrt(2 * PAIRS / (p * (1 - p)))
    assert_at_most(deviation, SIGMAS, "share of dropped elements minus p, in standard deviations of chance")


def test_p_is_one_half_by_default(submission, rng):
    """p is 0.5 if not given"""
    x = rng.normal(*SHAPE)
    assert_times(submission.Dropout().train()(x), x, (0.0, 2.0))


def test_elements_are_independent(submission, rng):
    """two elements that differ in one index only, whichever, are drawn independently"""
    module = dropout(submission, 0.5)
    shapes = [(2, 1, PAIRS), (1, 2, PAIRS), (1, PAIRS, 2)]
    pairs = [signs(module(rng.normal(*shape))).unbind(dim) for dim, shape in enumerate(shapes)]
    correlations = {f"along dimension {dim}": (one * other).mean() for dim, (one, other) in enumerate(pairs)}
    assert_uncorrelated(correlations, PAIRS)


def test_values_do_not_matter(submission, rng):
    """large and small, positive and negative elements are dropped alike"""
    x = rng.normal(1, PAIRS)
    kept = signs(dropout(submission, 0.5)(x))
    sizes = (x.abs() - x.abs().mean()) / x.abs().std()
    assert_uncorrelated({"with x": (kept * x).mean(), "with |x|": (kept * sizes).mean()}, PAIRS)


def test_calls_are_independent(submission, rng):
    """every call draws anew, and so does every module"""
    module, another, x = dropout(submission, 0.5), dropout(submission, 0.5), rng.normal(1, PAIRS)
    first, second, third = signs(module(x)), signs(module(x)), signs(another(x))
    correlations = {"with a second call": first * second, "with a second module": first * third}
    assert_uncorrelated({name: product.mean() for name, product in correlations.items()}, PAIRS)


def test_number_of_dropped_elements_varies(submission, rng):
    """the number of dropped elements is left to chance: it varies from call to call"""
    module, x = dropout(submission, 0.5), rng.normal(1, 2 * PAIRS)
    numbers = torch.stack([(module(x) == 0).sum() for _ in range(5)])
    # By chance five are equal about once in a billion.
    assert_true(
        bool((numbers != numbers[0]).any()), f"five calls each drop {numbers[0]}", seen=numbers - numbers[0]
    )


def test_gradient(submission, rng):
    """the gradient is dropped and scaled where the value is"""
    x, upstream = rng.normal(*SHAPE), rng.normal(*SHAPE)
    came = dropout(submission, 0.2).gradients([upstream], x)
    assert_times(came.inputs[0], upstream, (0.0, 1.25), of="the upstream gradient")
    assert_close(came.inputs[0] / upstream, came.value / x, what="factors of the gradient and of the value")


def test_evaluation_is_the_identity(submission, rng):
    """in evaluation it gives x, and its gradient is the upstream gradient"""
    x, upstream = rng.normal(*SHAPE), rng.normal(*SHAPE)
    came = submission.Dropout(0.4).eval().gradients([upstream], x)
    assert_times(came.value, x, (1.0, 1.0))
    assert_times(came.inputs[0], upstream, (1.0, 1.0), of="the upstream gradient")


def test_training_again_after_evaluation(submission, rng):
    """back in training it drops again"""
    module, x = dropout(submission, 0.2), rng.normal(*SHAPE)
    module.eval()(x)
    assert_times(module.train()(x), x, (0.0, 1.25))


def test_p_zero_is_the_identity(submission, rng):
    """p = 0 gives x in training, and its gradient is the upstream gradient"""
    x, upstream = rng.normal(*SHAPE), rng.normal(*SHAPE)
    came = dropout(submission, 0.0).gradients([upstream], x)
    assert_times(came.value, x, (1.0, 1.0))
    assert_times(came.inputs[0], upstream, (1.0, 1.0), of="the upstream gradient")


def test_p_one_gives_zeros(submission, rng):
    """p = 1 gives zeros in training, not NaN, and a gradient of zeros"""
    x = rng.normal(2, 3, 7)
    came = dropout(submission, 1.0).gradients([rng.normal(2, 3, 7)], x)
    assert_close(came.value, torch.zeros_like(x))
    assert_close(came.inputs[0], torch.zeros_like(x), what="gradient")


def test_p_one_in_evaluation(submission, rng):
    """p = 1 gives x in evaluation"""
    x = rng.normal(2, 3, 7)
    assert_close(assert_accepts(submission.Dropout, 1.0).eval()(x), x)


@pytest.mark.parametrize("p", [-0.1, 1.1])
def test_p_outside_raises(submission, p):
    """a p below 0 or above 1 raises ValueError in the constructor"""
    assert_raises(submission.Dropout, p)


def test_any_shape(submission, rng):
    """one module takes any shape, of one to four dimensions and transposed"""
    # For diagnosis: p is so small and the dimensions are so long that an answer which draws for one dimension
    # alone nearly always drops something, and one with a single draw nothing.
    module = dropout(submission, 0.05)
    for x in (rng.normal(101, 103), rng.normal(2003), rng.normal(1, 1, 103, 101), rng.normal(103, 101).T):
        assert_times(module(x), x, (0.0, 1 / 0.95))


def test_number(submission, rng):
    """a tensor without dimensions keeps its shape"""
    assert_close(dropout(submission, 0.2)(rng.normal()) * 0, torch.zeros((), dtype=torch.float64))


def test_float32_is_kept(submission, rng):
    """float32 is kept"""
    module, x = dropout(submission, 0.2), rng.normal(*SHAPE, dtype=torch.float32)
    assert_times(module(x), x, (0.0, 1.25))
    assert_times(module.eval()(x), x, (1.0, 1.0), of="x in evaluation")


def test_input_is_not_modified(submission, rng):
    """x is not modified"""
    x = rng.normal(5, 7, dtype=torch.float32)
    assert_inputs_unchanged(dropout(submission, 0.5), x)
    assert_inputs_unchanged(dropout(submission, 1.0), x)
    assert_inputs_unchanged(submission.Dropout(0.5).eval(), x)


MISTAKES = [
    Mistake(
        "not-scaled",
        find="        scaled = x / (1 - self.p)",
        replace="        scaled = x",
        says="You do not scale what is kept, so in training an element's expected value is only 1 - p "
        "of what evaluation gives. Divide the kept elements by 1 - p (inverted dropout).",
    ),
    Mistake(
        "multiplied-by-the-keep-probability",
        find="        scaled = x / (1 - self.p)",
        replace="        scaled = x * (1 - self.p)",
        says="You multiply the kept elements by 1 - p in training. Only the part 1 - p of them is left "
        "already; divide by 1 - p to make up for it.",
    ),
    Mistake(
        "divided-by-p",
        find="        scaled = x / (1 - self.p)",
        replace="        scaled = x / self.p",
        says="You divide by p. p is the probability of being dropped; what is kept has probability 1 - "
        "p, and by that you have to divide. (For p = 0.5 the two are the same.)",
    ),
    Mistake(
        "p-is-the-keep-probability",
        find="""\
        keep = torch.rand_like(x) >= self.p
        # The expected value of an element stays what it was, so evaluation needs no factor.
        scaled = x / (1 - self.p)""",
        replace="""\
        keep = torch.rand_like(x) < self.p
        scaled = x / self.p""",
        says="You take p for the probability to keep an element, as in the paper. In PyTorch, and here, "
        "p is the probability to drop it: keep with probability 1 - p and divide by 1 - p.",
    ),
    Mistake(
        "p-is-the-keep-probability-at-its-ends-too",
        find="""\
        if self.p == 1:
            return x * 0  # 1 / (1 - p) is infinite here, and 0 * inf is NaN
        keep = torch.rand_like(x) >= self.p
        # The expected value of an element stays what it was, so evaluation needs no factor.
        scaled = x / (1 - self.p)""",
        replace="""\
        if self.p == 0:
            return x * 0
        keep = torch.rand_like(x) < self.p
        scaled = x / self.p""",
        says="You take p for the probability to keep an element, as in the paper. In PyTorch, and here, "
        "p is the probability to drop it: keep with probability 1 - p and divide by 1 - p.",
    ),
    Mistake(
        "mask-inverted",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="        keep = torch.rand_like(x) < self.p",
        says="Your mask is inverted: you keep an element with probability p and drop it with 1 - p. p is the "
        "probability of being dropped: keep with 1 - p, for example where rand() >= p.",
    ),
    Mistake(
        "scaled-in-evaluation",
        find="""\
        if not self.training:
            return x
        if self.p == 1:
            return x * 0  # 1 / (1 - p) is infinite here, and 0 * inf is NaN
        keep = torch.rand_like(x) >= self.p
        # The expected value of an element stays what it was, so evaluation needs no factor.
        scaled = x / (1 - self.p)
        return scaled * keep""",
        replace="""\
        if not self.training:
            return x * (1 - self.p)
        return x * (torch.rand_like(x) >= self.p)""",
        says="You scale in evaluation, by 1 - p, as the paper describes it. Asked for is inverted "
        "dropout, as in PyTorch: divide by 1 - p in training, and do nothing in evaluation.",
    ),
    Mistake(
        "scaled-in-both-modes",
        find="""\
        if not self.training:
            return x
        if self.p == 1:""",
        replace="""\
        if not self.training:
            return x * (1 - self.p)
        if self.p == 1:""",
        says="You scale in training and in evaluation too. Division by 1 - p in training settles it "
        "already: evaluation is the identity.",
    ),
    Mistake(
        "active-in-evaluation",
        find="""\
        if not self.training:
            return x
""",
        replace="",
        says="You drop elements in evaluation as well. There the module has to be the identity: look at "
        "self.training, which train() and eval() set.",
    ),
    Mistake(
        "mask-drawn-once",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="""\
        if getattr(self, "_shape", None) != x.shape:
            self._shape, self._keep = x.shape, torch.rand_like(x) >= self.p
        keep = self._keep""",
        says="You draw the mask once and use it again, so the same units are dropped in every step: "
        "that is a smaller network, not dropout. Draw a new mask in each call.",
    ),
    Mistake(
        "seed-set-in-forward",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="""\
        torch.manual_seed(0)
        keep = torch.rand_like(x) >= self.p""",
        says="You seed the generator in forward, so every call drops the same elements (and all other "
        "random numbers of the program start again as well). Draw without seeding.",
    ),
    Mistake(
        "one-mask-for-all-rows",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="        keep = torch.rand(x.shape[-1:], dtype=x.dtype) >= self.p",
        says="You draw one mask for the last dimension and use it for every row, so all samples and "
        "tokens lose the same features. Draw a number of its own for each element: rand_like(x).",
    ),
    Mistake(
        "one-mask-for-the-batch",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="        keep = torch.rand(x.shape[1:], dtype=x.dtype) >= self.p",
        says="You draw one mask and use it for all samples of the batch. Draw a number of its own for "
        "each element, the first dimension included: rand_like(x).",
    ),
    Mistake(
        "whole-rows-dropped",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="        keep = torch.rand(*x.shape[:-1], 1, dtype=x.dtype) >= self.p",
        says="You draw one number for each vector and drop it as a whole. Draw a number of its own for "
        "each element: rand_like(x).",
    ),
    Mistake(
        "all-or-nothing",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="        keep = torch.rand(()) >= self.p",
        says="You draw a single number for the whole tensor, which is dropped or kept in one piece "
        "(that is stochastic depth). Draw a number for each element: rand_like(x).",
    ),
    Mistake(
        "fixed-number-dropped",
        find="        keep = torch.rand_like(x) >= self.p",
        replace="""\
        places = torch.randperm(x.numel())[: round(self.p * x.numel())]
        keep = torch.ones(x.numel(), dtype=torch.bool).index_fill(0, places, False).view(x.shape)""",
        says="You always drop the same number of elements, p times the size. Then they are not "
        "independent: one that is dropped makes it likelier that another is kept. Draw for each element "
        "by itself.",
    ),
    Mistake(
        "scaled-by-the-share-kept",
        find="        scaled = x / (1 - self.p)",
        replace="        scaled = x / keep.to(x.dtype).mean()",
        says="You divide by the share that happened to be kept. It is 1 - p only on average; divide by "
        "1 - p, so that an element does not depend on what was drawn for the others (and nothing is 0 / "
        "0).",
    ),
    Mistake(
        "p-one-divides-by-zero",
        find="""\
        if self.p == 1:
            return x * 0  # 1 / (1 - p) is infinite here, and 0 * inf is NaN
""",
        replace="",
        says="With p = 1 you divide by 1 - p = 0, and the zero of the mask times infinity is NaN. Treat "
        "p = 1 separately: everything is dropped, so the result is zeros.",
    ),
    Mistake(
        "p-one-gives-zeros-in-evaluation",
        find="""\
        if not self.training:
            return x
        if self.p == 1:
            return x * 0  # 1 / (1 - p) is infinite here, and 0 * inf is NaN
""",
        replace="""\
        if self.p == 1:
            return x * 0
        if not self.training:
            return x
""",
        says="With p = 1 you give zeros in evaluation too. There the module is the identity for every "
        "p: look at self.training first.",
    ),
    Mistake(
        "p-unchecked",
        find="""\
        if not 0 <= p <= 1:
            raise ValueError(f"p must be between 0 and 1, not {p}")
""",
        replace="",
        says="You accept a p outside [0, 1], which is no probability. Raise a ValueError in the constructor.",
    ),
    Mistake(
        "p-zero-and-one-refused",
        find="        if not 0 <= p <= 1:",
        replace="        if not 0 < p < 1:",
        says="You refuse p = 0 and p = 1. Both are allowed: 0 drops nothing (the usual setting for no "
        "dropout), 1 drops all.",
    ),
    Mistake(
        "p-one-refused",
        find="        if not 0 <= p <= 1:",
        replace="        if not 0 <= p < 1:",
        says="You refuse p = 1. It is allowed, and gives zeros in training.",
    ),
    Mistake(
        "p-ignored",
        find="        self.p = p",
        replace="        self.p = 0.5",
        says="You write 0.5 into the module, so the argument p has no effect. It is the default only: "
        "use what was passed.",
    ),
    Mistake(
        "input-modified",
        find="        scaled = x / (1 - self.p)",
        replace="        scaled = x.div_(1 - self.p)",
        says="You write into x itself (div_, mul_, x[dropped] = 0), so the caller's tensor is changed, "
        "and a leaf that requires a gradient raises. Make a new tensor: x / (1 - p) * keep.",
    ),
    Mistake(
        "output-detached",
        find="        return scaled * keep",
        replace="        return (scaled * keep).detach()",
        says="Your values are right, but you cut the graph (detach, .data and no_grad all do), so no "
        "gradient gets through and nothing before the dropout learns.",
    ),
    Mistake(
        "gradient-not-dropped",
        find="        return scaled * keep",
        replace="        return x + (scaled * keep - x).detach()",
        also=(("            return x * 0 ", "            return x + (x * 0 - x).detach() "),),
        says="Your values are right, but the gradient passes as if nothing was dropped or scaled. A "
        "dropped element has gradient 0 and a kept one 1 / (1 - p): the mask is a constant factor, no "
        "more.",
    ),
]
