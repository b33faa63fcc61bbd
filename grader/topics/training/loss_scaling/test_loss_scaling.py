"""Checks of `LossScaler`: step by step against torch.amp.GradScaler, with gradients told to overflow."""

from types import SimpleNamespace

import pytest
import torch
from torch import Tensor  # noqa: F401  (scenarios use it, also where they run here)

from grader.kit import (
    assert_again,
    assert_close,
    assert_equal,
    assert_inputs_unchanged,
    assert_same_gradients,
)
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_scenario_keeps_device

pytestmark = pytest.mark.forbid("gradient_scaling")

INF, NAN = torch.inf, torch.nan
OPTIONS = {"init_scale": 8.0, "growth_factor": 4.0, "backoff_factor": 0.25, "growth_interval": 2}


class GradScaler:  # PyTorch's, on the CPU, with our names
    def __init__(self, **options):
        self.scaler = torch.amp.GradScaler("cpu", **options)
        self.scaler.scale(torch.zeros(()))  # it does not begin before it has seen a loss

    @property
    def current(self):
        return self.scaler.get_scale()

    def scale(self, loss):
        return self.scaler.scale(loss)

    def step(self, optimizer):
        steps = optimizer.steps
        self.scaler.step(optimizer)
        return optimizer.steps > steps

    def update(self):
        self.scaler.update()


ORACLE = SimpleNamespace(LossScaler=GradScaler)


def workload(submission, rng):
    gradients = [[rng.normal(64, 64), None]]
    return submission.measure(trained, [rng.normal(64, 64), rng.normal(3)], gradients, {}, [[0, 1]])


def trained(answer, parameters, gradients, options, groups, by_a_loss=False, counted=None):
    """A scaler over some steps, with given gradients (None for none), which are scaled: by backward of a
    loss, or simply so.

    There is an optimizer for each of the groups: lists of the parameters' numbers; those in none come to the
    first one after a step. One without gradients is not stepped. By step: which have stepped, how often, the
    parameters, the scale. `counted` is told of each time that one is asked to.
    """

    class Descent(torch.optim.Optimizer):
        """With weight decay, as AdamW has it. Not built by torch, which would load its compiler for that."""

        def __init__(self, params):
            self.param_groups = [{"params": params[:1], "lr": 0.5}, {"params": params[1:], "lr": 0.5}]
            self.defaults, self.state, self.steps = {"lr": 0.5}, {}, 0

        def step(self, closure=None):
            self.steps += 1
            if counted is not None:
                counted()
            with torch.no_grad():
                for group in self.param_groups:
                    for param in group["params"]:
                        if param.grad is not None:
                            assert param.grad.dtype == param.dtype, "a gradient has another dtype now"
                            param -= group["lr"] * (param.grad + 0.5 * param)

        def zero_grad(self, set_to_none=True):
            for group in self.param_groups:
                for param in group["params"]:
                    param.grad = None

    leaves = [parameter.requires_grad_() for parameter in parameters]
    optimizers = [Descent([leaves[number] for number in group]) for group in groups]
    later = iter([{"params": leaves[max(map(max, groups)) + 1 :], "lr": 0.5}])
    scaler = answer.LossScaler(**options)
    seen = [{"scale": scaler.current}]
    for each in gradients:
        for optimizer in optimizers:
            optimizer.zero_grad()
        pairs = [pair for pair in zip(leaves, each, strict=True) if pair[1] is not None]
        if by_a_loss:
            scaler.scale(sum((leaf * gradient).sum() for leaf, gradient in pairs)).backward()
        else:
            for leaf, gradient in pairs:
                leaf.grad = gradient * scaler.current
        asked = [any(each[number] is not None for number in group) for group in groups]
        stepped = [scaler.step(one) for one, is_asked in zip(optimizers, asked, strict=True) if is_asked]
        scaler.update()
        optimizers[0].param_groups.extend(later)
        seen.append(
            {
                "what step gives": stepped,
                "steps made": [optimizer.steps for optimizer in optimizers],
                "parameters": [leaf.detach().clone() for leaf in leaves],
                "scale": scaler.current,
            }
        )
    return seen


