"""Parts of long topics: what is missing, that everything else stands, and that none is an answer as it is."""

import ast
import re

import pytest
from curriculum.test_levels import with_exercise
from curriculum.three_topics import GQA, complaint, replace
from driving import CATALOG, catalog_in

from grader.curriculum.catalog import Topic, UnknownTopic
from grader.curriculum.exercises.part import part_of
from grader.curriculum.exercises.source_lines import StubError
from grader.curriculum.exercises.stub import stub_of
from grader.judge.verdict import Outcome
from grader.practice.exercises.contents import is_changed, is_started
from grader.practice.exercises.levels import level_of, text_at
from grader.practice.schedule import Level

PARTS = [topic.asked_in_part(part) for topic in CATALOG.topics for part in topic.parts]

each_part = pytest.mark.parametrize("topic", PARTS, ids=lambda topic: topic.name)

Definition = ast.FunctionDef | ast.ClassDef


def solution_of(topic: Topic) -> str:
    return topic.solution.read_text(encoding="utf-8")


def named(source: str, names) -> dict[str, Definition]:
    """The definitions of these names."""
    found = {}
    for node in ast.parse(source).body:
        for inner, name in [
            (node, ""),
            *(
                (each, f"{node.name}.")
                for each in getattr(node, "body", ())
                if isinstance(node, ast.ClassDef)
            ),
        ]:
            if isinstance(inner, Definition):
                found[name + inner.name] = inner
    return {name: found[name] for name in names}


def without(source: str, definitions) -> list[str]:
    """The lines that belong to none of them."""
    lines = {number for each in definitions for number in range(each.lineno, each.end_lineno + 1)}
    return [line for number, line in enumerate(source.split("\n"), 1) if number not in lines and line.strip()]


def functions(definition: Definition) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(definition) if isinstance(node, ast.FunctionDef)]


# Those of this project


def test_long_topics_have_parts():
    split = {topic.id for topic in CATALOG.topics if topic.parts}
    assert split >= {"mla", "kv_cache", "transformer", "bert", "zero"}
    assert all(CATALOG[topic].minutes >= 30 for topic in split)


@each_part
def test_only_its_names_are_unfilled(topic):
    solution, text = solution_of(topic), text_at(topic, Level.STUB)
    asked, whole = named(text, topic.part.names), named(solution, topic.part.names)
    assert without(text, asked.values()) == without(solution, whole.values())
    bodies = [function.body for each in asked.values() for function in functions(each)]
    assert bodies and all(ast.unparse(body[-1]) == "raise NotImplementedError" for body in bodies)
    assert all(
        len(body) == 1 or (len(body) == 2 and ast.get_docstring(function))
        for each in asked.values()
        for function in functions(each)
        for body in [function.body]
    )


@each_part
def test_filled_in_it_is_the_solution(topic):
    solution, text = solution_of(topic), text_at(topic, Level.STUB)
    asked, whole = named(text, topic.part.names), named(solution, topic.part.names)
    lines, filling = text.split("\n"), solution.split("\n")
    for name, hole in sorted(asked.items(), key=lambda item: -item[1].lineno):
        lines[hole.lineno - 1 : hole.end_lineno] = filling[whole[name].lineno - 1 : whole[name].end_lineno]
    assert "\n".join(lines) == solution


@each_part
def test_what_it_asks_is_as_in_the_stub(topic):
    """So signatures and contracts are those of the whole."""
    public = [name for name in topic.part.names if not re.search(r"(^|\.)_(?!_)", name)]
    part, stub = (named(text, public) for text in (text_at(topic, Level.STUB), stub_of(solution_of(topic))))
    assert {name: ast.dump(each) for name, each in part.items()} == {
        name: ast.dump(each) for name, each in stub.items()
    }


@each_part
def test_what_is_handed_out_is_no_answer(judge, topic, tmp_path):
    text = text_at(topic, Level.STUB)
    mine = with_exercise(topic, f"\n{text}\n\n", tmp_path)
    assert mine.exercise.name == f"{topic.id}.{topic.part.id}.py"
    assert (is_started(mine), is_changed(mine), level_of(mine, text)) == (False, False, Level.STUB)
    assert judge.grade(topic.id, mine.exercise).outcome is Outcome.NOT_STARTED
    mine = with_exercise(topic, f"{text}\nnothing = None\n", tmp_path)
    assert is_started(mine) and is_changed(mine)
    assert not judge.grade(topic.id, mine.exercise).passed


