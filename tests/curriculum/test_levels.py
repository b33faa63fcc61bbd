"""The levels of recall: what is missing at each, and that nothing handed out counts as an answer."""

import ast
import dataclasses
import re
import textwrap

import pytest
from driving import CATALOG

from grader.curriculum.catalog import Topic
from grader.curriculum.exercises.blanks import MISSING, blanks_of
from grader.curriculum.exercises.empty import empty_of
from grader.curriculum.exercises.source_lines import StubError
from grader.curriculum.exercises.stub import stub_of
from grader.curriculum.workspace import Workspace
from grader.judge.verdict import Outcome
from grader.practice.exercises.contents import is_changed, is_started
from grader.practice.exercises.levels import level_of, text_at
from grader.practice.schedule import Level

TOPICS = CATALOG.topics

each_topic = pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.id)
each_level = pytest.mark.parametrize("level", Level)


def solution_of(topic: Topic) -> str:
    return topic.solution.read_text(encoding="utf-8")


def with_exercise(topic: Topic, text: str, tmp_path) -> Topic:
    """The topic in a workspace where its exercise is this text."""
    mine = dataclasses.replace(topic, workspace=Workspace(tmp_path))
    mine.exercise.parent.mkdir(parents=True, exist_ok=True)
    mine.exercise.write_text(text, encoding="utf-8")
    return mine


def filled(topic: Topic, count: int | None = None) -> str:
    """The exercise at the level of blanks with the first `count` of them filled in, as in the solution."""
    solution = solution_of(topic)
    lines = solution.split("\n")
    statements = {
        (node.lineno, node.end_lineno)
        for node in ast.walk(ast.parse(solution))
        if isinstance(node, ast.stmt) and lines[node.lineno - 1].strip().startswith(topic.blanks)
    }
    missing = [
        "\n".join(lines[first - 1 : last])
        for first, last in sorted(statements)
        if lines[first - 1].partition("  # ")[0].strip() in topic.blanks
    ]
    parts = re.split(rf"^ *{re.escape(MISSING)}$", text_at(topic, Level.BLANKS), flags=re.MULTILINE)
    assert len(parts) == len(missing) + 1
    count = len(missing) if count is None else count
    fillings = [*missing[:count], *[MISSING] * (len(missing) - count), ""]
    return "".join(part + filling for part, filling in zip(parts, fillings, strict=True))


# Every topic


@each_topic
def test_the_blanks_are_the_lines_that_carry_the_idea(topic):
    assert 3 <= len(topic.blanks) <= 8
    assert text_at(topic, Level.BLANKS).count(MISSING) == len(topic.blanks)


@each_topic
def test_blanks_filled_in_give_the_solution(topic):
    assert filled(topic) == solution_of(topic)


@each_topic
def test_the_empty_level_is_a_docstring_and_what_is_given(topic):
    text = text_at(topic, Level.EMPTY)
    docstring, *code = ast.parse(text).body
    assert isinstance(docstring, ast.Expr) and isinstance(docstring.value.value, str)
    kept = ast.unparse(ast.Module(code, []))
    assert bool(kept) == ("\n# given\n" in solution_of(topic))
    assert "NotImplementedError" not in text


@each_topic
def test_the_empty_level_states_all_that_the_stub_states(topic):
    stated = {line.strip() for line in text_at(topic, Level.EMPTY).split("\n")}
    stub = stub_of(solution_of(topic))
    for line in stub.replace('"""', "").split("\n"):
        if not line.startswith(("import ", "from ")) and line.strip() != "raise NotImplementedError":
            assert not line.strip() or line.strip() in stated | {each.replace('"""', "") for each in stated}


@pytest.mark.in_turn
@each_topic
@each_level
def test_what_is_handed_out_is_not_started(judge, topic, level, tmp_path):
    text = text_at(topic, level)
    for untouched in (text, f"\n{text}\n\n"):
        mine = with_exercise(topic, untouched, tmp_path)
        assert (is_started(mine), is_changed(mine), level_of(mine, untouched)) == (False, False, level)
        assert judge.grade(topic.id, mine.exercise).outcome is Outcome.NOT_STARTED


