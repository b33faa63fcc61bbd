"""Stubs: what of a solution the learner sees, and when an exercise is written or called stale."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.curriculum.catalog import Catalog, Chapter, Topic
from grader.curriculum.exercises.files import StubError, stale_stubs, stub_of, write_stubs
from grader.curriculum.pack import Pack
from grader.curriculum.workspace import Workspace

SOLUTION = '''\
"""Softmax (Bridle 1990)."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

_EPS = 1e-6
print("imported")


# Shared by both.
def _shift(x):
    return x - x.amax()


def softmax(x: Tensor, dim: int = -1) -> Tensor:  # one dimension
    """Probabilities."""
    # The largest exponent is 0.
    exps = torch.exp(_shift(x))
    return exps / exps.sum(dim)  # (batch, seq)


# Learners need this one.
@dataclass
class Cache:
    """Keys so far."""

    length: int
    size: int = 7
    _seen: int = 0

    @property
    def full(self) -> bool:
        return self.length == self.size

    def _grow(self) -> None:
        self.size *= 2

    # given
    def clear(self) -> None:
        self.length = 0

    # end given


class Block(nn.Module):
    def _split(self, x):
        return math.sqrt(x)

    async def forward(
        self,
        x: "Tensor",
    ) -> None:
        # Nothing to see.
        return self._split(x)
        # Nothing here either.
'''

STUB = '''\
"""Softmax (Bridle 1990)."""

from dataclasses import dataclass

from torch import Tensor, nn


def softmax(x: Tensor, dim: int = -1) -> Tensor:  # one dimension
    """Probabilities."""
    raise NotImplementedError


# Learners need this one.
@dataclass
class Cache:
    """Keys so far."""

    length: int
    size: int = 7

    @property
    def full(self) -> bool:
        raise NotImplementedError

    # given
    def clear(self) -> None:
        self.length = 0

    # end given


class Block(nn.Module):
    async def forward(
        self,
        x: "Tensor",
    ) -> None:
        raise NotImplementedError