def assert_as_gradscaler(submission, parameters, gradients, options, groups=None, **more):
    groups = groups or [list(range(len(parameters)))]
    copies, asked = [parameter.clone() for parameter in parameters], {"in all": 0, "by the answer": 0}

    def counted_for(whom):
        def counted():
            asked[whom] += 1

        return counted if is_second_round() else None  # an optimizer's own number can be set back

    wanted = trained(ORACLE, copies, gradients, options, groups, **more, counted=counted_for("in all"))
    given = counted_for("by the answer")
    came = submission.run(trained, parameters, gradients, options, groups, **more, counted=given)
    names = ["at first", *(f"update {number}" for number in range(1, len(gradients) + 1))]
    assert_close(dict(zip(names, came, strict=True)), dict(zip(names, wanted, strict=True)))
    assert_again(lambda: asked["by the answer"], lambda: asked["in all"], what="calls of optimizer.step")


def drawn(rng, steps, *shapes, dtype=torch.float64):
    parameters = [rng.normal(*shape, dtype=dtype) for shape in shapes]
    return parameters, [[rng.normal(*shape, dtype=dtype) for shape in shapes] for _ in range(steps)]


def spoiled(rng, gradient, value):
    """The same with one entry, any of them, that is told to be something else."""
    gradient = gradient.clone()
    gradient.view(-1)[rng.integers(0, gradient.numel(), 1)] = value
    return gradient


def test_steps_and_updates(submission, rng):
    """over good and bad steps, parameters, scale and what step gives are those of torch.amp.GradScaler"""
    parameters, gradients = drawn(rng, 5, (3,), (2, 2))
    gradients[1][1] = spoiled(rng, gradients[1][1], INF)
    growth = {"growth_factor": rng.option(4.0, 1.01, 16.0), "growth_interval": rng.option(2, 1, 3)}
    back = {"init_scale": rng.option(8.0, 1.0, 1e7), "backoff_factor": rng.option(0.25, 0.01, 0.99)}
    assert_as_gradscaler(submission, parameters, gradients, {**growth, **back})


@pytest.mark.parametrize("init_scale, growth", [(8.0, 4.0), (2.0**23, 4.0), (0.5, 4.0), (1000.0, 1.5)])
def test_growth_in_every_update(submission, rng, init_scale, growth):
    """with growth_interval=1 every good update grows the scale, also behind a bad one and behind growth"""
    (parameter,), gradients = drawn(rng, 3, (3,))
    gradients[0][0] = spoiled(rng, gradients[0][0], INF)
    options = {"init_scale": init_scale, "growth_factor": growth, "growth_interval": 1}
    options["backoff_factor"] = 0.25 if growth == 4.0 else 0.75  # neither has to be a power of 2
    assert_as_gradscaler(submission, [parameter], gradients, options)


@pytest.mark.parametrize("value", [-INF, NAN])
def test_other_overflows(submission, rng, value):
    """-inf and NaN skip a step as inf does, in whichever gradient they are, and wherever in it"""
    params, gradients = drawn(rng, 1, (3,), (31, 37), *[(1,)] * (37 * is_second_round()))
    place = -1 - int(rng.integers(0, 11, 1)) if is_second_round() else 1
    gradients[0][place] = spoiled(rng, gradients[0][place], value)
    assert_as_gradscaler(submission, params, gradients, OPTIONS | {"init_scale": rng.option(8.0, 1.0, 1.0)})


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_large_gradients_are_no_overflow(submission, rng, dtype):
    """large finite gradients are stepped with, though their sum and their squares are inf; they may cancel"""
    params = drawn(rng, 0, *[(4,)] * (1 + is_second_round()), dtype=dtype)[0]
    gradient = torch.tensor([0.35, 0.5, 0.62, -0.32], dtype=dtype) * torch.finfo(dtype).max
    # A scale of 1, so that the sum overflows before the division and behind it.
    assert_as_gradscaler(submission, params, [[gradient] * len(params)], {**OPTIONS, "init_scale": 1.0})


def test_real_overflow(submission, rng):
    """where the scaled gradient itself overflows in float32, the scale falls until it does not"""
    (parameter,), _ = drawn(rng, 0, (4,), dtype=torch.float32)
    gradients, options = [[torch.tensor([2.0, 3e33, -2e33, 1.0])]] * 2, {**OPTIONS, "init_scale": 2.0**18}
    assert_as_gradscaler(submission, [parameter], gradients, options, by_a_loss=True)


def test_parameters_without_a_gradient(submission, rng):
    """parameters without a gradient are passed over, and no weight decay moves them"""
    parameters, gradients = drawn(rng, 1, (3,), (2, 2), (5,))
    gradients[0][0] = gradients[0][2] = None
    assert_as_gradscaler(submission, parameters, gradients, OPTIONS)


