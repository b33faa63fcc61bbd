"""The command, as a teacher runs it."""

import json
import signal
import subprocess
from pathlib import Path

import pytest
from driving import PROJECT, TESTS, byheart, command

SOLUTION = (PROJECT / "solutions" / "foundations" / "softmax.py").read_text(encoding="utf-8")


def rows(out: Path) -> dict[tuple[str, str], dict]:
    lines = (out / "results.jsonl").read_text(encoding="utf-8").splitlines()
    each = [json.loads(line) for line in lines]
    assert len(each) == len({(row["student"], row["topic"]) for row in each})
    return {(row["student"], row["topic"]): row for row in each}


def handed_in(root: Path, **texts: str) -> Path:
    for student, text in texts.items():
        (root / student).mkdir(parents=True)
        (root / student / "softmax.py").write_text(text, encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def class_of_many(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, "subprocess.CompletedProcess[str]"]:
    """One of each kind that there is, graded once."""
    root = tmp_path_factory.mktemp("class")
    hostile = {name: (TESTS / "hostile" / f"{name}.py").read_text() for name in ("os_exit", "abort")}
    wrong = SOLUTION.replace("x.amax(", "0 * x.amax(")
    handed = handed_in(
        root / "handed",
        **{"alice": SOLUTION, "bob": wrong, "carol": "def softmax(x, dim=-1:\n", "binary": "x\0y"},
        **hostile,
        **{"suspicious": f"import ctypes\n{SOLUTION}"},
    )
    (handed / "folder" / "softmax.py").mkdir(parents=True)
    (handed / "link").mkdir()
    (handed / "link" / "softmax.py").symlink_to(handed / "alice" / "softmax.py")
    (handed / "large").mkdir()
    with (handed / "large" / "softmax.py").open("wb") as file:
        file.truncate(2 * 2**30)
    (handed / "notes.txt").touch()
    return root, byheart(root, "grade", "handed", "--out", "out")


def test_every_submission_is_a_row(class_of_many) -> None:
    root, done = class_of_many
    assert done.returncode == 0, done.stderr
    outcomes = {student: row["verdict"]["outcome"] for (student, _), row in rows(root / "out").items()}
    assert outcomes == {
        **{
            "alice": "passed",
            "bob": "failed",
            "carol": "unreadable",
            "binary": "unreadable",
            "folder": "unreadable",
        },
        **{"link": "unreadable", "large": "unreadable", "os_exit": "crashed"},
        **{"abort": "crashed", "suspicious": "passed"},
    }
    assert "10 graded: 2 passed" in done.stdout
    assert "1 not recognised, so not graded:\n  handed/notes.txt: no Python file\n" in done.stderr
    assert (root / "out" / "unrecognised.csv").read_text().splitlines()[
        1
    ] == "handed/notes.txt,no Python file"


def test_the_verdicts_are_those_of_check_and_name_the_files(class_of_many) -> None:
    root, _ = class_of_many
    row = rows(root / "out")["bob", "softmax"]
    assert row["file"] == row["verdict"]["file"] == "handed/bob/softmax.py"
    checked = json.loads(byheart(root, "check", "softmax", "--file", row["file"], "--json").stdout)
    for field in ("outcome", "diagnosis", "parts", "trail", "message", "file"):
        assert row["verdict"][field] == checked[field]
    assert [each["message"] for each in row["verdict"]["checks"]] == [
        each["message"] for each in checked["checks"]
    ]
    assert "byheart-grade-" not in (root / "out" / "results.jsonl").read_text()  # where the judge had it


def test_a_second_run_grades_only_what_is_new(class_of_many) -> None:
    root, _ = class_of_many
    before = (root / "out" / "results.jsonl").read_text()
    again = byheart(root, "grade", "handed", "--out", "out")
    assert again.returncode == 0 and again.stdout.startswith("Nothing is new.")
    assert (root / "out" / "results.jsonl").read_text() == before


def test_what_was_graded_before_is_counted_in(tmp_path: Path) -> None:
    handed_in(tmp_path / "handed", alice="no python:")
    assert "1 graded: 0 passed, 1 unreadable. Results" in byheart(tmp_path, "grade", "handed").stdout
    handed_in(tmp_path / "handed", bob="nor this:")
    again = byheart(tmp_path, "grade", "handed").stdout
    assert "1 graded: 0 passed, 1 unreadable. With those from before: 2." in again


def test_wrong_usage(tmp_path: Path) -> None:
    handed_in(tmp_path / "handed", alice=SOLUTION)
    for arguments, sentence in (
        (["nowhere"], "There is no nowhere."),
        (["handed", "--topic", "softmx"], "closest: softmax"),
        (["handed", "--student", " "], "--student needs a name."),
        (["handed", "--out", "handed"], "--out handed is where the submissions are."),
        (["handed", "--shard", "1/2", "--for", "autolab"], "--shard grades a part"),
        (["handed", "--shard", "3/2"], "--shard 3/2: it is a part and how many there are, such as 2/8."),
    ):
        done = byheart(tmp_path, "grade", *arguments)
        assert done.returncode == 2
        assert sentence in done.stderr
    (tmp_path / "empty").mkdir()
    assert byheart(tmp_path, "grade", "empty").returncode == 1


def test_ctrl_c_keeps_what_was_graded_and_says_how_to_go_on(tmp_path: Path) -> None:
    texts = {f"s{number:02}": f"{SOLUTION}\n# {number}\n" for number in range(40)}
    handed_in(tmp_path / "handed", **texts)
    started = subprocess.Popen(
        command("grade", "handed", "--jobs", "1", "--out", "out"),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    results = tmp_path / "out" / "results.jsonl"
    while started.poll() is None and not (results.exists() and results.stat().st_size):
        try:
            started.wait(0.05)
        except subprocess.TimeoutExpired:
            continue
    started.send_signal(signal.SIGINT)
    _, errors = started.communicate(timeout=60)
    assert started.returncode == 130
    assert "What is graded is kept. The same command goes on from here." in errors
    assert 0 < len(rows(tmp_path / "out")) < 40


def test_points_platforms_and_pages(class_of_many) -> None:
    root, _ = class_of_many
    (root / "points.toml").write_text("[topics.softmax]\npoints = 10\n")
    book = "Student,ID,Section,softmax (1)\nalice,4,one,\nstranger,5,one,3\n"
    (root / "book.csv").write_text(book)
    options = ["--points", "points.toml", "--for", "gradescope", "--gradebook", "book.csv"]
    done = byheart(root, "grade", "handed", "--out", "out", *options)
    assert done.returncode == 0, done.stderr
    assert "filled 1 cell of book.csv" in done.stdout
    assert (root / "book.csv").read_text() == book.replace("alice,4,one,", "alice,4,one,10")
    found = json.loads((root / "out" / "gradescope" / "alice.json").read_text())
    assert found["score"] == 10
    assert json.loads((root / "out" / "gradescope" / "folder.json").read_text())["score"] == 0
    assert "10 submissions" in (root / "out" / "report.html").read_text()
    assert {path.stem for path in (root / "out" / "feedback").iterdir()} >= {"alice", "bob", "os-exit"}


def test_one_student_of_whom_there_is_nothing(tmp_path: Path) -> None:
    """A container's next step takes the file."""
    (tmp_path / "student").mkdir()
    (tmp_path / "points.toml").write_text("[topics.softmax]\npoints = 10\n")
    options = ["--student", "alice", "--topic", "softmax", "--points", "points.toml", "--for", "prairielearn"]
    done = byheart(tmp_path, "grade", "student", "--out", "out", *options)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "out" / "prairielearn" / "alice.json").read_text())
    assert found["gradable"] is False and "softmax.py" in found["format_errors"][0]