'''


def test_a_stub_keeps_the_contract_and_hides_the_answer():
    assert stub_of(SOLUTION) == STUB


@pytest.mark.parametrize(
    ("solution", "stub"),
    [
        pytest.param(
            "def relu(x): return x.clamp(min=0)\n",
            "def relu(x):\n    raise NotImplementedError\n",
            id="body on the line of its def",
        ),
        pytest.param(
            "def größe(é='é'): return é  # ß\n",
            "def größe(é='é'):\n    raise NotImplementedError\n",
            id="letters of several bytes",
        ),
        pytest.param(
            'def f(x):\n    """What."""  # noqa: D400\n\n    # Why.\n    return x\n',
            'def f(x):\n    """What."""  # noqa: D400\n    raise NotImplementedError\n',
            id="comment between docstring and body",
        ),
        pytest.param(
            'def hook():\n    """Nothing to do."""\n',
            'def hook():\n    """Nothing to do."""\n    raise NotImplementedError\n',
            id="nothing but a docstring",
        ),
        pytest.param(
            "@overload\ndef f(x: int) -> int: ...\n@overload\ndef f(x: str) -> str: ...\ndef f(x):\n"
            "    return x\n",
            "@overload\ndef f(x: int) -> int: ...\n@overload\ndef f(x: str) -> str: ...\ndef f(x):\n"
            "    raise NotImplementedError\n",
            id="overloads",
        ),
        pytest.param(
            "class Tree:\n    class Node:\n        left: int\n\n        def walk(self):\n"
            "            yield self.left\n",
            "class Tree:\n    class Node:\n        left: int\n\n        def walk(self):\n"
            "            raise NotImplementedError\n",
            id="nested class",
        ),
        pytest.param(
            "class Empty:\n    _count = 0\n\n    def _count_up(self):\n        self._count += 1\n",
            "class Empty:\n    pass\n",
            id="class with nothing public",
        ),
        pytest.param("class Full(Exception): ...\n", "class Full(Exception): ...\n", id="class on one line"),
        pytest.param(
            "def f():\n    # given\n    n = 3\n    # end given\n\n    return n + 1\n",
            "def f():\n    # given\n    n = 3\n    # end given\n    raise NotImplementedError\n",
            id="given code in a body",
        ),
        pytest.param(
            "# given\nSIZE = 3\n# end given\n\n_SECRET = 4\n\n__all__ = ['f']\n",
            "# given\nSIZE = 3\n# end given\n\n__all__ = ['f']\n",
            id="given code and __all__ in a module",
        ),
        pytest.param(
            "from typing import (\n    Any,\n    List,  # unused\n    Set,\n    Union,\n)\n\nx: int\n\n\n"
            "def f(a: Any, s: Set): ...\n",
            "from typing import (\n    Any,\n    Set,\n)\n\n\ndef f(a: Any, s: Set): ...\n",
            id="imports on several lines",
        ),
        pytest.param(
            "from __future__ import annotations\nimport os, re as regex, sys\n\n\n"
            "def f(x: regex.Pattern):\n    os.abort()\n",
            "from __future__ import annotations\nimport re as regex\n\n\ndef f(x: regex.Pattern):\n"
            "    raise NotImplementedError\n",
            id="imports on one line",
        ),
        pytest.param(
            '"""What."""\n\nimport math\n\n\ndef _f():\n    math.pi\n\n\n# given\nx = 1\n# end given\n',
            '"""What."""\n\n# given\nx = 1\n# end given\n',
            id="docstring without imports",
        ),
        pytest.param("", "", id="empty"),
    ],
)
def test_every_form_of_python(solution, stub):
    assert stub_of(solution) == stub
    assert stub_of(stub) == stub


@pytest.mark.parametrize(
    ("solution", "message"),
    [
        ("# given\nx = 1\n", "line 1: `# given` without its other half"),
        ("x = 1\n# end given\n", "line 2: `# end given` without its other half"),
        (
            "def f(x):\n    if x:\n        # given\n        y = 1\n        # end given\n",
            "line 3: `# given` stands within something that is left out",
        ),
        (
            "def _f(x):\n    # given\n    y = 1\n    # end given\n",
            "line 2: `# given` stands within something that is left out",
        ),
        (
            "_SIZE = 3\n\n\ndef f(size=_SIZE):\n    return size\n",
            "its stub needs _SIZE: put that between `# given` and `# end given`",
        ),
    ],
)
def test_a_solution_of_which_no_stub_can_be_made(solution, message):
    with pytest.raises(StubError) as error:
        stub_of(solution)
    assert str(error.value) == message


def formatted(source: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length=110", "-"]
    return subprocess.run(
        command, input=source, capture_output=True, text=True, check=True, timeout=20
    ).stdout


FUNCTIONS = [
    'def {name}(x: int) -> int:\n    """What."""\n    y = "SECRET"\n\n    # SECRET\n    return y\n',
    "def {name}(\n    x: int,  # note\n    **rest: int,\n) -> int:\n    # SECRET\n    return 'SECRET'\n"
    "    # SECRET\n",
    "@staticmethod\n@staticmethod\nasync def {name}(x=lambda: 1): return 'SECRET'\n",
    "# About {name}.\ndef {name}(x): ...\n",
    'def {name}():\n    def inner():\n        return "SECRET"\n    return inner\n',
    "# SECRET\ndef _{name}(): return 'SECRET'\n",
]
VALUES = ["{name}: int\n", '_{name} = "SECRET"\n', "# given\n{name} = 1\n\n# end given\n"]
IMPORTS = ["import math\n", "import os as system, sys\n", "from re import Match, Pattern\n", "# A note.\n"]


@st.composite
def solutions(draw: st.DrawFn) -> str:
    """Formatted modules of all kinds of definitions in any order."""
    names = (f"name{number}" for number in range(99))

    def block(pieces: list[str], most: int) -> str:
        return "".join(
            draw(st.sampled_from(pieces)).format(name=next(names)) for _ in range(draw(st.integers(0, most)))
        )

    def class_() -> str:
        docstring = draw(st.sampled_from(["", '"""What."""\n']))
        body = docstring + block([*FUNCTIONS, *VALUES], 4) or "pass\n"
        return f"class {next(names)}:\n" + "".join(f"    {line}" for line in body.splitlines(keepends=True))

    docstring = draw(st.sampled_from(["", '"""What."""\n']))
    parts = [
        block([*FUNCTIONS, *VALUES[1:], 'print("SECRET")\n'], 3) + class_()
        for _ in range(draw(st.integers(0, 2)))
    ]
    return formatted(docstring + block(IMPORTS, 3) + "".join(parts))


@settings(max_examples=40, deadline=None)
@given(solutions())
def test_stubs_of_formatted_solutions_are_formatted_secret_free_and_their_own_stubs(solution):
    stub = stub_of(solution)
    assert "SECRET" not in stub
    assert stub_of(stub) == stub
    assert formatted(stub) == stub
    ast.parse(stub)


ANSWER = "def softmax(x):\n    return x.softmax(-1)\n"


@pytest.fixture
def topic(tmp_path: Path) -> Topic:
    places = Pack.in_clone(tmp_path), Workspace(tmp_path)
    topic = Topic("softmax", "foundations", "Softmax", 1, 10, 3, "torch", (), (), (), (), *places)
    topic.solution.parent.mkdir(parents=True)
    topic.solution.write_text(SOLUTION, encoding="utf-8")
    return topic


@pytest.fixture
def catalog(topic: Topic) -> Catalog:
    return Catalog((Chapter("foundations", "Foundations", (topic,)),))


def track(topic: Topic) -> None:
    """Put the exercise as it is into git's index."""
    for command in (["init", "-q"], ["add", str(topic.exercise)]):
        subprocess.run(
            ["git", *command], cwd=topic.workspace.root, check=True, capture_output=True, timeout=20
        )


def test_a_missing_exercise_is_stale_until_it_is_written(catalog, topic):
    assert stale_stubs(catalog) == [topic.exercise]
    assert write_stubs(catalog) == [topic.exercise]
    assert topic.exercise.read_text(encoding="utf-8") == STUB
    assert [path.name for path in topic.exercise.parent.iterdir()] == ["softmax.py"]
    assert stale_stubs(catalog) == []
    assert write_stubs(catalog) == []


def test_an_outdated_stub_is_stale_and_written_anew(catalog, topic):
    write_stubs(catalog)
    track(topic)
    topic.solution.write_text(SOLUTION.replace("Probabilities.", "What sums to 1."), encoding="utf-8")
    assert stale_stubs(catalog) == [topic.exercise]
    assert write_stubs(catalog) == [topic.exercise]
    assert stale_stubs(catalog) == []  # although git still has the old one


def test_an_answer_is_never_overwritten(catalog, topic):
    write_stubs(catalog)
    topic.exercise.write_text(ANSWER, encoding="utf-8")
    assert write_stubs(catalog) == []
    assert topic.exercise.read_text(encoding="utf-8") == ANSWER


@pytest.mark.parametrize("text", ["def softmax(x:", "\0", "\ud83e", "return"])
def test_an_answer_that_is_no_python_is_never_overwritten(catalog, topic, text):
    write_stubs(catalog)
    topic.exercise.write_text(text, encoding="utf-8", errors="surrogatepass")
    assert write_stubs(catalog) == []


def test_a_learner_may_solve_an_exercise_but_not_an_author_commit_an_answer(catalog, topic):
    write_stubs(catalog)
    track(topic)
    topic.exercise.write_text(ANSWER, encoding="utf-8")
    assert stale_stubs(catalog) == []
    track(topic)
    assert stale_stubs(catalog) == [topic.exercise]


def test_a_stub_that_cannot_be_made_names_its_solution(catalog, topic):
    topic.solution.write_text("# given\n", encoding="utf-8")
    with pytest.raises(StubError) as error:
        write_stubs(catalog)
    assert str(error.value) == "solutions/foundations/softmax.py: line 1: `# given` without its other half"
