"""The checking kit: what each assertion accepts, and what it says of what it does not."""

from collections import namedtuple

import numpy as np
import pytest
import torch
from torch import Tensor

from grader.judge.workers.client import Program
from grader.judge.workers.inprocess import InProcess
from grader.kit import (
    Submission,
    assert_accepts,
    assert_at_most,
    assert_close,
    assert_distribution,
    assert_dropout_in_training_only,
    assert_equal,
    assert_inputs_unchanged,
    assert_numbers,
    assert_parameters,
    assert_raises,
    assert_same_gradients,
)
from grader.kit.comparison import difference
from grader.kit.counts import Counts
from grader.kit.families.attention.checks import (
    assert_dropout_acts_on_weights,
    counting_weights,
    linear_layers,
    merge_heads,
    multi_head_attention,
    other_layouts,
    project,
    separated,
    split_heads,
    tokens,
    with_large_scores,
)
from grader.kit.families.attention.mask_mistakes import after_softmax_renormalised
from grader.kit.families.attention.mistakes import (
    biases_left_out,
    heads_interleaved,
    heads_split_without_transpose,
)
from grader.kit.families.capped_loss import FAR, assert_not_capped
from grader.kit.families.feedforward import assert_dropout_acts_on_output, assert_entries_dropped_on_their_own
from grader.kit.families.sampling.checks import (
    assert_drawn,
    assert_filtered,
    assert_generator_moves_on,
    assert_global_generator_is_used,
    assert_repeatable,
    logits_of,
    row_by_row,
    token_ids,
)
from grader.kit.generators import Rng
from grader.kit.handles import Weights
from grader.kit.outcomes import CheckFailed, Misused, NotWritten, Raised
from grader.kit.recording import recording
from grader.kit.rounds import second_round
from grader.worker.answering import host

TEXT = """
import torch
from torch import nn

def double(x): return 2 * x
def detached(x): return 2 * x.detach()
def pair(x, y): return x * y, x + y
def in_place(x, mask): mask.logical_not_(); return x
def refuses(n): raise ValueError(f"{n} is odd")
def asserts(n): assert n % 2 == 0
def breaks(n): raise KeyError(n)
def accepts(n): return n
def unwritten(n): raise NotImplementedError
def calls(function, n): return [function(i) for i in range(n)]

def draw(logits, limit, temperature=1.0, generator=None):
    return torch.multinomial(logits.softmax(-1), 1, generator=generator).squeeze(-1)
def draw_without_generator(logits, limit, temperature=1.0, generator=None):
    return draw(logits, limit)
def draw_the_same(logits, limit, temperature=1.0, generator=None):
    return draw(logits, limit, generator=torch.Generator().manual_seed(3))

class Scale(nn.Module):
    def __init__(self, size, p=0.5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.register_buffer("seen", torch.zeros(()))
        self.p = p

    def forward(self, x):
        return nn.functional.dropout(x * self.weight, self.p, self.training)

class Box:
    def __init__(self): self.values = __import__("numpy").zeros(3); self.alias = self.values
"""


@pytest.fixture(scope="module")
def answer() -> Submission:
    return Submission(InProcess(Program(TEXT, "answer.py", "answer")))


def failure(check, *args, **kwargs) -> str:
    with pytest.raises(CheckFailed) as caught:
        check(*args, **kwargs)
    return str(caught.value)


ONES = torch.ones(2, 3, dtype=torch.float64)
Tables = namedtuple("Tables", ["cos", "sin"])
INF = float("inf")


