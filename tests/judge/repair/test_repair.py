"""An answer in which one line is wrong: the line is found, and it is said what is to change there."""

import json
import subprocess
import sys
import uuid
from dataclasses import replace
from pathlib import Path

import pytest
from driving import PROJECT

from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Diagnosis, Found, Outcome, Trail, Verdict
from grader.show.verdicts.selection import line_to_look_at
from grader.show.verdicts.sentences import mistakes_heading

RMS_NORM = """\
import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    def __init__(self, hidden_size: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(hidden_size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        columns = wide.shape[-1]
        half, places = columns // 2, torch.arange(columns, device=x.device)
        first, second = wide[..., :half], wide[..., half:]
        total = first.pow(2).sum(-1) + second.pow(2).sum(-1)
        root = (total / columns + self.eps).sqrt()
        return (self.weight * (wide / root.unsqueeze(-1))).to(x.dtype)
"""
ONLINE = """\
import math

import numpy as np


def online_attention(query, blocks, scale=None):
    size = len(query)
    factor = 1 / math.sqrt(size) if scale is None else scale
    top, share, count = -math.inf, 0.0, 0
    seen = None
    for keys, values in blocks:
        width = values.shape[1]
        seen = np.zeros(width) if seen is None else seen
        for key, value in zip(keys, values):
            score = factor * sum(float(k) * float(q) for k, q in zip(key, query))
            higher = max(top, score)
            before, now = math.exp(top - higher), math.exp(score - higher)
            share = before * share + now
            seen = before * seen + now * value
            top = higher
            count += 1
    return (seen / share).astype(query.dtype)
"""
RIGHT = {"rms_norm": RMS_NORM, "online_softmax": ONLINE}


def graded(judge: RemoteJudge, topic: str, answer: str, tmp_path: Path) -> Verdict:
    path = tmp_path / "answer.py"
    path.write_text(answer, encoding="utf-8")
    return judge.grade(topic, path)


def graded_to_the_end(judge: RemoteJudge, topic: str, answer: str, tmp_path: Path) -> Verdict:
    """Where the time ran out on a busy machine, the next time it goes on from there."""
    for _ in range(6):
        verdict = graded(judge, topic, answer, tmp_path)
        if verdict.diagnosis is not None:
            break
    return verdict


def slipped(answer: str, right: str, wrong: str) -> tuple[str, int]:
    """The answer with a slip, and its line."""
    assert answer.count(right) == 1
    return answer.replace(right, wrong), answer[: answer.index(right)].count("\n") + 1


def test_the_answers_pass_as_they_are(judge: RemoteJudge, tmp_path: Path) -> None:
    for task, answer in RIGHT.items():
        assert graded(judge, task, answer, tmp_path).passed


@pytest.mark.parametrize(
    "task, right, wrong, said",
    [
        ("rms_norm", "second.pow(2)", "first.pow(2)", "`first` stands in the place of `second`."),
        ("rms_norm", "wide[..., half:]", "wide[..., :half]", "`wide[..., :half]` stands in the place of "),
        ("rms_norm", "unsqueeze(-1)", "unsqueeze(0)", "`root.unsqueeze(0)` stands in the place of "),
        ("online_softmax", "math.sqrt(size)", "math.sqrt(size) / 2", "stands in the place of "),
        ("online_softmax", "now * value", "before * value", "`before` stands in the place of `now`."),
        ("online_softmax", "seen / share", "seen / count", "`count` stands in the place of `share`."),
    ],
)
def test_the_line_is_found(
    judge: RemoteJudge, task: str, right: str, wrong: str, said: str, tmp_path: Path
) -> None:
    answer, line = slipped(RIGHT[task], right, wrong)
    verdict = graded_to_the_end(judge, task, answer, tmp_path)
    assert not verdict.passed
    assert verdict.diagnosis is not None and verdict.diagnosis.line == line
    assert said in verdict.diagnosis.message and "all checks pass" in verdict.diagnosis.message
    failing = [check.name for check in verdict.checks if check.outcome is not Outcome.PASSED]
    assert list(verdict.diagnosis.explains) == failing and not verdict.diagnosis.unexplained
    assert line_to_look_at(verdict) == line
    assert verdict.trail is None or verdict.trail.line == line


def test_a_line_out_of_its_place_is_found(judge: RemoteJudge, tmp_path: Path) -> None:
    late, early = "            top = higher\n", "            before, now ="
    answer = ONLINE.replace(late, "").replace(early, f"{late}{early}")
    diagnosis = graded_to_the_end(judge, "online_softmax", answer, tmp_path).diagnosis
    assert diagnosis is not None
    if diagnosis.line is not None:  # unless it is a known mistake
        assert "It comes too early" in diagnosis.message


