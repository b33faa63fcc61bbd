"""Checks of `accumulate_gradients` and `train_step`: against the whole batch at once; runs, graphs, steps."""

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from grader.kit import assert_close, assert_equal, assert_fits, assert_raises, assert_true
from grader.kit.families.runs.accumulated_runs import (
    assert_called_by_runs,
    bigram,
    bigram_at_once,
)
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_scenario_keeps_device

VOCAB, HIDDEN = 7, 3
TARGETS = torch.tensor(
    [[3, 0, 2, 6], [-100, -100, -100, 1], [5, 5, -100, 0], [-100, 2, -100, -100], [4, 1, 1, 6]]
)


def workload(submission, rng):
    weights, ids = drawn(rng, vocab=64, hidden=16), rng.integers(0, 64, 8, 16)
    return submission.measure(followed, weights, ids, ids, [{"micro_batch_size": 2}])


LADDER = [(1, 1, 1), (2, 1, 1), (3, 2, 2)]


def smallest(submission, rng, batch, seq, size):
    """small whole numbers give the loss and the gradients of the whole batch"""
    weights = {name: value.round() for name, value in drawn(rng, vocab=2, hidden=2).items()}
    ids, targets = rng.integers(0, 2, batch, seq), rng.integers(0, 2, batch, seq)
    targets[0, 1:] = -100
    came = submission.run(followed, weights, ids, targets, [{"micro_batch_size": size}])
    assert_close(seen(came), at_once(weights, ids, targets))


def drawn(rng, dtype=torch.float64, vocab=VOCAB, hidden=HIDDEN):
    """The weights of a small model."""
    shapes = {"embedding": (vocab, hidden), "weight": (vocab, hidden), "bias": (vocab,)}
    return {name: rng.normal(*shape, dtype=dtype) for name, shape in shapes.items()}


def tokens(rng):
    return rng.integers(0, VOCAB, *TARGETS.shape)


def followed(answer, weights, ids, targets, calls, old=None, is_training=True, sequence_first=False):
    """What there is to see after each call of accumulate_gradients, or of train_step where it is to "step".

    "left": at each of the model's calls, how much earlier runs had saved and not freed;
    "hoarded": whether logits of several of them were still in memory; "modes": of training, there and after.
    """
    import weakref

    class Saved:
        def __init__(self, tensor):
            self.tensor = tensor
            saved.add(self)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            for name, value in weights.items():
                self.register_parameter(name, nn.Parameter(value.clone()))

        def forward(self, ids):
            modes.append(str(self.training))
            left.append(len(saved))
            alive.append(sum(each() is not None for each in memory))
            ids = ids.T if sequence_first else ids
            hidden = torch.tanh(self.embedding[ids])
            hidden = hidden + hidden.mean(0 if sequence_first else 1, keepdim=True)  # of later tokens, too
            logits = hidden @ self.weight.T + self.bias
            memory.append(weakref.ref(logits.untyped_storage()))
            return logits.transpose(0, 1) if sequence_first else logits

    class Descent(torch.optim.Optimizer):  # not built by torch, which would load its compiler for that
        def __init__(self, params):
            self.param_groups = [{"params": params[:1]}, {"params": params[1:]}]
            self.defaults, self.state, self.steps = {}, {}, 0

        def step(self, closure=None):
            self.steps += 1
            for param in [param for group in self.param_groups for param in group["params"]]:
                param.data -= 0.5 * (0.0 if param.grad is None else param.grad)

        def zero_grad(self, set_to_none=True):
            for param in [param for group in self.param_groups for param in group["params"]]:
                param.grad = None

    saved = weakref.WeakSet()
    model = Model().train(is_training)
    optimizer = Descent(list(model.parameters()))
    for name, gradient in (old or {}).items():
        getattr(model, name).grad = gradient.clone()
    before, seen = (ids.clone(), targets.clone()), []
    for options in map(dict, calls):
        left, alive, memory, modes = [], [], [], []
        is_step, size = options.pop("step", False), options.pop("micro_batch_size")
        with torch.autograd.graph.saved_tensors_hooks(Saved, lambda box: box.tensor):
            if is_step:
                loss = answer.train_step(model, optimizer, ids, targets, size, **options)
            else:
                loss = answer.accumulate_gradients(model, ids, targets, size, **options)
        named = list(model.named_parameters())
        seen.append(
            {
                "loss": loss.detach() if isinstance(loss, torch.Tensor) else loss,
                "is detached": not getattr(loss, "requires_grad", False),
                "gradients": {
                    name: torch.zeros_like(p) if p.grad is None else p.grad.clone() for name, p in named
                },
                "parameters": {name: p.detach().clone() for name, p in named},
                "left": left,
                "hoarded": max(alive, default=0) > 2,  # a variable of the loop may hold the last ones
                "modes": ", then ".join(dict.fromkeys([*modes, str(model.training)])),
                "steps": optimizer.steps,
                "unchanged": torch.equal(ids, before[0]) and torch.equal(targets, before[1]),
            }
        )
    return seen


