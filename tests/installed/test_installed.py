"""The installed package: all that a learner does works without a clone, and its walls stand."""

import ast
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from driving import ALL_PASSED, PROJECT, TESTS
from installed.environment import Installed, hides, installed
from worker.test_hostile import CASES

pytestmark = pytest.mark.xdist_group("installed")

RIGHT = (PROJECT / "solutions" / "foundations" / "softmax.py").read_text(encoding="utf-8")
SOFTMAX = "exercises/foundations/softmax.py"
REACHING = (
    "another_interpreter",
    "catch_refusal",
    "delete_project",
    "fake_verdict",
    "import_solution",
    "import_solutions_package",
    "patched_pytest",
    "read_solution",
    "search_memory",
    "search_stack",
    "shell_through_c",
    "umount_through_c",
    "write_project",
)
"""Hostile files that reach for what is the grader's, or around it."""

PASSED_ON = """\
{how}


def softmax(x, dim=-1):
    space = {{}}
    exec(text, space)
    return space["softmax"](x, dim)


log_softmax = softmax
"""
WAYS = {
    "by its path": "text = open('SOLUTIONS/foundations/softmax.py').read()",
    "from the package": "import grader, os\n"
    "text = open(os.path.join(os.path.dirname(grader.__file__), 'carried/solutions/foundations/softmax.py'))"
    ".read()",
    "as a resource": "from importlib.resources import files\n"
    "text = (files('grader') / 'carried' / 'solutions' / 'foundations' / 'softmax.py').read_text()",
    "as a module": "import grader.carried.solutions.foundations.softmax as module\n"
    "text = open(module.__file__).read()",
    "what is listed": "import os, site\nfolder = site.getsitepackages()[0] + '/grader/carried/solutions'\n"
    "text = open(folder + '/' + os.listdir(folder)[0] + '/softmax.py').read()",
}
THROUGH_C = {
    "in C": "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.fopen.restype = ctypes.c_void_p\n"
    "file = libc.fopen(b'SOLUTIONS/foundations/softmax.py', b'r')\n"
    "buffer = ctypes.create_string_buffer(20000)\n"
    "libc.fread(buffer, 1, 20000, ctypes.c_void_p(file)) if file else 1 / 0\n"
    "text = buffer.value.decode()",
}
GRADE = """\
import json, sys
from pathlib import Path
from grader.judge.service.remote import RemoteJudge
with RemoteJudge(namespaces=sys.argv[1] == "namespaces", check_seconds=10.0, file_seconds=15.0) as judge:
    for path in map(Path, sys.argv[2:]):
        verdict = judge.grade("softmax", path)
        words = [verdict.message or "", *(check.message for check in verdict.checks)]
        print(json.dumps([path.stem, str(verdict.outcome), " ".join(words)]))
"""


@pytest.fixture(scope="module")
def byheart(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return installed(tmp_path_factory.mktemp("installed"))


@pytest.fixture
def workspace(byheart: Installed) -> Iterator[Path]:
    folder = byheart.home / "practice"
    done = byheart.run("byheart", "init", "practice")
    assert done.returncode == 0, done.stderr
    yield folder
    shutil.rmtree(folder)


def test_without_a_workspace_it_is_offered(byheart: Installed) -> None:
    alone = byheart.run("byheart")
    assert alone.stdout.splitlines()[-1].endswith("This makes one: byheart init FOLDER")
    asked = byheart.run("byheart", "list")
    assert asked.returncode == byheart.run("byheart", "check", "softmax").returncode == 2
    assert asked.stderr == "There is no workspace here. This makes one: byheart init FOLDER\n"
    assert list(byheart.home.iterdir()) == []


def test_init_says_what_to_do_and_never_overwrites(byheart: Installed) -> None:
    folder = byheart.home / "mine"
    done = byheart.run("byheart", "init", "mine")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 5)
    assert "byheart check softmax" in done.stdout
    names = sorted(path.name for path in folder.iterdir())
    assert names == [".gitignore", ".practice", "README.md", "byheart.toml", "exercises", "notebooks"]
    blank = (PROJECT / SOFTMAX).read_text(encoding="utf-8")
    assert "raise NotImplementedError" in blank and (folder / SOFTMAX).exists()
    assert list(folder.rglob("*solution*")) == [] and list(folder.rglob("test_*.py")) == []
    (folder / SOFTMAX).write_text("mine")
    again = byheart.run("byheart", "init", "mine")
    assert again.returncode == 1 and "is a workspace already" in again.stderr
    (byheart.home / "other").mkdir()
    (byheart.home / "other" / "thesis.tex").touch()
    other = byheart.run("byheart", "init", "other")
    assert other.returncode == 1 and "holds something else (thesis.tex)" in other.stderr
    assert (folder / SOFTMAX).read_text() == "mine"
    assert [path.name for path in (byheart.home / "other").iterdir()] == ["thesis.tex"]
    for name in ("mine", "other"):
        shutil.rmtree(byheart.home / name)


