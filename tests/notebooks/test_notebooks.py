"""Every notebook: its parts, its questions, its run."""

import ast
import base64
import re
from typing import Any, TypeGuard

import nbformat
import pytest
from driving import CATALOG, PROJECT

from grader.curriculum.catalog import Topic
from grader.notebooks.cleaning import clean_text, read_notebook, topics_with_notebook
from grader.notebooks.folding import CLOSING, OPENING, QUESTION, draws, folds, is_answer, unfolded
from grader.notebooks.formulas import Formulas
from grader.notebooks.parts import FEWEST_CELLS, MOST_CELLS, MOST_LINES, PARTS, try_source
from grader.notebooks.running import Kernel
from grader.show.figures.mistaken import mistake_ids

TOPICS = topics_with_notebook(CATALOG)
every_notebook = pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.id)


def code_cells(notebook: Any) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


# Every notebook


@every_notebook
def test_is_clean(topic: Topic) -> None:
    assert topic.notebook.read_text(encoding="utf-8") == clean_text(read_notebook(topic.notebook), topic), (
        "make notebooks-clean"
    )


@every_notebook
def test_has_nothing_of_a_run(topic: Topic) -> None:
    notebook = nbformat.read(topic.notebook, as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata.kernelspec.name == "python3"
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    for cell in notebook.cells:
        hidden = cell.cell_type == "code" and draws(cell.source)
        assert cell.metadata == ({"jupyter": {"source_hidden": True}} if hidden else {})
        if cell.cell_type == "code":
            assert (cell.outputs, cell.execution_count) == ([], None)
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)


@every_notebook
def test_has_the_nine_parts_in_order(topic: Topic) -> None:
    cells = read_notebook(topic.notebook).cells
    lines = [line for cell in cells if cell.cell_type == "markdown" for line in cell.source.splitlines()]
    assert tuple(line for line in lines if line.startswith("## ")) == PARTS
    firsts = [cell.source.splitlines()[0] for cell in cells if cell.cell_type == "markdown"]
    assert set(PARTS) <= set(firsts)
    assert firsts[0] == f"# {topic.title}"


@every_notebook
def test_is_short(topic: Topic) -> None:
    cells = read_notebook(topic.notebook).cells
    assert FEWEST_CELLS <= len([cell for cell in cells if not is_answer(cell)]) <= MOST_CELLS
    *others, last = code_cells(read_notebook(topic.notebook))
    assert last == try_source(topic)
    for source in others:
        assert len([line for line in source.splitlines() if line.strip()]) <= MOST_LINES, source


@every_notebook
def test_asks_before_it_tells(topic: Topic) -> None:
    parts = re.split(
        r"^## ", "\n".join(cell.source for cell in read_notebook(topic.notebook).cells), flags=re.M
    )
    asking = [part for part in parts if "**Predict:**" in part]
    assert len(asking) >= 3
    assert any(part.startswith("3. ") for part in asking)


@every_notebook
def test_answers_stand_below_their_questions(topic: Topic) -> None:
    """An answer in words follows its question, the code below that, and no heading."""
    cells = read_notebook(topic.notebook).cells
    answers = {number for number, cell in enumerate(cells) if is_answer(cell)}
    folded = {number for fold in folds(cells) for number in fold}
    assert answers <= folded
    for number in answers:
        assert cells[number].source == f"{OPENING}{unfolded(cells[number].source).strip()}{CLOSING}"
        assert QUESTION not in cells[number].source
    assert sum(QUESTION in cell.source for cell in cells) == len(list(folds(cells)))
    for cell in cells:
        if QUESTION in cell.source:
            assert cell.source.rpartition("\n\n")[2].startswith(QUESTION)


