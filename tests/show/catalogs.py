"""A small catalog to show."""

import os
from dataclasses import replace
from pathlib import Path

from driving import TESTS

from grader.curriculum.catalog import Catalog, Chapter, Topic
from grader.curriculum.pack import Pack
from grader.curriculum.workspace import Workspace
from grader.judge.verdict import Check, Cost, Diagnosis, Outcome, Verdict


def topic(id_: str, chapter: str, title: str, difficulty: int, minutes: int) -> Topic:
    hints = ("The idea.", "The steps.", "\ndef softmax(x):\n    ...\n")
    root = Path("project")
    places = Pack.in_clone(root), Workspace(root)
    return Topic(id_, chapter, title, difficulty, minutes, 1, "torch", (), hints, (), (), *places)


FOUNDATIONS = (
    topic("softmax", "foundations", "Softmax and log-softmax", 1, 8),
    topic("activations", "foundations", "Activation functions", 2, 15),
)
ATTENTION = (
    topic("gqa", "attention", "Grouped-query attention", 3, 15),
    topic("mla", "attention", "Latent attention", 3, 120),
)
CATALOG = Catalog(
    (Chapter("foundations", "Foundations", FOUNDATIONS), Chapter("attention", "Attention", ATTENTION))
)
FOLDER = TESTS / "golden" / "show"
PASSED = Verdict(
    "gqa",
    "exercises/attention/gqa.py",
    Outcome.PASSED,
    (Check("test_a", "K and V project to num_kv_heads * head_dim", Outcome.PASSED),),
    cost=Cost(3000, 420, 2000, 420),
    seconds=1.234,
)
FAILED = replace(
    PASSED,
    outcome=Outcome.FAILED,
    checks=(
        *PASSED.checks,
        Check(
            "test_b",
            "equals F.scaled_dot_product_attention with enable_gqa=True",
            Outcome.FAILED,
            "with num_heads=6, num_kv_heads=2: largest difference 0.412 at [0, 3, 5]: yours 0.118, expected"
            " 0.530; 83 % of 420 values differ",
        ),
    ),
    diagnosis=Diagnosis(
        "kv-heads-tiled", "You tile the key heads (0 1 0 1). " + "Repeat each head in place. " * 5
    ),
    cost=None,
    output="[bold]x[/bold] \u2026\n  tensor([[1., 2.]])",
)
FRAMES = "\n  line 12, in forward:  return self.attend(x)\n  line 20, in attend:  return missing"
EVERY_OUTCOME = replace(
    FAILED,
    outcome=Outcome.FORBIDDEN,
    checks=(
        Check("test_a", "a check that passes", Outcome.PASSED),
        Check("test_b", "raises an exception", Outcome.ERROR, "with mask=None: NameError: no" + FRAMES),
        Check("test_c", "raises it again", Outcome.ERROR, "with mask=True: NameError: no" + FRAMES),
        Check("test_d", "is too slow", Outcome.TIMEOUT, "stopped after 10 s: an endless loop?"),
        Check("test_e", "ends the process", Outcome.CRASHED, "the process ended itself (os._exit(0))"),
        Check(
            "test_f", "uses the built-in", Outcome.FORBIDDEN, "softmax is forbidden\n  line 7:  F.softmax(x)"
        ),
        Check(
            "test_g",
            "is not written",
            Outcome.NOT_RUN,
            "not started: forward still raises NotImplementedError",
        ),
        Check(
            "test_h",
            "is not written too",
            Outcome.NOT_RUN,
            "not started: forward still raises NotImplementedError",
        ),
        Check("test_i", "came too late", Outcome.NOT_RUN, "not run: no time was left"),
        Check(
            "test_j", "a title that goes on for so long that " + "it has to be wrapped, " * 4, Outcome.PASSED
        ),
    ),
    diagnosis=Diagnosis("one + two", "The first mistake.\n\nThe second one."),
    output="",
)
UNRUN = (Check("test_a", "a check that was not run", Outcome.NOT_RUN),)


def whole_file(outcome: Outcome, message: str) -> Verdict:
    return Verdict("softmax", "exercises/foundations/softmax.py", outcome, UNRUN, message=message)


VERDICTS = {
    "passed": PASSED,
    "passed_last_topic": replace(PASSED, topic="mla", cost=Cost(0, 30, 0, 1000)),
    "failed": FAILED,
    "every_outcome": EVERY_OUTCOME,
    "not_started": whole_file(Outcome.NOT_STARTED, "Nothing is written yet."),
    "import_error": whole_file(
        Outcome.ERROR, "The file cannot be imported.\nValueError: x\n  line 3, in <module>:  f()"
    ),
    "unreadable": replace(
        whole_file(Outcome.UNREADABLE, "There is no such file."), file="odd\x1b[31m\udcff/\u202e.py"
    ),
}


def is_golden(text: str, name: str) -> bool:
    """Whether a text is the one that is kept under that name."""
    path = FOLDER / f"{name}.txt"
    if os.environ.get("BYHEART_GOLDEN") == "write":
        path.write_text(text + "\n", encoding="utf-8")
    return path.read_text(encoding="utf-8") == text + "\n"
