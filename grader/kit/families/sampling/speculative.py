"""What the checks of speculative decoding share: rows without chance, models in tables, what is exact."""

from collections.abc import Callable
from itertools import product
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from grader.kit.assertions import assert_distribution, assert_true
from grader.kit.generators import Rng
from grader.kit.handles import Submission


def sure(*tokens: int, vocab: int = 7, dtype: torch.dtype = torch.float64) -> Tensor:
    """A row for each token, in which it is the only one."""
    return torch.eye(vocab, dtype=dtype)[list(tokens)]


def rows(*probabilities: list[float], dtype: torch.dtype = torch.float64) -> Tensor:
    """Rows of probabilities."""
    return torch.tensor(probabilities, dtype=dtype)


def verified(answer: "Any", times: "Any", *args: "Any", generator: "Any" = None) -> "Any":
    """The results of so many calls as rows, filled up with -1."""
    came = torch.full((times, len(args[0]) + 2), -1)
    for row in came:
        new = torch.as_tensor(answer.verify(*args, generator))[: len(row)]
        row[: len(new)] = new
    return came


def assert_verified_among_many(submission: Submission, rng: Rng, dtype: torch.dtype, times: int) -> None:
    """With hundreds of tokens each draft is kept by the ratio, and what comes last is drawn as it should be:
    counted is how many are kept, and in which half of the vocabulary the last token is.
    """
    vocab, drafted = int(rng.integers(150, 1200, 1)), 3
    draft, target = (rng.normal(count, vocab).softmax(-1).to(dtype) for count in (drafted, drafted + 1))
    tokens = (target[:-1] / draft - 0.6).abs().argmin(-1)  # kept with a probability of about 0.6
    came = submission.run(verified, times, tokens, draft, target, generator=rng.as_generator())
    kept = (came >= 0).sum(1) - 1
    draws = torch.cat([(target[:-1] - draft).clamp(min=0), target[-1:]]).double()
    halves = torch.stack([half.sum(-1) for half in draws.split([vocab // 2, vocab - vocab // 2], -1)], dim=1)
    shares = torch.cat([(target[:-1] / draft).double().gather(1, tokens[:, None])[:, 0], torch.zeros(1)])
    reached = torch.cat([torch.ones(1), shares[:-1].cumprod(0)])
    expected = (reached * (1 - shares))[:, None] * halves / halves.sum(1, keepdim=True)
    # What cannot be is counted behind these: another number of tokens, another beginning, or end.
    possible = (kept >= 0) & (kept <= drafted)
    kept = kept.clamp(0, drafted)
    last = came.gather(1, kept[:, None])[:, 0]
    possible &= (last >= 0) & (last < vocab)
    last = last.clamp(0, vocab - 1)
    possible &= ((came[:, :drafted] == tokens) | (torch.arange(drafted) >= kept[:, None])).all(1)
    possible &= draws[kept, last] > 0
    results = torch.where(possible, 2 * kept + (last >= vocab // 2), expected.numel())
    assert_distribution(results, expected.flatten(), what=f"results of verify among {vocab} tokens")


def seen(submission: Submission, *args: Tensor, times: int = 200) -> list[list[int]]:
    """The different results of many calls, without what fills them up."""
    came = submission.run(verified, times, *args).unique(dim=0).tolist()
    return [[token for token in row if token >= 0] for row in came]


def assert_varied(came: Tensor) -> None:
    """Not all of these are equal. Where they are, which one it is may be chance, and so no evidence."""
    varied = bool((came != came[:1]).any())
    assert_true(varied, "every call gives the same, where chance decides", seen=varied)


def seeded(answer: "Any", times: "Any", args: "Any", seeds: "Any", with_generator: "Any") -> "Any":
    """Results with these seeds of the generator, where the global one has others (or the same, alone)."""
    came = []
    for number, seed in enumerate(seeds):
        torch.default_generator.manual_seed(number if with_generator else seed)
        generator = torch.Generator().manual_seed(seed) if with_generator else None
        for _ in range(times):
            new = torch.as_tensor(answer.verify(*args, generator))
            came.append(torch.cat([new, torch.full((len(args[0]) + 2,), -1)])[: len(args[0]) + 2])
    return torch.stack(came).reshape(len(seeds), times, -1)


def exact(tokens: list[int], draft: Tensor, target: Tensor) -> Tensor:
    """The probability of every result, which has the number of its tokens as digits (0 where none is)."""
    vocab, width = target.shape[-1], len(tokens) + 1
    found = torch.zeros((vocab + 1) ** width, dtype=torch.float64)

    def note(result: list[int], probability: float) -> None:
        filled = [*(token + 1 for token in result), *[0] * (width - len(result))]
        found[sum(digit * (vocab + 1) ** place for place, digit in enumerate(filled))] += probability

    reached = 1.0
    for place, token in enumerate(tokens):
        p, q = target[place].double(), draft[place].double()
        kept = min(1.0, float(p[token] / q[token]))
        lacking = (p - q).clamp(min=0)
        for other in range(vocab):
            if kept < 1:
                note([*tokens[:place], other], reached * (1 - kept) * float(lacking[other] / lacking.sum()))
        reached *= kept
    for other in range(vocab):
        note([*tokens, other], reached * float(target[-1, other]))
    return found


def digits(came: Tensor, vocab: int) -> Tensor:
    """The same numbers of results as they come; those that are too long have none."""
    width = came.shape[1] - 1
    places = (vocab + 1) ** torch.arange(width)
    return torch.where(came[:, width] < 0, ((came[:, :width] + 1) * places).sum(1), (vocab + 1) ** width)


def decoded(
    answer: "Any", settings: "Any", tables: "Any", seeds: "Any" = (None,), spy: "Any" = False
) -> "Any":
    """Results of speculative_decode with models that look up all tokens so far in tables: for every position
    and sum of the tokens up to there a row. Row of 0: the target's table, row of 1: the draft's.
    """
    prompt, num_tokens, num_drafts = settings
    asked: Any = []

    def model(number: "Any") -> "Any":
        table = tables[number]

        def probs(tokens: "Any") -> "Any":
            asked.append([number, len(tokens)])
            if len(asked) > 10_000:
                raise RuntimeError("the models are called again and again")
            if tokens.dim() != 1 or tokens.dtype != torch.int64:
                raise TypeError(f"a model takes int64 tokens of shape (length,), {tokens} came")
            if not torch.equal(tokens[: len(prompt)], prompt):
                raise ValueError(f"a model takes the prompt and what follows, {tokens[:9].tolist()} … came")
            places = torch.arange(len(tokens), device=tokens.device)
            return table[places, tokens.cumsum(0) % table.shape[1]]

        return probs

    came = []
    for seed in seeds:
        generator = None if seed is None else torch.Generator().manual_seed(seed)
        came.append(answer.speculative_decode(model(0), model(1), prompt, num_tokens, num_drafts, generator))
    return [came, asked] if spy else came


def watched(submission: Submission, settings: Any, tables: Tensor) -> Any:
    """The result of `decoded` without a seed, and what the models are asked, in order. They are the judge's:
    in the worker an answer could write to what is noted.
    """

    def cautious(model: Callable[[Any], Tensor]) -> Callable[..., Tensor]:
        def probs(*given: Any) -> Tensor:
            try:
                return model(*given)
            except (RuntimeError, TypeError, AttributeError, IndexError) as error:
                raise ValueError(str(error)) from error

        return probs

    def decode(target: Any, draft: Any, *given: Any) -> Any:
        return submission.speculative_decode(cautious(target), cautious(draft), *given)

    (came,), asked = decoded(SimpleNamespace(speculative_decode=decode), settings, tables, spy=True)
    return came, asked


def one_hot_tables(rng: Rng, length: int, vocab: int, agreeing: float = 0.6) -> Tensor:
    """A target without chance, and a draft that agrees with it now and then."""
    wanted = rng.integers(0, vocab, length, vocab)
    guess = torch.where(rng.uniform(length, vocab) < agreeing, wanted, rng.integers(0, vocab, length, vocab))
    return torch.stack([torch.eye(vocab, dtype=torch.float64)[each] for each in (wanted, guess)])


def written(table: Tensor, prompt: Tensor, num_tokens: int) -> Tensor:
    """What a target without chance writes: the oracle, one token at a time."""
    tokens = prompt.tolist()
    for _ in range(num_tokens):
        tokens.append(int(table[len(tokens) - 1, sum(tokens) % table.shape[1]].argmax()))
    return torch.tensor(tokens[len(prompt) :])


def sequences(table: Tensor, prompt: Tensor, num_tokens: int) -> Tensor:
    """The probability of every sequence that the target may write, the oracle."""
    vocab, found = table.shape[1], []
    for tail in product(range(vocab), repeat=num_tokens):
        tokens, probability = prompt.tolist(), 1.0
        for token in tail:
            probability *= float(table[len(tokens) - 1, sum(tokens) % vocab, token])
            tokens.append(token)
        found.append(probability)
    return torch.tensor(found, dtype=torch.float64)


def many(
    answer: "Any", times: "Any", num_drafts: "Any", prompt: "Any", tables: "Any", generator: "Any" = None
) -> "Any":
    """Results of three tokens as numbers, with models like those of `decoded`."""

    calls, vocab = 0, tables.shape[-1]

    def model(table: "Any") -> "Any":
        def probs(tokens: "Any") -> "Any":
            nonlocal calls
            calls += 1
            if calls > times * 20:
                raise RuntimeError("the models are called again and again")
            return table[torch.arange(len(tokens)), tokens.cumsum(0) % table.shape[1]]

        return probs

    target, draft = model(tables[0]), model(tables[1])
    came = torch.full((times,), -1)
    for number in range(times):
        tokens = answer.speculative_decode(target, draft, prompt, 3, num_drafts, generator)
        if len(tokens) != 3:
            raise ValueError("3 tokens are asked for, another number came")  # how many is chance
        came[number] = int(tokens[0]) * vocab**2 + int(tokens[1]) * vocab + int(tokens[2])
    return came
