"""Answers that pose as libraries, or as what is asked of them: whoever has read the code can write them."""

import pytest
from driving import BRIEF, TESTS

from grader.judge.service.remote import RemoteJudge
from grader.judge.verdict import Outcome

POSING = TESTS / "hostile" / "posing"

# File (in tests/hostile/posing), topic, outcome, and what the verdict says about it.
CASES = [
    ("name_that_lies", "softmax", "forbidden", "a name of a kind of its own"),
    ("name_given_later", "softmax", "forbidden", "gives code the name of another file"),
    ("path_in_an_object", "softmax", "error", "may only open what it gives the name of as text"),
    ("path_in_changing_bytes", "softmax", "error", "may only open what it gives the name of as text"),
    ("file_in_a_storage", "softmax", "forbidden", "UntypedStorage.from_file"),
    ("places_in_memory", "softmax", "error", "may not open /proc/"),
    ("another_package", "softmax", "forbidden", "mpmath computes what answers write out"),
    ("packet_of_its_own", "softmax_backward", "forbidden", "torch.ops.aten.grad"),
    ("product_put_back", "layer_norm", "forbidden", "It replaces torch.Tensor.__mul__"),
    ("names_of_parameters", "layer_norm", "error", "not asked for: w, b, gain"),
    ("module_in_its_place", "class_weights", "failed", "make them on the arguments' device"),
    ("error_by_name", "group_norm", "failed", "it raises group_norm.ValueError instead of ValueError"),
    ("mode_at_import", "softmax", "forbidden", "It leaves a mode of torch on"),
    ("mode_in_a_call", "softmax", "failed", "it leaves a mode of torch on"),
    ("upstream_known", "rms_norm", "failed", "with inputs drawn anew"),
]


@pytest.fixture(scope="module")
def judge():
    with RemoteJudge(diagnose=False, **BRIEF) as judge:
        yield judge


@pytest.mark.parametrize("name, task, outcome, sentence", CASES, ids=[case[0] for case in CASES])
def test_who_poses_is_found_out(judge, name, task, outcome, sentence):
    verdict = judge.grade(task, POSING / f"{name}.py")
    said = "\n".join([verdict.message or "", *(check.message for check in verdict.checks)])
    assert verdict.outcome is Outcome(outcome), said
    assert sentence in said


def test_every_file_is_tried():
    assert {path.stem for path in POSING.glob("*.py")} == {name for name, *_ in CASES}
