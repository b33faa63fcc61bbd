"""`update`: topics with a new name."""

from pathlib import Path

from driving import catalog_in
from practice.update.authors import ANSWER, DONE, GQA, byheart, edit, git, progress_of, publish

from grader.practice.exercises.levels import text_at
from grader.practice.schedule import Level, Rating


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


# Renamed topics


def test_a_renamed_topic_keeps_answer_and_progress(author, clone):
    rename(author, "attention", "gqa", "grouped_query")
    publish(author)
    (clone / GQA).write_bytes(ANSWER)
    progress = progress_of(clone)
    progress.attempts.set_aside("gqa", b"an earlier answer")
    progress.attempts.set_aside("gqa.heads", b"a part of it")
    progress.attempts.note_help("gqa", 2)
    progress.reviews.add("gqa", Rating.GOOD)
    progress.reviews.add("gqa/0123456789ab", Rating.EASY)
    progress.reviews.add("gqa_other", Rating.EASY)
    progress.sessions.start(
        "mock", ("gqa.heads", "mha"), 60.0, {"shown": "gqa", "times": {"gqa": [1.5, None]}}
    )
    done = byheart(clone, "update")
    assert (done.returncode, done.stderr) == (DONE, "")
    assert "gqa is called grouped_query now; your progress came along.\n" in done.stdout
    assert not (clone / GQA).exists()
    assert (clone / "exercises/attention/grouped_query.py").read_bytes() == ANSWER
    assert [each.topic for each in progress.attempts.of()] == [
        "grouped_query",
        "grouped_query.heads",
        "grouped_query",
    ]
    assert progress.attempts.hints_taken("grouped_query") == 2
    assert set(progress.reviews.cards()) == {"grouped_query", "grouped_query/0123456789ab", "gqa_other"}
    (session,) = progress.sessions.of("mock")
    assert session.topics == ("grouped_query.heads", "mha")
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
    place = "its place is exercises/attention/grouped_query.py now"
    assert f"{GQA}: your answer stays there; {place}, which holds another answer.\n" in done.stdout
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
