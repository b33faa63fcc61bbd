"""The committed notebooks, and the machinery that runs, cleans and shows them."""

import ast
import base64
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest
from driving import PROJECT, byheart, copy_project, has_ended

from grader.curriculum.catalog import Topic, load_catalog
from grader.notebooks.cleaning import clean_text, read_notebook, stale_notebooks, topics_with_notebook
from grader.notebooks.folding import CLOSING, OPENING, QUESTION, draws, folds, is_answer, unfolded
from grader.notebooks.formulas import Formulas, mathml
from grader.notebooks.pages import page_text
from grader.notebooks.parts import FEWEST_CELLS, MOST_CELLS, MOST_LINES, PARTS, try_source
from grader.notebooks.running import CellFailed, Failure, Kernel, executed

CATALOG = load_catalog()
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
def test_formulas_can_be_drawn(topic: Topic) -> None:
    cells = read_notebook(topic.notebook).cells
    formulas = Formulas()
    text = "".join(formulas.taken_out(cell.source) for cell in cells if cell.cell_type == "markdown")
    assert "FORMULA0000HERE" in text


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    """One for all notebooks that are run in this process: torch is loaded once."""
    with Kernel() as running:
        yield running


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


# Cleaning

SOFTMAX = CATALOG["softmax"]


def notebook_of(*sources: str) -> Any:
    """A notebook of code cells; one that begins with # is Markdown."""
    notebook = nbformat.v4.new_notebook()
    for source in sources:
        new = nbformat.v4.new_markdown_cell if source.startswith("#") else nbformat.v4.new_code_cell
        notebook.cells.append(new(source))
    return notebook


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


# Running


def failure(folder: Path, *sources: str, seconds: int = 60) -> Failure:
    """How a notebook of these cells fails."""
    path = folder / "sample.ipynb"
    nbformat.write(notebook_of("# Title", *sources), path)
    with pytest.raises(CellFailed) as caught:
        executed(path, seconds)
    return caught.value.failure


def test_a_failing_cell_is_named(tmp_path: Path) -> None:
    found = failure(tmp_path, "x = 1", "def f():\n    return x / 0\n\nf()")
    sentence, _, traceback = str(found).partition("\n")
    assert sentence == f"{tmp_path}/sample.ipynb: cell 3 fails with ZeroDivisionError: division by zero"
    assert "return x / 0" in traceback and "\x1b" not in traceback


def test_a_cell_that_never_ends_is_named(tmp_path: Path) -> None:
    found = failure(tmp_path, "while True: pass", seconds=2)
    assert (found.cell, found.error) == (2, "a time-out: it takes more than 2 s")


def test_a_cell_that_ends_its_kernel_is_named(tmp_path: Path) -> None:
    found = failure(tmp_path, "import os", "os._exit(1)")
    assert (found.cell, found.error) == (3, "the end of its kernel")


def test_a_notebook_finds_nothing_of_the_one_before(tmp_path: Path) -> None:
    first, second = tmp_path / "first.ipynb", tmp_path / "second.ipynb"
    left = "import torch\nx = 1\ntorch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)"
    found = "import torch\n'x' in globals(), torch.get_default_dtype(), torch.is_grad_enabled()"
    nbformat.write(notebook_of("# T", left), first)
    nbformat.write(notebook_of("# T", found), second)
    with Kernel() as kernel:
        kernel.executed(first)
        cell = kernel.executed(second).cells[1]
    assert cell.outputs[0].data["text/plain"] == "(False, torch.float32, True)"
    assert cell.execution_count == 1


def test_a_notebook_runs_where_the_one_before_ended_its_kernel(tmp_path: Path) -> None:
    fatal, sound = tmp_path / "fatal.ipynb", tmp_path / "sound.ipynb"
    nbformat.write(notebook_of("# T", "import os", "os._exit(1)"), fatal)
    nbformat.write(notebook_of("# T", "1 + 1"), sound)
    with Kernel() as kernel:
        with pytest.raises(CellFailed):
            kernel.executed(fatal)
        assert kernel.executed(sound).cells[1].outputs[0].data["text/plain"] == "2"


