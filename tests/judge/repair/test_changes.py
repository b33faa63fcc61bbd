"""The small changes of an answer: what is tried, and in which order."""

import ast
from itertools import pairwise

import pytest
from driving import CATALOG

from grader.judge.repair.changes import LONGEST, MOST, changes_of

ANSWER = '''\
"""An answer."""

import torch
from torch import Tensor


def attend(query: Tensor, key: Tensor, mask: Tensor, num_heads: int, p: float = 0.1) -> Tensor:
    """Of each query."""
    batch, q_len, head_dim = query.shape
    keep = pick(mask)
    scores = query @ key.transpose(1, 2) / num_heads**0.5
    total = 0.0
    for i in range(q_len):
        total = scores[:, i].sum() / batch
    if p > 0.3:
        total *= p
    scores = torch.where(mask, scores, total)
    order = scores.argsort(dim=-1)
    return torch.einsum("bqk,bkd->bqd", scores.softmax(dim=1), key[:, :-1]), order, keep
'''
SOLUTION = "BASE = 10000.0\n"


LAYOUTS = """\
import numpy as np
import torch
from torch import Tensor


def lay_out(x: Tensor, order: Tensor, heads: int, size: int, scale: float) -> Tensor:
    parts = x.reshape(size, heads)
    flat = x.flatten()
    back = x[order]
    turned = torch.roll(x, size, 0)
    rows = x.as_strided((heads, size), (size, 1))
    zeros = torch.zeros(heads)
    first = torch.arange(1, size + 1)
    with torch.no_grad():
        total = x.std(-1) * scale
    zeros[order] = total
    each = torch.repeat_interleave(x, heads)
    return np.tile(each, heads // size)
"""


TWINS = """\
import torch
from torch import Tensor, nn


class Block(nn.Module):
    def forward(self, x: Tensor, order: Tensor, mask: Tensor, past: int, training: bool) -> Tensor:
        count, height, width = x.shape
        table = nn.Embedding.from_pretrained(x[order])
        chosen = x.gather(-1, order)
        if training:
            places = torch.arange(past, past + width)
            values = self.act(self.up(x), places)
            values = values * mask
            values = self.down(values) + self.bias
            return values
        steps = torch.arange(height)
        places = torch.arange(width)
        values = torch.relu(self.up(x), places)
        values = self.down(values)
        self.used[count] = 1
        return values / chosen
"""


def changed_lines(answer: str, near: int | None = None) -> dict[str, str]:
    """Of every change of one line: what that is then, and what is said of it; the first first."""
    before = answer.splitlines()
    found: dict[str, str] = {}
    for change, source in changes_of(answer, SOLUTION, near):
        lines = source.splitlines()
        if len(lines) == len(before):
            differing = [line.strip() for line, old in zip(lines, before, strict=True) if line != old]
            if len(differing) == 1:
                found.setdefault(differing[0], change.says)
    return found


@pytest.mark.parametrize(
    "line, says",
    [
        (
            "scores = query @ key.transpose(1, 2) / head_dim**0.5",
            "`num_heads` stands in the place of `head_dim`",
        ),
        ("scores = torch.where((~mask), scores, total)", "`mask` stands in the place of `(~mask)`"),
        ("scores = torch.where(mask, total, scores)", "`scores` and `total` have changed places"),
        (
            "total = scores[:, i].sum() / (batch + 1)",
            "`batch` stands in the place of `(batch + 1)`",
        ),
        (
            "total = scores[:, i].sum(-1) / batch",
            "`scores[:, i].sum()` stands in the place of `scores[:, i].sum(-1)`",
        ),
        ("total *= (1 - p)", "`p` stands in the place of `(1 - p)`"),
        ("total = total * p", "`*=` changes `total` in place"),
        ("if p >= 0.3:", "`p > 0.3` stands in the place of `p >= 0.3`"),
        ("if p > 10000.0:", "`0.3` stands in the place of `10000.0`"),
        ("if False:", "Where what stands under `if p > 0.3` is never done, all checks pass."),
        (
            "order = scores.argsort(dim=-1).argsort(dim=-1)",
            "`argsort` gives the place of each rank, not the rank of each place.",
        ),
        (
            'return torch.einsum("bqk,bkd->bqd", scores.softmax(dim=-1), key[:, :-1]), order, keep',
            "`scores.softmax(dim=1)` stands in the place of `scores.softmax(dim=-1)`",
        ),
        (
            'return torch.einsum("bqk,bkd->bqd", scores.softmax(dim=1), key[:, 1:]), order, keep',
            "`key[:, :-1]` stands in the place of `key[:, 1:]`",
        ),
        (
            'return torch.einsum("bkq,bkd->bqd", scores.softmax(dim=1), key[:, :-1]), order, keep',
            '`"bqk,bkd->bqd"` stands in the place of `"bkq,bkd->bqd"`',
        ),
    ],
)
def test_what_is_tried(line: str, says: str) -> None:
    assert changed_lines(ANSWER)[line].startswith(says)


