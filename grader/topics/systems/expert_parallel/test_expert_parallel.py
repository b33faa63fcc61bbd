"""Checks of `expert_parallel`: tokens against loops, what is sent, and how the experts are called."""

import pytest
import torch

from grader.kit import assert_equal, assert_inputs_unchanged, assert_true
from grader.kit.families.networks.collectives import AllToAll
from grader.kit.families.networks.network import assert_ranks
from grader.kit.rounds import is_second_round
from grader.kit.rules.devices import assert_scenario_keeps_device


class Experts:
    """Experts on their ranks; `calls[e]` are the numbers of rows that expert e was called with."""

    def __init__(self, rng, world_size, per_rank, hidden, dtype=torch.float64):
        self.per_rank = per_rank
        self.count = world_size * per_rank
        self.weight = rng.normal(self.count, hidden, hidden, dtype=dtype)
        self.bias = rng.normal(self.count, hidden, dtype=dtype)
        self.calls = {f"expert {number}": [] for number in range(self.count)}

    def rows(self, number, rows):
        return torch.tanh(rows @ self.weight[number] + self.bias[number])

    @property
    def by_rank(self):
        flat = [self._callable(number) for number in range(self.count)]
        return [flat[start : start + self.per_rank] for start in range(0, self.count, self.per_rank)]

    def _callable(self, number):
        def expert(rows):
            hidden = self.bias.shape[1]
            if not isinstance(rows, torch.Tensor) or rows.ndim != 2 or rows.shape[1] != hidden:
                raise ValueError(f"an expert takes rows of {hidden} numbers")
            if rows.dtype != self.bias.dtype:
                raise ValueError(f"an expert got rows of {rows.dtype}, the tokens have {self.bias.dtype}")
            self.calls[f"expert {number}"].append(len(rows))
            return self.rows(number, rows)

        return expert


def connected(submission, world_size, sign=1, told_by=None):
    """A network, and the object in the worker for it."""
    network = AllToAll(world_size, sign, told_by)
    return network, network.connect(submission, "collectives", ("all_to_all",), ("calls", "sent"))


def drawn(rng, tokens, experts, k, hidden=3, dtype=torch.float64):
    """Tokens, chosen experts and weights: a list each, with as many tokens on each rank as asked."""
    xs = [rng.normal(n, hidden, dtype=dtype) for n in tokens]
    chosen = [[rng.permutation(experts.count)[:k] for _ in range(n)] for n in tokens]
    ids = [torch.stack(each) if each else torch.zeros(0, k, dtype=torch.int64) for each in chosen]
    return xs, ids, [rng.normal(n, k, dtype=dtype) for n in tokens]


def expected(xs, ids, weights, experts, sign=1):
    """The oracle: token by token. With `sign` for the ways to another rank and back."""
    results = []
    for rank, (x, chosen, weight) in enumerate(zip(xs, ids, weights, strict=True)):
        result = torch.zeros_like(x)
        for token in range(len(x)):
            for number, factor in zip(chosen[token].tolist(), weight[token], strict=True):
                turn = sign if number // experts.per_rank != rank else 1
                result[token] += factor * turn * experts.rows(number, turn * x[token])
        results.append(result)
    return results


def dealt(submission, rng, tokens, per_rank, k, hidden=3):
    """What comes and what is expected, with the network and the experts."""
    experts = Experts(rng, len(tokens), per_rank, hidden)
    inputs = drawn(rng, tokens, experts, k, hidden)
    network, inside = connected(submission, len(tokens))
    came = submission.expert_parallel(*inputs, experts.by_rank, inside)
    return came, expected(*inputs, experts), network, experts, inputs


def workload(submission, rng):
    experts = Experts(rng, 3, 2, 64)
    _, inside = connected(submission, 3)
    inputs = drawn(rng, [64] * 3, experts, 2, hidden=64)
    return submission.expert_parallel.measure(*inputs, experts.by_rank, inside)


@pytest.mark.parametrize(
    "tokens, per_rank, k",
    [([5, 5], 2, 2), ([4, 4, 4], 2, 3), ([7, 3, 5], 3, 2), ([4, 3], 1, 1), ([139, 5], 1, 2)],
)
def test_equals_loops(submission, rng, tokens, per_rank, k):
    """each token becomes the weighted sum of what its experts make of it"""
    if is_second_round():  # more ranks
        tokens = [*tokens, *rng.integers(0, 5, int(rng.integers(4, 8, 1))).tolist()]
    came, wanted, *_ = dealt(submission, rng, tokens, per_rank, k)
    assert_ranks(came, wanted)


def test_many_experts(submission, rng):
    """there may be hundreds of experts"""
    came, wanted, *_ = dealt(submission, rng, [13, 11], 290, 3)
    assert_ranks(came, wanted)


