"""The catalog: what it gives, and that every complaint names file and key."""

import subprocess
import sys
import time

import pytest
from curriculum.three_topics import DETAILS, GQA, LISTING, SDPA, complaint, replace
from driving import PROJECT, catalog_in

from grader.curriculum.catalog import Question, Source, UnknownTopic, load_catalog


def test_study_order(root):
    catalog = catalog_in(root)
    assert [chapter.title for chapter in catalog.chapters] == ["Foundations", "Attention"]
    assert [topic.id for topic in catalog.topics] == ["softmax", "sdpa", "gqa"]


def test_what_is_known_of_a_topic(root):
    topic = catalog_in(root).find("gqa")
    assert (topic.id, topic.chapter, topic.title) == ("gqa", "attention", "Any topic")
    assert (topic.difficulty, topic.minutes, topic.frequency, topic.framework) == (2, 15, 3, "torch")
    assert topic.prerequisites == ("sdpa", "softmax")
    assert topic.hints == ("The idea.", "The steps.", "The skeleton.")
    assert (topic.blanks, topic.formerly) == (("return x",), ())
    assert topic.questions[0] == Question("Why?", "Because.")
    assert topic.sources == (Source("A paper (2017)", "https://arxiv.org/abs/1706.03762"),)


def test_a_topic_is_found_by_its_former_names(root):
    replace(root / GQA, "minutes = 15", 'minutes = 15\nformerly = ["grouped_query", "grouped"]')
    catalog = catalog_in(root)
    assert catalog["gqa"].formerly == ("grouped_query", "grouped")
    assert catalog["grouped"] == catalog["gqa"]
    replace(root / SDPA, "minutes = 15", 'minutes = 15\nformerly = ["grouped"]')
    assert complaint(root) == f"{SDPA}: formerly: grouped is a name of another topic"


def test_the_files_of_a_topic_follow_from_its_name(root):
    topic = catalog_in(root)["gqa"]
    paths = [topic.exercise, topic.solution, topic.notebook, topic.checks, topic.details]
    assert [path.relative_to(root).as_posix() for path in paths] == [
        "exercises/attention/gqa.py",
        "solutions/attention/gqa.py",
        "notebooks/attention/gqa.ipynb",
        "grader/topics/attention/gqa/test_gqa.py",
        "grader/topics/attention/gqa/topic.toml",
    ]