def seen(came, call=0):
    """Loss and gradients."""
    return {"loss": came[call]["loss"], "gradients": came[call]["gradients"]}


def at_once(weights, ids, targets, ignore_index=-100):
    """The oracle: the whole batch."""
    leaves = {name: value.clone().requires_grad_() for name, value in weights.items()}
    hidden = torch.tanh(leaves["embedding"][ids])
    logits = (hidden + hidden.mean(1, keepdim=True)) @ leaves["weight"].T + leaves["bias"]
    loss = cross_entropy(logits.transpose(1, 2), targets, ignore_index=ignore_index)
    gradients = torch.autograd.grad(loss, list(leaves.values()))
    return {"loss": loss.detach(), "gradients": dict(zip(leaves, gradients, strict=True))}


def stepped(weights, ids, targets, ignore_index=-100, max_norm=None):
    """The oracle of a step: the loss before it, and the parameters after it."""
    whole = at_once(weights, ids, targets, ignore_index)
    leaves = {name: nn.Parameter(torch.zeros_like(value)) for name, value in weights.items()}
    for name, leaf in leaves.items():
        leaf.grad = whole["gradients"][name]
    if max_norm is not None:
        nn.utils.clip_grad_norm_(leaves.values(), max_norm, foreach=False)
    after = {name: value - 0.5 * leaves[name].grad for name, value in weights.items()}
    return {"loss": whole["loss"], "parameters": after}


@pytest.mark.parametrize("size", [1, 2, 3, 5, 9])
def test_equals_the_whole_batch(submission, rng, size):
    """loss and gradients are those of the whole batch at once, whatever the size of the micro-batches"""
    weights, ids = drawn(rng), tokens(rng)
    came = submission.run(followed, weights, ids, TARGETS, [{"micro_batch_size": size}])
    assert_close(seen(came), at_once(weights, ids, TARGETS))


@pytest.mark.parametrize("lost", [0, 2, 4])
def test_micro_batch_without_targets(submission, rng, lost):
    """a micro-batch whose targets are all ignored adds nothing, wherever it stands"""
    weights, ids, targets = drawn(rng), tokens(rng), TARGETS.clone()
    targets[lost : lost + 2] = -100
    came = submission.run(followed, weights, ids, targets, [{"micro_batch_size": 2}])
    assert_close(seen(came), at_once(weights, ids, targets))


@pytest.mark.parametrize("ignore_index", [0, 255, -1])
def test_other_ignore_index(submission, rng, ignore_index):
    """ignore_index may be any integer, a token too, in both functions"""
    weights, ids = drawn(rng), tokens(rng)
    targets = TARGETS.masked_fill(TARGETS == -100, ignore_index)
    options = {"micro_batch_size": 2, "ignore_index": ignore_index}
    came = submission.run(followed, weights, ids, targets, [options, {**options, "step": True}])
    assert_close(seen(came), at_once(weights, ids, targets, ignore_index))
    after = {name: came[1][name] for name in ("loss", "parameters")}
    assert_close(after, stepped(weights, ids, targets, ignore_index), what="train_step")
    if is_second_round():
        assert_equal([each["unchanged"] for each in came], [True, True], what="the tokens are as they were")


def test_added_to_what_is_there(submission, rng):
    """gradients are added to those that are there, in a second call too"""
    weights, ids, old = drawn(rng), tokens(rng), drawn(rng)
    came = submission.run(followed, weights, ids, TARGETS, [{"micro_batch_size": 2}] * 2, old)
    whole = at_once(weights, ids, TARGETS)
    for call in (0, 1):
        gradients = {name: old[name] + (call + 1) * value for name, value in whole["gradients"].items()}
        assert_close(seen(came, call), {**whole, "gradients": gradients}, what=f"call {call + 1}")


@pytest.mark.parametrize("size", [2, 5, 9, 4])
def test_runs(submission, rng, size):
    """the model is called once for each run of micro_batch_size rows, in their order"""
    assert_called_by_runs(submission, rng, tokens(rng), size)