@pytest.mark.parametrize("tokens", [[0, 4, 3], [4, 0], [3, 0, 0]])
def test_ranks_without_tokens(submission, rng, tokens):
    """ranks may have no tokens: they give none, and their experts work for the others"""
    came, wanted, *_ = dealt(submission, rng, tokens, 2, 2)
    assert_ranks(came, wanted)
    if is_second_round():  # all of them
        came, wanted, *_ = dealt(submission, rng, [0] * len(tokens), 2, 2)
        assert_ranks(came, wanted)


@pytest.mark.parametrize("tokens", [[5], [1]])
def test_one_rank(submission, rng, tokens):
    """with one rank nothing is sent to another"""
    came, wanted, network, *_ = dealt(submission, rng, tokens, 3, 2)
    assert_ranks(came, wanted)
    assert_equal(network.sent, [0], what="elements sent")


@pytest.mark.parametrize("number", [0, 3, 5])
def test_all_choose_one_expert(submission, rng, number):
    """all tokens may choose the same expert; nothing is dropped, and the others are not called"""
    experts = Experts(rng, 3, 2, 3)
    xs, ids, weights = drawn(rng, [4, 2, 6], experts, 1)
    ids = [torch.full_like(each, number) for each in ids]
    _, inside = connected(submission, 3)
    assert_ranks(
        submission.expert_parallel(xs, ids, weights, experts.by_rank, inside),
        expected(xs, ids, weights, experts),
    )
    assert_calls(experts, ids)


def assert_calls(experts, ids):
    wanted = torch.bincount(torch.cat(ids).flatten(), minlength=experts.count).tolist()
    rows = {name: [count] if count else [] for name, count in zip(experts.calls, wanted, strict=True)}
    assert_equal(experts.calls, rows, what="rows in each call of")


def test_thousands_of_rows_of_one_expert(submission, rng):
    """an expert is called once with thousands of rows, too"""
    experts = Experts(rng, 2, 1, 1)
    xs, weights = ([rng.normal(n, 1) for n in (2903, 1201)] for _ in range(2))
    ids = [torch.ones(len(x), 1, dtype=torch.int64) for x in xs]
    _, inside = connected(submission, 2)
    came = submission.expert_parallel(xs, ids, weights, experts.by_rank, inside)
    assert_ranks(came, [weight * experts.rows(1, x) for x, weight in zip(xs, weights, strict=True)])
    assert_calls(experts, ids)


def test_experts_are_called_once(submission, rng):
    """an expert is called once, with its rows from all ranks; without rows it is not called"""
    *_, experts, (_, ids, _) = dealt(submission, rng, [2, 3, 2], 3, 2)
    assert_calls(experts, ids)


