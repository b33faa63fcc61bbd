"""The trail of an answer: it leads to the changed line, and says nothing false."""

import ast
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from driving import TESTS
from mutants import Mutant, mutants

from grader.curriculum.catalog import Topic, load_catalog
from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Outcome, Trail, Verdict
from grader.show.verdicts.trail import trail_text

TOPICS = {topic.id: topic for topic in load_catalog().topics}
ALL = os.environ.get("BYHEART_TRAIL") == "all"
MUTANTS = 25
"""Mutants of each topic where all are measured."""


@dataclass
class Tally:
    """Mutants whose values are wrong; of these, how often the trail spoke, and how often it led there."""

    wrong: int = 0
    spoke: int = 0
    right: int = 0

    def add(self, mutant: Mutant, verdict: Verdict) -> None:
        if not values_are_wrong(verdict):
            return
        self.wrong += 1
        if verdict.trail is not None:
            self.spoke += 1
            assert all(found.name for found in verdict.trail.found), mutant.what
            self.right += leads_to(verdict.trail, mutant)


def values_are_wrong(verdict: Verdict) -> bool:
    failed = [check for check in verdict.checks if check.outcome is Outcome.FAILED]
    has_errors = any(check.outcome is Outcome.ERROR for check in verdict.checks)
    return not has_errors and any("differ" in c.message or "yours" in c.message for c in failed)


def leads_to(trail: Trail, mutant: Mutant) -> bool:
    """Whether it names the changed line, or ends at the last line before it that makes a value."""
    if mutant.first <= trail.line <= mutant.last:
        return True
    end = trail.found[-1].line
    between = mutant.source.splitlines()[end : mutant.first - 1]
    makes_values = [line for line in between if "=" in line.partition("#")[0]]
    return end <= mutant.first and not makes_values


@pytest.fixture(scope="module")
def judge() -> Iterator[RemoteJudge]:
    """One that looks for no mistakes: that takes its time."""
    with RemoteJudge(diagnose=False) as remote:
        yield remote


def graded(judge: RemoteJudge, topic: Topic, source: str, folder: Path) -> Verdict:
    path = folder / f"{topic.id}.py"
    path.write_text(source)
    return judge.grade(topic.id, path)


CHANGES = [
    ("softmax", "return exps / total", "return exps * total"),
    (
        "layer_norm",
        "centered.square().mean(dim=-1, keepdim=True)",
        "centered.square().sum(dim=-1, keepdim=True)",
    ),
    ("layer_norm", "eps: float = 1e-5", "eps: float = 1e-3"),
    ("rms_norm", "mean(dim=-1, keepdim=True)", "mean(dim=0, keepdim=True)"),
    ("mlp_numpy", "np.maximum(self._pre, 0)", "np.maximum(self._pre, 1)"),
    ("sdpa", "1 / math.sqrt(query.shape[-1])", "1 / query.shape[-1]"),
    ("mha", "torch.softmax(scores, dim=-1)", "torch.softmax(scores, dim=-2)"),
    ("gqa", "context = weights @ value", "context = weights @ key"),
    ("mqa", "context.transpose(1, 2).reshape", "context.reshape"),
    ("online_softmax", "output * correction + weights", "output + weights"),
    ("cross_entropy", "(1 - label_smoothing) * target_loss", "(1 + label_smoothing) * target_loss"),
    ("bce", "torch.ones_like(logits)", "logits"),
    ("batch_norm", "x.numel() // x.shape[1]", "x.numel() // x.shape[0]"),
    ("ring_attention", "queries[0].shape[-1]", "queries[0].shape[-2]"),
    ("yarn", "beta_slow: float = 1.0", "beta_slow: float = 10.0"),
    ("relative_position_bias", "clamp(max=num_buckets - 1)", "clamp(max=num_buckets + 1)"),
    ("adamw", "1 - self.lr * self.weight_decay", "2 - self.lr * self.weight_decay"),
    ("muon", "x / (x.norm() + eps)", "x * (x.norm() + eps)"),
    ("bce", "(1 - target) * loss_if_0", "(2 - target) * loss_if_0"),
    ("nf4", "0.24611230194568634", "2.4611230194568634"),
    ("tensor_parallel", "softmax(dim=-1) @ value", "softmax(dim=-2) @ value"),
    ("attention_backward", "torch.exp(scores - logsumexp[:, :, rows])", "scores - logsumexp[:, :, rows]"),
    ("bert_embeddings", "1e-12", "1e-11"),
    ("gradient_clipping", "grad.mul_(factor)", "grad"),
    ("self_attention_v4", "allowed = allowed & padding_mask[:, None, :]", "pass"),
    ("top_p", "return logits.masked_fill(remove, -math.inf)", "return logits"),
]
"""Small changes of solutions, over the ways in which a trail ends."""