@every_notebook
def test_has_no_pasted_solution(topic: Topic) -> None:
    tree = ast.parse(topic.solution.read_text(encoding="utf-8"))
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    *others, _ = code_cells(read_notebook(topic.notebook))
    code = "\n".join(re.sub(r"^[%!].*$", "", source, flags=re.M) for source in others)
    defined = {
        node.name for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    assert defined & names == set()
    assert f"solutions.{topic.chapter}.{topic.id}" in code


@every_notebook
def test_the_mistakes_that_it_shows_are_known(topic: Topic) -> None:
    """Their names may change, and a notebook is not run every day."""
    for source in code_cells(read_notebook(topic.notebook)):
        nodes = list(ast.walk(ast.parse(re.sub(r"^[%!].*$", "", source, flags=re.M))))
        shown = [node.args for node in nodes if isinstance(node, ast.Call) and is_mistake(node.func)]
        known = {id_ for args in shown for id_ in mistake_ids(ast.literal_eval(args[0]))}
        asked = [args[1] for args in shown if isinstance(args[1], ast.Constant)]
        if len(asked) < len(shown):  # one after the other, from a list
            lists = [node.elts for node in nodes if isinstance(node, ast.List | ast.Tuple)]
            asked += [item for items in lists for item in items if is_id(item)]
        assert {item.value for item in asked} <= known


def is_id(item: ast.expr) -> TypeGuard[ast.Constant]:
    return isinstance(item, ast.Constant) and bool(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", str(item.value)))


def is_mistake(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr == "mistake"


@every_notebook
def test_formulas_can_be_drawn(topic: Topic) -> None:
    cells = read_notebook(topic.notebook).cells
    formulas = Formulas()
    text = "".join(formulas.taken_out(cell.source) for cell in cells if cell.cell_type == "markdown")
    assert "FORMULA0000HERE" in text
    assert "$" not in text  # a formula over two lines, or with a space inside its signs, is none on the page


@every_notebook
def test_says_nothing_that_the_dark_turns_over(topic: Topic) -> None:
    """In the dark a page's pictures have their hues, but what was light in them is dark."""
    cells = read_notebook(topic.notebook).cells
    text = "".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert re.findall(r"\b(white|light|dark|darker)\b", text) == []


@pytest.mark.in_turn
@every_notebook
def test_runs_and_draws(kernel: Kernel, topic: Topic) -> None:
    cells = kernel.executed(topic.notebook, seconds=60).cells
    outputs = [output for cell in cells if cell.cell_type == "code" for output in cell.outputs]
    pictures = [output.data["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    assert pictures
    assert all(base64.b64decode(picture).startswith(b"\x89PNG") for picture in pictures)
    assert [
        output.text for output in outputs if output.output_type == "stream" and output.name == "stderr"
    ] == []
    pages = "".join(output.data.get("text/html", "") for output in outputs if "data" in output)
    assert pages.count("<details") == len(topic.questions)
    assert "Nothing is written yet." in cells[-1].outputs[0].data["text/plain"]


def test_every_topic_has_a_notebook() -> None:
    assert [topic.id for topic in CATALOG.topics if not topic.notebook.exists()] == []


def test_no_notebook_is_without_its_topic() -> None:
    found = {
        path for path in (PROJECT / "notebooks").rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts
    }
    assert found == {topic.notebook for topic in TOPICS}


# The cell to try a topic in


@pytest.mark.parametrize("topic", CATALOG.topics, ids=lambda topic: topic.id)
def test_cell_to_try_asks_for_what_the_stub_asks_for(topic: Topic) -> None:
    magic, _, source = try_source(topic).partition("\n")
    assert magic == f"%%check {topic.id}"
    stub = ast.parse(topic.exercise.read_text(encoding="utf-8"))
    assert signatures(ast.parse(source)) == signatures(stub)
    assert '"""' not in source.partition("# given")[0]


def signatures(module: ast.Module) -> list[tuple[str, str]]:
    return [
        (node.name, ast.unparse(node.args) if isinstance(node, ast.FunctionDef) else "")
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