@pytest.mark.parametrize(
    "line, says",
    [
        (
            "parts = x.reshape(heads, size).swapaxes(0, 1)",
            "`size` comes before `heads` in a view, and belongs behind it.",
        ),
        ("flat = x.mT.flatten()", "`x.flatten()` stands in the place of `x.mT.flatten()`."),
        ("back = x[order.argsort()]", "`order` stands where its inverse belongs."),
        (
            "turned = torch.roll(x, -(size), 0)",
            "`torch.roll(x, size, 0)` stands in the place of `torch.roll(x, -(size), 0)`.",
        ),
        (
            "rows = x.contiguous().as_strided((heads, size), (size, 1))",
            "`as_strided` takes `x` to lie in memory in its order.",
        ),
        (
            "zeros = torch.zeros(heads, dtype=x.dtype)",
            "`zeros` is not given the dtype of `x`. With it, all checks pass.",
        ),
        (
            "first = torch.arange(size)",
            "`torch.arange(1, size + 1)` stands in the place of `torch.arange(size)`.",
        ),
        ("if True:", "Without `with torch.no_grad()`, all checks pass."),
        (
            "total = x.std(-1, correction=0) * scale",
            "`x.std(-1)` stands in the place of `x.std(-1, correction=0)`.",
        ),
        ("total = (x.std(-1) * scale) / scale", "It is not divided by `scale`."),
        (
            "each = (x).repeat(heads)",
            "`torch.repeat_interleave(x, heads)` stands in the place of `(x).repeat(heads)`.",
        ),
        (
            "return np.repeat(each, heads // size)",
            "`np.tile(each, heads // size)` stands in the place of `np.repeat(each, heads // size)`.",
        ),
        (
            "return np.tile(each, heads / size)",
            "`heads // size` stands in the place of `heads / size`.",
        ),
    ],
)
def test_what_is_tried_of_layouts(line: str, says: str) -> None:
    assert changed_lines(LAYOUTS)[line].startswith(says)


@pytest.mark.parametrize(
    "line, says",
    [
        ("places = torch.arange(past, past + width)", "`torch.arange(width)` stands in the place of "),
        ("values = self.act(self.up(x), places)", "`torch.relu` stands in the place of `self.act`."),
        ("values = self.down(values) + self.bias", "`self.down(values)` stands in the place of "),
        ("steps = (torch.arange(height) + past)", "`torch.arange(height)` stands in the place of "),
        ("steps = torch.arange(width)", "`height` stands in the place of `width`."),
        ("values = self.down(values[order])", "`values` stands in the place of `values[order]`."),
        ("table = nn.Embedding.from_pretrained(x[order], freeze=False)", "`nn.Embedding.from_pretrained"),
        ("chosen = x.gather(-1, order).squeeze(-1)", "`x.gather(-1, order)` stands in the place of "),
        ("return values / chosen.unsqueeze(-1)", "`values / chosen` stands in the place of "),
        ("self.used[count] -= 1", "`self.used[count] = 1` stands in the place of "),
    ],
)
def test_what_is_tried_of_what_another_line_has(line: str, says: str) -> None:
    assert changed_lines(TWINS)[line].startswith(says)


def test_what_only_one_branch_does_is_done_in_the_other() -> None:
    masked = "        values = torch.relu(self.up(x), places)\n        values = values * mask\n"
    said = [change.says for change, source in changes_of(TWINS, SOLUTION, None) if masked in source]
    assert "`values = values * mask` is not done here. With it, all checks pass." in said


