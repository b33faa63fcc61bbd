"""What the logits of a model from one sequence to another depend on: facts, however the model is built.

A model is called with a source and a target, (batch, src) and (batch, tgt); it gives logits for all places of
the target.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from grader.kit.assertions import assert_equal, assert_true
from grader.kit.comparison import kind_of
from grader.kit.generators import Rng
from grader.kit.handles import Instance, Submission
from grader.kit.rounds import is_second_round

MODES = ("training", "evaluation", "evaluation without gradients")

SAME = 1e-6
"""Logits that differ by less, beside the largest, are the same: an answer may compute in float32 inside."""


def predicted(model: "Any", mode: "Any", src: "Any", tgt: "Any") -> "Any":
    """To be run in the worker: the logits in a mode."""
    import torch

    model.train(mode == "training")
    if mode == "evaluation without gradients":
        with torch.no_grad():
            return model(src, tgt)
    return model(src, tgt)


def decoded(model: "Any", read: "Any", src: "Any", tgt: "Any") -> "Any":
    """To be run in the worker: the logits by the memory of another source than `src`, or of the same."""
    return model.decode(tgt, model.encode(read), src)


def decoded_later(model: "Any", src: "Any", other: "Any", tgt: "Any") -> "Any":
    """To be run in the worker: the logits by a memory after which another source was encoded."""
    memory = model.encode(src)
    model.encode(other)
    return model.decode(tgt, memory, src)


def logits(
    model: Instance, mode: str, src: Tensor, tgt: Tensor, *, vocab: int, dtype: torch.dtype = torch.float64
) -> Tensor:
    """What the model gives in a mode: finite, of the right shape and dtype."""
    came = _shaped(model, mode, src, tgt, vocab)
    assert_equal(str(came.dtype), str(dtype), what="dtype of the logits")
    finite = bool(came.isfinite().all())
    assert_true(finite, "there are NaN or infinite logits", seen=finite)
    return came


def assert_reads_more_words(submission: Submission, rng: Rng) -> None:
    """In the second round: the source may have more words than the target."""
    if is_second_round():
        model, places = submission.Transformer(13, 11, 12, 3, 1, 16, 7), torch.arange(2)
        src, tgt = (distinct(words, rng, 2) for words in (13, 11))
        src[places, places], tgt[places, places + 1] = 12, 10
        logits(model, MODES[1], src, tgt, vocab=11, dtype=torch.float32)


def _shaped(model: Instance, mode: str, src: Tensor, tgt: Tensor, vocab: int) -> Tensor:
    came = model.within(predicted, mode, src, tgt)
    shape = torch.tensor(came.shape) if isinstance(came, Tensor) else kind_of(came)
    assert_equal(shape, torch.tensor([*tgt.shape, vocab]), what="shape of the logits")
    result: Tensor = came
    return result


def after_changes(model: "Any", other: "Any", src: "Any", tgt: "Any") -> "Any":
    """To be run in the worker: by mode the logits after the model's weights and the source were changed in
    place, and those of the other model, which gets these weights before its call.
    """
    import torch

    results = []
    for training, grad in ((True, True), (False, True), (False, False)):
        model.train(training)
        other.train(training)
        with torch.set_grad_enabled(grad):
            model(src, tgt)
        with torch.no_grad():
            for one, same in zip(model.parameters(), other.parameters(), strict=True):
                one.copy_(one.flip(0))
                same.copy_(one)
            src.copy_(src.flip(0))
        with torch.set_grad_enabled(grad):
            results.append([each(src, tgt).detach().clone() for each in (model, other)])
    return results


def assert_follows_changes(model: Instance, other: Instance, src: Tensor, tgt: Tensor) -> None:
    """In each mode a call goes by the weights and the source that there are then: what was kept is stale.
    The other model is a new one, made alike.
    """
    for mode, (came, expected) in zip(MODES, model.within(after_changes, other, src, tgt), strict=True):
        what = f"in {mode}, after weights and source were changed in place, the logits are of what was before"
        assert_same(came, expected, what=what)


def assert_nothing_dropped(model: Instance, plain: Instance, src: Tensor, tgt: Tensor, *, vocab: int) -> None:
    """In evaluation two calls of the model are the same, and equal those of `plain`, which was made without a
    dropout and lends it its weights.
    """
    model.load(plain.parameters())
    calls = (model, model, plain)
    one, other, right = (logits(each, "evaluation", src, tgt, vocab=vocab) for each in calls)
    moved = bool(differ(one, other).any())
    assert_true(not moved, "two calls in evaluation mode differ: something is dropped", seen=moved)
    if not moved:
        assert_same(one, right, what="in evaluation, with a dropout, the logits are others than without")


def differ(one: Tensor, other: Tensor) -> Tensor:
    """At which places of the target two logits differ."""
    return (one - other).abs().amax(-1) > SAME * other.abs().max()


def assert_facts(came: Tensor, expected: Tensor, what: str) -> None:
    """Each fact holds. For diagnosis they are words, since other causes than a mistake's give them too."""
    wrong = (came != expected).nonzero().tolist()
    shown = f"{what}{wrong[0]} {came[tuple(wrong[0])].item()}" if wrong else ""
    message = f"{shown}, expected the opposite; {len(wrong)} of {came.numel()} are wrong"
    assert_true(not wrong, message, seen=came.tolist())


def assert_same(came: Tensor, expected: Tensor, what: str) -> None:
    """No sequence has other logits at any place."""
    changed = differ(came, expected).any(1)
    assert_facts(changed, torch.zeros_like(changed), what=f"{what} in row ")


