"""Several mistakes in one answer: each is named by its own evidence, and none silences another."""

from pathlib import Path

import pytest
import torch
from driving import CATALOG
from naming import graded_until_named, names_in

from grader.judge.checks.reading import read_checks
from grader.judge.checks.running import Run
from grader.judge.diagnosis.evidence import ends_in_own_words
from grader.judge.diagnosis.rounding import nudged
from grader.judge.diagnosis.sets.explanation import Explanation
from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Check, Outcome, Verdict
from grader.kit.families.attention.mistakes.attention_mistakes import DIVISIBILITY_UNCHECKED
from grader.kit.families.dropout_mistakes import MISSING
from grader.kit.mistakes import Mistake
from grader.kit.outcomes import Raised


def version(topic: str, *mistakes: str) -> str:
    """The solution with these mistakes."""
    known = {mistake.id: mistake for mistake in read_checks(CATALOG[topic]).mistakes}
    text = CATALOG[topic].solution.read_text(encoding="utf-8")
    for mistake in mistakes:
        text = known[mistake].applied(text)
    return text


def graded(judge: RemoteJudge, topic: str, text: str, tmp_path: Path) -> Verdict:
    path = tmp_path / "answer.py"
    path.write_text(text, encoding="utf-8")
    return judge.grade(topic, path)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_draft_with_a_real_mistake_and_omissions(judge, count, tmp_path):
    """An ordinary one: heads tiled, no dropout yet, no ValueError yet."""
    ids = ["kv-heads-tiled", MISSING.id, "kv-divisibility-unchecked", DIVISIBILITY_UNCHECKED.id][:count]
    path = tmp_path / "answer.py"
    path.write_text(version("gqa", *ids), encoding="utf-8")
    verdict = graded_until_named(judge, "gqa", path, set(ids))
    assert names_in(verdict) == set(ids)
    assert verdict.diagnosis is not None and verdict.diagnosis.unexplained == ()
    assert verdict.diagnosis.mistake.startswith("kv-heads-tiled")


def test_the_mistake_that_explains_most_comes_first(judge, tmp_path):
    verdict = graded(judge, "softmax", version("softmax", "log-forgets-the-shift", "sum-detached"), tmp_path)
    diagnosis = verdict.diagnosis
    assert diagnosis is not None and names_in(verdict) == {"log-forgets-the-shift", "sum-detached"}
    assert len(diagnosis.message.split("\n\n")) == 2
    failing = {check.name for check in verdict.checks if check.outcome == "failed"}
    assert set(diagnosis.explains) == failing and diagnosis.unexplained == ()


def test_what_shows_in_one_check_of_many_is_another_mistake(judge, tmp_path):
    """It sums up everything where x is not contiguous, and is right elsewhere: it does not always do it."""
    parts = [
        version("softmax", "sum-of-everything"),
        "mistaken = softmax",
        version("softmax"),
        "right = softmax",
        "def softmax(x, dim=-1):",
        "    return (right if x.is_contiguous() else mistaken)(x, dim)\n",
    ]
    verdict = graded(judge, "softmax", "\n".join(parts), tmp_path)
    assert [check.name for check in verdict.checks if check.outcome != "passed"] == ["test_other_layouts"]
    assert "sum-of-everything" not in names_in(verdict)


def test_nobody_hears_that_values_are_right_which_are_not(judge, tmp_path):
    """A gradient of the sum is right for the sum: it says nothing of what else is wrong with the loss."""
    gradient = version("dpo_loss", "gradient-of-the-sum")
    other = gradient.replace("    return loss, chosen", "    return loss - 0.37, chosen")
    verdict = graded(judge, "dpo_loss", other, tmp_path)
    assert other != gradient and not verdict.passed
    assert "gradient-of-the-sum" not in names_in(verdict)


def test_what_says_that_values_are_right_is_held_to_it():
    says = (
        "Your values are right, but not this.",
        "You take the sum.",
        "The losses that you give are right.",
    )
    first, other, last = (Mistake(str(i), find="a", replace="b", says=each) for i, each in enumerate(says))
    assert [each.vouches for each in (first, other, last)] == [True, False, True]
    left_open = Explanation({"a": (first,), "b": (other,)}, ("c", "d"), 0)
    assert left_open.keeping_its_word({"e"}) is left_open
    kept = left_open.keeping_its_word({"d"})
    assert kept is not None and kept.explained == {"b": (other,)} and set(kept.unexplained) == {"a", "c", "d"}
    assert Explanation({"a": (last,)}, ("c",), 0).keeping_its_word({"c"}) is None
    assert Explanation({"a": (last,)}, (), 0).keeping_its_word({"a"}) is not None


def test_an_error_in_one_branch_silences_nothing(judge, tmp_path):
    text = version("gqa", "kv-heads-tiled")
    line = next(line for line in text.splitlines() if "raise ValueError" in line)
    broken = text.replace(line, line[: line.index("raise")] + "undefined_name()")
    verdict = graded(judge, "gqa", broken, tmp_path)
    assert names_in(verdict) == {"kv-heads-tiled"}
    assert verdict.diagnosis is not None and len(verdict.diagnosis.unexplained) == 1


