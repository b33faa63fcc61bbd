"""Where a named mistake is: in answers that are written in another way than the solution."""

from pathlib import Path

import pytest
from driving import CATALOG

from grader.judge.checks.reading import read_checks
from grader.judge.diagnosis.memory import Memory
from grader.judge.explaining.traces import Traces, changes, recall_traces, remember_traces
from grader.judge.service.remote import RemoteJudge
from grader.judge.trail.text.statements import definitions, name_around
from grader.judge.verdict import Verdict
from grader.show.verdicts.next_step import next_step

DETACHED = """\
import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    def __init__(self, hidden_size: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.bias = nn.Parameter(torch.zeros(hidden_size))

    def forward(self, x: Tensor) -> Tensor:
        width = x.size(-1)
        average = x.sum(-1, keepdim=True) / width
        fixed = average.detach()
        apart = x - fixed
        spread = apart.pow(2).sum(-1, keepdim=True) / width
        return torch.addcmul(self.bias, apart * torch.rsqrt(spread + self.eps), self.weight)
"""
SCALE_ZERO = """\
import torch


def scaled_dot_product_attention(query, key, value, mask=None, is_causal=False, scale=None):
    factor = scale or query.shape[-1] ** -0.5
    larger = query * factor
    scores = torch.einsum("...qd,...kd->...qk", larger, key)
    if is_causal:
        rows, columns = scores.shape[-2:]
        mask = torch.arange(rows)[:, None] >= torch.arange(columns)[None, :]
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    return torch.einsum("...qk,...kd->...qd", scores.softmax(-1), value)
"""
TAIL_DROPPED = """\
import torch


def top_p_filter(logits, p):
    if not 0 < p <= 1:
        raise ValueError("p must be above 0 and at most 1")
    ordered, order = logits.sort(-1, descending=True)
    mass = ordered.softmax(-1)
    before = mass.cumsum(-1) - mass
    hidden = torch.zeros_like(before, dtype=torch.bool).scatter(-1, order, before >= p)
    return torch.where(hidden, -torch.inf, logits)


def sample_top_p(logits, p, temperature=1.0, generator=None):
    if temperature < 0:
        raise ValueError("a temperature is 0 or more")
    if temperature == 0:
        return logits.argmax(-1)
    mass = top_p_filter(logits / temperature, p).softmax(-1)
    rows = mass.reshape(-1, mass.size(-1))
    return torch.multinomial(rows, 1, generator=generator).reshape(mass.shape[:-1])
"""
ANSWERS = {
    # its own line, by a value that is right: another tensor, without a gradient
    "layer_norm": (DETACHED, "mean-detached", "fixed = average.detach()", "line"),
    # a number is wrong, of which nothing is noted: the first values that are wrong by it
    "sdpa": (SCALE_ZERO, "scale-zero-is-none", "larger = query * factor", "before"),
    # what is missing comes to an early end in the solution: no value that is made here is wrong by itself
    "top_p": (TAIL_DROPPED, "p-one-drops-the-tail", "def top_p_filter(logits, p):", "after"),
}


@pytest.fixture(scope="module")
def verdicts(judge: RemoteJudge, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Verdict]:
    """Of each answer."""
    folder = tmp_path_factory.mktemp("answers")
    found = {}
    for name, (source, *_) in ANSWERS.items():
        path = folder / f"{name}.py"
        path.write_text(source, encoding="utf-8")
        found[name] = judge.grade(name, path)
    return found


@pytest.mark.parametrize("name", ANSWERS)
def test_it_is_in_the_line_that_the_mistake_shows_in(verdicts: dict[str, Verdict], name: str) -> None:
    source, mistake, line, reach = ANSWERS[name]
    verdict = verdicts[name]
    assert verdict.trail is None  # that would tell the line
    diagnosis = verdict.diagnosis
    assert diagnosis is not None and diagnosis.mistake == mistake and diagnosis.look is not None
    assert (source.splitlines()[diagnosis.look - 1].strip(), diagnosis.reach) == (line, reach)
    assert Verdict.from_json(verdict.to_json()).diagnosis == diagnosis


def test_what_to_do_next_is_to_look_there(verdicts: dict[str, Verdict]) -> None:
    advice = {name: next_step(verdict, CATALOG[name])[0] for name, verdict in verdicts.items()}
    assert advice == {
        "layer_norm": "look at line 15, then:",
        "sdpa": "look at line 6 and what leads to it, then:",
        "top_p": "look at line 4 and those after it, then:",
    }


def test_it_is_the_same_where_it_is_remembered(
    judge: RemoteJudge, verdicts: dict[str, Verdict], tmp_path: Path
) -> None:
    for name, (source, *_) in ANSWERS.items():
        path = tmp_path / f"{name}.py"
        path.write_text(source, encoding="utf-8")
        assert judge.grade(name, path).diagnosis == verdicts[name].diagnosis


def test_what_a_mistake_is_known_by_is_written_and_read(tmp_path: Path) -> None:
    check = read_checks(CATALOG["softmax"]).checks[0]
    memory = Memory(tmp_path / "x.evidence")
    assert recall_traces(memory, "some", check, check.cases[0]) is None
    remember_traces(memory, "some", check, check.cases[0], Traces(3))
    memory.save()
    again = Memory(tmp_path / "x.evidence")
    assert recall_traces(again, "some", check, check.cases[0]) == Traces(3)
    assert recall_traces(again, "other", check, check.cases[0]) is None
    assert not again.has_any(["some"])  # that is no evidence


def test_lines_that_only_one_of_two_texts_has() -> None:
    assert changes("a\nb\nc", "a\nx\ny\nc") == ([(2, 3)], [(2, 4)])
    assert changes("a\nb\nc", "a\nc") == ([(2, 3)], [(2, 2)])


def test_the_definition_around_a_line() -> None:
    source = "@d\ndef f():\n    return 1\n\n\nclass C:\n    x = 1\n\n    def g(self):\n        return 2\n"
    assert list(definitions(source)) == ["f", "C", "C.g"]
    assert [name_around(source, line) for line in (1, 3, 5, 7, 10)] == ["f", "f", "", "C", "C.g"]
