"""Checks of `Transformer` by what it does: what depends on what, padding, modes, learning to copy."""

import math
from functools import partial

import pytest
import torch

from grader.kit import assert_equal, assert_inputs_unchanged, assert_raises, assert_true
from grader.kit.families.models import behaviour
from grader.kit.families.models.behaviour import MODES, assert_facts, assert_same, decoded, differ, padded
from grader.kit.families.models.copying import assert_learned
from grader.kit.families.models.default_devices import assert_calls_keep_device
from grader.kit.rules.devices import assert_keeps_device
from grader.kit.rules.drawn_gradients import assert_gradients_whatever_is_dropped
from grader.kit.rules.hidden import assert_hidden_in_training

SIZES = (11, 13, 8, 2)
"""Words of source and target, features, heads."""
LONGEST = 9
TARGET = "that the logits at place i change with target token j is for [i, j] = "

modes = pytest.mark.parametrize("mode", MODES)
logits = partial(behaviour.logits, vocab=SIZES[1])
changes = partial(behaviour.changes, vocab=SIZES[1])


def workload(submission, rng):
    return submission.measure(shape_of_logits, rng.integers(1, 100, 2, 32), rng.integers(1, 100, 2, 32))


def shape_of_logits(answer, src, tgt):
    return list(answer.Transformer(100, 100, 64, 4, 1, 128, 32)(src, tgt).shape)


def made(submission, rng, num_layers=1, max_len=LONGEST, **options):
    """A model in float64, its weights moved a little: where some start at zero, nothing depends on them."""
    model = submission.Transformer(*SIZES, num_layers, 16, max_len, **options)
    own = sorted(model.parameters().items())
    moved = {name: value.double() + rng.normal(*value.shape, scale=0.1) for name, value in own}
    model.load(moved)
    return model


source, target = (partial(behaviour.distinct, words) for words in SIZES[:2])


def test_what_depends_on_what(submission, rng):
    """all dependences together: on tokens, on their order, and not on padding"""
    src, tgt = torch.tensor([[5, 6, 7, 8, 9]]), torch.tensor([[5, 6, 7, 8]])
    models = {pad_id: made(submission, rng, pad_id=pad_id) for pad_id in (0, 4)}
    came = [behaviour.profile(model, src, tgt, SIZES[:2], pad_id) for pad_id, model in models.items()]
    assert_equal(torch.stack(came), torch.stack([behaviour.right_profile(src, tgt)] * 2), what="facts")


@modes
def test_target_up_to_the_place(submission, rng, mode):
    """logits depend on the target up to their place, that included, and never on later target tokens"""
    model, src, tgt = made(submission, rng, num_layers=2), source(rng), target(rng)
    came = changes(model, mode, src, tgt, target=behaviour.each_changed(tgt, SIZES[1]))
    assert_facts(came, torch.ones(5, 5).tril().bool(), TARGET)


@modes
def test_every_token_of_the_source_matters(submission, rng, mode):
    """logits depend on every token of the source, beside padding too"""
    model, src, tgt = made(submission, rng), source(rng), target(rng, length=4)
    what = "that the logits at place i change with source token j is for [i, j] = "
    for count in (0, 2):
        others = padded(behaviour.each_changed(src, SIZES[0]), count)
        came = changes(model, mode, padded(src, count), tgt, source=others)
        assert_facts(came, torch.ones(4, 5).bool(), what)


def test_order_of_the_source_matters(submission, rng):
    """logits change when two neighbouring tokens of the source change places"""
    assert_tells_sources_apart(submission, rng)


def assert_tells_sources_apart(submission, rng):
    model, src, tgt = made(submission, rng), source(rng), target(rng, length=4)
    came = changes(model, MODES[-1], src, tgt, source=behaviour.neighbours_swapped(src, 4))
    what = "that the logits at place i change if source tokens j and j + 1 change places is for [i, j] = "
    assert_facts(came, torch.ones(4, 4).bool(), what)


