"""Slips of the hand: what is made of a solution, and that an answer with one of them has its name."""

import ast
from pathlib import Path

import pytest
from driving import CATALOG

from grader.judge.service.remote import RemoteJudge
from grader.judge.slips.slips import slips_of
from grader.judge.verdict import Verdict

SOLUTION = '''\
"""Scores of queries and keys, each of head_dim features, for num_heads heads."""

import math

from jaxtyping import Float
from torch import Tensor


def scores(
    query: Float[Tensor, "num_heads q_len head_dim"], key: Float[Tensor, "num_heads kv_len head_dim"]
) -> Float[Tensor, "num_heads q_len kv_len"]:
    """Scaled by 1 / sqrt(head_dim)."""
    num_heads, q_len, head_dim = query.shape
    hidden = query @ key.transpose(-2, -1)
    if q_len < 1:
        raise ValueError(f"q_len is {q_len}, at least 1 is needed")
    return (hidden / math.sqrt(head_dim)).view(num_heads, q_len, -1)
'''


def changed(solution: str) -> dict[str, list[str]]:
    """Of every slip, by its id: the lines that are another's."""
    before = solution.splitlines()
    return {
        slip.id: [
            line.strip()
            for line, old in zip(slip.applied(solution).splitlines(), before, strict=True)
            if line != old
        ]
        for slip in slips_of(solution)
    }


def test_one_name_stands_for_another_of_its_kind() -> None:
    slips = changed(SOLUTION)
    assert slips["num_heads-for-head_dim-in-scores"] == [
        "return (hidden / math.sqrt(num_heads)).view(num_heads, q_len, -1)"
    ]
    assert slips["key-for-query-in-scores-3"] == [
        "num_heads, q_len, head_dim = key.shape",
        "hidden = key @ key.transpose(-2, -1)",
    ]
    assert not any("hidden" in id for id in slips)  # a name that the stub does not have
    assert not any("query" in id and "head" in id for id in slips)  # a size is no tensor


def test_something_is_left_out() -> None:
    slips = changed(SOLUTION)
    assert slips["no-sqrt-in-scores"] == ["return (hidden / (head_dim)).view(num_heads, q_len, -1)"]
    assert slips["no-transpose-in-scores"] == ["hidden = query @ key"]
    assert slips["times-for-divided-in-scores"] == [
        "return (hidden * math.sqrt(head_dim)).view(num_heads, q_len, -1)"
    ]
    assert not any("ValueError" in line for lines in slips.values() for line in lines)


def test_a_slip_says_what_and_where() -> None:
    slip = next(slip for slip in slips_of(SOLUTION) if slip.id == "num_heads-for-head_dim-in-scores")
    assert slip.says == (
        "In scores, `num_heads` stands in the place of `head_dim`, or something of yours comes to the same. "
        "Where both are equal it makes no difference: try it with sizes that all differ."
    )


def test_what_is_given_has_no_slips() -> None:
    given = (
        SOLUTION
        + "\n\n# given\ndef share(part: int, whole: int) -> float:\n    return part / whole\n# end given\n"
    )
    assert {slip.id for slip in slips_of(given)} == {slip.id for slip in slips_of(SOLUTION)}


@pytest.mark.in_turn
@pytest.mark.parametrize("topic", [topic.id for topic in CATALOG.topics])
def test_every_slip_is_another_program_with_a_name_of_its_own(topic: str) -> None:
    solution = CATALOG[topic].solution.read_text(encoding="utf-8")
    slips = slips_of(solution)
    texts = [slip.applied(solution) for slip in slips]
    assert slips and len({*texts, solution}) == len(texts) + 1
    assert len({slip.id for slip in slips}) == len(slips)
    for text in texts:
        ast.parse(text)


def graded(judge: RemoteJudge, topic: str, old: str, new: str, tmp_path: Path) -> Verdict:
    text = CATALOG[topic].solution.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "answer.py"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return judge.grade(topic, path)


@pytest.mark.parametrize(
    "topic, old, new, named",
    [
        ("rms_norm", "wide.square()", "wide", "no-square-in-RMSNorm.forward"),
        ("alibi", "-4 / closest", "-4 * closest", "times-for-divided-in-alibi_slopes"),
        ("mqa", "sqrt(self.head_dim)", "sqrt(self.num_heads)", "num_heads-for-head_dim-in-MultiQuery"),
    ],
)
def test_an_answer_with_a_slip_has_its_name(
    judge: RemoteJudge, topic: str, old: str, new: str, named: str, tmp_path: Path
) -> None:
    diagnosis = graded(judge, topic, old, new, tmp_path).diagnosis
    assert diagnosis is not None and diagnosis.mistake.startswith(named)
    assert diagnosis.unexplained == ()


def test_a_known_mistake_comes_before_a_slip(judge: RemoteJudge, tmp_path: Path) -> None:
    diagnosis = graded(judge, "softmax", "x - largest", "x", tmp_path).diagnosis
    assert diagnosis is not None and "-in-" not in diagnosis.mistake


def test_a_slip_that_leaves_something_open_is_not_named(judge: RemoteJudge, tmp_path: Path) -> None:
    """With another mistake beside it nothing is sure."""
    text = CATALOG["rms_norm"].solution.read_text(encoding="utf-8")
    both = text.replace("wide.square()", "wide").replace(
        "mean_square + self.eps", "mean_square + 7 * self.eps"
    )
    assert both.count("7 * self.eps") == 1
    path = tmp_path / "answer.py"
    path.write_text(both, encoding="utf-8")
    diagnosis = judge.grade("rms_norm", path).diagnosis
    assert diagnosis is None or "no-square" not in diagnosis.mistake