@pytest.mark.parametrize(
    ("topic", "message"),
    [
        ("qga", "no topic 'qga'; closest: gqa"),
        ("sofmax", "no topic 'sofmax'; closest: softmax"),
        ("backpropagation", "no topic 'backpropagation'"),
        ("", "no topic ''"),
    ],
)
def test_an_unknown_topic_names_the_closest(root, topic, message):
    catalog = catalog_in(root)
    for look_up in (catalog.find, catalog.__getitem__):
        with pytest.raises(UnknownTopic) as error:
            look_up(topic)
        assert error.value.args == (message,)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Any topic"\n', "", "title: missing"),
        ('title = "Any topic"', "title = 3", "title: must be a string, not 3"),
        ('title = "Any topic"', 'title = " "', "title: must not be empty"),
        ("difficulty = 2", "difficulty = 0", "difficulty: must be from 1 to 3, not 0"),
        ("difficulty = 2", "difficulty = true", "difficulty: must be a whole number, not True"),
        ("frequency = 3", "frequency = 4", "frequency: must be from 1 to 3, not 4"),
        ("minutes = 15", "minutes = 0", "minutes: must be at least 1, not 0"),
        ("minutes = 15", "minutes = 1.5", "minutes: must be a whole number, not 1.5"),
        ("minutes = 15", "minuets = 15", "minutes: missing"),
        ("minutes = 15", "minutes = 15\nhours = 1", "hours: unknown key"),
        ("minutes = 15", 'minutes = 15\nframework = "jax"', "framework: must be one of torch, numpy, "
         "not 'jax'"),
        ('"The idea.", ', "", "hints: needs exactly three, found 2"),
        ('"The idea."', '""', "hints: must hold strings with something in them, not ''"),
        ('["The idea.", "The steps.", "The skeleton."]', '"The idea."', "hints: must be a list of strings, "
         "not 'The idea.'"),
        ('blanks = ["return x"]\n', "", "blanks: missing"),
        ('blanks = ["return x"]', "blanks = []", "blanks: needs at least one, found 0"),
        ("minutes = 15", 'minutes = 15\nformerly = ["mqa", "sdpa"]', "formerly: sdpa is a name of another "
         "topic"),
        ("minutes = 15", 'minutes = 15\nformerly = ["mqa", "mqa"]', "formerly: mqa is listed twice"),
        ("minutes = 15", 'minutes = 15\nformerly = ["gqa"]', "formerly: gqa is its name now"),
        ("minutes = 15", 'minutes = 15\nformerly = ["G Q A"]', "formerly: 'G Q A' is not an id: lower-case "
         "words joined by underscores"),
        ('answer = "Because."\n', "", "questions[1].answer: missing"),
        ('answer = "So."', 'answer = "So."\nlevel = 2', "questions[2].level: unknown key"),
        ('[[questions]]\nquestion = "Why?"\nanswer = "Because."\n', "", "questions: needs at least 4, "
         "found 3"),
        ("[[sources]]", "[sources]", "sources: must be a list of tables ([[sources]]), not "
         "{'title': 'A paper (2017)', 'url': 'https://arxiv.org/abs/1706.03762'}"),
        ("https://", "", "sources[1].url: must start with https://, not 'arxiv.org/abs/1706.03762'"),
        ('["sdpa", "softmax"]', '["sdpa", "sdpa"]', "prerequisites: sdpa is listed twice"),
        ('["sdpa", "softmax"]', '["mha"]', "prerequisites: mha is not a topic"),
        ('["sdpa", "softmax"]', '["gqa"]', "prerequisites: gqa does not come earlier in the study order"),
        ('["sdpa", "softmax"]', '["../sdpa"]', "prerequisites: '../sdpa' is not an id: lower-case words "
         "joined by underscores"),
    ],
)  # fmt: skip
def test_a_fault_in_a_topic_names_file_and_key(root, old, new, message):
    replace(root / GQA, old, new)
    assert complaint(root) == f"{GQA}: {message}"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Foundations"\n', "", "chapters[1].title: missing"),
        ('title = "Attention"', 'title = "Attention"\norder = 1', "chapters[2].order: unknown key"),
        ('id = "foundations"', 'id = "Foundations"', "chapters[1].id: 'Foundations' is not an id: "
         "lower-case words joined by underscores"),
        ('"softmax"', '"soft-max"', "chapters[1].topics: 'soft-max' is not an id: lower-case words "
         "joined by underscores"),
        ('"gqa"', '"sdpa"', "topics: sdpa is listed twice"),
        (LISTING, 'version = 1\n', "chapters: missing"),
        (LISTING, 'chapters = []\n', "chapters: needs at least 1, found 0"),
        (LISTING, 'chapters = ["attention"]\n', "chapters: must hold tables ([[chapters]]), not 'attention'"),
        (LISTING, f"version = 1\n{LISTING}", "version: unknown key"),
        (LISTING, LISTING + LISTING[: LISTING.index("topics")] + "topics = []\n",
         "chapters: foundations is listed twice"),
    ],
)  # fmt: skip
def test_a_fault_in_the_list_names_file_and_key(root, old, new, message):
    replace(root / "grader" / "catalog.toml", old, new)
    assert complaint(root) == f"grader/catalog.toml: {message}"


def test_a_circle_of_prerequisites_is_refused(root):
    replace(root / "grader/topics/attention/sdpa/topic.toml", "prerequisites = []", 'prerequisites = ["gqa"]')
    assert complaint(root) == (
        "grader/topics/attention/sdpa/topic.toml: prerequisites: gqa does not come earlier in the study order"
    )


def test_a_listed_topic_without_details_names_the_missing_file(root):
    (root / GQA).unlink()
    assert complaint(root) == f"{GQA}: cannot be read: No such file or directory"


@pytest.mark.parametrize("text", [b"title = ", b'title = "\xff"'])
def test_a_file_that_is_no_toml_is_named(root, text):
    (root / GQA).write_bytes(text)
    assert complaint(root).startswith(f"{GQA}: is not valid TOML: ")


def test_the_catalog_of_this_project_is_valid():
    assert load_catalog().topics
    assert load_catalog().topics[0].exercise == PROJECT / "exercises/foundations/softmax.py"


def test_many_topics_load_in_a_blink(root):
    names = [f"topic_{number}" for number in range(70)]
    for name in names:
        details = root / "grader" / "topics" / "attention" / name / "topic.toml"
        details.parent.mkdir()
        details.write_text(DETAILS, encoding="utf-8")
    replace(root / "grader" / "catalog.toml", '"gqa",', "".join(f'"{name}",' for name in ["gqa", *names]))
    start = time.perf_counter()
    assert len(catalog_in(root).topics) == 73
    assert time.perf_counter() - start < 0.3  # 0.02 on a quiet machine


def test_reading_the_catalog_needs_only_the_standard_library():
    program = "import grader.curriculum.catalog, grader.curriculum.exercises.files, sys; print(*sys.modules)"
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.append({str(PROJECT)!r}); {program}"]
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout
    loaded = {name.partition(".")[0] for name in output.split()}
    assert loaded - {"grader", "__main__"} <= sys.stdlib_module_names


def test_long_texts_are_literal_strings():
    """They are read at every start of the program, and those with escapes take twice as long."""
    assert [topic.id for topic in load_catalog().topics if '"""' in topic.details.read_text("utf-8")] == []
