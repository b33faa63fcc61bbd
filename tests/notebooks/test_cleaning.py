"""Notebooks are cleaned, folded and their formulas drawn."""

import json
import re

import nbformat
import pytest
from driving import CATALOG
from notebooks.sources import notebook_of

from grader.notebooks.cleaning import clean_text
from grader.notebooks.folding import CLOSING, OPENING, folds, is_answer, unfolded
from grader.notebooks.formulas import Formulas, mathml
from grader.notebooks.pages import page_text
from grader.notebooks.parts import try_source

# Cleaning

SOFTMAX = CATALOG["softmax"]


def test_cleaning_takes_out_what_a_run_leaves() -> None:
    notebook = notebook_of("# Title", "x = 1  \n", "  ")
    notebook.cells[1].outputs = [nbformat.v4.new_output("stream", text="1")]
    notebook.cells[1].execution_count = 7
    notebook.cells[0].metadata["tags"] = ["x"]
    notebook.metadata["widgets"] = {}
    clean = json.loads(clean_text(notebook, SOFTMAX))
    assert [cell["source"] for cell in clean["cells"][:2]] == [["# Title"], ["x = 1"]]
    assert clean["cells"][1]["outputs"] == [] and clean["cells"][1]["execution_count"] is None
    assert clean["cells"][0]["metadata"] == {} and set(clean["metadata"]) == {"kernelspec", "language_info"}
    assert "".join(clean["cells"][2]["source"]) == try_source(SOFTMAX)


def test_cleaning_keeps_good_ids_and_makes_stable_ones() -> None:
    notebook = notebook_of("# Title", "x = 1", "x = 1", "y = 2", "%%check softmax\nan answer")
    for cell, id_ in zip(notebook.cells, ["kept", "?", "?", "kept", "try"], strict=True):
        cell["id"] = id_
    text = clean_text(notebook, SOFTMAX)
    ids = [cell["id"] for cell in json.loads(text)["cells"]]
    assert (ids[0], ids[-1]) == ("kept", "try")
    assert len(set(ids)) == 5 and "?" not in ids
    assert clean_text(notebook, SOFTMAX) == text
    assert clean_text(nbformat.reads(text, as_version=4), SOFTMAX) == text


@pytest.mark.parametrize(
    ("source", "hidden"),
    [
        ("x = 1\nshow.heatmap(x)", True),
        ("picture = show.lines(x, y)\npicture", True),
        ("show.steps(f, {})", True),
        ('show.models(["gpt-2"], "year")', True),
        ("show.trace(f, x)", False),
        ("cost = show.measure(f, x)", False),
        ('show.mistake("gqa", "tiled").graded()', False),
        ("x = 1", False),
    ],
)
def test_cleaning_folds_the_code_of_what_is_looked_at(source: str, hidden: bool) -> None:
    cell = json.loads(clean_text(notebook_of("# Title", source), SOFTMAX))["cells"][1]
    assert cell["metadata"] == ({"jupyter": {"source_hidden": True}} if hidden else {})


def test_an_answer_that_was_left_in_the_last_cell_goes() -> None:
    clean = json.loads(clean_text(notebook_of("# Title", "%%check softmax\nan answer"), SOFTMAX))
    assert ["".join(cell["source"]) for cell in clean["cells"]] == ["# Title", try_source(SOFTMAX)]


# Folding

ANSWER = f"{OPENING}Three.{CLOSING}"


def test_what_answers_a_question_is_folded() -> None:
    sources = [
        "# Title",
        "x = 0",
        "# A **Predict:** ?",
        "x = 1",
        "x = 2",
        ANSWER,
        "# B",
        "x = 3",
        "# **Predict:**",
    ]
    cells = notebook_of(*sources).cells
    cells[5] = nbformat.v4.new_markdown_cell(ANSWER)
    assert list(folds(cells)) == [range(3, 6)]
    assert [is_answer(cell) for cell in cells] == [number == 5 for number in range(len(cells))]
    assert unfolded(ANSWER) == "Three."


def test_a_page_folds_answers_and_the_code_of_pictures() -> None:
    notebook = notebook_of("# **Predict:** How many?", "show.bars(x)", "# Next", "plain = 1")
    notebook.cells.insert(2, nbformat.v4.new_markdown_cell(ANSWER))
    clean = nbformat.reads(clean_text(notebook, SOFTMAX), as_version=4)
    page = page_text(SOFTMAX, clean)
    body = page[page.index("How many?") :]
    asked, answered = body.split('<details class="answer"><summary>Answer</summary>')
    answer, _, rest = answered.partition("Three.")
    assert "bars" not in asked
    assert re.search(r'<details class="code"><summary>Code</summary>.*bars.*</details>', answer, re.S)
    assert rest.index("</details>") < rest.index("Next") < rest.index("plain")
    assert "<details>" not in page and rest.count("</details>") == 1


# Formulas


def test_formulas_become_mathml() -> None:
    formulas = Formulas()
    text = formulas.taken_out("Let $x_i$ be `$5` of $5 or $6, $$\\frac{a}{b}$$\n```\n$y$\n```")
    assert text == "Let FORMULA0000HERE be `$5` of $5 or $6, FORMULA0001HERE\n```\n$y$\n```"
    page = formulas.put_in(text)
    assert page.startswith(
        'Let <math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow><msub>'
    )
    assert 'display="block"><mrow><mfrac>' in page


@pytest.mark.parametrize("latex", ["\\nonsense x", "{"])
def test_a_formula_that_cannot_be_drawn_is_named(latex: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"the formula ${latex}$")):
        mathml(latex)
