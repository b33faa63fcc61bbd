"""`update` refuses in one sentence, and nothing is changed."""

import shutil
import subprocess
from pathlib import Path

import pytest
from practice.update.authors import (
    ANSWER,
    DONE,
    GIT,
    GQA,
    NOT_DONE,
    SDPA,
    SETTINGS,
    SOFTMAX,
    byheart,
    commit,
    edit,
    git,
    improve,
    publish,
    state,
)

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
