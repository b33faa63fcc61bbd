"""`make new`: skeletons that load, pass for formatted code, and never touch what is there."""

import ast
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from driving import catalog_in

from grader.authoring.skeleton import SkeletonError, create_topic
from grader.curriculum.exercises.blanks import MISSING
from grader.curriculum.pack import Pack
from grader.notebooks.parts import PARTS
from grader.practice.exercises.levels import text_at
from grader.practice.schedule import Level

LISTING = """\
# Study order.

[[chapters]]
id = "attention"
title = "Attention"
topics = [
]

[[chapters]]
id = "positions"
title = "Positions"
topics = [
]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "grader").mkdir()
    (tmp_path / "grader" / "catalog.toml").write_text(LISTING, encoding="utf-8")
    return tmp_path


def listing(root: Path) -> str:
    return (root / "grader" / "catalog.toml").read_text(encoding="utf-8")


def test_a_topic_is_listed_last_in_its_chapter(root):
    create_topic(Pack.in_clone(root), "mha", "attention")
    create_topic(Pack.in_clone(root), "gqa", "attention")
    create_topic(Pack.in_clone(root), "rope", "positions")
    assert listing(root) == LISTING.replace("[\n]", '[\n    "mha",\n    "gqa",\n]', 1).replace(
        "[\n]", '[\n    "rope",\n]'
    )
    assert [topic.id for topic in catalog_in(root).topics] == ["mha", "gqa", "rope"]


def test_a_new_chapter_comes_last(root):
    create_topic(Pack.in_clone(root), "beam_search", "text_decoding")
    assert listing(root).startswith(LISTING)
    chapter = catalog_in(root).chapters[-1]
    assert (chapter.id, chapter.title) == ("text_decoding", "Text decoding")
    assert [topic.title for topic in chapter.topics] == ["Beam search"]


def test_a_track_of_the_same_name_is_no_chapter(root):
    create_topic(Pack.in_clone(root), "mha", "attention")
    track = '\n[[tracks]]\nid = "systems"\ntitle = "Systems"\ntopics = [\n    "mha",\n]\n'
    (root / "grader" / "catalog.toml").write_text(listing(root) + track, encoding="utf-8")
    for topic in ("zero", "ring_all_reduce"):
        create_topic(Pack.in_clone(root), topic, "systems")
    catalog = catalog_in(root)
    assert [topic.id for topic in catalog.chapters[-1].topics] == ["zero", "ring_all_reduce"]
    assert [topic.id for topic in catalog.tracks[0].topics] == ["mha"]


def test_the_five_files(root):
    paths = create_topic(Pack.in_clone(root), "gqa", "attention")
    topic = catalog_in(root)["gqa"]
    assert paths == [topic.solution, topic.details, topic.checks, *topic.mistakes, topic.notebook]
    assert len(topic.mistakes) == 1
    assert all("TODO" in path.read_text(encoding="utf-8") for path in paths)
    notebook = nbformat.read(topic.notebook, as_version=4)
    nbformat.validate(notebook)
    assert notebook.cells[0].source.startswith("# Gqa\n")
    assert tuple(cell.source.partition("\n")[0] for cell in notebook.cells[1:]) == PARTS


def test_the_code_is_formatted_and_has_every_level_of_recall(root):
    create_topic(Pack.in_clone(root), "a_topic_with_a_rather_long_name", "attention")
    topic = catalog_in(root).topics[0]
    for arguments in (
        ["format", "--check", "--line-length=110"],
        ["check", "--select=E,F,I", "--ignore=F722"],
    ):
        command = [sys.executable, "-m", "ruff", *arguments, "--isolated", "--no-cache", str(root)]
        assert subprocess.run(command, capture_output=True, timeout=20).returncode == 0, arguments
    assert text_at(topic, Level.STUB).endswith("    raise NotImplementedError\n")
    assert text_at(topic, Level.BLANKS).endswith(f"    {MISSING}\n")
    assert ast.get_docstring(ast.parse(text_at(topic, Level.EMPTY)))


def test_the_mistake_is_an_edit_of_the_solution(root):
    create_topic(Pack.in_clone(root), "gqa", "attention")
    topic = catalog_in(root)["gqa"]
    (mistakes,) = (ast.parse(file.read_text(encoding="utf-8")) for file in topic.mistakes)
    keywords = [node for node in ast.walk(mistakes) if isinstance(node, ast.keyword)]
    (find,) = [node.value.value for node in keywords if node.arg == "find"]
    assert topic.solution.read_text(encoding="utf-8").count(find) == 1


@pytest.mark.parametrize(
    ("topic", "chapter", "message"),
    [
        ("gqa", "positions", "There is a topic gqa already, in chapter attention."),
        ("GQA2", "attention", "'GQA2' is not an id: use lower-case words joined by underscores."),
        ("../gqa", "attention", "'../gqa' is not an id: use lower-case words joined by underscores."),
        ("lambda", "attention", "'lambda' is not an id: use lower-case words joined by underscores."),
        ("mha", "", "'' is not an id: use lower-case words joined by underscores."),
        ("mha", "attention", "solutions/attention/mha.py is there already."),
    ],
)
def test_a_refusal_is_a_sentence_and_writes_nothing(root, topic, chapter, message):
    create_topic(Pack.in_clone(root), "gqa", "attention")
    (root / "solutions" / "attention" / "mha.py").write_text("# mine\n", encoding="utf-8")
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    with pytest.raises(SkeletonError) as error:
        create_topic(Pack.in_clone(root), topic, chapter)
    assert str(error.value) == message
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_a_list_in_another_form_is_left_to_the_author(root):
    other_form = LISTING.replace("[\n]", "[]", 1)
    (root / "grader" / "catalog.toml").write_text(other_form, encoding="utf-8")
    with pytest.raises(
        SkeletonError, match="does not list the topics of attention one a line: add gqa by hand"
    ):
        create_topic(Pack.in_clone(root), "gqa", "attention")
    assert listing(root) == other_form
    assert not (root / "solutions").exists()
