"""`make update`, on real clones: what is new arrives, and no answer is ever touched."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from driving import PROJECT, catalog_in, progress_in

from grader.practice.exercises.levels import text_at
from grader.practice.plan.schedule import Level, Rating
from grader.practice.record.progress import Progress

DONE, NOT_DONE = 0, 1

GIT = shutil.which("git") or "git"
SETTINGS = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")

SOFTMAX, GQA, SDPA = (
    f"exercises/{name}.py" for name in ("foundations/softmax", "attention/gqa", "attention/sdpa")
)
ANSWER = "# My own words, and no UTF-8: \udcff\r\n".encode(errors="surrogateescape")


def git(root: Path, *arguments: str) -> str:
    command = [GIT, *SETTINGS, "-C", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def byheart(root: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grader", *arguments]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **variables}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=120)


def commit(root: Path, message: str) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", message)


@pytest.fixture(scope="session")
def published(tmp_path_factory) -> Path:
    """A folder with a bare repository `origin`, and `author`, a clone of it in which one writes."""
    folder = tmp_path_factory.mktemp("published")
    author = folder / "author"
    for name in ("grader", "solutions", "exercises"):
        shutil.copytree(PROJECT / name, author / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Makefile", ".gitignore", "pyproject.toml", "constraints.txt"):
        shutil.copy(PROJECT / name, author / name)
    catalog = catalog_in(author)
    for topic in catalog.topics:  # whatever the learner has written in the project that is tested
        topic.exercise.write_text(text_at(topic, Level.STUB), encoding="utf-8")
    git(folder, "init", "--quiet", "author")
    commit(author, "First version")
    git(folder, "clone", "--quiet", "--bare", "author", "origin")
    git(author, "remote", "add", "origin", str(folder / "origin"))
    return folder


@pytest.fixture
def author(published, tmp_path) -> Path:
    """Where a newer version is written; `publish` brings it to the remote."""
    shutil.copytree(published / "origin", tmp_path / "origin")
    git(tmp_path, "clone", "--quiet", "origin", "author")
    return tmp_path / "author"


@pytest.fixture
def clone(author, tmp_path) -> Path:
    """A learner's clone."""
    git(tmp_path, "clone", "--quiet", "origin", "clone")
    return tmp_path / "clone"


def publish(author: Path) -> None:
    commit(author, "Newer version")
    git(author, "push", "--quiet", "origin", "main")


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def improve(author: Path, *names: str) -> None:
    """Write a sentence more into the contracts of topics."""
    for name in names:
        edit(author / f"solutions/{name}.py", '"""\n\nimport', '\nOne sentence more.\n"""\n\nimport')
    assert byheart(author, "stubs").returncode == DONE


def rename(author: Path, chapter: str, old: str, new: str) -> None:
    for path in (
        f"exercises/{chapter}/{old}.py",
        f"solutions/{chapter}/{old}.py",
        f"grader/topics/{chapter}/{old}",
        f"grader/topics/{chapter}/{new}/test_{old}.py",
    ):
        file = author / path
        file.rename(file.with_name(file.name.replace(old, new)))
    edit(author / "grader/catalog.toml", f'"{old}",', f'"{new}",')
    edit(
        author / f"grader/topics/{chapter}/{new}/topic.toml",
        "blanks = [",
        f'formerly = ["{old}"]\nblanks = [',
    )
    for details in (author / "grader/topics").glob("*/*/topic.toml"):
        text = details.read_text(encoding="utf-8")
        head, prerequisites, rest = text.partition("prerequisites = ")
        line, end, rest = rest.partition("\n")
        line = line.replace(f'"{old}"', f'"{new}"')
        details.write_text(head + prerequisites + line + end + rest, encoding="utf-8")


def head(root: Path) -> str:
    return git(root, "rev-parse", "HEAD")


def state(root: Path) -> dict[str, bytes]:
    """Everything in the project that is git's or the learner's, but not git's own notes on remotes."""
    files = [path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts]
    found = {
        str(path.relative_to(root)): path.read_bytes() for path in files if "__pycache__" not in path.parts
    }
    return {**found, "HEAD": head(root).encode()}


def progress_of(root: Path) -> Progress:
    return progress_in(root, told=pytest.fail)


# What arrives, and what stays