def test_what_was_asked_for_counts(class_of_many) -> None:
    root, _ = class_of_many
    (root / "both.toml").write_text("[topics.softmax]\npoints = 10\n[topics.gqa]\npoints = 20\n")
    options = ["--student", "alice", "--points", "both.toml", "--for", "prairielearn", "--out", "one"]
    byheart(root, "grade", "handed/alice", *options, "--topic", "softmax", "--topic", "gqa")
    path = root / "one" / "prairielearn" / "alice.json"
    assert json.loads(path.read_text())["score"] == pytest.approx(1 / 3)
    byheart(root, "grade", "handed/alice", *options, "--topic", "softmax")
    assert json.loads(path.read_text())["score"] == 1


def test_a_part_is_a_file_of_its_own(class_of_many, tmp_path: Path) -> None:
    root, _ = class_of_many
    (tmp_path / "handed").mkdir()
    (tmp_path / "handed" / "alice").symlink_to(root)  # not followed
    (tmp_path / "handed" / "bob").mkdir()
    (tmp_path / "handed" / "bob" / "softmax.py").mkdir()
    done = byheart(tmp_path, "grade", "handed", "--out", "out", "--shard", "1/1")
    assert done.returncode == 0 and len(rows(tmp_path / "out")) == 1
    for part in ("1/2", "2/2"):
        done = byheart(tmp_path, "grade", "handed", "--out", "out2", "--shard", part)
        assert "cat out2/results-*-of-2.jsonl > out2/results.jsonl" in done.stdout
    parts = sorted((tmp_path / "out2").glob("results-*-of-2.jsonl"))
    assert sum(path.read_text().count("\n") for path in parts) == 1
    assert not (tmp_path / "out2" / "report.html").exists()