def test_order_of_the_target_matters(submission, rng):
    """logits change when two earlier tokens of the target change places"""
    # With one layer: in several even a causal mask alone tells one order from another.
    model, src, tgt = made(submission, rng), source(rng), target(rng)
    came = changes(model, MODES[-1], src, tgt, target=behaviour.neighbours_swapped(tgt, 3))[-1]
    what = "that the last logits change if target tokens j and j + 1 change places is for [j] = "
    assert_facts(came, torch.ones(3).bool(), what)


def test_order_matters_over_distances(submission, rng):
    """so do they when two tokens change places that are up to 33 apart, or neighbours behind 130 others"""
    far, late, neighbours = range(2, 34), [67, 130], partial(behaviour.neighbours_swapped, count=131)
    with_the_first = partial(behaviour.swapped_with_the_first, places=far)
    assert_order_matters(submission, rng, 35, with_the_first, [0], far)
    assert_order_matters(submission, rng, 133, lambda it: neighbours(it)[late], late, [68, 131])


def assert_order_matters(submission, rng, length, swapped, ones, later):
    """`ones`: the places of token 1, which then change with others; `later`: the later ones of both."""
    src, tgt = (rng.integers(2, words, 1, length) for words in SIZES[:2])
    src[0, ones], tgt[0, ones] = 1, 1
    model = made(submission, rng, max_len=length + 5)
    # For diagnosis not at which places: that is a matter of the period, for example.
    came = behaviour.order_matters(model, src, tgt, swapped, later, vocab=SIZES[1])
    assert_equal(came, dict.fromkeys(came, True), what="(whether it matters everywhere)")


@modes
def test_appended_padding_changes_nothing(submission, rng, mode):
    """padding appended to all sources of a batch changes nothing"""
    model, src, tgt = made(submission, rng, num_layers=2), source(rng, 3), target(rng, 3)
    alone = logits(model, mode, src, tgt)
    for count in (1, 4):
        came = logits(model, mode, padded(src, count), tgt)
        assert_same(came, alone, what="padding behind all sources changes the logits")


def test_padding_beside_longer_sources(submission, rng):
    """a source gives the same beside a longer one, up to which it is padded, as alone"""
    model, tgt = made(submission, rng), target(rng, 4)
    rows = [source(rng, length=length) for length in (5, 3, 1, 5)]
    batch = torch.cat([padded(row, 5 - row.shape[1]) for row in rows])
    alone = torch.cat([logits(model, MODES[-1], row, one[None]) for row, one in zip(rows, tgt, strict=True)])
    came = logits(model, MODES[-1], batch, tgt)
    assert_same(came, alone, what="beside a longer source the logits are others than alone")
    came = logits(model, MODES[-1], batch, tgt[:, :1])
    assert_same(came, alone[:, :1], what="for one target token, beside a longer source they are others")


def test_pad_id(submission, rng):
    """the token that pads is pad_id; token 0 is then one like the others"""
    model, tgt = made(submission, rng, pad_id=4), torch.tensor([[1, 2, 3, 0, 5], [7, 8, 9, 10, 11]])
    src = torch.tensor([[1, 2, 0], [0, 5, 3]])
    alone = logits(model, MODES[-1], src, tgt)
    came = logits(model, MODES[-1], padded(src, 2, pad_id=4), tgt)
    assert_same(came, alone, what="padding with a pad_id of 4 changes the logits")
    changed = differ(logits(model, MODES[-1], src + (src == 0) * 6, tgt), alone)
    assert_facts(changed, torch.ones(2, 5).bool(), what="that token 0 matters is for [row, place] = ")


def test_padding_in_the_target(submission, rng):
    """padding at the end of the target changes nothing in front of it, in several layers as well"""
    model, src, tgt = made(submission, rng, num_layers=2), source(rng, 2), target(rng, 2, 4)
    alone = logits(model, MODES[-1], src, tgt)
    came = model.within(behaviour.predicted, MODES[-1], padded(src, 1), padded(tgt, 2))[:, :4]
    finite = bool(came.isfinite().all())  # on the padding it may be anything
    assert_true(finite, "there are NaN or infinite logits in front of the target's padding", seen=finite)
    assert_same(came, alone, what="padding behind the target changes the logits in front of it")


