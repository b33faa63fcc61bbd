"""What torch loads by itself for an answer is loaded before memory is bounded: where it will be, and only
there.
"""

import pytest
from driving import CATALOG

from grader.judge.workers.own_accord import of_its_own_accord
from grader.worker.torch_import import Part


@pytest.mark.parametrize(
    "text",
    [
        "import torch\noptimizer = torch.optim.SGD([], lr=0.1)",
        "from torch import optim",
        "from torch.optim.lr_scheduler import LambdaLR",
        "import torch.utils.checkpoint as c",
        "from torch.utils.checkpoint import checkpoint as again",
        "from torch import utils\nutils.checkpoint.checkpoint(f, x)",
        "import torch\n@torch.compile\ndef f(x):\n    return x",
        "import torch._dynamo",
    ],
)
def test_who_needs_the_compiler_has_it(text: str) -> None:
    assert Part.DYNAMO in of_its_own_accord(text)


@pytest.mark.parametrize(
    "text",
    [
        "def step(optimizer: torch.optim.Optimizer) -> torch.optim.Optimizer:\n    return optimizer",
        "kept: torch.optim.Optimizer | None = None",
        '"""Not by torch.optim, and without torch.utils.checkpoint."""',
        "def checkpoint(function, *inputs):  # as torch.utils.checkpoint\n    return function(*inputs)",
        "def f(:",
        "(" * 5000,
    ],
)
def test_who_does_without_it_does_not_wait_for_it(text: str) -> None:
    assert of_its_own_accord(text) == Part.SHAPES


def test_no_solution_waits_for_it() -> None:
    texts = {topic.id: topic.solution.read_text(encoding="utf-8") for topic in CATALOG.topics}
    assert [topic for topic, text in texts.items() if Part.DYNAMO in of_its_own_accord(text)] == []
