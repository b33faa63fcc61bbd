"""A workspace follows a newer curriculum: what nobody edited is new, what somebody edited stays."""

import shutil
from pathlib import Path

import pytest
from driving import PROJECT, byheart

from grader import VERSION
from grader.curriculum.catalog import Catalog, load_catalog
from grader.curriculum.pack import Pack
from grader.curriculum.workspace import Workspace, read_settings
from grader.practice.record.progress import open_progress
from grader.practice.schedule import Rating
from grader.practice.update.generated import Followed, follow, write_workspace

TOPICS = PROJECT / "examples" / "pack"
FIRST, SECOND = "exercises/warm_up/moving_average.py", "exercises/warm_up/attention_pooling.py"


@pytest.fixture
def curriculum(tmp_path: Path) -> Path:
    """Two topics that may be changed; the first has a notebook."""
    root = tmp_path / "curriculum"
    shutil.copytree(TOPICS, root, ignore=shutil.ignore_patterns("notebooks"))
    edit(
        root / "topics/warm_up/attention_pooling/topic.toml",
        'prerequisites = ["softmax"]',
        "prerequisites = []",
    )
    notebook = root / "notebooks" / "warm_up" / "moving_average.ipynb"
    notebook.parent.mkdir(parents=True, exist_ok=True)
    notebook.write_text("{}")
    return root


@pytest.fixture
def workspace(tmp_path: Path, curriculum: Path) -> Workspace:
    workspace = Workspace(tmp_path / "practice")
    write_workspace(catalog_of(curriculum, workspace), workspace)
    return workspace


def catalog_of(curriculum: Path, workspace: Workspace) -> Catalog:
    return load_catalog(Pack.in_folder(curriculum), workspace)


def followed(curriculum: Path, workspace: Workspace) -> Followed:
    return follow(catalog_of(curriculum, workspace), workspace)