@pytest.mark.parametrize(
    "came, expected, text",
    [
        (ONES, torch.ones(3), "shape (2, 3) came, (3,) is expected"),
        (ONES.float(), ONES, "dtype float32 came, float64 is expected"),
        ([1.0], ONES, "a list came, a Tensor is expected"),
        (None, ONES, "None came, a Tensor is expected"),
        (np.ones(3), ONES, "a NumPy array came, a Tensor is expected"),
        (ONES, np.ones((2, 3)), "a Tensor came, a NumPy array is expected"),
        (np.float64(1), 1.0, None),
        (1, 1.0, None),
        (True, 1.0, "a bool came, a float is expected"),
        (np.int64(3), 3, "a NumPy int64 came, 3 is expected"),
        (2, 3, "2 came, 3 is expected"),
        (True, 1, "True came, 1 is expected"),
        ("a", "b", "'a' came, 'b' is expected"),
        (ONES, (ONES, ONES), "a Tensor came, a tuple of 2 is expected"),
        ((ONES, ONES + 1), (ONES, ONES),
         "item 1: largest difference 1 at [0, 0]: yours 2, expected 1; all 6 values differ"),
        ((ONES, 2 * ONES), Tables(ONES, ONES),
         "sin: largest difference 1 at [0, 0]: yours 2, expected 1; all 6 values differ"),
        (ONES, Tables(ONES, ONES), "a Tensor came, a tuple of 2 is expected"),
        ((ONES,), (ONES, ONES), "1 items came, 2 are expected"),
        ({"a": 1}, {"b": 1}, "the keys ['a'] came, ['b'] are expected"),
        (ONES * float("nan"), ONES, "6 of 6 values are NaN; all 6 values differ"),
        (ONES * float("inf"), ONES, "6 of 6 values are inf; all 6 values differ"),
        (torch.tensor([INF, -INF, -INF, -INF]), torch.tensor([1.0, -INF, INF, 2.0]),
         "1 of 4 values are inf and 2 of 4 values are -inf; 3 of 4 values differ"),
        (1.5, 1.0, "yours 1.5, expected 1"),
        (torch.tensor([[INF]]), torch.ones(1, 1), "yours inf, expected 1"),
        (torch.tensor(2), torch.tensor(3), "yours 2, expected 3"),
        (torch.tensor([1, 2]), torch.tensor([1, 3]), "at [1] yours is 2, expected 3; 1 of 2 values differ"),
        (ONES * (1 + 1e-5), ONES,
         "largest difference 1e-05 at [0, 0]: yours 1.00001, expected 1; all 6 values differ"),
        (ONES * (1 + 1e-7), ONES, None),
    ],
)  # fmt: skip
def test_difference(came, expected, text):
    assert difference(came, expected) == text


def test_tolerances():
    assert difference(ONES + 1e-5, ONES, tolerance=1e-4) is None
    assert difference(ONES + 1e-3, ONES, absolute=1e-2) is None
    assert difference(ONES + 1e-12, ONES, tolerance=0.0) is not None
    assert difference(ONES * 0 + 1e-9, ONES * 0) is None
    infinite = torch.tensor([float("inf"), -float("inf"), 0.0])
    assert difference(infinite, infinite) is None
    assert difference(-infinite, infinite) is not None


def test_values_and_what(answer):
    assert_close(answer.double(ONES), 2 * ONES)
    assert failure(assert_close, answer.double(ONES), ONES, what="twice").startswith(
        "twice: largest difference 1"
    )
    assert_equal(answer.accepts(3), 3)
    assert failure(assert_equal, answer.accepts(3), 4) == "3 came, 4 is expected"
    assert failure(assert_at_most, 5_000, 4_000, "FLOPs") == "FLOPs: 5,000, at most 4,000 is allowed"
    said = failure(assert_at_most, 5_000, 4_000, "FLOPs", cause="So it is slow. Project once")
    assert said == "FLOPs: 5,000, at most 4,000 is allowed. So it is slow. Project once"


def test_raises(answer):
    assert_raises(answer.refuses, 3)
    assert_raises(answer.asserts, 3)
    assert failure(assert_raises, answer.breaks, 3) == "it raises KeyError, a ValueError is expected: 3"
    assert failure(assert_raises, answer.accepts, 3) == "it accepts (3), where a ValueError is expected"
    with pytest.raises(NotWritten):
        assert_raises(answer.unwritten, 3)