def test_modes_agree(submission, rng):
    """training mode with a dropout of 0, evaluation, and evaluation without gradients give the same logits"""
    model, src, tgt = made(submission, rng, num_layers=2), source(rng, 4), target(rng, 4)
    some_padding = src * (torch.arange(5) < torch.tensor([[5], [3], [1], [4]]))
    for tokens in (src, some_padding, padded(some_padding, 2), src[:, :1]):
        training, *others = [logits(model, mode, tokens, tgt) for mode in MODES]
        for mode, other in zip(MODES[1:], others, strict=True):
            assert_same(other, training, what=f"in {mode} the logits are others than in training mode")


def test_longest_and_shortest(submission, rng):
    """max_len tokens on either side are right, and so is one, with all words of both vocabularies"""
    model = made(submission, rng)
    src, tgt = source(rng, 2, LONGEST), target(rng, 2, LONGEST)
    src[:, -1], tgt[:, -1] = SIZES[0] - 1, SIZES[1] - 1
    for length, other in [(LONGEST, LONGEST), (LONGEST, 1), (1, LONGEST), (1, 1)]:
        logits(model, MODES[-1], src[:, -length:], tgt[:, -other:])
    came = changes(model, MODES[-1], src[:1], tgt[:1], target=behaviour.each_changed(tgt[:1], SIZES[1]))
    assert_facts(came, torch.ones(LONGEST, LONGEST).tril().bool(), TARGET)
    behaviour.assert_reads_more_words(submission, rng)


def test_forward_is_decode_of_encode(submission, rng):
    """forward gives what decode gives of encode's memory"""
    model, src, tgt = made(submission, rng), padded(source(rng, 2), 1), target(rng, 2)
    whole = logits(model, "evaluation", src, tgt)
    assert_same(model.within(decoded, src, src, tgt), whole, what="decode of encode gives other logits")


def test_decode_reads_memory(submission, rng):
    """decode predicts from the memory that it gets; of src only the padding counts, not its other tokens"""
    model, (src, other), tgt = made(submission, rng).eval(), source(rng, 2)[:, None], target(rng)
    pairs = (other, src), (src, src), (src, other)
    came, expected, by_memory = (model.within(decoded, *pair, tgt) for pair in pairs)
    what = "that the logits change with the memory is for [row, place] = "
    assert_facts(differ(came, expected), torch.ones(1, 5).bool(), what)
    assert_same(by_memory, expected, what="with the same memory, but other tokens in src, they are others")


def test_calls_are_independent(submission, rng):
    """a call gives the same before and after calls with other lengths and another padding"""
    model, src, tgt = made(submission, rng), source(rng, 2), target(rng, 2)
    before = logits(model, "evaluation", src, tgt)
    logits(model, "evaluation", padded(source(rng, 2, 3), 2), target(rng, 2))
    logits(model, "evaluation", source(rng, 3, 7), target(rng, 3, 8))
    after = logits(model, "evaluation", src, tgt)
    assert_same(after, before, what="after other calls the same call gives other logits")
    behaviour.assert_follows_changes(model, made(submission, rng), src, tgt)


def test_encoding_another_source_in_between(submission, rng):
    """decode goes by the memory and the source that it gets, whatever was encoded since"""
    model, tgt = made(submission, rng).eval(), target(rng, 2)
    src, other = source(rng, 2), padded(source(rng, 2, 2), 3)
    came = model.within(behaviour.decoded_later, src, other, tgt)
    expected = model.within(decoded, src, src, tgt)
    assert_same(came, expected, what="after another source was encoded decode gives other logits")


def test_float32(submission, rng):
    """as it is made, the model gives float32"""
    model = submission.Transformer(*SIZES, 1, 16, LONGEST)
    logits(model, "evaluation", source(rng, 2), target(rng, 2), dtype=torch.float32)


def test_logits_are_no_probabilities(submission, rng):
    """what comes are logits: of any sign and any sum"""
    assert_no_probabilities(submission, rng)


def assert_no_probabilities(submission, rng):
    came = logits(made(submission, rng), "evaluation", source(rng, 2), target(rng, 2))
    are = bool((came >= 0).all()) and torch.allclose(came.sum(-1), torch.ones(2, 5, dtype=came.dtype))
    assert_true(not are, "these are probabilities: cross entropy takes the softmax itself", seen=are)