# Any


SOURCE = '''\
"""What."""

import math

_HALF = 0.5


class Circle:
    """Round."""

    sides: int
    _unit = 1

    def __init__(self, radius):
        self.radius = radius  # kept

    def area(self):
        """Its area."""
        return math.pi * self._square()

    def _square(self):
        return self.radius**2


# Everyone knows it.
def _double(x):
    return 2 * x


def twice(x):
    """Two of it."""
    return _double(x)


def stop(): ...
'''


def test_what_becomes_of_a_part():
    assert part_of(SOURCE, ["Circle.area", "twice"]) == SOURCE.replace(
        "return math.pi * self._square()", "raise NotImplementedError"
    ).replace("return _double(x)", "raise NotImplementedError")
    assert part_of(SOURCE, ["Circle", "_double"]) == SOURCE.replace(
        SOURCE[SOURCE.index("    _unit") : SOURCE.index("# Everyone")],
        "\n    def __init__(self, radius):\n        raise NotImplementedError\n\n"
        '    def area(self):\n        """Its area."""\n        raise NotImplementedError\n\n\n',
    ).replace("return 2 * x", "raise NotImplementedError")


@pytest.mark.parametrize(
    ("source", "names", "message"),
    [
        (SOURCE, ["Square"], "the part asks for Square, which is no function, method or class of it"),
        (SOURCE, ["_HALF"], "the part asks for _HALF, which is no function, method or class of it"),
        (SOURCE, ["Circle", "Circle.area"], "the part asks for Circle.area, and for all of its class"),
        (SOURCE, ["stop"], "the part asks for nothing: these bodies hide nothing"),
        (
            f"{SOURCE}\n\nx = Circle(1)._square()\n",
            ["Circle"],
            "the part leaves out _square, which what stays needs",
        ),
        (f"# given\n{SOURCE}# end given\n", ["twice"], "the part asks for twice, which is given"),
    ],
)
def test_what_is_no_part(source, names, message):
    with pytest.raises(StubError) as error:
        part_of(source, names)
    assert str(error.value) == message


# In the catalog


ONE = """[[parts]]
id = "heads"
title = "its heads"
minutes = 5
names = ["GroupedQueryAttention.forward"]

"""


def add_parts(root, text):
    replace(root / GQA, "[[questions]]", f"{text}[[questions]]")


def test_a_part_has_a_name_and_a_file_of_its_own(root):
    add_parts(root, ONE)
    catalog = catalog_in(root)
    whole, part = catalog["gqa"], catalog.asked("gqa.heads")
    assert (whole.name, part.name, part.id) == ("gqa", "gqa.heads", "gqa")
    assert (part.title, part.minutes, whole.minutes) == ("Any topic: its heads", 5, 15)
    assert part.exercise == root / "exercises/attention/gqa.heads.py" and whole.exercise.stem == "gqa"
    assert (part.solution, part.checks) == (whole.solution, whole.checks)
    assert catalog.asked("gqa") == whole
    for name, message in (("gqa.tails", "no part 'tails' of gqa"), ("mha.heads", "no topic 'mha'")):
        with pytest.raises(UnknownTopic, match=message):
            catalog.asked(name)
    with pytest.raises(UnknownTopic):
        catalog.find("gqa.heads")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "its heads"\n', "", "parts[1].title: missing"),
        ("minutes = 5", "minutes = 15", "parts: heads takes 15 of 15 minutes"),
        ("minutes = 5", "minutes = 5\nlevel = 1", "parts[1].level: unknown key"),
        ('"heads"', '"new"', "parts[1].id: new is what an update calls a stub that it puts beside an answer"),
        ('["GroupedQueryAttention.forward"]', "[]", "parts[1].names: needs at least one, found 0"),
        ('["GroupedQueryAttention.forward"]', '["f", "f"]', "parts[1].names: f is listed twice"),
        (ONE, ONE + ONE, "parts: heads is listed twice"),
    ],
)
def test_a_fault_in_a_part_names_file_and_key(root, old, new, message):
    assert old in ONE
    add_parts(root, ONE.replace(old, new))
    assert complaint(root) == f"{GQA}: {message}"
