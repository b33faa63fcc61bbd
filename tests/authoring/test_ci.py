"""What CI does with the Pythons that are there. Stand-ins play Python, make and df."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from driving import PROJECT
from recorded_make import write_program

PYTHON = """\
#!/bin/sh
echo "python $*" >>"$CALLS"
case "$*" in
  -c*version_info*) echo 3.11 ;;
  -c*sys.executable*) echo "$0" ;;
  "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  "-m pytest "*) exit "${PYTEST_STATUS:-0}" ;;
esac
"""
MAKE = """\
#!/bin/sh
echo "make $*" >>"$CALLS"
[ "$1" = -C ] || exit 0
"${4#PYTHON=}" -m venv "$2/.venv"
exit "${MAKE_STATUS:-0}"
"""
LITTLE_ROOM = "#!/bin/sh\nprintf 'Avail\\n 11\\n'\n"
MISSING = "#!/bin/sh\nexit 1\n"
JUDGES, OTHERS = "Python 3.12: the judge's own tests passed.", "Python 3.12: what needs no PyTorch passed."


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with Python 3.11 in .venv and 3.12 beside it, and no others."""
    root, tools = tmp_path / "project", tmp_path / "tools"
    root.mkdir()
    shutil.copytree(PROJECT / ".ci", root / ".ci")
    shutil.copy(PROJECT / "constraints.txt", root)
    for path in (root / ".venv/bin/python", tools / "python3.12"):
        write_program(path, PYTHON)
    for name in ("python3.11", "python3.13", "pyenv"):
        write_program(tools / name, MISSING)
    write_program(tools / "make", MAKE)
    return root


def ci(
    project: Path, script: str, *arguments: str, **variables: str
) -> "tuple[subprocess.CompletedProcess[str], list[str]]":
    """Run a script of CI's; gives what was called, too."""
    called = project.parent / "calls"
    path = f"{project.parent / 'tools'}:{os.environ['PATH']}"
    run = subprocess.run(
        [f".ci/{script}", *arguments],
        cwd=project,
        env={**os.environ, "PATH": path, "CALLS": str(called), **variables},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return run, called.read_text(encoding="utf-8").splitlines()


def tried(calls: list[str]) -> str:
    (tests,) = (call for call in calls if call.startswith("python -m pytest"))
    return tests


def test_the_judges_own_tests_run_on_other_pythons(project):
    run, calls = ci(project, "other_pythons")
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == ["Python 3.13 is not here.", JUDGES]
    assert "tests/judge/test_judge.py" in tried(calls) and "--no-judge" not in tried(calls)
    assert any(call.startswith("make -C ") and ".venv/installed PYTHON=" in call for call in calls)


def test_two_other_pythons_take_turns_by_day(project):
    write_program(project.parent / "tools/python3.13", PYTHON)
    tried_in = []
    for day in range(3):
        write_program(
            project.parent / "tools/date", f"#!/bin/sh\necho {20_000 * 86_400 + day * 86_400 + 5}\n"
        )
        run, _ = ci(project, "other_pythons")
        assert run.returncode == 0, run.stderr
        tried_in.append([line.split(":")[0] for line in run.stdout.splitlines()])
    assert tried_in == [["Python 3.12"], ["Python 3.13"], ["Python 3.12"]]
    run, _ = ci(project, "other_pythons", "all")
    assert [line.split(":")[0] for line in run.stdout.splitlines()] == ["Python 3.12", "Python 3.13"]


def assert_tried_without_torch(project: Path, **variables: str) -> list[str]:
    run, calls = ci(project, "other_pythons", **variables)
    assert run.returncode == 0, run.stderr
    assert OTHERS in run.stdout.splitlines() and "no room for PyTorch" in run.stdout
    assert "--no-judge" in tried(calls) and "tests/judge/test_judge.py" not in tried(calls)
    (installed,) = (call for call in calls if "pip install" in call)
    assert "constraints.txt" in installed and "torch" not in installed
    return calls


def test_where_torch_does_not_come_the_rest_is_tried(project):
    calls = assert_tried_without_torch(project, MAKE_STATUS="124")
    assert any(call.startswith("make -C ") for call in calls)


def test_where_there_is_no_room_for_torch_the_rest_is_tried(project):
    write_program(project.parent / "tools/df", LITTLE_ROOM)
    calls = assert_tried_without_torch(project)
    assert not any(call.startswith("make") for call in calls)


def test_a_setup_that_fails_on_another_python_fails(project):
    run, calls = ci(project, "other_pythons", MAKE_STATUS="2")
    assert run.returncode == 1 and "passed" not in run.stdout
    assert not any(call.startswith("python -m pytest") for call in calls)


@pytest.mark.parametrize("status", ["0", "124"])
def test_tests_that_fail_on_another_python_fail(project, status):
    run, _ = ci(project, "other_pythons", MAKE_STATUS=status, PYTEST_STATUS="1")
    assert run.returncode == 1 and "passed" not in run.stdout


def test_other_pythons_are_tried_without_being_asked_for(project):
    write_program(project.parent / "tools/chromedriver", "#!/bin/sh\n")
    write_program(project / ".ci/other_pythons", '#!/bin/sh\necho other_pythons >>"$CALLS"\n')
    run, calls = ci(project, "run")
    assert run.returncode == 0, run.stderr
    ours = [call for call in calls if not call.startswith("python")]
    assert ours == ["make .venv/installed", "make lint", "other_pythons", "make test"]


def test_what_asks_a_judge_is_left_out_when_that_is_said():
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "--no-judge", "-p", "no:cacheprovider"]
    run = subprocess.run(
        [*command, "tests/judge/test_suspicions.py"], cwd=PROJECT, capture_output=True, text=True, timeout=60
    )
    assert "::test_right_answers_raise_none[" in run.stdout, run.stdout
    assert "::test_a_pass_with_a_suspicion_is_a_pass" not in run.stdout
