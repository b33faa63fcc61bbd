"""What the workers of a topic are given before anything else."""

from grader.curriculum.catalog import Topic
from grader.judge.checks.reading import CheckFile
from grader.judge.workers.launch import NO_PARTS
from grader.judge.workers.starting import Setup
from grader.worker.torch_import import Part

_OF_SHAPES = ("autograd.backward(", "nn.TransformerDecoder(")
"""One of these is in every solution that makes torch load symbols for its shapes."""


def setup_for(topic: Topic, checks: CheckFile) -> Setup:
    """The setup of workers that these checks of the topic are run with."""
    if topic.framework == "numpy":
        return Setup(checks.forbidden, without_torch=True)
    solution = topic.solution.read_text(encoding="utf-8")
    parts = Part.META if checks.uses_meta else NO_PARTS
    if any(word in solution for word in _OF_SHAPES):
        parts |= Part.SHAPES
    return Setup(checks.forbidden, parts=parts)