def test_accepts(answer):
    assert assert_accepts(answer.accepts, 3) == 3
    for refusal, words in ((answer.refuses, "ValueError: 3 is odd"), (answer.asserts, "AssertionError")):
        with recording() as made:
            text = failure(assert_accepts, refusal, 3)
        assert text == f"it refuses (3), which is allowed: {words}"
        assert [(one.came, one.expected) for one in made] == [("refused", "accepted")]
    with pytest.raises(NotWritten):
        assert_accepts(answer.unwritten, 3)
    with pytest.raises(Raised):
        assert_accepts(answer.breaks, 3)


def test_numbers():
    expected = {"smallest": 0.0, "largest": 2.0}
    assert_numbers({"smallest": 0.0, "largest": 2.0 + 1e-7}, expected)
    with recording() as made:
        text = failure(assert_numbers, {"smallest": 0.0, "largest": 1}, expected)
    assert text == "largest: yours 1, expected 2"
    assert [row.tolist() for row in (made[0].came, made[0].expected)] == [[0.0, 1.0], [0.0, 2.0]]


def test_gradients(answer):
    assert_same_gradients(answer.double, lambda x: 2 * x, ONES)
    assert_same_gradients(answer.pair, lambda x, y: (x * y, x + y), ONES, 3 * ONES)
    text = failure(assert_same_gradients, answer.detached, lambda x: 2 * x, ONES)
    assert text.startswith("no gradient reaches x; gradient of x: largest difference")
    scale = answer.Scale(3, 0.0)
    weights = scale.randomize(Rng("a name"))
    assert_same_gradients(scale, lambda w, x: x * w["weight"], ONES, weights=weights)
    text = failure(
        assert_same_gradients,
        scale,
        lambda w, x: x * w["weight"].detach() + w["weight"] * 0,
        ONES,
        weights=weights,
    )
    assert text.startswith("gradient of weight")


def test_inputs_unchanged(answer):
    mask = torch.tensor([True, False])
    assert_inputs_unchanged(answer.double, ONES)
    assert failure(assert_inputs_unchanged, answer.in_place, ONES, mask) == (
        "it writes to its argument mask: whoever called it goes on with other numbers than they had. Usual "
        "causes are an operation in place on the argument or on a view of it: x -= …, x[…] = …, a method "
        "that ends in an underscore (masked_fill_), out=. Make a new tensor, x = x - …, or take a copy "
        "first"
    )
    assert "argument mask" in failure(assert_inputs_unchanged, answer.in_place, ONES, mask=mask)


def test_parameters_and_buffers(answer):
    scale = answer.Scale(3)
    assert_parameters(scale, {"weight": (3,)})
    assert (
        failure(assert_parameters, scale, {"bias": (3,)})
        == "parameters: missing: bias; not asked for: weight"
    )
    assert "weight has shape (3,), (4,) is expected" in failure(assert_parameters, scale, {"weight": (4,)})
    assert list(scale.buffers()) == ["seen"]
    scale.load({"weight": 5 * torch.ones(3, dtype=torch.float64)})
    assert torch.equal(scale.eval()(ONES), 5 * ONES)
    assert not scale.attribute("training")


def test_dropout(answer):
    assert_dropout_in_training_only(answer.Scale(3), torch.ones(50, 3))
    text = failure(assert_dropout_in_training_only, answer.Scale(3, 0.0), torch.ones(50, 3))
    assert "dropout does nothing" in text


def test_distribution():
    probabilities = torch.tensor([0.5, 0.3, 0.2, 0.0])
    fair = torch.multinomial(
        probabilities, 20_000, replacement=True, generator=torch.Generator().manual_seed(1)
    )
    assert_distribution(fair, probabilities)
    assert "is drawn in" in failure(assert_distribution, fair, torch.tensor([0.45, 0.35, 0.2, 0.0]))
    assert "cannot be drawn" in failure(assert_distribution, torch.tensor([3, 0, 1]), probabilities)