def test_names_that_got_their_values_together_come_first() -> None:
    answer = TWINS.replace("torch.arange(height)", "torch.arange(count)")
    ranks = {change.says: change.rank for change, _ in changes_of(answer, SOLUTION, None)}
    together = ranks["`count` stands in the place of `width`. With that changed, all checks pass."]
    assert together < ranks["`count` stands in the place of `past`. With that changed, all checks pass."]


def test_a_name_is_exchanged_for_one_of_its_kind_before_others() -> None:
    tried = list(changed_lines(ANSWER))
    size = tried.index("scores = query @ key.transpose(1, 2) / head_dim**0.5")
    assert "scores = query @ key.transpose(1, 2) / mask**0.5" not in tried
    assert size < tried.index("scores = query @ key.transpose(1, 2) / keep**0.5")


def test_a_line_is_moved_over_others_and_into_what_stands_around() -> None:
    sources = [source for _, source in changes_of(ANSWER, SOLUTION, None)]
    assert any("total = scores[:, i].sum() / batch\n        if p > 0.3:" in source for source in sources)
    moved = "    order = scores.argsort(dim=-1)\n    scores = torch.where(mask, scores, total)\n"
    assert any(moved in source for source in sources)


def test_a_line_that_goes_on_below_is_moved_as_a_whole() -> None:
    answer = ANSWER.replace("keep = pick(mask)", "keep = torch.where(\n        mask, 1, 0\n    )")
    moved = [source for change, source in changes_of(answer, SOLUTION, None) if change.id == "keep-too-early"]
    assert all(ast.parse(source) for source in moved)
    behind = "total = 0.0\n    keep = torch.where(\n        mask, 1, 0\n    )\n"
    assert any(behind in source for source in moved)


def test_lines_come_first_that_are_near_or_make_what_is_read_there() -> None:
    tried = [change.line for change, _ in changes_of(ANSWER, SOLUTION, near=17) if change.rank == 0]
    assert tried[0] == 17
    assert tried.index(11) < tried.index(10)  # where the scores are made, which line 17 reads


def test_what_a_method_needs_is_looked_for_in_its_constructor() -> None:
    answer = (
        "class Heads:\n"
        "    def __init__(self, num_heads: int, width: int) -> None:\n"
        "        self.scale = num_heads**-0.5\n"
        + "".join(f"        self.part_{letter} = {number}\n" for number, letter in enumerate("abcdefghijklm"))
        + "\n    def scores(self, query, key):\n        return query @ key * self.scale\n"
    )
    last = len(answer.splitlines())
    found = [change for change, _ in changes_of(answer, SOLUTION, near=last)]
    place = next(n for n, change in enumerate(found) if "in the place of `width`" in change.says)
    assert place < sum(change.line > 3 for change in found) / 2


def test_what_stands_for_another_is_in_the_line_that_is_told() -> None:
    answer = ANSWER.replace("scores.softmax(dim=1), key", "scores.softmax(\n        dim=1\n    ), key")
    before = answer.splitlines()
    seen = set()
    for change, source in changes_of(answer, SOLUTION, None):
        if " stands in the place of " in change.says:
            after = source.splitlines()
            differing = {n for n, (old, new) in enumerate(zip(before, after, strict=False), 1) if old != new}
            assert min(differing) == change.line
            if len(after) == len(before):
                assert differing == {change.line}
                seen.add(change.line)
    assert before.index("        dim=1") + 1 in seen


def test_there_are_only_so_many() -> None:
    names = [f"name_{number}" for number in range(400)]
    body = "".join(f"    {name} = x + {other}\n" for name, other in pairwise(names))
    many = f"def long(x, {names[-1]}):\n{body}    return {names[0]}\n"
    assert sum(1 for _ in changes_of(many, SOLUTION, near=3)) <= MOST
    longer = many + "# and so on\n" * LONGEST
    assert list(changes_of(longer, SOLUTION, near=3)) == []


@pytest.mark.in_turn
@pytest.mark.parametrize("topic", [topic.id for topic in CATALOG.topics])
def test_every_change_of_a_solution_is_another_program(topic: str) -> None:
    solution = CATALOG[topic].solution.read_text(encoding="utf-8")
    made = [source for _, source in changes_of(solution, solution, None)]
    assert made and len({*made, solution}) == len(made) + 1
    for source in made[::17]:
        ast.parse(source)
