"""Checks on the meta device have its kernels, which others do without."""

from pathlib import Path

from driving import CATALOG

from grader.judge.checks.reading import read_checks
from grader.judge.checks.setup import setup_for
from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Outcome
from grader.worker.torch_import import Part

SEES = """

import sys
print("torch._" + "atem"[::-1] + "_registrations" in sys.modules)  # not by its name: that would bring it
"""


def seen(judge, topic: str, tmp_path: Path) -> str:
    path = tmp_path / "answer.py"
    path.write_text(CATALOG[topic].solution.read_text(encoding="utf-8") + SEES)
    verdict = judge.grade(topic, path)
    assert verdict.passed
    return verdict.output.splitlines()[-1]


def test_who_uses_it_is_known():
    using = {topic.id for topic in CATALOG.topics if setup_for(topic, read_checks(topic)).parts & Part.META}
    assert {"alibi", "lora"} <= using
    assert not using & {"softmax", "sdpa", "cross_entropy"}
    assert not {topic.id for topic in CATALOG.topics if topic.framework == "numpy"} & using


def test_workers_have_it_from_then_on(tmp_path):
    with RemoteJudge() as judge:
        assert seen(judge, "softmax", tmp_path) == "False"
        assert seen(judge, "alibi", tmp_path) == "True"
        assert seen(judge, "softmax", tmp_path) == "True"


CHEAT = """
import sys

_names = ".".join(["torch", "_" + "decomp", "decompositions"])


def softmax(x, dim=-1):
    return vars(sys.modules[_names])["_softmax"](x, dim, False)


def log_softmax(x, dim=-1):
    return softmax(x, dim).log()
"""


def test_built_ins_are_forbidden_in_what_came_with_it(tmp_path):
    with RemoteJudge() as judge:
        assert seen(judge, "alibi", tmp_path) == "True"
        (tmp_path / "cheat.py").write_text(CHEAT)
        verdict = judge.grade("softmax", tmp_path / "cheat.py")
        assert verdict.outcome is Outcome.FORBIDDEN
        assert any("the built-in softmax is forbidden" in check.message for check in verdict.checks)
