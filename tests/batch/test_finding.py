"""Whose answer to which topic a file is."""

from pathlib import Path

import pytest
from driving import CATALOG

from grader.batch.finding.finding import find
from grader.batch.finding.manifest import BadManifest
from grader.batch.finding.names import common_prefix, from_platform, student_and_topic, topic_of
from grader.batch.finding.submission import LINK_OUT, printable

TOPICS = [topic.id for topic in CATALOG.topics]


def made(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n", encoding="utf-8")
    return root


def found(root: Path, *topics: str) -> list[tuple[str, str, str]]:
    each = find([root], CATALOG, topics).submissions
    return [(one.student, one.topic, one.path.relative_to(root).as_posix()) for one in each]


def why(root: Path, *topics: str) -> dict[str, str]:
    return {one.path.name: one.why for one in find([root], CATALOG, topics).unrecognised}


def test_a_folder_a_student(tmp_path: Path) -> None:
    made(
        tmp_path, "bob/gqa.py", "alice/softmax.py", "alice/gqa.py", "alice/.cache/rope.py", "alice/notes.txt"
    )
    assert found(tmp_path) == [
        ("alice", "gqa", "alice/gqa.py"),
        ("alice", "softmax", "alice/softmax.py"),
        ("bob", "gqa", "bob/gqa.py"),
    ]
    assert why(tmp_path) == {"notes.txt": "no Python file"}
    assert [student for student, _, _ in found(tmp_path, "softmax")] == ["alice"]


def test_whole_workspaces_also_unpacked_into_a_folder(tmp_path: Path) -> None:
    made(tmp_path, "alice/exercises/foundations/softmax.py", "alice/solutions/foundations/softmax.py")
    made(tmp_path, "bob/practice/exercises/attention/gqa.py", "bob/practice/byheart.toml")
    made(tmp_path, "carol/attention/gqa.py")
    assert found(tmp_path) == [
        ("alice", "softmax", "alice/exercises/foundations/softmax.py"),
        ("bob", "gqa", "bob/practice/exercises/attention/gqa.py"),
        ("carol", "gqa", "carol/attention/gqa.py"),
    ]
    assert why(tmp_path) == {}


def test_one_students_folder_itself(tmp_path: Path) -> None:
    made(tmp_path / "alice", "softmax.py", "gqa.py")
    made(tmp_path / "bob", "exercises/attention/gqa.py", "rest.py")
    assert [each[:2] for each in found(tmp_path / "alice")] == [("alice", "gqa"), ("alice", "softmax")]
    assert [each[:2] for each in found(tmp_path / "bob")] == [("bob", "gqa")]


def test_flat_files(tmp_path: Path) -> None:
    made(tmp_path, "alice_gqa.py", "softmax-bob.py", "Carol Doe mha_sdpa.py", "softmax_gqa.py", "rope.py")
    made(tmp_path, "kim_softmax_gqa.py", "gqa softmax-pat.py", "kay-softmax.lee_gqa.py")
    assert [each[:2] for each in found(tmp_path)] == [
        ("Carol Doe", "mha_sdpa"),
        ("alice", "gqa"),
        ("bob", "softmax"),
    ]
    assert why(tmp_path) == {
        "rope.py": "called after a topic, but whose is it?",
        "softmax_gqa.py": "its name has no topic, or two",
        "kim_softmax_gqa.py": "its name has no topic, or two",
        "gqa softmax-pat.py": "its name has no topic, or two",
        "kay-softmax.lee_gqa.py": "its name has no topic, or two",
    }
    assert [each[0] for each in found(tmp_path, "softmax")] == ["bob"]


def test_with_one_topic_names_are_students(tmp_path: Path) -> None:
    made(tmp_path, "alice.py", "bob/answer.py", "carol/a.py", "carol/b.py", "dave_gqa.py")
    made(tmp_path, "erin/softmax.py", "erin/notes.py")
    assert found(tmp_path, "softmax") == [
        ("alice", "softmax", "alice.py"),
        ("bob", "softmax", "bob/answer.py"),
        ("erin", "softmax", "erin/softmax.py"),
    ]
    assert set(why(tmp_path, "softmax").values()) == {"not called after a topic"}


@pytest.mark.parametrize(
    ("name", "student", "file"),
    [
        ("smithbob_340934_208490284_softmax.py", "smithbob_340934", "softmax.py"),
        ("smithbob_LATE_340934_208490284_my_softmax-2.py", "smithbob_340934", "my_softmax-2.py"),
        ("team_a_7_208490284_softmax.py", "team_a_7", "softmax.py"),
        ("anon_AbC12_208490284_softmax.py", "anon_AbC12", "softmax.py"),
        ("LATE_anon_AbC12_208490284_softmax-1.py", "anon_AbC12", "softmax-1.py"),
        ("Bob Smith_12345_assignsubmission_file_softmax.py", "Bob Smith_12345", "softmax.py"),
        ("Bob_van Smith_12345_assignsubmission_file_", "Bob_van Smith_12345", ""),
        ("Bob Smith_12345_assignsubmission_file", "Bob Smith_12345", ""),
    ],
)
def test_names_of_platforms(name: str, student: str, file: str) -> None:
    handed = from_platform(name)
    assert handed is not None
    assert (handed.student, handed.file) == (student, file)


def test_a_name_of_no_platform() -> None:
    assert from_platform("alice_softmax") is None
    assert from_platform("alice_2_softmax") is None


def test_canvas_and_moodle(tmp_path: Path) -> None:
    canvas = made(tmp_path / "canvas", "doejane_LATE_7_8_softmax-1.py", "smithbob_340934_208_gqa.py")
    assert [each[:2] for each in found(canvas)] == [("doejane_7", "softmax"), ("smithbob_340934", "gqa")]
    moodle = made(tmp_path / "moodle", "Bob Smith_12_assignsubmission_file_/gqa.py")
    made(moodle, "Jane Doe_13_assignsubmission_file_softmax.py")
    assert [each[:2] for each in found(moodle)] == [("Bob Smith_12", "gqa"), ("Jane Doe_13", "softmax")]


def test_gradescopes_export_says_whose_folders_they_are(tmp_path: Path) -> None:
    made(tmp_path, "submission_1/gqa.py", "submission_2/gqa.py")
    metadata = ":submitters:\n  - :name: Bob\n    :sid: '12'\n    :email: bob@example.org\n  :score: 0.0\n"
    (tmp_path / "submission_metadata.yml").write_text(f"submission_1:\n  {metadata}")
    assert [each[0] for each in found(tmp_path)] == ["bob@example.org", "submission_2"]
    assert why(tmp_path) == {}
    tagged = metadata.replace("0.0", "!ruby/object:BigDecimal 18:0.0").replace("bob@example.org", "''")
    tagged = tagged.replace("'12'", "012")
    (tmp_path / "submission_metadata.yml").write_text(f"submission_1:\n  {tagged}")
    assert [each[0] for each in found(tmp_path)] == ["012", "submission_2"]
    (tmp_path / "submission_metadata.yml").write_text("[: no yaml")
    assert [each[0] for each in found(tmp_path)] == ["submission_1", "submission_2"]


def test_clones_of_a_classroom(tmp_path: Path) -> None:
    root = made(tmp_path / "hw1-submissions", "hw1-alice/gqa.py", "hw1-bob-b/gqa.py")
    assert [each[0] for each in found(root)] == ["alice", "bob-b"]
    assert common_prefix(["hw1-alice", "hw2-bob"], "hw1-submissions") == ""
    assert common_prefix(["hw1-alice", "hw1-bob"], "hw1") == ""


def test_two_files_for_one_topic_are_not_chosen_from(tmp_path: Path) -> None:
    made(tmp_path, "alice/softmax.py", "alice_softmax.py", "bob/softmax.py")
    assert [each[0] for each in found(tmp_path)] == ["bob"]
    assert set(why(tmp_path).values()) == {"alice has 2 files for softmax"}


def test_what_lies_in_folders_may_be_anything(tmp_path: Path) -> None:
    made(tmp_path, "alice/softmax.py", "secret.txt")
    (tmp_path / "bob" / "gqa.py").mkdir(parents=True)
    (tmp_path / "bob" / "softmax.py").symlink_to("../alice/softmax.py")
    (tmp_path / "bob" / "rope.py").symlink_to("rope.py")
    (tmp_path / "bob" / "mla.py").symlink_to("gone.py")
    (tmp_path / "carol").symlink_to("alice")
    submissions = {(one.student, one.topic): one for one in find([tmp_path], CATALOG).submissions}
    assert set(submissions) == {
        *(("alice", "softmax"), ("bob", "softmax"), ("bob", "gqa"), ("bob", "rope"), ("bob", "mla")),
    }
    assert submissions["bob", "softmax"].problem == LINK_OUT
    assert submissions["bob", "mla"].problem is None  # the judge says that it leads nowhere
    assert why(tmp_path) == {"carol": "no Python file", "secret.txt": "no Python file"}


def test_a_manifest(tmp_path: Path) -> None:
    made(tmp_path, "a/one.py", "two.py")
    manifest = tmp_path / "list.csv"
    manifest.write_bytes(
        b"\xef\xbb\xbfstudent,topic,file\nAnn,gqa,a/one.py\nBen,softmax,two.py\nC,nope,two.py\n"
    )
    each = find([manifest], CATALOG)
    assert [(one.student, one.topic, one.path.name) for one in each.submissions] == [
        ("Ann", "gqa", "one.py"),
        ("Ben", "softmax", "two.py"),
    ]
    assert [one.why for one in each.unrecognised] == ["there is no topic nope"]


def test_a_manifest_of_a_spreadsheet_that_takes_semicolons(tmp_path: Path) -> None:
    made(tmp_path, "a.py")
    (tmp_path / "list.csv").write_text('student;topic;file\n"Doe, Ann";gqa;a.py\n')
    (one,) = find([tmp_path / "list.csv"], CATALOG).submissions
    assert (one.student, one.topic) == ("Doe, Ann", "gqa")
    (tmp_path / "list.csv").write_text("name,topic,file\nAnn,gqa,a.py\n")
    with pytest.raises(BadManifest, match="has no column student"):
        find([tmp_path / "list.csv"], CATALOG)


@pytest.mark.parametrize("text", ["student,file\nAnn,x.py\n", "student,topic,file\nAnn,,x.py\n", 'a"b\n"'])
def test_a_manifest_that_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "list.csv").write_text(text)
    with pytest.raises(BadManifest, match=r"list\.csv"):
        find([tmp_path / "list.csv"], CATALOG)


