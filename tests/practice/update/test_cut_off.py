"""`update` cut off in the middle, and run twice at once."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from practice.update.authors import (
    ANSWER,
    DONE,
    GIT,
    GQA,
    NOT_DONE,
    SDPA,
    SOFTMAX,
    byheart,
    edit,
    git,
    head,
    improve,
    progress_of,
    publish,
)


def with_git(folder: Path, script: str) -> dict[str, str]:
    """An environment in which this shell script stands in for git; `"$git" "$@"` calls the real one."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    stand_in = tools / "git"
    stand_in.write_text(f'#!/bin/sh\ngit={GIT}\n{script}\nexec "$git" "$@"\n')
    stand_in.chmod(0o755)
    return {"PATH": f"{tools}:{os.environ['PATH']}"}


KILLED = {
    "before git is at work": 'case "$*" in *" merge "*) kill -9 $PPID; exit 1;; esac',
    "after git was at work": 'case "$*" in *" merge "*) "$git" "$@"; kill -9 $PPID; exit 0;; esac',
    "while exercises are cleared": 'case "$*" in *" checkout "*) "$git" "$@"; kill -9 $PPID; exit 0;; esac',
}


@pytest.mark.parametrize("when", KILLED)
def test_killed_and_finished_by_the_next_update(author, clone, tmp_path, when):
    improve(author, "foundations/softmax", "attention/gqa")
    publish(author)
    for exercise in (SOFTMAX, GQA):
        (clone / exercise).write_bytes(ANSWER)
    done = byheart(clone, "update", **with_git(tmp_path, KILLED[when]))
    assert done.returncode == -signal.SIGKILL
    kept = progress_of(clone).attempts
    assert {each.topic: kept.source(each.source) for each in kept.of()} == {"softmax": ANSWER, "gqa": ANSWER}
    done = byheart(clone, "update")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert (clone / SOFTMAX).read_bytes() == (clone / GQA).read_bytes() == ANSWER
    assert (clone / SOFTMAX).with_suffix(".new.py").read_text() == (author / SOFTMAX).read_text()
    assert head(clone) == head(author)
    assert len(kept.of()) == 2
    assert not (clone / ".practice/update.json").exists()


def test_what_was_written_after_a_kill_stays(author, clone, tmp_path):
    improve(author, "foundations/softmax")
    publish(author)
    (clone / SOFTMAX).write_bytes(ANSWER)
    byheart(clone, "update", **with_git(tmp_path, KILLED["after git was at work"]))
    (clone / SOFTMAX).write_bytes(b"# begun anew\n")
    done = byheart(clone, "update")
    assert done.returncode == DONE
    assert done.stderr == (
        f"{SOFTMAX} stays as it is. What stood there before the update: make history topic=softmax\n"
    )
    assert (clone / SOFTMAX).read_bytes() == b"# begun anew\n"
    attempts = progress_of(clone).attempts
    assert [attempts.source(each.source) for each in attempts.of("softmax")] == [ANSWER]


def test_git_itself_cut_off_in_the_middle(author, clone, tmp_path):
    """Half of the files are those of the new version, one of them written in part."""
    (author / "NEWS.md").write_text("new\n" * 9)
    edit(author / "grader/show/pages/hint.py", "hint", "tip")
    improve(author, "foundations/softmax", "attention/gqa")
    publish(author)
    (clone / SOFTMAX).write_bytes(ANSWER)
    byheart(clone, "update", **with_git(tmp_path, KILLED["before git is at work"]))
    shutil.copy(author / "grader/show/pages/hint.py", clone / "grader/show/pages/hint.py")
    (clone / "NEWS.md").write_text("new\nn")
    edit(clone / "Makefile", (clone / "Makefile").read_text(), (author / "Makefile").read_text()[:1000])
    shutil.copy(author / GQA, clone / GQA)
    (clone / SDPA).write_bytes(b"# written after that\n")
    done = byheart(clone, "update")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert head(clone) == head(author)
    assert git(clone, "status", "--porcelain").splitlines() == [f" M {SDPA}", f" M {SOFTMAX}"]
    assert ((clone / SOFTMAX).read_bytes(), (clone / SDPA).read_bytes()) == (
        ANSWER,
        b"# written after that\n",
    )