def test_measuring(answer):
    measured = answer.measure(matmul_twice, torch.ones(2, 3), torch.ones(3, 5))
    assert measured.matmul_flops == 2 * (2 * 2 * 3 * 5)
    assert measured.largest_tensor == 10
    assert [operation.shapes for operation in measured.operations if operation.matmul_flops] == [
        ((2, 5),)
    ] * 2
    assert measured.calls.count("matmul") == 2


def matmul_twice(answer, a: "Tensor", b: "Tensor"):
    return a @ b + torch.matmul(a, b)


def test_callbacks_run_here(answer):
    seen = []

    def square(i):
        seen.append(i)
        return i * i

    assert answer.calls(square, 3) == [0, 1, 4]
    assert seen == [0, 1, 2]


def test_objects(answer):
    box = answer.Box()
    box.assign(values=np.array([1.0, 2.0, 3.0]))
    assert np.array_equal(box.attribute("alias"), [1.0, 2.0, 3.0])
    with pytest.raises(Raised, match="values should be an array of shape"):
        box.assign(values=np.ones(2))


def test_draws_depend_on_the_name_alone():
    assert torch.equal(Rng("a").normal(3), Rng("a").normal(3))
    assert not torch.equal(Rng("a").normal(3), Rng("b").normal(3))
    mask = Rng("a").mask(50, 7)
    assert bool(mask.any(-1).all()) and not bool(mask.all(-1).any())


SEPARATE = linear_layers(q_proj=(9, 9), k_proj=(4, 9), v_proj=(4, 9), o_proj=(9, 9))
FUSED = linear_layers(qkv_proj=(9, 27), o_proj=(9, 9))


def random_weights(rng, parameters):
    return Weights({name: rng.normal(*shape, scale=0.5) for name, shape in parameters.items()})


def scores(weights, x, context, head_dim):
    query, key = (
        split_heads(project(weights, name, value), head_dim) for name, value in (("q", x), ("k", context))
    )
    return query @ key.transpose(-2, -1) / head_dim**0.5


def test_fused_projections_can_be_used_apart():
    assert FUSED["qkv_proj.weight"] == (27, 9) and FUSED["o_proj.bias"] == (9,)
    fused = random_weights(Rng("fused"), FUSED)
    apart, x = separated(fused), tokens(Rng("x"), 2, 5, 9)
    together = torch.cat([project(apart, name, x) for name in "qkv"], dim=-1)
    assert torch.allclose(together, project(fused, "qkv", x))
    with pytest.raises(Misused, match=r"no parameter named qkv_proj\.weight"):
        separated(random_weights(Rng("separate"), SEPARATE))


def test_multi_head_attention_is_what_the_built_in_gives():
    rng = Rng("multi-head")
    weights, x, context = random_weights(rng, SEPARATE), tokens(rng, 2, 5, 9), tokens(rng, 2, 7, 4)
    for mask in (None, rng.mask(2, 1, 1, 7)):
        sources = {"q": x, "k": context, "v": context}
        heads = [split_heads(project(weights, name, value), 3) for name, value in sources.items()]
        attended = torch.nn.functional.scaled_dot_product_attention(*heads, mask)
        expected = project(weights, "o", merge_heads(attended))
        for written_out in (False, True):
            came = multi_head_attention(weights, x, context, mask, 3, written_out=written_out)
            assert torch.allclose(came, expected)
    assert not torch.allclose(multi_head_attention(weights, x, context, ~mask, 3), expected)


def test_layouts_of_tokens():
    single, alone, transposed = other_layouts(Rng("layouts"), 2, 7, 15)
    assert [tuple(x.shape) for x in (single, alone, transposed)] == [(2, 1, 15), (1, 7, 15), (2, 7, 15)]
    assert not transposed.is_contiguous()


