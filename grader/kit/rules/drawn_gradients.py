"""Whether gradients in training are those of what was drawn: a backward written by hand may forget it, and a
dropout written by hand may let none through.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from grader.kit.assertions import assert_true
from grader.kit.comparison import allowance, counting, difference
from grader.kit.generators import upstream_generator
from grader.kit.handles import Function, Instance
from grader.kit.rounds import is_second_round, round_seed
from grader.kit.second_look import gradients_by_scenario
from grader.worker.walls.builtins.differentiation import backward_from


def assert_gradients_of_the_draw(
    module: Instance,
    drawn: Callable[[Tensor], Tensor],
    oracle: Callable[..., Tensor],
    *inputs: Tensor,
    weights: Mapping[str, Tensor],
    constants: Mapping[str, Any] | None = None,
    where: Tensor | None = None,
    tolerance: float | None = None,
) -> None:
    """In training the gradients of inputs and parameters are those of what was drawn in the same call.

    `drawn(value)` reads the draw off the value that came, whatever the random numbers were, and
    `oracle(draw, weights, *inputs)` gives the value under this draw. `constants` (masks, say) are further
    arguments of the call; `where` and `tolerance` are those of `assert_same_gradients`.
    """
    leaves = [value.clone().requires_grad_() for value in inputs]
    own = {name: value.clone().requires_grad_() for name, value in weights.items()}
    shape = oracle(torch.ones((), dtype=torch.float64), own, *leaves).shape
    upstream = torch.randn(shape, generator=upstream_generator(), dtype=torch.float64)
    upstream = counting(upstream, torch.zeros_like(upstream), where)
    gradients = gradients_by_scenario if is_second_round() else Function.gradients
    came = gradients(module.train(), [upstream], *inputs, constants=constants)
    fits = isinstance(came.value, Tensor) and came.value.shape == shape
    value = oracle(drawn(came.value.detach()), own, *leaves) if fits else None
    if value is not None:
        wanted_value, allowed = value.detach(), tolerance or 1e-5
        fits = difference(counting(came.value, wanted_value, where), wanted_value, allowed) is None
    assert_true(fits, "in training the value is not that of the formula with something dropped", seen=fits)
    if value is None or not fits:
        return
    total = (value * upstream).sum()
    wanted = torch.autograd.grad(total, [*leaves, *own.values()], materialize_grads=True, allow_unused=True)
    absolute = max(allowance(gradient, tolerance) for gradient in wanted)
    found = [*came.inputs, *(came.parameters.get(name) for name in own)]
    names = [*came.names, *own]
    wrong = {
        name: text
        for name, one, other in zip(names, found, wanted, strict=True)
        if (text := difference(one, other, absolute=absolute)) is not None
    }
    # For diagnosis which they are: by how much depends on what was drawn.
    places = [place for place, name in enumerate(names) if name in wrong]
    first = next(iter(wrong.items()), ("", ""))
    message = f"backward does not follow what forward has dropped: gradient of {first[0]}: {first[1]}"
    assert_true(not wrong, message, seen=places)


_DIRECTIONS = 3
_STEPS = (1e-7, 1e-4)
"""The larger step is for answers that compute in float32 inside, the smaller one for corners, as ReLU has
them: on both sides of a place hardly any is so near."""
_SPARES = 12
"""How often what got no gradient is tried again: of layers that are dropped whole, one in ten gets none."""


def assert_gradients_whatever_is_dropped(
    module: Instance, *inputs: Any, constants: Mapping[str, Any] | None = None
) -> None:
    """A module in float64 with a dropout below one half, of which it is not known what it drops: in training
    gradients reach all inputs and parameters that they reach in evaluation. In the second round they are, in
    both modes, those of the value that came, where from one seed (of PyTorch, NumPy and Python) the same is
    drawn: then values a small step further tell. And float32 is kept in both modes.
    """
    sent = [list(inputs), dict(constants or {})]
    directions = _DIRECTIONS if is_second_round() else 0
    drawn = [list(_STEPS), directions, 1 + round_seed(), _SPARES]
    evaluation, training = module.within(_in_both_modes, *sent, *drawn)
    reached = [name for name, size in evaluation["sizes"].items() if size > 1e-6]
    lost = sorted(name for name in reached if not training["sizes"][name] > 1e-9)
    more = f" and {len(lost) - 4} more" if len(lost) > 4 else ""
    message = f"in training, with a dropout, no gradient reaches {', '.join(lost[:4])}{more}"
    # For diagnosis not which: that depends on where an answer drops.
    assert_true(not lost, message, seen=("some" if len(lost) < len(reached) else "all") if lost else "none")
    if not directions or lost:
        return
    for mode, found in {"evaluation": evaluation, "training": training}.items():
        fine = all(map(_agrees, found["along"]))
        message = f"in {mode}, with a dropout, gradients are not those of the value that came"
        assert_true(fine, message, seen=fine)
    dtypes = module.within(_dtypes_in_float32, *sent)
    message = f"with a dropout, float32 becomes {', '.join(dtypes)}"
    assert_true(dtypes == ["torch.float32"], message, seen=dtypes)


def _agrees(along: Mapping[str, Any]) -> bool:
    """Whether the gradient tells by how much the loss changes in a direction, if the same is drawn."""
    quotients, told, size = along["quotients"], along["told"], along["size"]
    near = [abs(each - told) <= 0.1 * max(abs(each), size) for each in quotients]
    return any(near) or not near


def _in_both_modes(
    module: "Any",
    inputs: "Any",
    constants: "Any",
    steps: "Any",
    directions: "Any",
    seed: "Any",
    spares: "Any",
) -> "Any":
    """To be run in the worker: by mode how large gradients are, and what the loss does in some directions."""
    import random

    own, upstream = torch.Generator().manual_seed(seed), list["Any"]()
    leaves = {name: each for name, each in module.named_parameters() if each.requires_grad}
    for number, each in enumerate(inputs):
        if isinstance(each, torch.Tensor) and each.is_floating_point():
            leaves[f"argument {number + 1}"] = inputs[number] = each.clone().requires_grad_()
    start = {name: leaf.detach().clone() for name, leaf in leaves.items()}

    def call() -> "Any":
        value = module(*inputs, **constants)
        return list(value) if isinstance(value, tuple | list) else [value]

    def loss_of(values: "Any") -> "Any":
        if not upstream:
            upstream.extend(torch.randn(each.shape, generator=own, dtype=each.dtype) for each in values)
        return sum((one * other).sum() for one, other in zip(values, upstream, strict=True))

    def differentiated() -> "Any":
        for leaf in leaves.values():
            leaf.grad = None
        values = call()
        loss = loss_of(values)
        if loss.requires_grad:
            backward_from([(loss, torch.ones_like(loss))])
        found = {name: torch.zeros_like(v) if v.grad is None else v.grad for name, v in leaves.items()}
        return [each.detach() for each in values], loss.item(), found

    def sizes_of(found: "Any") -> "Any":
        sizes = {name: each.abs().max().item() for name, each in found.items()}
        largest = max(sizes.values())
        return {name: size / largest if largest > 0 else 0.0 for name, size in sizes.items()}

    def put(direction: "Any", step: "Any") -> "Any":
        with torch.no_grad():
            for name, leaf in leaves.items():
                leaf.copy_(start[name] + step * direction[name])

    def quotients(direction: "Any", state: "Any", values: "Any", loss: "Any") -> "Any":
        found = list["Any"]()
        for step in (sign * size for size in steps for sign in (1, -1)):
            torch.set_rng_state(state[0])
            np.random.set_state(state[1])
            random.setstate(state[2])
            put(direction, step)
            came = call()
            pairs = zip(came, values, strict=True)
            if not found and not all((a - b).abs().max() <= 1e-3 * b.abs().max() for a, b in pairs):
                break  # something else was drawn
            found.append((loss_of(came).item() - loss) / step)
        put(direction, 0.0)
        return found

    if not directions:  # one call is enough for most: only vectors, as a bias of keys, may have no gradient
        module.train()
        sizes = sizes_of(differentiated()[2])
        if all(size > 1e-9 for name, size in sizes.items() if leaves[name].dim() > 1):
            return [{"sizes": {}, "along": []}, {"sizes": sizes, "along": []}]
    results: list[Any] = []
    for training in (False, True):
        module.train(training)
        state = torch.get_rng_state(), np.random.get_state(), random.getstate()
        values, loss, found = differentiated()
        sizes, along = sizes_of(found), []
        for _ in range(directions):
            direction = {
                name: torch.randn(leaf.shape, generator=own, dtype=leaf.dtype)
                for name, leaf in leaves.items()
            }
            told = sum((found[name] * each).sum().item() for name, each in direction.items())
            size = sum(each.square().sum().item() for each in found.values()) ** 0.5
            each = quotients(direction, state, values, loss)
            along.append({"quotients": each, "told": told, "size": size})
        for _ in range(spares * training):
            if all(sizes[name] > 1e-9 for name, size in results[0]["sizes"].items() if size > 1e-6):
                break
            sizes = {name: max(size, sizes[name]) for name, size in sizes_of(differentiated()[2]).items()}
        results.append({"sizes": sizes, "along": along})
    return results


def _dtypes_in_float32(module: "Any", inputs: "Any", constants: "Any") -> "Any":
    """To be run in the worker: the dtypes that come in evaluation and in training."""
    module.float()
    given = [
        each.float() if isinstance(each, torch.Tensor) and each.is_floating_point() else each
        for each in inputs
    ]
    came = set()
    for training in (False, True):
        value = module.train(training)(*given, **constants)
        came |= {str(each.dtype) for each in (value if isinstance(value, tuple | list) else [value])}
    module.double()
    return sorted(came)