def test_own_edits_after_a_kill_are_not_taken_for_gits(author, clone, tmp_path):
    edit(author / "grader/show/pages/hint.py", "hint", "tip")
    improve(author, "foundations/softmax")
    publish(author)
    (clone / SOFTMAX).write_bytes(ANSWER)
    byheart(clone, "update", **with_git(tmp_path, KILLED["before git is at work"]))
    edit(clone / "grader/show/pages/hint.py", "hint", "my hint")
    before = (clone / "grader/show/pages/hint.py").read_bytes()
    done = byheart(clone, "update")
    assert (done.returncode, "you have edited grader/show/pages/hint.py" in done.stderr) == (NOT_DONE, True)
    assert (clone / "grader/show/pages/hint.py").read_bytes() == before
    assert (clone / SOFTMAX).read_bytes() == ANSWER


def test_git_refuses(newer, clone, tmp_path):
    (clone / SOFTMAX).write_bytes(ANSWER)
    fails = 'case "$*" in *" merge "*) echo "error: disk full" >&2; exit 1;; esac'
    done = byheart(clone, "update", **with_git(tmp_path, fails))
    assert (done.returncode, done.stdout) == (NOT_DONE, "")
    assert done.stderr == (
        "The update stopped: disk full. Your answers are in place; when that is mended: make update\n"
    )
    assert (clone / SOFTMAX).read_bytes() == ANSWER
    assert not (clone / ".practice/update.json").exists()


def test_ctrl_c_waits_until_answers_are_in_place(newer, author, clone, tmp_path):
    (clone / SOFTMAX).write_bytes(ANSWER)
    interrupts = 'case "$*" in *" merge "*) kill -INT $PPID; kill -HUP $PPID; sleep 0.3;; esac'
    done = byheart(clone, "update", **with_git(tmp_path, interrupts))
    assert done.returncode == DONE
    assert ((clone / SOFTMAX).read_bytes(), head(clone)) == (ANSWER, head(author))


def test_a_new_version_that_does_not_start_is_finished_later(author, clone):
    improve(author, "foundations/softmax")
    broken = author / "grader/practice/update/migration.py"
    text = broken.read_text()
    broken.write_text("import a_package_that_is_not_installed_yet\n")
    publish(author)
    (clone / SOFTMAX).write_bytes(ANSWER)
    done = byheart(clone, "update")
    assert (done.returncode, done.stdout) == (NOT_DONE, "")
    assert done.stderr.splitlines()[-1] == (
        "The new version is here, and your answers are in place. To finish: make update"
    )
    assert (clone / SOFTMAX).read_bytes() == ANSWER
    (clone / SOFTMAX).write_bytes(ANSWER + b"# went on\n")
    broken.write_text(text)
    publish(author)
    git(clone, "pull", "--quiet", "--ff-only")  # or whatever mends it
    done = byheart(clone, "update")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert (
        "the new stub is in exercises/foundations/softmax.new.py\nThis is the newest version.\n"
        in done.stdout
    )
    assert (clone / SOFTMAX).read_bytes() == ANSWER + b"# went on\n"


def test_torch_is_not_imported(newer, clone):
    (clone / SOFTMAX).write_bytes(ANSWER)
    done = byheart(clone, "update", PYTHONPROFILEIMPORTTIME="1")
    modules = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "grader.practice.update.migration" in modules
    assert modules.isdisjoint({"torch", "numpy", "pytest", "fsrs"})


def test_two_at_once(newer, clone, tmp_path):
    slow = 'case "$*" in *" fetch "*) sleep 3;; esac'
    first = subprocess.Popen(
        [sys.executable, "-m", "grader", "update"],
        cwd=clone,
        env={**os.environ, **with_git(tmp_path, slow)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert first.stdout is not None
    second = byheart(clone, "update", **with_git(tmp_path, slow))
    said = first.communicate(timeout=60)[0]
    outcomes = sorted([(first.returncode, bool(said)), (second.returncode, bool(second.stdout))])
    assert outcomes == [(DONE, True), (NOT_DONE, False)]