def test_names_cannot_steer_what_they_are_shown_on(tmp_path: Path) -> None:
    assert printable("a\x1b[2J\nb\u202ec\udcff") == "a�[2J�b�c�"
    made(tmp_path, "ev\x1b]0;il\n/softmax.py")
    (one,) = find([tmp_path], CATALOG).submissions
    assert one.student == "ev�]0;il�"
    assert one.file.isprintable()


def test_names_of_topics_within_names() -> None:
    assert topic_of("Softmax", TOPICS) == topic_of("softmax-12", TOPICS) == "softmax"
    assert topic_of("softmax2", TOPICS) is None
    assert student_and_topic("sdpa", TOPICS) is None
    assert student_and_topic("xsdpa", TOPICS) is None
    assert student_and_topic("heap_top_k", ["top_k"]) == ("heap", "top_k")
    assert student_and_topic("ann_heap_top_k", ["top_k", "heap_top_k"]) == ("ann", "heap_top_k")


def test_all_of_one_student(tmp_path: Path) -> None:
    made(tmp_path / "submission", "softmax.py", "notes.py", "bob/gqa.py")
    each = find([tmp_path / "submission"], CATALOG, student="ann").submissions
    assert [(one.student, one.topic) for one in each] == [("ann", "softmax")]
    each = find([tmp_path / "submission" / "notes.py"], CATALOG, ["gqa"], student="ann").submissions
    assert [(one.student, one.topic) for one in each] == [("ann", "gqa")]


def test_results_beside_what_was_handed_in_are_none_of_it(tmp_path: Path) -> None:
    made(tmp_path, "alice/softmax.py", "graded/results.jsonl", "graded/feedback/alice.html")
    (tmp_path / "bob_gqa.py").symlink_to("bob_gqa.py")
    each = find([tmp_path], CATALOG, out=tmp_path / "graded")
    assert [one.student for one in each.submissions] == ["alice", "bob"]
    assert each.unrecognised == ()