def changes(
    model: Instance, mode: str, src: Tensor, tgt: Tensor, *, vocab: int, **variants: Tensor
) -> Tensor:
    """The places whose logits change (rows) with each variant (columns) of `source` or `target`, of which
    there is one each. All are computed as one batch.
    """
    [(name, others)] = variants.items()
    batch = {"source": src, "target": tgt}
    batch = {side: tokens.expand(len(others) + 1, -1) for side, tokens in batch.items()}
    batch[name] = torch.cat([batch[name][:1], others])
    came = _shaped(model, mode, batch["source"], batch["target"], vocab)
    return differ(came[1:], came[:1]).T


def order_matters(
    model: Instance,
    src: Tensor,
    tgt: Tensor,
    swapped: Callable[[Tensor], Tensor],
    later: Collection[int],
    *,
    vocab: int,
) -> dict[str, bool]:
    """On which side it matters wherever tokens change places. `later`: the later one of each two. For the
    source, to any place of the target: who weighs distances may hardly see what is far away.
    """
    mode = MODES[-1]
    of_source = changes(model, mode, src, tgt, vocab=vocab, source=swapped(src)).any(0)
    of_target = changes(model, mode, src, tgt, vocab=vocab, target=swapped(tgt))
    right_behind = of_target[[place + 1 for place in later], range(len(later))]
    return {"source": bool(of_source.all()), "target": bool(right_behind.all())}


def profile(model: Instance, src: Tensor, tgt: Tensor, words: tuple[int, int], pad_id: int = 0) -> Tensor:
    """All that logits depend on, in one row of facts: each token of one source and one target, the order of
    these tokens, and padding behind the source. `words`: the sizes of the vocabularies.
    """
    sources = [each_changed(src, words[0]), neighbours_swapped(src, src.shape[1] - 1)]
    targets = [each_changed(tgt, words[1]), neighbours_swapped(tgt, tgt.shape[1] - 1)]
    mode = MODES[-1]
    found = [changes(model, mode, src, tgt, vocab=words[1], source=torch.cat(sources))]
    found += [changes(model, mode, src, tgt, vocab=words[1], target=torch.cat(targets))]
    alone = _shaped(model, mode, src, tgt, words[1])
    longer = [_shaped(model, mode, padded(src, count, pad_id), tgt, words[1]) for count in (1, 4)]
    return torch.cat([fact.flatten() for fact in (*found, *(differ(other, alone) for other in longer))])


def right_profile(src: Tensor, tgt: Tensor) -> Tensor:
    """The profile of a right model: the source matters everywhere, the target from the first place on where
    it is another, padding nowhere.
    """
    places = tgt.shape[1]
    below = torch.ones(places, places).tril().bool()
    of_source = torch.ones(places, 2 * src.shape[1] - 1).bool()
    of_target = torch.cat([below, below[:, :-1]], dim=1)
    return torch.cat([of_source.flatten(), of_target.flatten(), torch.zeros(2 * places).bool()])


def assert_layers_run(
    shallow: Instance, deep: Instance, times: int, src: Tensor, tgt: Tensor, upstream: Tensor
) -> None:
    """All layers of a deep model count. The shallow one has a single layer, the deep one so many `times` as
    many, and of no kind has it more weights that nothing depends on.
    """
    allowed, came = (_idle(model, src, tgt, upstream) for model in (shallow, deep))
    more = {shape: count for shape, count in came.items() if count > times * allowed[shape]}
    message = f"the logits depend on no number in {sum(more.values())} weights that came with more layers"
    assert_true(not more, message, seen=bool(more))


def _idle(model: Instance, src: Tensor, tgt: Tensor, upstream: Tensor) -> Counter[tuple[int, ...]]:
    """How many weights of each shape have no gradient. Vectors are left out: a bias of keys never has one."""
    found = model.gradients([upstream], src, tgt).parameters
    least = 1e-9 * max((float(gradient.abs().max()) for gradient in found.values()), default=0.0)
    matrices = [gradient for gradient in found.values() if gradient.dim() > 1]
    return Counter(tuple(one.shape) for one in matrices if not float(one.abs().max()) > least)


def distinct(words: int, rng: Rng, batch: int = 1, length: int = 5) -> Tensor:
    """Tokens that are no padding, no two of a sequence the same."""
    return torch.stack([1 + rng.permutation(words - 1)[:length] for _ in range(batch)])


def padded(tokens: Tensor, count: int, pad_id: int = 0) -> Tensor:
    """With so much padding behind them."""
    return pad(tokens, (0, count), value=pad_id)


def each_changed(tokens: Tensor, vocab: int) -> Tensor:
    """One sequence; row j has another token in place j, but no 0."""
    rows = tokens.repeat(tokens.shape[1], 1)
    rows.diagonal().copy_(rows.diagonal() % (vocab - 1) + 1)
    return rows


def neighbours_swapped(tokens: Tensor, count: int) -> Tensor:
    """One sequence; row j has the tokens in the places j and j + 1 exchanged."""
    rows = [tokens[0].clone() for _ in range(count)]
    for j, row in enumerate(rows):
        row[[j, j + 1]] = row[[j + 1, j]]
    return torch.stack(rows)


def swapped_with_the_first(tokens: Tensor, places: Iterable[int]) -> Tensor:
    """One sequence; in each row the first token and that of another place are exchanged."""
    rows = []
    for place in places:
        row = tokens[0].clone()
        row[[0, place]] = row[[place, 0]]
        rows.append(row)
    return torch.stack(rows)