def test_a_learner_needs_no_clone(byheart: Installed, workspace: Path) -> None:
    def run(*arguments: str) -> str:
        done = byheart.run("byheart", *arguments, cwd=workspace / "exercises")
        assert done.returncode in (0, 1), done.stderr
        assert "Traceback" not in done.stderr and "make " not in done.stdout + done.stderr
        return done.stdout

    assert "Nothing is written yet." in run("check", "softmax")
    assert "byheart check softmax" in run("list")
    assert "hint 1 of 3" in run("hint", "softmax")
    (workspace / SOFTMAX).write_text(RIGHT)
    assert ALL_PASSED in run("check", "softmax")
    assert "softmax" in run("history")
    assert "passed" in run("list")
    script = workspace / "script.jsonl"
    saved = {"save": RIGHT}
    script.write_text("".join(json.dumps(each) + "\n" for each in [saved, *[{"key": "enter"}] * 12]))
    assert "Passed after" in run("drill", "softmax", "--answers", str(script))
    script.write_text("".join(json.dumps(each) + "\n" for each in [saved, {"key": "q"}]))
    assert ALL_PASSED in run("watch", "softmax", "--answers", str(script))
    script.write_text("".join(json.dumps({"key": key}) + "\n" for key in ("enter", "3", "q")))
    assert "1 question" in run("quiz", "softmax", "--answers", str(script))
    assert "Today, 30 minutes" in run("today")
    run("report")
    assert (workspace / "build" / "report.html").exists()
    run("notebook", "softmax", "--no-open")
    assert "Softmax" in (workspace / "build/notebooks/foundations/softmax.html").read_text(encoding="utf-8")
    assert "exp(" in run("solution", "softmax", "--yes")
    assert "All is as the installed byheart has it." in run("update")


def test_authors_are_told_that_they_need_a_clone(byheart: Installed, workspace: Path) -> None:
    for command in (
        ["stubs"],
        ["bench"],
        ["readme"],
        ["notebooks-clean"],
        ["new", "x", "--chapter", "losses"],
    ):
        done = byheart.run("byheart", *command, cwd=workspace)
        assert done.returncode == 2, command
        assert "clone" in done.stderr


def test_a_file_is_graded_where_there_is_no_workspace(byheart: Installed, tmp_path: Path) -> None:
    answer = tmp_path / "answer.py"
    answer.write_text(RIGHT)
    done = byheart.run("byheart", "check", "softmax", "--file", answer, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["passed"] is True


def test_a_workspace_can_be_named(byheart: Installed, workspace: Path, tmp_path: Path) -> None:
    for arguments, environment in (
        (["--workspace", str(workspace), "list"], {}),
        (["list"], {"BYHEART_WORKSPACE": str(workspace)}),
    ):
        done = byheart.run("byheart", *arguments, cwd=tmp_path, **environment)
        assert done.returncode == 0, done.stderr
        assert "byheart check softmax" in done.stdout


@pytest.mark.parametrize("walls", ["namespaces", "plain"])
def test_what_it_carries_is_out_of_reach(byheart: Installed, walls: str, tmp_path: Path) -> None:
    carried = byheart.package / "carried" / "solutions"
    assert carried.is_dir()
    ways = WAYS | (THROUGH_C if walls == "namespaces" and hides() else {})
    sources = {name: (TESTS / "hostile" / f"{name}.py").read_text() for name in REACHING}
    sources |= {name: PASSED_ON.format(how=how) for name, how in ways.items()}
    for name, source in sources.items():
        text = source.replace("SOLUTIONS", str(carried)).replace("VICTIM", str(tmp_path / "victim"))
        (tmp_path / f"{name}.py").write_text(text)
        ast.parse(text)
    right = tmp_path / "right.py"
    right.write_text(RIGHT)
    done = byheart.run("python", "-c", GRADE, walls, right, *(tmp_path / f"{name}.py" for name in sources))
    assert done.returncode == 0, done.stderr
    (first, passed, _), *others = map(json.loads, done.stdout.splitlines())
    assert (first, passed) == ("right", "passed")
    found = {name: (outcome, words) for name, outcome, words in others}
    assert found.keys() == sources.keys()
    expected = {name: sentence for name, _, sentence in CASES}
    for name in REACHING:
        outcome, words = found[name]
        assert outcome != "passed", name
        assert outcome == "forbidden" or expected[name] in words, (name, outcome, words)
    for name in ways:
        assert found[name][0] in ("forbidden", "error"), (name, found[name])


def test_a_class_is_graded_where_there_is_no_workspace(byheart: Installed) -> None:
    answers = {"ada": RIGHT, "ben": RIGHT.replace("exp", "abs")}
    for student, text in answers.items():
        (byheart.home / "class" / student).mkdir(parents=True)
        (byheart.home / "class" / student / "softmax.py").write_text(text, encoding="utf-8")
    done = byheart.run("byheart", "grade", "class", "--out", "graded", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    lines = (byheart.home / "graded" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    passed = {row["student"]: row["verdict"]["outcome"] for row in map(json.loads, lines)}
    assert passed == {"ada": "passed", "ben": "failed"}
    assert "ada" in (byheart.home / "graded" / "report.html").read_text(encoding="utf-8")
    zipped = byheart.run("byheart", "gradescope", "softmax", "--out", "autograder.zip")
    assert zipped.returncode == 0, zipped.stderr
    for name in ("class", "graded"):
        shutil.rmtree(byheart.home / name)
    (byheart.home / "autograder.zip").unlink()
