"""Versions that keep something from call to call are run as a submission is, and so they are recognized."""

from pathlib import Path

import pytest
from driving import CATALOG

from grader.judge.checks.reading import read_checks
from grader.judge.diagnosis.keeping import keep_state
from grader.judge.service.remote import RemoteJudge
from grader.kit.mistakes import Mistake

SOLUTION = """\
_LIMIT: int = 3


def f(x: int, times: int = 2) -> int:
    y = x * times
    return y + _LIMIT
"""


@pytest.mark.parametrize(
    "find, replace",
    [
        ("def f", "@functools.cache\ndef f"),
        ("def f", "class Kept:\n    @lru_cache(maxsize=None)\n    def g(self): ...\n\n\ndef f"),
        ("    y = x", "    y = functools.lru_cache(g)(x)"),
        ("def f", "_KEPT: dict[int, int] = {}\n\n\ndef f"),
        ("def f", "kept = [0]\n\n\ndef f"),
        ("    y = x", "    global kept\n    y = x"),
        ("times: int = 2", "times: int = 2, kept: list = []"),
        ("times: int = 2", "times=2, kept={}"),
    ],
)
def test_who_may_keep_something_is_known(find: str, replace: str) -> None:
    keeping = Mistake("keeping", find=find, replace=replace, says="")
    other = Mistake("other", find="+ _LIMIT", replace="- _LIMIT", says="")
    also = Mistake("also", find="+ _LIMIT", replace="- _LIMIT", also=((find, replace),), says="")
    assert keep_state([keeping], SOLUTION) and keep_state([other, keeping], SOLUTION)
    assert keep_state([also], SOLUTION) and not keep_state([other], SOLUTION)


@pytest.mark.parametrize(
    "find, replace",
    [
        ("y = x * times", "y = x + times"),
        ("    y = x", "    kept = {}\n    came, others = [], None\n    y = g(x, kept={1: 2})"),
        ("not there", "kept = []"),
    ],
)
def test_others_do_not(find: str, replace: str) -> None:
    assert not keep_state([Mistake("one", find=find, replace=replace, says="")], SOLUTION)


@pytest.mark.parametrize(
    "topic, mistake",
    [
        ("alibi", "slopes-cached"),
        ("conv2d", "places-remembered-by-the-shapes"),
        ("heap_top_k", "counts-kept-between-calls"),
        ("yarn", "frequencies-remembered-by-head-dim"),
    ],
)
def test_they_are_named_also_the_first_time(
    topic: str, mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "nothing remembered"))
    known = next(each for each in read_checks(CATALOG[topic]).mistakes if each.id == mistake)
    path = tmp_path / "answer.py"
    path.write_text(known.applied(CATALOG[topic].solution.read_text(encoding="utf-8")), encoding="utf-8")
    with RemoteJudge(naming_seconds=60.0) as judge:
        verdict = judge.grade(topic, path)
    assert verdict.diagnosis is not None and verdict.diagnosis.mistake == mistake