@pytest.mark.in_turn
@each_topic
@each_level
def test_what_is_handed_out_never_passes(judge, topic, level, tmp_path):
    """Also where it is run because something was added to it."""
    mine = with_exercise(topic, text_at(topic, level) + "\nnothing = None\n", tmp_path)
    assert is_started(mine) and is_changed(mine)
    assert not judge.grade(topic.id, mine.exercise).passed


@each_topic
def test_some_blanks_filled_in_is_started(topic, tmp_path):
    for count in (1, len(topic.blanks) - 1, len(topic.blanks)):
        mine = with_exercise(topic, filled(topic, count), tmp_path)
        assert is_started(mine) and is_changed(mine)


@pytest.mark.in_turn
@each_topic
def test_an_answer_below_the_empty_contract_passes(judge, topic, tmp_path):
    mine = with_exercise(topic, text_at(topic, Level.EMPTY) + "\n\n" + solution_of(topic), tmp_path)
    assert is_started(mine) and is_changed(mine)
    assert judge.grade(topic.id, mine.exercise).passed


# Blanks


def blank(source: str, *blanks: str) -> str:
    return blanks_of(textwrap.dedent(source), blanks)


def test_what_becomes_of_a_blank():
    source = """\
        x = f(1)


        def f(größe):
            # Why.
            y = {  # several lines
                "ß": größe,
            }
            if größe:
                z = "ä"  # (batch, seq)

            return y
        """
    assert blank(source, "y = {  # several lines", 'z = "ä"', "return y") == textwrap.dedent(
        f"""\
        x = f(1)


        def f(größe):
            # Why.
            {MISSING}
            if größe:
                {MISSING}

            {MISSING}
        """
    )


@pytest.mark.parametrize(
    ("blank_", "places"),
    [
        ("y = 1", 2),
        ("y = 4", 0),
        ("if x:", 0),
        ("y = 2", 0),
        ("y = 3", 0),
        ("return y  # the end", 0),
        ("x = 0", 0),
        ("eturn y", 0),
    ],
)
def test_a_blank_is_the_first_line_of_one_simple_statement(blank_, places):
    source = """\
        x = 0


        def f(x):
            y = 1
            y = 1
            if x: y = 2
            # given
            y = 3
            # end given
            return y  # the end
        """
    with pytest.raises(StubError) as error:
        blank(source, "return y", blank_)
    assert f"the blank {blank_!r} begins {places} statements" in str(error.value)


# Empty


def test_the_contract_of_what_is_given_and_of_what_is_hidden():
    source = '''\
        r"""What \\alpha is.

        Why.
        """

        import math
        import os
        from dataclasses import dataclass

        _HIDDEN = 3

        # given
        PI = math.pi
        # end given


        # Everyone knows it.
        @dataclass
        class Circle:
            """A circle."""

            radius: float

            def area(self) -> float:
                """Its area,
                always positive."""
                return _HIDDEN * PI * self.radius**2

            # given
            def name(self) -> str:
                """Its name."""
                return "circle"

            # end given

            def twice(self): return 2


        def _hidden():
            os.abort()
        '''
    expected = '''\
        r"""What \\alpha is.

        Why.

        To be written from memory, the imports too:

        # Everyone knows it.
        @dataclass
        class Circle:
            A circle.

            radius: float

            def area(self) -> float:
                Its area,
                always positive.

            # given
            def name(self) -> str:
                Its name.
                return "circle"

            # end given

            def twice(self):
        """

        import math

        # given
        PI = math.pi
        # end given
        '''
    text = empty_of(textwrap.dedent(source))
    assert text == textwrap.dedent(expected)
    assert "\\alpha" in ast.get_docstring(ast.parse(text))


def test_a_solution_without_a_docstring_has_no_empty_level():
    with pytest.raises(StubError, match="no docstring"):
        empty_of("def f():\n    return 1\n")


def test_quotes_that_would_end_the_docstring_are_refused():
    source = "'''What.'''\n\n\ndef f():\n    '''As in \"\"\"this\"\"\".'''\n    return 1\n"
    with pytest.raises(StubError, match="three quotes"):
        empty_of(source)