def test_transposed_gradients(submission, rng):
    """gradients that are not contiguous are divided as others are"""
    parameters, (gradients,) = drawn(rng, 1, (2, 3), (5, 2))
    turned = [each.T for each in parameters], [[each.T for each in gradients]]
    assert_as_gradscaler(submission, *turned, OPTIONS)


def test_several_optimizers(submission, rng):
    """each optimizer skips for its own gradients, a group that came later too; one skip backs off for all"""
    parameters, gradients = drawn(rng, 4, (3,), (2, 2), (5,))
    gradients[0][0] = spoiled(rng, gradients[0][0], INF)
    gradients[1][1], gradients[3][2] = spoiled(rng, gradients[1][1], NAN), spoiled(rng, gradients[3][2], INF)
    if is_second_round():  # the first has skipped, and now it is the other's turn alone
        gradients += [[None, rng.normal(2, 2), None] for _ in range(2)]
    assert_as_gradscaler(submission, parameters, gradients, OPTIONS, [[0], [1]])


def test_defaults(submission, rng):
    """the scale is 65536 by default, doubled in growth and halved in backing off"""
    (parameter,), gradients = drawn(rng, 2, (3,), dtype=torch.float32)
    gradients[1][0] = spoiled(rng, gradients[1][0], INF)
    assert_as_gradscaler(submission, [parameter], gradients, {"growth_interval": 1})


def default_interval(answer):
    """As it stands in the signature, if it does: 2000 steps would take a while."""
    import inspect

    answer.LossScaler()
    found = inspect.signature(answer.LossScaler).parameters.get("growth_interval")
    return found.default if isinstance(getattr(found, "default", None), int) else 2000


def scales_over(answer, options, most):
    """The scale at first and behind each update."""

    class Nothing(torch.optim.Optimizer):
        def __init__(self, params):
            self.param_groups, self.defaults, self.state = [{"params": params}], {}, {}

        def step(self, closure=None): ...

    weight = torch.zeros(1, requires_grad=True)
    optimizer, scaler = Nothing([weight]), answer.LossScaler(**options)
    weight.grad = torch.zeros(1)
    scales = [scaler.current]
    for _ in range(most):
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.current)
    return scales


def test_default_interval(submission, rng):
    """growth_interval is 2000 by default"""
    assert_equal(submission.run(default_interval), 2000, what="growth_interval")
    others = [{"growth_interval": n} for n in (rng.option(37, 2, 2000), rng.option(2500, 2001, 5000))]
    for options, interval in (({}, 2000), *((each, each["growth_interval"]) for each in others)):
        assert_again(
            lambda options=options, most=interval + 1: submission.run(scales_over, options, most),
            lambda interval=interval: [2.0**16] * interval + [2.0**17] * 2,
            what=f"scales with {options or 'the defaults'}",
        )


@pytest.mark.parametrize("shape, dtype", [((), torch.float32), ((3,), torch.float64)])
def test_scale(submission, rng, shape, dtype):
    """scale gives the loss times the scale, with its gradients, in the loss's dtype and shape"""
    scaler = submission.LossScaler(times := rng.option(8.0, 0.01, 1e6))
    assert_same_gradients(scaler.scale, lambda loss: times * loss, rng.normal(*shape, dtype=dtype))


def test_loss_is_not_modified(submission, rng):
    """scale leaves the loss as it is"""
    assert_inputs_unchanged(submission.LossScaler().scale, rng.normal())
    loss = rng.normal()
    assert_close(submission.run(after_scaling, loss), 2 * loss, what="the loss, made by other operations")


def after_scaling(answer, half):
    """A loss that is no leaf, when a scaled one has been made of it."""
    loss = 2 * half.requires_grad_()
    answer.LossScaler().scale(loss)
    return loss.detach()


def scaled(answer, loss):
    """By a scaler that was made where the CPU is the default device."""
    with torch.device("cpu"):
        scaler = answer.LossScaler(8.0)
    return scaler.scale(loss)


def test_device_of_the_loss(submission, rng):
    """the scaled loss is on the loss's device, whatever the default device is"""
    assert_scenario_keeps_device(submission, scaled, rng.normal(3))


def two_scalers(answer):
    return [float(scaler.current) for scaler in (answer.LossScaler(4.0), answer.LossScaler(16.0))]


def test_two_scalers(submission):
    """two scalers know nothing of each other"""
    assert_equal(submission.run(two_scalers), [4.0, 16.0])
