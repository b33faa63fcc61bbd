"""Packs: the example holds, what is wrong in one is said, and learners practise with it."""

import json
import shutil
from pathlib import Path

import pytest
from driving import PROJECT, byheart

EXAMPLE = PROJECT / "examples" / "pack"
TOPIC = "topics/warm_up/moving_average"


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """The example without its second topic."""
    folder = tmp_path / "pack"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    edit(folder / "catalog.toml", '    "attention_pooling",\n', "")
    return folder


@pytest.fixture
def workspace(tmp_path: Path, pack: Path) -> Path:
    """One that names the pack."""
    folder = tmp_path / "practice"
    assert byheart(PROJECT, "init", str(folder)).returncode == 0
    edit(folder / "byheart.toml", "packs = []", 'packs = ["../pack"]')
    return folder


def edit(path: Path, find: str, replace: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert find in text
    path.write_text(text.replace(find, replace), encoding="utf-8")


def test_the_example_holds() -> None:
    done = byheart(PROJECT, "verify", str(EXAMPLE))
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert [line.split()[:2] for line in lines[:2]] == [
        ["pass", "moving_average"],
        ["pass", "attention_pooling"],
    ]
    assert "7 mistakes, 2 answers" in lines[0] and " spellings" in lines[1]
    assert all(", 1 notebook" in line for line in lines[:2])


def test_what_does_not_hold_is_said(pack: Path) -> None:
    edit(pack / TOPIC / "test_moving_average.py", "for window in (0, -1):", "for window in ():")
    (pack / "answers" / "moving_average" / "padded.py").write_text(
        "def moving_average(x, window):\n    return x\n"
    )
    (pack / "answers" / "moving_average" / "ring_buffer.py").unlink()
    edit(
        pack / "notebooks/warm_up/moving_average.ipynb", "moving_average(np.array", "moving_averages(np.array"
    )
    part = (
        '[[parts]]\nid = "half"\ntitle = "half of it"\nminutes = 2\nnames = ["half_of_it"]\n\n[[questions]]'
    )
    details = pack / TOPIC / "topic.toml"
    details.write_text(
        details.read_text(encoding="utf-8").replace("[[questions]]", part, 1), encoding="utf-8"
    )
    done = byheart(pack.parent, "verify", "pack")
    assert done.returncode == 1
    assert "FAIL  moving_average" in done.stdout
    assert "the exercise of moving_average.half cannot be made from the solution: " in done.stdout
    assert "mistake any-window-is-taken passes" in done.stdout
    assert "answer padded.py does not pass" in done.stdout
    assert "1 alternative answers, at least 2 are asked" in done.stdout
    assert "moving_average.ipynb: cell 4 fails with NameError" in done.stdout
    assert "things to mend in pack." in done.stderr


def test_its_notebooks_are_cleaned(pack: Path) -> None:
    notebook = pack / "notebooks" / "warm_up" / "moving_average.ipynb"
    clean = notebook.read_text(encoding="utf-8")
    edit(notebook, '"outputs": []', '"outputs": [], "leftover": true')
    done = byheart(pack.parent, "notebooks-clean", "--pack", "pack")
    assert (done.returncode, done.stdout) == (0, "wrote pack/notebooks/warm_up/moving_average.ipynb\n")
    assert notebook.read_text(encoding="utf-8") == clean


def test_a_topic_of_a_pack_is_practised_as_any_other(workspace: Path) -> None:
    updated = byheart(workspace, "update")
    assert (updated.returncode, "New: moving_average." in updated.stdout) == (0, True), updated.stderr
    exercise = workspace / "exercises" / "warm_up" / "moving_average.py"
    assert "raise NotImplementedError" in exercise.read_text(encoding="utf-8")
    assert "moving_average" in byheart(workspace, "list", "warm_up").stdout
    shutil.copy(EXAMPLE / "answers" / "moving_average" / "padded.py", exercise)
    passed = byheart(workspace, "check", "moving_average")
    assert "6 of 6 checks passed" in passed.stdout, passed.stdout
    assert "byheart compare moving_average" in passed.stdout
    solution = workspace.parent / "pack" / "solutions" / "warm_up" / "moving_average.py"
    exercise.write_text(f"open({str(solution)!r})\n\n\ndef moving_average(x, window):\n    return x\n")
    refused = byheart(workspace, "check", "moving_average", "--json")
    assert json.loads(refused.stdout)["outcome"] == "forbidden"


def test_ids_may_not_collide(workspace: Path) -> None:
    other = workspace.parent / "other"
    shutil.copytree(workspace.parent / "pack", other)
    edit(workspace / "byheart.toml", '"../pack"', '"../pack", "../other"')
    done = byheart(workspace, "list")
    assert done.returncode == 2
    assert done.stderr == (
        f"There are two topics moving_average: in {workspace.parent}/pack/catalog.toml and in "
        f"{other}/catalog.toml. Rename one of them.\n"
    )


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ('packs = ["../nothing"]', "cannot be read: No such file or directory"),
        ("packs = 3", "packs must be a list of folders"),
        ("pakcs = []", "there is no setting 'pakcs'. There are: version, packs"),
        ("packs = [", "cannot be read: "),
        ('version = "99.0"', "was brought up to date by byheart 99.0"),
    ],
)
def test_wrong_settings_are_one_sentence(workspace: Path, settings: str, says: str) -> None:
    (workspace / "byheart.toml").write_text(settings, encoding="utf-8")
    done = byheart(workspace, "list")
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr and len(done.stderr.splitlines()) == 1


def test_new_begins_a_pack(tmp_path: Path) -> None:
    first = byheart(tmp_path, "new", "first", "--chapter", "attention", "--pack", "ours")
    second = byheart(tmp_path, "new", "second", "--chapter", "warm_up", "--pack", "ours")
    third = byheart(tmp_path, "new", "third", "--chapter", "warm_up", "--pack", "ours")
    assert [each.returncode for each in (first, second, third)] == [0, 0, 0], first.stderr
    assert first.stdout.splitlines()[-1].endswith("then: byheart verify ours")
    assert (tmp_path / "ours/solutions/attention/first.py").exists()
    listing = (tmp_path / "ours" / "catalog.toml").read_text(encoding="utf-8")
    assert listing.count("[[chapters]]") == 2 and '"second",\n    "third",' in listing
    taken = byheart(tmp_path, "new", "softmax", "--chapter", "warm_up", "--pack", "ours")
    assert taken.returncode == 2 and "There is a topic softmax already" in taken.stderr
    nothing = byheart(tmp_path, "verify", str(tmp_path))
    assert nothing.returncode == 2 and "has no catalog.toml" in nothing.stderr