@pytest.mark.parametrize(("topic", "old", "new"), CHANGES, ids=lambda value: value[:20])
def test_it_names_the_changed_line(judge, tmp_path, topic, old, new):
    source = TOPICS[topic].solution.read_text("utf-8")
    assert source.count(old) == 1
    changed = source[: source.index(old)].count("\n") + 1
    verdict = graded(judge, TOPICS[topic], source.replace(old, new), tmp_path)
    assert verdict.trail is not None and verdict.trail.found
    assert verdict.trail.line == changed


def test_masks_and_positions_before_the_line_are_told(judge, tmp_path):
    """Their numbers are found anywhere: only behind what proves something, in the line's own function."""
    source = TOPICS["flash_attention"].solution.read_text("utf-8")
    hidden = "scores = scores.masked_fill(columns > rows[:, None], -math.inf)"
    trail = graded(
        judge, TOPICS["flash_attention"], source.replace(hidden, "scores = scores * 1"), tmp_path
    ).trail
    assert trail is not None
    assert [found.name for found in trail.found][-3:] == ["scores", "rows", "columns"]
    assert trail.line > trail.found[-1].line


def test_a_passing_answer_has_none(judge):
    assert judge.grade("mha", TOPICS["mha"].solution).trail is None


def test_a_factor_is_told(judge, tmp_path):
    source = TOPICS["mha"].solution.read_text("utf-8")
    verdict = graded(
        judge, TOPICS["mha"], source.replace("scores / math.sqrt(self.head_dim)", "scores * 1"), tmp_path
    )
    assert verdict.trail is not None
    assert [found.name for found in verdict.trail.found] == ["query", "key", "value", "scores", "scores"]
    assert verdict.trail.found[-1].factor == pytest.approx(5**0.5)
    assert "2.236 = sqrt(5) times `scores`" in trail_text(verdict.trail)


def test_numbers_in_another_order_are_told(judge, tmp_path):
    source = (
        TOPICS["mha"]
        .solution.read_text("utf-8")
        .replace("context.transpose(1, 2).reshape", "context.reshape")
    )
    trail = graded(judge, TOPICS["mha"], source, tmp_path).trail
    assert trail is not None and trail.in_another_order and trail.missing == "context"


def strangers() -> list[Path]:
    """Right answers in other styles than the solutions': loops, tiles, einsum, NumPy, helpers, own names."""
    return sorted(TESTS.glob("answers/*/*.py"))


@pytest.mark.parametrize(
    "style", strangers() if ALL else strangers()[::16], ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_of_a_strangers_answer_nothing_false_is_said(judge, tmp_path, style):
    """Made wrong in one place, it is not sent to a line before that place, which is right."""
    topic = TOPICS[style.parent.name]
    wrong = 0
    for mutant in sample(style, style.stem):
        verdict = graded(judge, topic, mutant.source, tmp_path)
        if values_are_wrong(verdict):
            wrong += 1
            assert verdict.trail is None or is_true(verdict.trail, mutant), (mutant, verdict.trail)
        if wrong == (4 if ALL else 1):
            break


def is_true(trail: Trail, mutant: Mutant) -> bool:
    """Whether the line to look at is the changed one, or in another function, or comes after it. It may come
    before it where it says that the lines after it count too."""
    changed, other = (function_at(mutant.source, line) for line in (mutant.first, trail.line))
    return changed != other or trail.line >= mutant.first or trail.onward


def function_at(source: str, line: int) -> str | None:
    """The name of the innermost function around a line."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    around = [node for node in functions if node.lineno <= line <= (node.end_lineno or line)]
    return max(around, key=lambda node: node.lineno).name if around else None


@pytest.mark.skipif(not ALL, reason="half an hour")
def test_it_speaks_of_most_mutants_and_leads_to_their_line(tmp_path, capsys):
    total = Tally()
    with RemoteJudge() as judge:
        for topic in TOPICS.values():
            tally = Tally()
            for mutant in sample(topic.solution, topic.id):
                tally.add(mutant, graded(judge, topic, mutant.source, tmp_path))
            with capsys.disabled():
                print(
                    f"{topic.id:20} {tally.wrong:4} wrong {tally.spoke:4} spoken of {tally.right:4} led there"
                )
            total = Tally(total.wrong + tally.wrong, total.spoke + tally.spoke, total.right + tally.right)
    assert total.spoke >= 0.7 * total.wrong
    assert total.right >= 0.9 * total.spoke


def sample(path: Path, seed: str) -> list[Mutant]:
    found = list(mutants(path.read_text("utf-8")))
    random.Random(seed).shuffle(found)
    return found[:MUTANTS]