def test_nothing_new(clone):
    (clone / SOFTMAX).write_bytes(ANSWER)
    before = state(clone)
    done = byheart(clone, "update")
    assert (done.returncode, done.stdout, done.stderr) == (DONE, "This is the newest version.\n", "")
    assert state(clone) == before


def test_stubs_in_which_nothing_is_written_follow(author, clone):
    improve(author, "foundations/softmax", "attention/gqa")
    publish(author)
    (clone / GQA).write_text("\n\n", encoding="utf-8")  # as good as blank
    done = byheart(clone, "update")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert (
        done.stdout
        == "Improved, and not begun by you: softmax, gqa.\nbyheart is up to date. Next: make list\n"
    )
    assert head(clone) == head(author)
    for exercise in (SOFTMAX, GQA):
        assert (clone / exercise).read_text() == (author / exercise).read_text()
        assert "One sentence more." in (clone / exercise).read_text()
    assert git(clone, "status", "--porcelain") == ""
    assert not (clone / ".practice/update.json").exists()


def test_an_answer_stays_and_the_new_stub_is_beside_it(author, clone):
    improve(author, "foundations/softmax")
    publish(author)
    (clone / SOFTMAX).write_bytes(ANSWER)
    (clone / SDPA).write_bytes(ANSWER)  # its stub does not change
    done = byheart(clone, "update")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert done.stdout.splitlines()[0] == (
        "softmax: your answer stays as it is. Its contract has changed; the new stub is in "
        "exercises/foundations/softmax.new.py"
    )
    assert (clone / SOFTMAX).read_bytes() == (clone / SDPA).read_bytes() == ANSWER
    beside = (clone / SOFTMAX).with_name("softmax.new.py")
    assert beside.read_text() == (author / SOFTMAX).read_text()
    assert head(clone) == head(author)
    changed = {line[3:] for line in git(clone, "status", "--porcelain").splitlines()}
    assert changed == {SOFTMAX, SDPA}  # the stub beside is ignored
    kept = progress_of(clone).attempts.of()
    assert sorted((each.topic, each.mode) for each in kept) == [("sdpa", "update"), ("softmax", "update")]
    assert {progress_of(clone).attempts.source(each.source) for each in kept} == {ANSWER}
    assert not progress_of(clone).attempts.is_afresh("softmax")


def test_the_stub_beside_an_answer_goes_with_it(author, clone):
    improve(author, "foundations/softmax", "attention/gqa")
    publish(author)
    for exercise in (SOFTMAX, GQA):
        (clone / exercise).write_bytes(ANSWER)
    assert byheart(clone, "update").returncode == DONE
    beside, written_on = ((clone / each).with_suffix(".new.py") for each in (SOFTMAX, GQA))
    written_on.write_bytes(ANSWER)
    for topic in ("softmax", "gqa"):
        assert byheart(clone, "reset", topic).returncode == DONE
    assert byheart(clone, "update").returncode == DONE
    assert not beside.exists()
    assert written_on.read_bytes() == ANSWER


def test_a_stub_beside_that_somebody_wrote_on_is_kept(author, clone):
    (clone / SOFTMAX).write_bytes(ANSWER)
    for number in range(2):
        edit(
            author / "solutions/foundations/softmax.py",
            '"""\n\nimport',
            f'\nSentence {number}.\n"""\n\nimport',
        )
        assert byheart(author, "stubs").returncode == DONE
        publish(author)
        assert byheart(clone, "update").returncode == DONE
        assert f"Sentence {number}." in (clone / SOFTMAX).with_suffix(".new.py").read_text()
        (clone / SOFTMAX).with_suffix(".new.py").write_bytes(b"mine")
    improve(author, "foundations/softmax")
    publish(author)
    assert byheart(clone, "update").returncode == DONE
    attempts = progress_of(clone).attempts
    assert b"mine" in [attempts.source(each.source) for each in attempts.of("softmax")]


@pytest.mark.parametrize("level", [Level.BLANKS, Level.EMPTY])
def test_exercises_blank_at_another_level_follow(author, clone, level):
    edit(author / "solutions/foundations/softmax.py", "exps", "powers")  # the stub stays as it is
    edit(author / "grader/topics/foundations/softmax/topic.toml", "exps", "powers")
    improve(author, "attention/gqa")
    publish(author)
    for topic in ("softmax", "gqa"):
        topic = catalog_in(clone)[topic]
        topic.exercise.write_text(text_at(topic, level), encoding="utf-8")
    done = byheart(clone, "update")
    assert (done.returncode, done.stderr) == (DONE, "")
    for topic in ("softmax", "gqa"):
        topic = catalog_in(clone)[topic]
        assert topic.exercise.read_text() == text_at(topic, level)
    assert "your answer" not in done.stdout
    assert progress_of(clone).attempts.of() == []