# Commands


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project with small notebooks, of which only that of softmax does not fail."""
    copy_project(tmp_path)
    for name, *sources in (
        ("foundations/softmax", "# T", "%load_ext grader\n1 + 1"),
        ("attention/gqa", "# T", "1 / 0"),
        ("positions/rope", "# T", "# $\\nonsense$", "%load_ext grader"),
    ):
        path = tmp_path / "notebooks" / f"{name}.ipynb"
        path.parent.mkdir(parents=True)
        topic = CATALOG[path.stem]
        path.write_text(clean_text(notebook_of(*sources), topic), encoding="utf-8")
    return tmp_path


def test_all_notebooks_at_once(project: Path) -> None:
    done = byheart(project, "notebooks")
    assert done.returncode == 1
    assert done.stdout == "wrote build/notebooks/index.html\n"
    assert (
        "notebooks/attention/gqa.ipynb: cell 2 fails with ZeroDivisionError: division by zero" in done.stderr
    )
    build = project / "build" / "notebooks"
    index = (build / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'href="([^"]+)"', index) == ["foundations/softmax.html"]
    page = (build / "foundations" / "softmax.html").read_text(encoding="utf-8")
    assert "Nothing is written yet." in page
    assert re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(?!data:)[^"]*"|import\(', page) == []
    assert not (project / ".practice").exists()


def test_one_notebook_is_shown_in_the_browser(project: Path) -> None:
    browser = project / "browser"
    browser.write_text('#!/bin/sh\necho "$1" > shown\n', encoding="utf-8")
    browser.chmod(0o755)
    done = byheart(project, "notebook", "softmax", BROWSER=f"{browser} %s")
    page = project / "build" / "notebooks" / "foundations" / "softmax.html"
    assert (done.returncode, done.stdout) == (0, "wrote build/notebooks/foundations/softmax.html\n")
    assert (project / "shown").read_text(encoding="utf-8").strip() == page.as_uri()


def test_one_notebook_is_shown_in_jupyterlab_where_that_is_installed(project: Path) -> None:
    lab = project / "jupyterlab"
    lab.mkdir()
    (lab / "__init__.py").touch()
    (lab / "__main__.py").write_text("import sys; print(sys.argv[1])", encoding="utf-8")
    copy = project / "build" / "notebooks" / "foundations" / "softmax.ipynb"
    done = byheart(project, "notebook", "softmax")
    assert done.stdout.splitlines()[-1] == str(copy)
    changed = nbformat.read(copy, as_version=4)
    assert (changed.cells[1].outputs, changed.cells[1].execution_count) == ([], None)  # to be run there
    changed.cells[-1].source = "%%check softmax\nmine = 1"
    nbformat.write(changed, copy)
    again = byheart(project, "notebook", "softmax")
    (kept,) = re.findall(r"Your changed copy is kept: (.*)", again.stdout)
    assert "mine = 1" in (project / kept).read_text(encoding="utf-8")
    assert "mine = 1" not in copy.read_text(encoding="utf-8")


def test_an_interrupt_ends_the_kernels(project: Path) -> None:
    for name in ("foundations/softmax", "attention/gqa"):
        path = project / "notebooks" / f"{name}.ipynb"
        waiting = "from pathlib import Path\nimport time\nPath('started').touch()\ntime.sleep(60)"
        path.write_text(clean_text(notebook_of("# T", waiting), CATALOG[path.stem]), encoding="utf-8")
    command = [sys.executable, "-m", "grader", "notebooks"]
    running = subprocess.Popen(
        command, cwd=project, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    kernels: list[psutil.Process] = []
    try:
        assert eventually(lambda: (project / "started").exists(), 60)
        kernels = psutil.Process(running.pid).children(recursive=True)
        os.killpg(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=20)
        assert (running.returncode, said) == (130, "interrupted\n")
        assert kernels
        assert eventually(lambda: all(map(has_ended, kernels)), 10)
    finally:
        running.kill()
        running.wait()
        for kernel in kernels:
            if not has_ended(kernel):
                kernel.kill()


def eventually(holds: Callable[[], bool], seconds: float) -> bool:
    """Whether something comes true in that time."""
    latest = time.monotonic() + seconds
    while not holds() and time.monotonic() < latest:
        time.sleep(0.05)
    return holds()


@pytest.mark.parametrize(
    ("topic", "status", "says"),
    [
        ("gqa", 1, "notebooks/attention/gqa.ipynb: cell 2 fails with ZeroDivisionError: division by zero"),
        ("mha", 1, "mha has no notebook yet."),
        (
            "rope",
            1,
            r"notebooks/positions/rope.ipynb: cell 2 fails with the formula $\nonsense$: pages cannot draw",
        ),
        ("sftmax", 2, "There is no topic 'sftmax'; closest: softmax"),
    ],
)
def test_why_one_notebook_is_not_shown(project: Path, topic: str, status: int, says: str) -> None:
    done = byheart(project, "notebook", topic, "--no-open")
    assert done.returncode == status
    assert done.stderr.startswith(says)
    assert "grader/" not in done.stderr  # no frames of ours


def test_clean_command(project: Path) -> None:
    assert byheart(project, "notebooks-clean", "--check").returncode == 0
    path = project / "notebooks" / "foundations" / "softmax.ipynb"
    clean = path.read_text(encoding="utf-8")
    path.write_text(clean.replace('"execution_count": null', '"execution_count": 3', 1), encoding="utf-8")
    stale = byheart(project, "notebooks-clean", "--check")
    assert (stale.returncode, stale.stdout) == (1, "")
    assert "  notebooks/foundations/softmax.ipynb\n" in stale.stderr
    assert byheart(project, "notebooks-clean").stdout == "wrote notebooks/foundations/softmax.ipynb\n"
    assert path.read_text(encoding="utf-8") == clean


def test_what_is_committed_is_clean() -> None:
    assert stale_notebooks(CATALOG) == []
