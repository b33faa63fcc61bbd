"""What attention and its relatives share: layouts, weights, dropout, samplers."""

import pytest
import torch
from kit.answers import INF, TEXT, failure
from torch import Tensor

from grader.judge.workers.client import Program
from grader.judge.workers.inprocess import InProcess
from grader.kit import (
    Submission,
    assert_inputs_unchanged,
    assert_same_gradients,
)
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
from grader.kit.families.attention.mistakes.attention_mistakes import (
    biases_left_out,
    heads_interleaved,
    heads_split_without_transpose,
)
from grader.kit.families.attention.mistakes.mask_mistakes import after_softmax_renormalised
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
from grader.kit.outcomes import Misused
from grader.kit.recording import recording
from grader.kit.rounds import second_round
from grader.worker.answering import gradients, host

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
    wanted = 6600.0 * (torch.arange(7) % 3 - 1)
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
    in_sequences, drawn = whole[:198].unflatten(0, (11, 18)), kept[:198].unflatten(0, (11, 18))
    assert_entries_dropped_on_their_own(in_sequences * drawn, dropout=0.3)
    for dim, what in enumerate(("sequences", "tokens", "features")):
        shared = in_sequences * drawn.narrow(dim, 0, 1)
        text = failure(assert_entries_dropped_on_their_own, shared, dropout=0.3)
        assert text.startswith(f"all {what} drop the same entries")
    shares = {"tokens kept, by feature": kept[:1], "features kept, by token": kept[:, :1]}
    for share, wrong in shares.items():
        nearly = whole * wrong
        nearly[-1, -1] = 1.0 - float(wrong[-1, -1])
        text = failure(assert_entries_dropped_on_their_own, nearly, dropout=0.3)
        assert f"the share of {share}" in text
    fewer = whole * (Rng("fewer").uniform(199, 211) >= 0.4)
    assert "the share of entries kept" in failure(assert_entries_dropped_on_their_own, fewer, dropout=0.3)


def test_tokens_that_are_drawn():
    assert torch.equal(token_ids(torch.tensor([3, 1], dtype=torch.int16), 2), torch.tensor([3, 1]))
    assert failure(token_ids, torch.ones(2), 2) == "got torch.float32, expected a tensor of integers"
    assert failure(token_ids, [3, 1], 2) == "got list, expected a tensor of integers"
    assert failure(token_ids, torch.tensor([[3]]), 1) == "got shape (1, 1), expected (1,)"
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
    assert_repeatable(answer.draw, logits, 7, 5, generator=generator)
    assert_generator_moves_on(answer, "draw", logits, 7, generator)
    assert_global_generator_is_used(answer, "draw", logits, 7)
    text = failure(assert_repeatable, answer.draw_without_generator, logits, 7, generator=generator)
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
    with second_round(seed=7):
        assert_same_gradients(answer.double, lambda x: 2 * x, x)
        assert_same_gradients(answer.pair, lambda x, y: (x * y, x + y), x, x + 1)
        assert_inputs_unchanged(answer.double, x)
    monkeypatch.setattr(host, "is_same", lambda old, new: True)
    monkeypatch.setattr(gradients, "_gradient", lambda tensor: torch.full_like(tensor, 2.0) * UPSTREAM[0])
    UPSTREAM[:] = [torch.randn(2, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)]
    assert_same_gradients(answer.detached, lambda x: 2 * x, x)
    assert "it writes to its argument 2" in failure(assert_inputs_unchanged, answer.in_place, x, mask)
    with second_round(seed=7):
        assert "no gradient reaches" in failure(assert_same_gradients, answer.detached, lambda x: 2 * x, x)
        assert "it writes to its argument 2" in failure(assert_inputs_unchanged, answer.in_place, x, mask)


UPSTREAM: list[Tensor] = []