def test_a_deleted_exercise_comes_back_when_it_is_new(author, clone):
    improve(author, "foundations/softmax")
    publish(author)
    (clone / SOFTMAX).unlink()
    assert byheart(clone, "update").returncode == DONE
    assert (clone / SOFTMAX).read_text() == (author / SOFTMAX).read_text()


def test_a_new_topic(author, clone):
    assert byheart(author, "new", "my_norm", "--chapter", "normalization").returncode == DONE
    assert byheart(author, "stubs").returncode == DONE
    publish(author)
    mine = clone / "exercises/normalization/my_norm.py"
    mine.write_bytes(ANSWER)  # by chance it has the same name
    done = byheart(clone, "update")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert "New: my_norm.\n" in done.stdout
    assert "my_norm: your answer stays as it is." in done.stdout
    assert mine.read_bytes() == ANSWER
    assert "my_norm" in byheart(clone, "list").stdout


def test_a_topic_that_is_gone_leaves_the_answer(author, clone):
    for folder in ("exercises", "solutions"):
        (author / folder / "attention" / "mla.py").unlink()
    shutil.rmtree(author / "grader/topics/attention/mla")
    edit(author / "grader/catalog.toml", '    "mla",\n', "")
    publish(author)
    exercise = clone / "exercises/attention/mla.py"
    exercise.write_bytes(ANSWER)
    done = byheart(clone, "update")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert "exercises/attention/mla.py: your answer stays there; its topic is gone.\n" in done.stdout
    assert exercise.read_bytes() == ANSWER


# Renamed topics


def test_a_renamed_topic_keeps_answer_and_progress(author, clone):
    rename(author, "attention", "gqa", "grouped_query")
    publish(author)
    (clone / GQA).write_bytes(ANSWER)
    progress = progress_of(clone)
    progress.attempts.set_aside("gqa", b"an earlier answer")
    progress.attempts.note_help("gqa", 2)
    progress.reviews.add("gqa", Rating.GOOD)
    progress.reviews.add("gqa/0123456789ab", Rating.EASY)
    progress.reviews.add("gqa_other", Rating.EASY)
    progress.sessions.start("mock", ("gqa", "mha"), 60.0, {"shown": "gqa", "times": {"gqa": [1.5, None]}})
    done = byheart(clone, "update")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert "gqa is called grouped_query now; your progress came along.\n" in done.stdout
    assert not (clone / GQA).exists()
    assert (clone / "exercises/attention/grouped_query.py").read_bytes() == ANSWER
    assert [each.topic for each in progress.attempts.of()] == ["grouped_query"] * 2
    assert progress.attempts.hints_taken("grouped_query") == 2
    assert set(progress.reviews.cards()) == {"grouped_query", "grouped_query/0123456789ab", "gqa_other"}
    (session,) = progress.sessions.of("mock")
    assert session.topics == ("grouped_query", "mha")
    assert session.details == {"shown": "grouped_query", "times": {"grouped_query": [1.5, None]}}
    assert byheart(clone, "history", "gqa").returncode == DONE  # found by its former name


def test_a_renamed_topic_whose_new_exercise_is_taken(author, clone):
    rename(author, "attention", "gqa", "grouped_query")
    publish(author)
    (clone / GQA).write_bytes(ANSWER)
    taken = clone / "exercises/attention/grouped_query.py"
    taken.write_bytes(b"# something else\n")
    done = byheart(clone, "update")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert (
        f"{GQA}: your answer stays there; the exercise is exercises/attention/grouped_query.py" in done.stdout
    )
    assert ((clone / GQA).read_bytes(), taken.read_bytes()) == (ANSWER, b"# something else\n")


def test_progress_follows_without_make_update_having_brought_the_version(author, clone):
    rename(author, "attention", "gqa", "grouped_query")
    publish(author)
    git(clone, "pull", "--quiet", "--ff-only")
    progress_of(clone).attempts.set_aside("gqa", b"an earlier answer")
    done = byheart(clone, "update")
    assert (
        done.stdout
        == "gqa is called grouped_query now; your progress came along.\nThis is the newest version.\n"
    )
    assert [each.topic for each in progress_of(clone).attempts.of()] == ["grouped_query"]


