"""What the workers of a topic are told before anything else."""

from grader.curriculum.catalog import Topic
from grader.judge.checks.reading import CheckFile
from grader.judge.workers.client import Setup


def setup_for(topic: Topic, checks: CheckFile) -> Setup:
    """The setup of workers that these checks of the topic are run with."""
    is_numpy = topic.framework == "numpy"
    return Setup(checks.forbidden, without_torch=is_numpy, with_meta=checks.uses_meta and not is_numpy)