@pytest.mark.parametrize("tokens, per_rank, k", [([6, 2, 5], 2, 2), ([0, 8, 1], 2, 1)])
def test_elements_sent(submission, rng, tokens, per_rank, k):
    """a rank sends its copies to other ranks and their results back, no more; in three all_to_all at most"""
    *_, network, _, (_, ids, _) = dealt(submission, rng, tokens, per_rank, k)
    owners = [each // per_rank for each in ids]
    sent, most = network.sent, []
    for rank, own in enumerate(owners):
        elsewhere = int((own != rank).sum())
        for_others = sum(int((each == rank).sum()) for each in owners) - int((own == rank).sum())
        most.append(3 * (elsewhere + for_others))
    over = [rank for rank in range(len(most)) if sent[rank] > most[rank]]
    where = over[0] if over else 0
    message = (
        f"rank {where} sends {sent[where]} floating-point elements to others, at most {most[where]} are "
        "allowed: the copies that its tokens need there, and the results of the copies that it got"
    )
    assert_true(not over, message, seen=sent if over else True)
    calls = f"all_to_all is called {network.calls} times, at most 3 are allowed"
    assert_true(network.calls <= 3, calls, seen=network.calls <= 3)


@pytest.mark.parametrize("tokens, per_rank", [([5, 4], 2), ([4, 0, 5], 3)])
def test_ranks_learn_through_all_to_all(submission, rng, tokens, per_rank):
    """a rank learns of the others by all_to_all alone: where it turns signs, rows and results are turned"""
    experts = Experts(rng, len(tokens), per_rank, 3)
    inputs = drawn(rng, tokens, experts, 2)
    _, inside = connected(submission, len(tokens), sign=-1)
    came = submission.expert_parallel(*inputs, experts.by_rank, inside)
    assert_ranks(came, expected(*inputs, experts, sign=-1))


def test_choices_travel_too(submission, rng):
    """a rank is told by all_to_all for which of its experts the rows are that it gets"""
    experts = Experts(rng, 2, 3, 3)
    xs, _, weights = drawn(rng, [5, 4], experts, 1)
    ids = [torch.tensor([[3], [5], [0], [4], [3]]), torch.tensor([[2], [0], [5], [0]])]
    network, inside = connected(submission, 2)
    came = submission.expert_parallel(xs, ids, weights, experts.by_rank, inside)
    assert_ranks(came, expected(xs, ids, weights, experts))
    # With three experts and one all_to_all back, three of rows alone could not tell them apart.
    silent = [pair for pair in ((0, 1), (1, 0)) if network.told[pair[0]][pair[1]] == 0]
    source, target = silent[0] if silent else (0, 1)
    message = (
        f"rank {target} gets rows of rank {source}, and no integers that tell for which experts they are: it "
        "reads them from the other ranks' expert_ids"
    )
    assert_true(not silent, message, seen=not silent)


def test_rows_go_by_what_has_travelled(submission, rng):
    """where other integers arrive, those of other choices, the rows go to the experts that these tell of"""
    experts = Experts(rng, 3, 5, 3)
    xs, _, weights = drawn(rng, [1, 1, 1], experts, 1)
    # One row for each next rank, so that integers of any kind tell of one expert there.
    owners, places = torch.tensor([1, 2, 0]), rng.integers(0, 5, 3)
    told, chosen = (
        list((5 * owners + each % 5).view(3, 1, 1)) for each in (places, places + rng.integers(1, 5, 3))
    )
    network = None
    for ids in (told, chosen):
        network, inside = connected(submission, 3, told_by=network)
        came = submission.expert_parallel(xs, ids, weights, experts.by_rank, inside)
        assert_ranks(came, expected(xs, told, weights, experts))


@pytest.mark.parametrize("hidden, k", [(1, 1), (5, 4)])
def test_sizes(submission, rng, hidden, k):
    """tokens of one number, and tokens that choose all experts, are right"""
    came, wanted, *_ = dealt(submission, rng, [3, 2], 2, k, hidden=hidden)
    assert_ranks(came, wanted)


def test_weights_are_used_as_given(submission, rng):
    """weights need not sum to 1, and may be 0 or negative"""
    experts = Experts(rng, 2, 2, 3)
    xs, ids, weights = drawn(rng, [4, 3], experts, 2)
    weights = [3 * each for each in weights]
    weights[0][1], weights[1][0, 0] = 0.0, 0.0
    _, inside = connected(submission, 2)
    came = submission.expert_parallel(xs, ids, weights, experts.by_rank, inside)
    assert_ranks(came, expected(xs, ids, weights, experts))
    if is_second_round():  # a row of weight 0 is a row
        assert_calls(experts, ids)


def test_float32_and_strides(submission, rng):
    """float32 is kept, and inputs that are not contiguous are right"""
    experts = Experts(rng, 2, 2, 3, torch.float32)
    xs, ids, weights = drawn(rng, [5, 4], experts, 2, dtype=torch.float32)
    turned = [[each.t().contiguous().t() for each in which] for which in (xs, ids, weights)]
    _, inside = connected(submission, 2)
    came = submission.expert_parallel(*turned, experts.by_rank, inside)
    assert_ranks(came, expected(xs, ids, weights, experts))


def test_calls_keep_apart(submission, rng):
    """a second call with the same collectives, of other sizes, is right"""
    experts = Experts(rng, 2, 2, 3)
    _, inside = connected(submission, 2)
    for tokens, k in (([5, 2], 2), ([1, 4], 1), ([5, 2], 2)):
        inputs = drawn(rng, tokens, experts, k)
        came = submission.expert_parallel(*inputs, experts.by_rank, inside)
        assert_ranks(came, expected(*inputs, experts))


def test_inputs_are_not_modified(submission, rng):
    """tokens, chosen experts and weights are not modified"""
    experts = Experts(rng, 2, 2, 3)
    _, inside = connected(submission, 2)
    inputs = drawn(rng, [4, 3], experts, 2)
    assert_inputs_unchanged(submission.expert_parallel, *inputs, experts.by_rank, inside)


def test_device(submission, rng):
    """results are on the device of the tokens, whatever the default device is"""
    for tokens in ([4, 0], [0, 0]) if is_second_round() else ([4, 0],):
        assert_scenario_keeps_device(submission, at_home, *drawn(rng, tokens, Experts(rng, 2, 2, 3), 2))


def at_home(answer, xs, ids, weights):
    class Collectives:
        world_size, calls, sent = 2, 0, [0, 0]

        def all_to_all(self, sends):
            return [[row[target].clone() for row in sends] for target in range(2)]

    experts = [[lambda rows: 2 * rows, lambda rows: 3 * rows], [lambda rows: -rows, lambda rows: rows + 1]]
    return answer.expert_parallel(xs, ids, weights, experts, Collectives())