@pytest.mark.parametrize("fused", [False, True])
def test_large_scores(fused):
    rng = Rng("large")
    weights, x = random_weights(rng, FUSED if fused else SEPARATE), tokens(rng, 2, 7, 9)
    inputs = (x,) if fused else (x, tokens(rng, 2, 5, 4))
    head_dim = 9 if fused else 3
    before = [value.clone() for value in (*weights.values(), *inputs)]
    changed, *copies = with_large_scores(weights, *inputs, head_dim=head_dim, fused=fused)
    assert all(map(torch.equal, (*weights.values(), *inputs), before))
    came = scores(separated(changed) if fused else changed, copies[0], copies[-1], head_dim)
    ahead = came[..., -1:] - came[..., :-1]  # of the last key's score, (batch, heads, queries, other keys)
    wanted = 3000.0 * (torch.arange(7) % 3 - 1)
    assert (ahead - wanted[:, None]).abs().max() < 30


@pytest.mark.parametrize("parameters", [SEPARATE, FUSED])
def test_counting_weights(parameters):
    rng = Rng("counting")
    weights = counting_weights(rng, parameters)
    own = separated(weights) if parameters is FUSED else weights
    x = rng.normal(2, 5, 9)
    context = x if parameters is FUSED else rng.normal(2, 5, 4)
    assert not scores(own, x, context, 3).any()
    values = project(own, "v", context).unflatten(2, (3, 3))
    assert bool((values[..., :2] == 1).all()) and not bool((values[..., 2] == 1).any())
    assert torch.equal(project(weights, "o", x), x + 1)


def came_of(kept, scale):
    """What comes with `counting_weights` when of 13 weights (batch, queries, heads, keys) these are kept."""
    counts = (kept.double().sum(-1, keepdim=True) / 13 / scale).expand(-1, -1, -1, 3).clone()
    counts[..., 2] = counts[..., 2] * 0.37
    return counts.flatten(2) + 1


def test_dropout_of_weights():
    rng, check = Rng("dropout"), assert_dropout_acts_on_weights
    sizes = {"kv_len": 13, "num_heads": 3, "dropout": 0.3}
    kept = rng.uniform(5, 13, 3, 13) >= 0.3
    check(came_of(kept, 0.7), **sizes)
    check(came_of(kept[:, :, :1], 0.7), kv_len=13, num_heads=1, dropout=0.3)
    with_entries_dropped = came_of(torch.ones_like(kept), 1.0) * (rng.uniform(5, 13, 9) >= 0.3) / 0.7
    for wrong in (with_entries_dropped, came_of(kept, 1.0), came_of(rng.uniform(5, 13, 3, 13) >= 0.3, 0.5)):
        assert "something else is dropped, or what is kept is not divided" in failure(check, wrong, **sizes)
    too_few = came_of(rng.uniform(5, 13, 3, 13) >= 0.5, 0.7)
    assert "the share of weights kept" in failure(check, too_few, **sizes)
    for dim, what in enumerate(("sequences", "queries", "heads")):
        shared = came_of(kept.narrow(dim, 0, 1).expand_as(kept), 0.7)
        assert f"all {what} drop the same weights" in failure(check, shared, **sizes)
    nearly = came_of(torch.cat([kept[:, :1].expand(-1, 12, -1, -1), kept[:, 1:2]], dim=1), 0.7)
    text = failure(check, nearly, **sizes)
    assert "the variance of the number of weights kept, over batch, queries and heads" in text
    one_head = came_of(kept[:, :1, :1].expand(5, 13, 1, 13), 0.7)
    assert "all queries drop" in failure(check, one_head, kv_len=13, num_heads=1, dropout=0.3)