def test_what_is_refused_in_words_of_its_own_silences_nothing(judge, tmp_path):
    """Nothing could explain that: it stays unexplained, and what else is wrong has its name."""
    refused = '        if mask is not None:\n            raise ValueError("masks come tomorrow")\n'
    text = version("gqa", "kv-heads-tiled").replace("        batch, seq,", f"{refused}        batch, seq,", 1)
    assert refused in text
    diagnosis = graded(judge, "gqa", text, tmp_path).diagnosis
    assert diagnosis is not None and diagnosis.mistake == "kv-heads-tiled"
    assert "test_mask" in " ".join(diagnosis.unexplained)


def test_an_unwritten_function_silences_nothing(judge, tmp_path):
    text = version("softmax", "sum-detached")
    head, _, _ = text.partition("def log_softmax")
    signature = text[text.index("def log_softmax") : text.index('"""', text.index("def log_softmax"))]
    verdict = graded(judge, "softmax", f"{head}{signature}\n    raise NotImplementedError\n", tmp_path)
    assert names_in(verdict) == {"sum-detached"}


@pytest.mark.parametrize("remembered", [False, True])
def test_what_is_named_does_not_depend_on_what_is_remembered(remembered, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    text = version("softmax", "log-forgets-the-shift", "sum-detached")
    if remembered:
        with RemoteJudge() as judge:
            graded(judge, "softmax", text, tmp_path)
        assert list((tmp_path / "cache").rglob("*.evidence"))
    with RemoteJudge() as judge:
        assert names_in(graded(judge, "softmax", text, tmp_path)) == {"log-forgets-the-shift", "sum-detached"}


VARIANCE = "        variance = centered.square().mean(dim=-1, keepdim=True)"
SPELLINGS = {
    "variance-by-difference-of-moments": [
        (VARIANCE, "        variance = (x * x).sum(-1, keepdim=True) / x.shape[-1] - mean * mean"),
        (
            VARIANCE,
            "        variance = torch.linalg.vecdot(x, x)[..., None] / x.shape[-1] - mean**2",
        ),
    ],
    "variance-unbiased": [(VARIANCE, "        variance = centered.pow(2).sum(-1, True) / (x.shape[-1] - 1)")],
    "eps-outside-the-root": [
        ("centered / torch.sqrt(variance + self.eps)", "centered * (1 / (variance**0.5 + self.eps))")
    ],
}


@pytest.mark.parametrize("mistake, edit", [(id_, edit) for id_, edits in SPELLINGS.items() for edit in edits])
def test_a_spelling_that_rounds_otherwise_is_the_same_mistake(judge, mistake, edit, tmp_path):
    """Where float32 keeps nothing of the variance, two spellings have noise of the same size in common."""
    text = version("layer_norm")
    assert text.count(edit[0]) == 1
    assert names_in(graded(judge, "layer_norm", text.replace(*edit), tmp_path)) == {mistake}


def test_noise_is_only_what_rounding_moves(judge, tmp_path):
    """Wrong in the same check alone, and by as much, but not by rounding: that is another mistake."""
    tilt = "        variance = variance * (1 + 1e-3 * (mean.abs() > 100) * centered.sign().mean(-1, True))"
    text = version("layer_norm").replace(VARIANCE, f"{VARIANCE}\n{tilt}")
    verdict = graded(judge, "layer_norm", text, tmp_path)
    assert not verdict.passed
    assert verdict.diagnosis is None or verdict.diagnosis.line is not None  # what is wrong, but no known one


def test_inputs_are_nudged_by_a_rounding_and_whole_numbers_stay():
    x = torch.tensor([0.3, -0.7, 2.0, 0.0, float("inf"), float("nan")])
    came = nudged({"args": [x, 3, "a"], "array": x.numpy()[:2]})
    moved = came["args"][0] - x
    assert (moved[:2] != 0).all() and (moved[:2].abs() <= x[:2].abs() * torch.finfo(x.dtype).eps).all()
    assert torch.equal(came["args"][0][2:4], x[2:4]) and came["args"][1:] == [3, "a"]
    assert came["args"][0][4:].isfinite().logical_not().all()
    assert torch.equal(torch.from_numpy(came["array"]), came["args"][0][:2])


@pytest.mark.parametrize(
    "line, message, is_own",
    [
        ('raise ValueError("loud")', "loud", True),
        ('raise ValueError(f"{size} is not divisible by {heads}")', "12 is not divisible by 5", False),
        ('raise ValueError("loud and not divisible")', "loud and not divisible", True),
        ("raise", "mat1 and mat2 shapes cannot be multiplied", False),
        ("raise RuntimeError(str(error))", "mat1 and mat2 shapes cannot be multiplied", False),
        ("return keys @ queries", "keys and queries", False),
    ],
)
def test_whose_words_an_exception_has(line, message, is_own):
    """No version says what only the answer says: none of them has to be run."""
    raised = Raised({"types": ["ValueError"], "message": message, "frames": [[7, "forward", line]]})
    run = Run(Check("test_equal", "", Outcome.ERROR), raised=raised)
    assert (
        ends_in_own_words(run, 'raise ValueError(f"{hidden_size} is not divisible by {num_heads}")') == is_own
    )


def test_a_value_is_nobodys_word():
    run = Run(Check("test_equal", "", Outcome.FAILED))
    assert not ends_in_own_words(run, "")
