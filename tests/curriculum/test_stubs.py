"""A stub keeps the contract and hides the answer."""

import ast
import subprocess
import sys

import pytest
from curriculum.stub_texts import SOLUTION, STUB
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.curriculum.exercises.files import StubError, stub_of


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