def test_dropout_of_an_output():
    whole = Rng("output").normal(199, 211)
    kept = Rng("kept").uniform(199, 211) >= 0.3
    assert_dropout_acts_on_output(whole * kept / 0.7, whole, dropout=0.3)
    assert "largest difference" in failure(assert_dropout_acts_on_output, whole * kept, whole, dropout=0.3)
    assert_entries_dropped_on_their_own(whole * kept, dropout=0.3)
    shares = {"tokens kept, by feature": kept[:1], "features kept, by token": kept[:, :1]}
    for share, wrong in shares.items():
        text = failure(assert_entries_dropped_on_their_own, whole * wrong, dropout=0.3)
        assert f"the share of {share}" in text
    fewer = whole * (Rng("fewer").uniform(199, 211) >= 0.4)
    assert "the share of entries kept" in failure(assert_entries_dropped_on_their_own, fewer, dropout=0.3)


def test_tokens_that_are_drawn():
    assert torch.equal(token_ids(torch.tensor([3, 1], dtype=torch.int16), 2), torch.tensor([3, 1]))
    assert failure(token_ids, torch.ones(2), 2) == "a tensor of integers is expected, torch.float32 came"
    assert failure(token_ids, [3, 1], 2) == "a tensor of integers is expected, list came"
    assert failure(token_ids, torch.tensor([[3]]), 1) == "shape (1, 1) came, (1,) is expected"
    probabilities = logits_of(0.5, 0.3, 0.2, dtype=torch.float64).softmax(-1)
    assert torch.allclose(probabilities, torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64))
    draws = torch.multinomial(
        probabilities, 2000, replacement=True, generator=torch.Generator().manual_seed(1)
    )
    assert_drawn(draws, probabilities, draws=2000)
    text = failure(assert_drawn, draws, torch.tensor([0.6, 0.4, 0.0]), draws=2000)
    assert text == "2000 equal rows give the tokens [0, 1, 2], it should be [0, 1]"
    text = failure(assert_drawn, draws * 0 + 2, probabilities, draws=2000)
    assert text == "2000 equal rows all give token 2: each should draw one of [0, 1, 2] for itself"
    assert "is drawn in" in failure(assert_drawn, draws, torch.tensor([0.3, 0.3, 0.4]), draws=2000)
    rows = row_by_row(lambda row, n: row * row.argmax() + n, torch.tensor([[[0.0, 1.0]], [[2.0, 1.0]]]), 5)
    assert torch.equal(rows, torch.tensor([[[5.0, 6.0]], [[5.0, 5.0]]]))


def test_filtered_logits():
    expected = torch.tensor([[1.0, -INF, 2.0, -INF], [3.0, 4.0, -INF, -INF]])
    assert_filtered(expected + 1e-7, expected)
    text = failure(assert_filtered, expected.roll(1, dims=1), expected)
    assert text == (
        "row [0]: tokens 0, 2 should be kept, yours -inf; tokens 1, 3 should be -inf; 2 of 2 rows differ"
    )
    text = failure(assert_filtered, torch.tensor([1.0, -INF, -INF, 5.0]), torch.tensor([1.0, -INF, 2.0, 5.0]))
    assert text == "token 2 should be kept, yours -inf"
    for wrong in (expected + 1, expected.nan_to_num(neginf=-1e9)):
        assert "largest difference" in failure(assert_filtered, wrong, expected)
    assert "shape" in failure(assert_filtered, expected[:, :2], expected)


def test_counts_as_evidence():
    probabilities, generator = torch.tensor([0.5, 0.3, 0.2, 0.0]), torch.Generator().manual_seed(1)

    def counts(probabilities, draws=2000):
        tokens = torch.multinomial(probabilities, draws, replacement=True, generator=generator)
        return Counts(torch.bincount(tokens, minlength=4).double())

    assert counts(probabilities) == counts(probabilities)
    assert counts(probabilities) != counts(torch.tensor([0.4, 0.4, 0.2, 0.0]))
    assert counts(probabilities) != counts(probabilities, 1000)
    assert counts(probabilities) != Counts(torch.tensor([1000.0, 600.0, 400.0]))


