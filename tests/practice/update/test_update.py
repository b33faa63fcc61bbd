"""`update`: what arrives, and what stays."""

import shutil

import pytest
from driving import catalog_in
from practice.update.authors import (
    ANSWER,
    DONE,
    GQA,
    SDPA,
    SOFTMAX,
    byheart,
    edit,
    git,
    head,
    improve,
    progress_of,
    publish,
    state,
)

from grader.practice.exercises.levels import text_at
from grader.practice.schedule import Level


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