def edit(path: Path, find: str, replace: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert find in text
    path.write_text(text.replace(find, replace), encoding="utf-8")


def improve(curriculum: Path) -> None:
    """A newer version of both solutions' contracts, and of the notebook."""
    edit(curriculum / "solutions/warm_up/moving_average.py", "x is not modified.", "x stays as it is.")
    edit(curriculum / "solutions/warm_up/attention_pooling.py", "Nothing is modified.", "All stays as it is.")
    (curriculum / "notebooks/warm_up/moving_average.ipynb").write_text("[]")


def test_nothing_new_changes_nothing(curriculum: Path, workspace: Workspace) -> None:
    (workspace.root / FIRST).write_text("mine")
    before = {path: path.read_bytes() for path in workspace.root.rglob("*") if path.is_file()}
    assert followed(curriculum, workspace) == Followed()
    assert {path: path.read_bytes() for path in workspace.root.rglob("*") if path.is_file()} == before


def test_what_is_untouched_follows_and_what_is_edited_stays(curriculum: Path, workspace: Workspace) -> None:
    notebook = workspace.root / "notebooks/warm_up/moving_average.ipynb"
    (workspace.root / FIRST).write_text("mine")
    notebook.write_text("my notes")
    improve(curriculum)
    found = followed(curriculum, workspace)
    assert found.followed == ("attention_pooling",)
    assert "All stays as it is." in (workspace.root / SECOND).read_text(encoding="utf-8")
    assert (workspace.root / FIRST).read_text() == "mine" and notebook.read_text() == "my notes"
    assert sorted(found.beside) == [
        (FIRST, FIRST.replace(".py", ".new.py")),
        ("notebooks/warm_up/moving_average.ipynb", "notebooks/warm_up/moving_average.new.ipynb"),
    ]
    assert "x stays as it is." in (workspace.root / FIRST).with_suffix(".new.py").read_text(encoding="utf-8")
    assert followed(curriculum, workspace) == Followed()


def test_an_untouched_notebook_follows(curriculum: Path, workspace: Workspace) -> None:
    improve(curriculum)
    followed(curriculum, workspace)
    assert (workspace.root / "notebooks/warm_up/moving_average.ipynb").read_text() == "[]"


def test_without_its_memory_nothing_is_lost(curriculum: Path, workspace: Workspace) -> None:
    (workspace.root / FIRST).write_text("mine")
    shutil.rmtree(workspace.practice)
    improve(curriculum)
    found = followed(curriculum, workspace)
    assert (workspace.root / FIRST).read_text() == "mine"
    assert FIRST in dict(found.beside)


def test_answers_and_notes_of_renamed_topics_move(curriculum: Path, workspace: Workspace) -> None:
    for name in ("moving_average", "attention_pooling"):
        rename(curriculum, name, f"{name}_2")
    notebook = "notebooks/warm_up/moving_average_2.ipynb"
    (curriculum / notebook).write_text("[]")
    (workspace.root / FIRST).write_text("mine")
    (workspace.root / "notebooks/warm_up/moving_average.ipynb").write_text("my notes")
    found = followed(curriculum, workspace)
    assert (found.new, found.stranded) == ((), ())
    assert found.beside == ((notebook, notebook.replace(".ipynb", ".new.ipynb")),)
    assert (workspace.root / notebook).read_text() == "my notes"
    assert not (workspace.root / "notebooks/warm_up/moving_average.ipynb").exists()
    assert not (workspace.root / FIRST).exists() and not (workspace.root / SECOND).exists()
    assert (workspace.root / "exercises/warm_up/moving_average_2.py").read_text() == "mine"
    assert (workspace.root / "exercises/warm_up/attention_pooling_2.py").exists()


def test_progress_of_a_renamed_topic_comes_along(curriculum: Path, workspace: Workspace) -> None:
    edit(workspace.settings, "packs = []", 'packs = ["../curriculum"]')
    open_progress(workspace).attempts.set_aside("moving_average", b"an earlier answer")
    open_progress(workspace).reviews.add("moving_average", Rating.GOOD)
    rename(curriculum, "moving_average", "rolling_mean")
    (workspace.root / FIRST).write_text("mine")
    done = byheart(workspace.root, "update")
    assert (done.returncode, done.stderr) == (0, "")
    assert "moving_average is called rolling_mean now; your progress came along.\n" in done.stdout
    assert (workspace.root / "exercises/warm_up/rolling_mean.py").read_text() == "mine"
    progress = open_progress(workspace)
    assert [attempt.topic for attempt in progress.attempts.of()] == ["rolling_mean"]
    assert set(progress.reviews.cards()) == {"rolling_mean"}


def test_a_new_topic_comes_and_one_that_is_gone_leaves_only_answers(
    curriculum: Path, workspace: Workspace
) -> None:
    (workspace.root / FIRST).write_text("mine")
    rename(curriculum, "moving_average", "other", formerly=False)
    found = followed(curriculum, workspace)
    assert (found.new, found.stranded) == (("other",), ((FIRST, ""),))
    assert (workspace.root / FIRST).read_text() == "mine"
    assert not (workspace.root / "notebooks/warm_up/moving_average.ipynb").exists()


def test_an_exercise_that_was_deleted_comes_back(curriculum: Path, workspace: Workspace) -> None:
    (workspace.root / FIRST).unlink()
    assert followed(curriculum, workspace) == Followed()
    assert "raise NotImplementedError" in (workspace.root / FIRST).read_text(encoding="utf-8")


def test_the_settings_keep_their_words(curriculum: Path, workspace: Workspace) -> None:
    workspace.settings.write_text('# mine\nversion = "0.0.1"\npacks = ["../ours"]  # of the course\n')
    followed(curriculum, workspace)
    assert workspace.settings.read_text() == (
        f'# mine\nversion = "{VERSION}"\npacks = ["../ours"]  # of the course\n'
    )
    assert read_settings(workspace).packs == (workspace.root.parent / "ours",)


def rename(curriculum: Path, old: str, new: str, formerly: bool = True) -> None:
    """Rename a topic, as an author does."""
    edit(curriculum / "catalog.toml", f'"{old}"', f'"{new}"')
    room = curriculum / "topics" / "warm_up"
    (room / old).rename(room / new)
    (room / new / f"test_{old}.py").rename(room / new / f"test_{new}.py")
    for folder, ending in (("solutions", "py"), ("notebooks", "ipynb")):
        file = curriculum / folder / "warm_up" / f"{old}.{ending}"
        if file.exists():
            file.rename(file.with_stem(new))
    if formerly:
        details = room / new / "topic.toml"
        edit(details, "prerequisites =", f'formerly = ["{old}"]\nprerequisites =')