def test_layers_have_weights_of_their_own(submission):
    """with each layer encoder and decoder have more parameters, each time as many, all of them registered"""
    models = [submission.Transformer(*SIZES, n, 512, LONGEST) for n in (1, 2, 3)]
    one, two, three = (sum(map(math.prod, model.shapes().values())) for model in models)
    came = torch.tensor([two > one, two - one > 3 * 8 * 512, three - two == two - one])  # 4 in two networks
    assert_equal(came, torch.ones(3).bool(), what="(more with a layer, in both, as many each time)")


def test_every_layer_is_run(submission, rng):
    """each layer has a part in the logits, however many layers there are"""
    times, src, tgt = int(rng.integers(4, 9, 1)), source(rng, 3), target(rng, 3)
    models = made(submission, rng), made(submission, rng, times)
    behaviour.assert_layers_run(*models, times, src, tgt, upstream=rng.normal(3, 5, SIZES[1]))


def test_no_dropout_in_evaluation(submission, rng):
    """in evaluation two calls are the same, and equal those of a model without dropout"""
    model, plain = (made(submission, rng, pad_id=10, dropout=p) for p in (0.5, 0.0))
    src, tgt = source(rng, 3) % 10, target(rng, 3) % 10
    behaviour.assert_nothing_dropped(model, plain, src, tgt, vocab=SIZES[1])


def test_dropout_in_training(submission, rng):
    """with a dropout two calls in training mode differ, and gradients reach what they reach without"""
    model, src, tgt = made(submission, rng, dropout=0.5), source(rng, 3), target(rng, 3)
    moved = bool(differ(*(logits(model, "training", src, tgt) for _ in range(2))).any())
    assert_true(moved, "two calls in training mode give the same: dropout does nothing", seen=moved)
    model = made(submission, rng, 2, dropout=0.1, pad_id=10)
    assert_gradients_whatever_is_dropped(model, src % 10, tgt % 10)


def test_masks_in_training(submission, rng):
    """in training too padding and later target tokens get no weight, whatever is dropped"""
    model, tgt = made(submission, rng, dropout=0.3), target(rng, length=3)
    # Logits of one word: what has a row for each word has none for another then, unless that takes part.
    where = (torch.arange(3) < 2)[None, :, None] & (torch.arange(SIZES[1]) == 0)
    rows = {SIZES[1:2]: torch.arange(SIZES[1]) == tgt[0, 2], (LONGEST,): torch.arange(LONGEST) >= 3}
    hidden = {name: rows[shape[:1]] for name, shape in model.shapes().items() if shape[:1] in rows}
    options = {"like": where.double(), "where": where, "hidden": hidden}
    assert_hidden_in_training(model, padded(source(rng, length=3), 2), tgt, **options)


@pytest.mark.parametrize("hidden_size, num_heads", [(21, 4), (3, 5)])
def test_bad_number_of_heads_raises(submission, hidden_size, num_heads):
    """a num_heads that does not divide hidden_size raises ValueError in the constructor"""
    assert_raises(submission.Transformer, 11, 13, hidden_size, num_heads, 1, 16, LONGEST)


def test_device_of_the_tokens(submission, rng):
    """nothing lands on the default device where that is not the tokens'"""
    tokens = padded(source(rng, 2), 1), target(rng, 2)
    assert_keeps_device(submission, "Transformer", *tokens, made_with=(*SIZES, 1, 16, LONGEST))
    assert_calls_keep_device(submission, "Transformer", tokens, made_with=(*SIZES, 1, 16, LONGEST, 0, 0.4))


def test_inputs_are_not_modified(submission, rng):
    """src and tgt are not modified"""
    tokens = padded(source(rng, 2), 1), target(rng, 2)
    assert_inputs_unchanged(submission.Transformer(*SIZES, 1, 16, LONGEST), *tokens)


@pytest.mark.seconds(12)
def test_learns_to_copy(submission, rng):
    """after 400 steps of Adam it copies short sequences: a loss below 0.7, where guessing gives 2.2"""
    # What fails here cannot learn it, and need not be trained to know that.
    assert_tells_sources_apart(submission, rng)
    assert_no_probabilities(submission, rng)
    assert_learned(submission, int(rng.integers(0, 2**31, 1)))