def test_a_blank_exercise_of_a_renamed_topic(author, clone):
    rename(author, "attention", "gqa", "grouped_query")
    publish(author)
    topic = catalog_in(clone)["gqa"]
    topic.exercise.write_text(text_at(topic, Level.BLANKS), encoding="utf-8")
    assert byheart(clone, "update").returncode == DONE
    topic = catalog_in(clone)["grouped_query"]
    assert topic.exercise.read_text() == text_at(topic, Level.BLANKS)
    assert not (clone / GQA).exists()


# Refusals: one sentence, and nothing changed


def refused(clone: Path, **variables: str) -> str:
    """The sentence; an answer stays, and so does everything else."""
    (clone / SOFTMAX).write_bytes(ANSWER)
    before = state(clone)
    done = byheart(clone, "update", **variables)
    assert (done.returncode, done.stdout) == (NOT_DONE, "")
    assert state(clone) == before
    (line,) = done.stderr.splitlines()
    return line


@pytest.fixture
def newer(clone, author) -> None:
    improve(author, "foundations/softmax")
    publish(author)


def test_no_clone(clone):
    shutil.rmtree(clone / ".git")
    git(clone.parent, "init", "--quiet")  # a repository around it is another one
    (clone / SOFTMAX).write_bytes(ANSWER)
    done = byheart(clone, "update")
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (NOT_DONE, "", 1)
    assert "is no git clone" in done.stderr


def test_no_git(clone, tmp_path):
    assert "install it" in refused(clone, PATH=str(tmp_path))


def test_a_clone_of_somebody_else(clone):
    assert "dubious ownership" in refused(clone, GIT_TEST_ASSUME_DIFFERENT_OWNER="1")


def test_no_remote(clone):
    git(clone, "remote", "remove", "origin")
    assert "git remote add origin" in refused(clone)


def test_a_branch_that_follows_nothing(clone):
    git(clone, "checkout", "--quiet", "-b", "mine", "--no-track")
    assert "git branch --set-upstream-to=origin/main" in refused(clone)


def test_a_detached_head(clone):
    git(clone, "checkout", "--quiet", "--detach")
    assert "detached HEAD" in refused(clone)


def test_offline(clone):
    git(clone, "remote", "set-url", "origin", str(clone.parent / "nowhere"))
    assert refused(clone).startswith("Nothing was changed, because the remote cannot be asked")


def test_committed_answers_stay_and_the_new_stub_is_beside(author, clone):
    for name in (GQA, SDPA):
        (clone / name).write_bytes(ANSWER)
    commit(clone, "My answers")
    (clone / SDPA).write_bytes(ANSWER + b"# not committed\n")
    improve(author, "attention/gqa", "foundations/softmax")
    publish(author)
    with_identity(clone)
    done = byheart(clone, "update")
    assert (done.returncode, (clone / GQA).read_bytes()) == (DONE, ANSWER)
    assert (clone / SDPA).read_bytes() == ANSWER + b"# not committed\n"
    assert (clone / SOFTMAX).read_bytes() == (author / SOFTMAX).read_bytes()
    beside = clone / GQA.replace(".py", ".new.py")
    assert beside.read_bytes() == (author / GQA).read_bytes()
    assert f"{GQA}: your answer stays as it is." in done.stderr
    assert git(clone, "rev-parse", f"HEAD:{GQA}") == git(clone, "hash-object", GQA)
    assert git(clone, "log", "--format=%s", "-1") == "Bring a newer version of byheart\n"
    assert git(clone, "rev-list", "--count", "@{upstream}..HEAD") == "2\n"
    assert git(clone, "status", "--porcelain", "--untracked-files=no") == f" M {SDPA}\n"
    assert byheart(clone, "update").stdout == "This is the newest version.\n"


def test_another_version_is_merged_into_the_same_commits(author, clone):
    with_identity(clone)
    git(clone, "switch", "--quiet", "--create", "mine", "--track", "origin/main")
    (clone / GQA).write_bytes(ANSWER)
    commit(clone, "My answers")
    for name in ("foundations/softmax", "attention/sdpa"):
        improve(author, name)
        publish(author)
        assert byheart(clone, "update").returncode == DONE
        assert (clone / f"exercises/{name}.py").read_bytes() == (author / f"exercises/{name}.py").read_bytes()
    assert (clone / GQA).read_bytes() == ANSWER
    assert git(clone, "branch", "--show-current") == "mine\n"


