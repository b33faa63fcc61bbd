"""Where an answer has all numbers of a value and is wrong all the same: no wrong line is called right."""

from collections.abc import Iterator

import pytest
from driving import CATALOG, TESTS

from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Trail

OWN = TESTS / "answers"


@pytest.fixture(scope="module")
def judge() -> Iterator[RemoteJudge]:
    with RemoteJudge(diagnose=False) as remote:
        yield remote


def trail_of(judge: RemoteJudge, tmp_path, topic: str, source: str) -> Trail:
    path = tmp_path / f"{topic}.py"
    path.write_text(source)
    trail = judge.grade(topic, path).trail
    assert trail is not None
    return trail


def changed(topic: str, style: str, *changes: tuple[str, str]) -> str:
    """An answer in another style than the solution's, with these changes."""
    source = (OWN / topic / f"{style}.py").read_text("utf-8")
    for old, new in changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


def line_of(source: str, code: str) -> int:
    return next(n for n, line in enumerate(source.splitlines(), 1) if code in line)


def test_a_step_that_changes_no_number_is_not_passed_over(judge, tmp_path):
    solution = CATALOG["mlp_numpy"].solution.read_text("utf-8")
    source = solution.replace("* (self._pre > 0)", "* (self._hidden >= 0)")
    assert source != solution
    trail = trail_of(judge, tmp_path, "mlp_numpy", source)
    assert trail.missing == "grad_pre" and trail.line == line_of(source, "(self._hidden >= 0)")


def test_nor_is_the_call_of_a_helper_and_no_helper_of_the_solution_is_named(judge, tmp_path):
    """At position 0 nothing is turned: the keys come out as they were, and only the cache shows others."""
    source, wrong = (
        CATALOG["kv_cache"].solution.read_text("utf-8"),
        "key = turned(key, positions - past, self.base)",
    )
    for old, new in (
        ("key = _turn(key, positions, self.base)", wrong),
        ("_turn(", "turned("),
        ("self._keys", "self.keys"),
    ):
        assert old in source
        source = source.replace(old, new)
    trail = trail_of(judge, tmp_path, "kv_cache", source)
    assert trail.line == line_of(source, wrong)
    names = {trail.missing, *(found.name for found in trail.found)}
    assert "query" in names and not [name for name in names if "_turn" in name or "self._keys" in name]


def test_a_mask_with_its_dimensions_exchanged_is_not_right(judge, tmp_path):
    source = CATALOG["mha"].solution.read_text("utf-8")
    put_on = "scores = scores.masked_fill(~mask, -math.inf)"
    own = f"""\
heads = mask.expand(batch, self.num_heads, seq, seq)
            heads = heads.transpose(0, 1).reshape(batch, self.num_heads, seq, seq)
            {put_on.replace("~mask", "heads == 0")}"""
    assert source.count(put_on) == 1
    source = source.replace(put_on, own)
    trail = trail_of(judge, tmp_path, "mha", source)
    assert trail.line == line_of(source, "heads.transpose(0, 1)") and trail.onward


def test_a_dimension_may_be_split_the_wrong_way_round(judge, tmp_path):
    """Both ways have the same numbers in the same places, until another value is paired with them."""
    source = changed(
        "gqa",
        "broadcast_groups",
        (
            "view(batch, seq, kv, groups, self.head_dim).permute(0, 2, 3, 1, 4)",
            "view(batch, seq, groups, kv, self.head_dim).permute(0, 3, 2, 1, 4)",
        ),
        ("permute(0, 3, 1, 2, 4)", "permute(0, 3, 2, 1, 4)"),
    )
    trail = trail_of(judge, tmp_path, "gqa", source)
    assert (trail.line, trail.onward) == (line_of(source, "view(batch, seq, groups, kv"), True)


THRESHOLD = """\
    threshold = torch.topk(logits, min(k, logits.size(-1)))[0][..., -1, None]
    return torch.where(logits <= threshold, torch.tensor(-math.inf, dtype=logits.dtype), logits)
"""


def test_a_result_with_other_numbers_is_in_no_other_order(judge, tmp_path):
    source = CATALOG["top_k"].solution.read_text("utf-8")
    begin, end = source.index("    k = min(k"), source.index("\n\ndef sample_top_k")
    source = source[:begin] + THRESHOLD + source[end:]
    trail = trail_of(judge, tmp_path, "top_k", source)
    assert trail.missing == "result" and not trail.in_another_order