def test_capped_losses():
    assert_not_capped(FAR.repeat(2, 1))
    assert_not_capped(torch.full((3,), INF))
    for cap in (16.12, 100.0):
        with recording() as made:
            text = failure(assert_not_capped, torch.full((2, 3), cap))
        assert text.endswith(f"no more loss than one that is 2000 off: both have {cap:.4g}")
        assert bool(made[0].came[1].all()) == (cap == 100)


def test_where_draws_come_from(answer):
    logits, generator = Rng("draws").normal(61, 11), Rng("draws").as_generator()
    assert_repeatable(answer.draw, logits, 7, generator)
    assert_generator_moves_on(answer, "draw", logits, 7, generator)
    assert_global_generator_is_used(answer, "draw", logits, 7)
    text = failure(assert_repeatable, answer.draw_without_generator, logits, 7, generator)
    assert text == "two calls with the same state of the generator give other tokens"
    text = failure(assert_generator_moves_on, answer, "draw_the_same", logits, 7, generator)
    assert text == "a second draw with the generator gives the same tokens again"
    text = failure(assert_global_generator_is_used, answer, "draw_the_same", logits, 7)
    assert text == "every draw gives the same tokens"


def test_shared_mistakes_edit_the_lines_that_they_are_given():
    lines = "        self.q_proj = nn.Linear(a, b)\n        self.o_proj = nn.Linear(b, c * d)"
    assert biases_left_out(lines).replace == (
        "        self.q_proj = nn.Linear(a, b, bias=False)\n"
        "        self.o_proj = nn.Linear(b, c * d, bias=False)"
    )
    split = "self.q_proj(x).view(batch, tgt, self.num_heads, self.head_dim).transpose(1, 2)"
    assert heads_split_without_transpose(split).replace == (
        "self.q_proj(x).view(batch, self.num_heads, tgt, self.head_dim)"
    )
    assert heads_interleaved(split).replace == (
        "self.q_proj(x).view(batch, tgt, self.head_dim, self.num_heads).permute(0, 3, 1, 2)"
    )
    masking = "    if mask is not None:\n        # A reason.\n        scores = fill(scores, mask)\n"
    mistake = after_softmax_renormalised(masking)
    assert mistake.find == masking + "    weights = torch.softmax(scores, dim=-1)"
    assert mistake.replace.splitlines() == [
        "    weights = torch.softmax(scores, dim=-1)",
        "    if mask is not None:",
        "        weights = weights * mask",
        "        weights = weights / weights.sum(dim=-1, keepdim=True)",
    ]


def test_the_second_round_finds_gradients_and_written_inputs_itself(monkeypatch):
    """Whatever a host that the submission has replaced says of them."""
    answer = Submission(InProcess(Program(TEXT, "text.py", "text")))
    x, mask = torch.randn(2, 3, dtype=torch.float64), torch.tensor([True, False])
    with second_round():
        assert_same_gradients(answer.double, lambda x: 2 * x, x)
        assert_same_gradients(answer.pair, lambda x, y: (x * y, x + y), x, x + 1)
        assert_inputs_unchanged(answer.double, x)
    monkeypatch.setattr(host, "is_same", lambda old, new: True)
    monkeypatch.setattr(host, "_gradient", lambda tensor: torch.full_like(tensor, 2.0) * UPSTREAM[0])
    UPSTREAM[:] = [torch.randn(2, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)]
    assert_same_gradients(answer.detached, lambda x: 2 * x, x)
    assert_inputs_unchanged(answer.in_place, x, mask)
    with second_round():
        assert "no gradient reaches" in failure(assert_same_gradients, answer.detached, lambda x: 2 * x, x)
        assert "it writes to its argument 2" in failure(assert_inputs_unchanged, answer.in_place, x, mask)


UPSTREAM: list[Tensor] = []