def test_own_commits_to_what_the_newer_version_changes(author, clone):
    with_identity(clone)
    edit(clone / "Makefile", "byheart", "by heart")
    commit(clone, "My Makefile")
    edit(author / "Makefile", "byheart", "Byheart")
    publish(author)
    assert "your commits and the newer version both change Makefile. Bring them together" in refused(clone)


def with_identity(clone: Path) -> None:
    """As somebody has it who commits."""
    git(clone, "config", "user.name", "B")
    git(clone, "config", "user.email", "b@example.org")


def test_own_commits_and_nothing_new(clone):
    (clone / GQA).write_bytes(ANSWER)
    commit(clone, "My answers")
    assert byheart(clone, "update").stdout == "This is the newest version.\n"


@pytest.mark.parametrize("staged", [False, True])
def test_other_edited_files(newer, clone, staged):
    edit(clone / "Makefile", "byheart", "by heart")
    edit(clone / "grader/show/pages/hint.py", "hint", "tip")
    if staged:
        git(clone, "add", "--all")
    assert "you have edited Makefile, grader/show/pages/hint.py. Set that aside" in refused(clone)


def test_a_file_of_ones_own_that_would_be_overwritten(author, clone):
    (author / "NEWS.md").write_text("new")
    publish(author)
    (clone / "NEWS.md").write_text("mine")
    assert "because NEWS.md would be overwritten" in refused(clone)


def test_an_exercise_that_is_no_regular_file(author, clone):
    improve(author, "attention/gqa")
    publish(author)
    (clone / GQA).unlink()
    (clone / GQA).symlink_to(clone / SDPA)
    assert f"{GQA} is no regular file" in refused(clone)


def test_another_exercise_that_is_no_regular_file(newer, clone):
    (clone / GQA).unlink()
    (clone / GQA).symlink_to(clone / SDPA)
    assert byheart(clone, "update").returncode == DONE
    assert (clone / GQA).is_symlink()


def test_a_merge_under_way(newer, author, clone):
    (clone / GQA).write_bytes(b"# one\n")
    commit(clone, "One")
    git(clone, "checkout", "--quiet", "-b", "other", "HEAD~")
    (clone / GQA).write_bytes(b"# two\n")
    commit(clone, "Two")
    merge = [GIT, *SETTINGS, "-C", str(clone), "merge", "main"]
    assert subprocess.run(merge, capture_output=True, timeout=60).returncode == 1
    git(clone, "branch", "--quiet", "--set-upstream-to=origin/main")
    git(clone, "update-ref", "HEAD", "origin/main")
    assert "A merge is under way" in refused(clone)


def test_progress_that_cannot_be_written(newer, clone):
    (clone / ".practice").write_text("in the way")
    assert "progress.db cannot be used" in refused(clone)


# Cut off in the middle


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


# What the new version needs is installed


def test_make_installs_what_the_new_version_needs(author, clone):
    edit(author / "constraints.txt", "typer", "# new\ntyper")
    publish(author)
    python = clone / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(
        f'#!/bin/sh\ncase "$*" in *pip*) echo "$*" >> pip.log; exit 0;; esac\nexec {sys.executable} "$@"\n'
    )
    python.chmod(0o755)
    (clone / ".venv/installed").touch()
    unmade = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", "update"], cwd=clone, env=unmade, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (DONE, "byheart is up to date. Next: make list\n")
    assert done.stderr.startswith("Setting up .venv (once; everything that happens goes to .venv.log) ...\n")
    assert "install -e .[dev] -c constraints.txt" in (clone / "pip.log").read_text()


def test_the_journal_keeps_its_form(tmp_path):
    """Another version may have to read it."""
    from grader.practice.update.journal import Journal, read_journal, write_journal

    journal = Journal("1" * 40, "2" * 40, {SOFTMAX: "3" * 64}, {GQA: "blanks"})
    write_journal(tmp_path, journal)
    assert json.loads((tmp_path / ".practice/update.json").read_text()) == {
        "old": "1" * 40,
        "new": "2" * 40,
        "answers": {SOFTMAX: "3" * 64},
        "blank": {GQA: "blanks"},
        "stage": "at work",
    }
    assert read_journal(tmp_path) == journal