def test_one_graph_at_a_time(submission, rng):
    """nothing is left of earlier runs when the model is called: of what they saved, and of their logits"""
    weights, ids = drawn(rng), tokens(rng)
    came = submission.run(followed, weights, ids, TARGETS.abs() % VOCAB, [{"micro_batch_size": 1}])
    held, hoarded = any(came[0]["left"]), came[0]["hoarded"]
    assert_true(not held, "what earlier runs saved is still there: backward belongs into the loop", seen=held)
    assert_true(not hoarded, "the logits of earlier runs are still there: keep none", seen=hoarded)
    weight, many = rng.normal(512, 512, dtype=torch.float32), rng.integers(0, 512, 24, 256)
    # Of each row the logits take 0.5 MiB, and the loss as much again.
    wanted = {"expected": lambda: bigram_at_once(weight, many), "memory": 3 * 2**23}
    assert_fits(submission, bigram, many, many, weight, 1, **wanted)


def test_loss_is_detached(submission, rng):
    """the loss carries no gradient, in both functions"""
    calls = [{"micro_batch_size": 2}, {"micro_batch_size": 2, "step": True}]
    came = submission.run(followed, drawn(rng), tokens(rng), TARGETS, calls)
    assert_equal([each["is detached"] for each in came], [True, True])


@pytest.mark.parametrize("is_training", [True, False])
def test_mode_stays(submission, rng, is_training):
    """the model stays in its mode, in each run and afterwards, and the tokens stay as they are"""
    calls = [{"micro_batch_size": 2}, {"micro_batch_size": 2, "step": True}]
    came = submission.run(followed, drawn(rng), tokens(rng), TARGETS, calls, None, is_training)
    assert_equal([each["modes"] for each in came], [str(is_training)] * 2, what="what model.training was")
    assert_equal([each["unchanged"] for each in came], [True, True], what="the tokens are as they were")


def test_float32_is_kept(submission, rng):
    """float32 gives float32"""
    weights, ids = drawn(rng, torch.float32), tokens(rng)
    came = submission.run(followed, weights, ids, TARGETS, [{"micro_batch_size": 2}])
    assert_close(seen(came), at_once(weights, ids, TARGETS), tolerance=1e-5)


@pytest.mark.parametrize("batch, seq, first", [(1, 1, 0), (1, 4, 0), (5, 1, 0), (3, 4, 0), (5, 3, 1)])
def test_sizes_and_layouts(submission, rng, batch, seq, first):
    """a batch of one row, sequences of one token, and tokens and logits that are not contiguous are right"""
    weights = drawn(rng)
    ids, targets = (rng.integers(0, VOCAB, seq, batch).T for _ in range(2))
    calls = [{"micro_batch_size": 2}]
    came = submission.run(followed, weights, ids, targets, calls, sequence_first=first == 1)
    assert_close(seen(came), at_once(weights, ids, targets))


@pytest.mark.parametrize("size", [0, -1])
@pytest.mark.parametrize("step", [False, True])
def test_size_below_one(submission, rng, size, step):
    """a micro_batch_size below 1 raises"""
    calls = [{"micro_batch_size": size, "step": step}]
    assert_raises(lambda *args: submission.run(followed, *args), drawn(rng), tokens(rng), TARGETS, calls)


# Steps


@pytest.mark.parametrize("max_norm, size", [(None, 1.0), (0.1, 1.0), (100.0, 1.0), (None, 1000.0)])
def test_step(submission, rng, max_norm, size):
    """train_step steps along the whole batch's gradient, clipped once if max_norm is given, in any layout"""
    weights, ids, old = drawn(rng), tokens(rng), drawn(rng)
    weights["weight"] = size * weights["weight"].T.contiguous().T  # its gradient is laid out so too
    options = {} if max_norm is None else {"max_norm": max_norm}
    calls = [{"micro_batch_size": 2, "step": True, **options}]
    came = submission.run(followed, weights, ids, TARGETS, calls, old)[0]
    wanted = stepped(weights, ids, TARGETS, max_norm=max_norm)
    assert_close({name: came[name] for name in wanted}, wanted)


def test_two_steps(submission, rng):
    """a second step knows nothing of the first's gradients; each calls optimizer.step once"""
    weights, ids = drawn(rng), tokens(rng)
    calls = [{"micro_batch_size": 2, "step": True}, {"micro_batch_size": 3, "step": True, "max_norm": 0.2}]
    came = submission.run(followed, weights, ids, TARGETS, calls)
    first = stepped(weights, ids, TARGETS)
    second = stepped(first["parameters"], ids, TARGETS, max_norm=0.2)
    for each, wanted in zip(came, (first, second), strict=True):
        assert_close({name: each[name] for name in wanted}, wanted)
    assert_equal([each["steps"] for each in came], [1, 2], what="calls of optimizer.step so far")


def test_device(submission, rng):
    """nothing is made on the default device where model and tokens are on another one"""
    drawn = tokens(rng), TARGETS, rng.normal(VOCAB, VOCAB), 2
    assert_scenario_keeps_device(submission, bigram, *drawn)
    if is_second_round():
        assert_scenario_keeps_device(submission, bigram, *drawn, 0.01)