def test_how_far_it_came_is_remembered(tmp_path: Path) -> None:
    """What was tried of an answer is not tried again: it goes on, and in the end it says the same at once."""
    answer, line = slipped(ONLINE, "seen / share", "seen / count")
    at_once, in_steps = tmp_path / "at_once.py", tmp_path / "in_steps.py"
    for path in (at_once, in_steps):
        path.write_text(f"{answer}# {uuid.uuid4()}\n", encoding="utf-8")
    script = f"""
from pathlib import Path
from grader.curriculum.catalog import load_catalog
from grader.judge.session import Judge

with Judge(["numpy"], repair_seconds=60.0, patience=60.0) as judge:
    from grader.judge.repair import repair

    tried, passes = [], repair._Trial.passes
    repair._Trial.passes = lambda trial, source: tried.append(source) or passes(trial, source)
    for path, most in (({str(at_once)!r}, 800), *(({str(in_steps)!r}, most) for most in (3, 800, 800))):
        repair.MOST = most
        verdict = judge.grade(load_catalog()["online_softmax"], Path(path))
        print(len(tried), verdict.diagnosis and verdict.diagnosis.line)
        tried.clear()
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, timeout=120
    )
    (all_of_it, found), (first, nothing), (rest, same), (last, again) = (
        row.split() for row in done.stdout.splitlines()
    )
    assert found == same == again == str(line) and nothing == "None"
    assert (int(first), int(last)) == (3, 0)
    assert int(first) + int(rest) == int(all_of_it) > 3


def test_of_two_wrong_lines_nothing_is_said(judge: RemoteJudge, tmp_path: Path) -> None:
    answer, _ = slipped(RMS_NORM, "second.pow(2)", "first.pow(2)")
    answer, _ = slipped(answer, "wide[..., :half]", "wide[..., 1:half]")
    diagnosis = graded(judge, "rms_norm", answer, tmp_path).diagnosis
    assert diagnosis is None or diagnosis.line is None


def test_a_known_mistake_comes_first(judge: RemoteJudge, tmp_path: Path) -> None:
    answer, _ = slipped(
        RMS_NORM, "(total / columns + self.eps).sqrt()", "(total / columns).sqrt() + self.eps"
    )
    diagnosis = graded_to_the_end(judge, "rms_norm", answer, tmp_path).diagnosis
    assert diagnosis is not None and diagnosis.line is None


def test_what_is_not_written_yet_is_not_changed(judge: RemoteJudge, tmp_path: Path) -> None:
    half = "def softmax(x, dim=-1):\n    return torch.softmax_of(x, dim)\n".replace("softmax_of", "exp")
    answer = f"import torch\n\n\n{half}\n\ndef log_softmax(x, dim=-1):\n    raise NotImplementedError\n"
    diagnosis = graded(judge, "softmax", answer, tmp_path).diagnosis
    assert diagnosis is None or diagnosis.line is None


def test_changes_that_never_end_end_the_search(judge: RemoteJudge, tmp_path: Path) -> None:
    """Nearly every change of this one lets it loop for ever."""
    answer = """\
import torch


def softmax(x, dim=-1):
    left = 1_000
    while left != 0:
        left = left - 1
    return torch.exp(x) / torch.exp(x).sum(dim, keepdim=True).sqrt()


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
"""
    verdict = graded(judge, "softmax", answer, tmp_path)
    assert not verdict.passed
    assert verdict.diagnosis is None or verdict.diagnosis.line is None


def test_a_source_that_cannot_be_taken_apart_has_its_verdict(judge: RemoteJudge, tmp_path: Path) -> None:
    answer = f"def softmax(x, dim=-1):\n    return {'- ' * 900}x\n\n\nlog_softmax = softmax\n"
    verdict = graded(judge, "softmax", answer, tmp_path)
    assert verdict.outcome is Outcome.FAILED and verdict.diagnosis is None


def test_the_line_stays_with_a_verdict() -> None:
    diagnosis = Diagnosis("p-for-q", "Said.", ("test_a",), line=7)
    trail = Trail((Found("scores", 5),), "weights", 7)
    verdict = Verdict("softmax", "answer.py", Outcome.FAILED, diagnosis=diagnosis, trail=trail)
    assert Verdict.from_json(verdict.to_json()) == verdict
    told = json.loads(verdict.to_json())
    assert told["diagnosis"]["line"] == 7
    del told["diagnosis"]["line"]  # as earlier versions wrote it
    assert Verdict.from_json(json.dumps(told)).diagnosis == replace(diagnosis, line=None)


def test_what_stands_above_it() -> None:
    diagnosis = Diagnosis("p-for-q", "Said.", ("test_a",), line=7)
    assert mistakes_heading(diagnosis) == "All that is wrong is in line 7"
    known = replace(diagnosis, line=None)
    assert mistakes_heading(known) == "Your values are exactly those of this mistake"
    assert mistakes_heading(known, "In this check") == (
        "In this check your values are exactly those of this mistake"
    )
    assert mistakes_heading(known, whose="the") == "The values are exactly those of this mistake"
