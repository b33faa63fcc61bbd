"""Gradebooks filled in place: only what is known, only where it is certain whose row it is."""

import csv
import io
from dataclasses import replace

import pytest
from batch.rows import results, row, verdict

from grader.batch.formats.gradebooks import UnknownGradebook, filled
from grader.batch.scores.points import Points
from grader.batch.scores.scoring import Scored, scored
from grader.judge.verdict import Outcome

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,softmax (4711),Homework 3 (12),Essay (5),Final Score
    Points Possible,,,,,10.00,100,20,(read only)
"Smith, Bob",340934,s1,bob@example.org,Section 01,,3,17,50
"Doe, Jane",7,s2,jane,Section 01,4,,,
"Doe, John",8,s3,john,Section 01,,,,
"Student, Test",9,,abc,Section 01,,,,
"""
MOODLE = (
    '\ufeffIdentifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed",'
    '"Last modified (grade)","Feedback comments"\r\n'
    'Participant 12,"Bob Smith",bob@example.org,Submitted,,100.00,Yes,-,\r\n'
    'Participant 13,"Jane Doe",jane@example.org,Submitted,,100.00,Yes,-,old\r\n'
)
PASSED, FAILED = Outcome.PASSED, Outcome.FAILED


def worth(student: str, topic: str = "softmax", *outcomes: Outcome) -> Scored:
    return scored(row(student, made=verdict(topic, *outcomes)), Points(), ())


def table(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def test_canvas() -> None:
    handed_in = [
        worth("smithbob_340934", "softmax", PASSED, FAILED),
        worth("smithbob_340934", "gqa", PASSED, PASSED),
        worth("jane", "gqa", PASSED, PASSED),
        worth("nobody", "gqa", PASSED, PASSED),
    ]
    done = filled(CANVAS, results(*handed_in), {"homework 3": ("softmax", "gqa")})
    before, after = table(CANVAS), table(done.text)
    assert after[2] == ["Smith, Bob", "340934", "s1", "bob@example.org", "Section 01", "5", "75", "17", "50"]
    assert after[3] == [
        "Doe, Jane",
        "7",
        "s2",
        "jane",
        "Section 01",
        "4",
        "50",
        "",
        "",
    ]  # softmax: not handed in
    assert [after[number] for number in (0, 1, 4, 5)] == [before[number] for number in (0, 1, 4, 5)]
    assert (done.cells, done.missing) == (3, ("nobody",))


def test_a_number_alone_is_not_a_person() -> None:
    """A folder `alice_7` is not the user 7."""
    done = filled(CANVAS, results(worth("alice_7")), {})
    assert (done.cells, done.missing) == (0, ("alice_7",))
    assert table(done.text) == table(CANVAS)


def test_a_number_alone_is_not_a_person_whatever_the_letters() -> None:
    book = 'Student,ID,Section,softmax (1)\n王小明,7,one,\n"Müller, Jörg",8,one,\n'
    handed_in = [worth("李四_7"), worth("mu\u0308llerjo\u0308rg_8", "softmax", FAILED)]  # as a Mac unpacks it
    done = filled(book, results(*handed_in), {})
    assert (done.cells, done.missing) == (1, ("李四_7",))
    assert [line[3] for line in table(done.text)[1:]] == ["", "0"]


def test_canvas_with_two_columns_of_names() -> None:
    book = (
        "LastName,FirstName,ID,SIS Login ID,Section,softmax (1)\nSmith,Bob,34,bob,one,\nDoe,Jane,7,jd,one,\n"
    )
    handed_in = [worth("smithbob_34", "softmax", PASSED), worth("Doe, Jane", "softmax", PASSED)]
    assert [line[5] for line in table(filled(book, results(*handed_in), {}).text)[1:]] == ["1", "1"]


@pytest.mark.parametrize("cell", ["EX", "ex", "N/A"])
def test_who_is_excused_or_not_asked_stays_so(cell: str) -> None:
    book = f"Student,ID,Section,softmax (1),gqa (2)\njane,7,one,{cell},\n"
    done = filled(book, results(worth("jane", "softmax", PASSED), worth("jane", "gqa", PASSED)), {})
    assert table(done.text)[1] == ["jane", "7", "one", cell, "1"]
    assert (done.cells, done.missing) == (1, ())


def test_who_could_be_two_is_nobody() -> None:
    twice = CANVAS + '"Doe, Jane",11,s9,jane2,Section 02,,,,\n'
    assert filled(twice, results(worth("Doe, Jane")), {}).missing == ("Doe, Jane",)
    assert filled(twice, results(worth("jane")), {}).missing == ()
    both = results(worth("jane"), worth("s2"))
    assert filled(CANVAS, both, {}).cells == 0


def test_moodle() -> None:
    handed_in = [
        worth("Bob Smith_12", "softmax", PASSED, FAILED),
        worth("jane@example.org", "softmax", PASSED, PASSED),
        worth("jane@example.org", "gqa", PASSED, PASSED),
    ]
    done = filled(MOODLE, results(*handed_in), {})
    assert done.text.startswith("\ufeffIdentifier,") and done.text.count("\r\n") == 3
    bob, jane = table(done.text)[1:]
    assert (bob[4], bob[8]) == ("25", "softmax: 1 of 2, gqa: not handed in, 0 of 2")  # of two topics in all
    assert (jane[4], jane[8]) == ("100", "softmax: 2 of 2, gqa: 2 of 2")
    assert bob[:4] == table(MOODLE)[1][:4]
    assert (done.cells, done.missing) == (2, ())


def test_a_moodle_worksheet_without_names() -> None:
    blind = "Identifier;Status;Grade;Maximum Grade\nParticipant 12;Submitted;;10\n"
    done = filled(blind, results(worth("Participant_12")), {})
    assert done.text == "Identifier;Status;Grade;Maximum Grade\nParticipant 12;Submitted;10;10\n"


def test_moodle_puts_a_groups_name_before_that_of_the_student() -> None:
    handed_in = [worth("Group-A-Bob Smith_12", "softmax", PASSED), worth("Group A-Bob Smith_13")]
    done = filled(MOODLE, results(*handed_in), {})
    assert [line[4] for line in table(done.text)[1:]] == ["100", ""]
    assert done.missing == ("Group A-Bob Smith_13",)


def test_moodles_heads_in_any_case() -> None:
    of_class = results(worth("jane", "softmax", PASSED))
    found = filled(MOODLE.replace("Maximum Grade", "Maximum grade"), of_class, {})
    assert table(found.text)[2][4] == "100"


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "Student,Grade\n"])
def test_what_is_no_gradebook(text: str) -> None:
    with pytest.raises(UnknownGradebook, match="neither the columns of Canvas"):
        filled(text, results(worth("jane")), {})


def lost(student: str, topic: str) -> Scored:
    one = row(student, made=verdict(topic))
    return scored(replace(one, verdict=None, fault="no memory"), Points(), verdict().checks)


def test_a_topic_that_nobody_handed_in_counts() -> None:
    """Half of the homework is not all of it."""
    of_class = results(worth("jane", "softmax", PASSED), gqa=3)
    done = filled(CANVAS, of_class, {"Homework 3": ("softmax", "gqa")})
    assert table(done.text)[3][5:7] == ["10", "25"]
    assert table(filled(MOODLE, of_class, {}).text)[2][4] == "25"


def test_an_assignment_with_a_topic_that_is_not_graded_yet_is_left_alone() -> None:
    monday = replace(results(worth("jane", "softmax", PASSED)), ungraded=frozenset(("gqa", "rope")))
    done = filled(CANVAS, monday, {"Homework 3": ("softmax", "gqa")})
    assert table(done.text)[3][5:7] == ["10", ""]
    assert done.left == ("Homework 3 (12) is left as it is: gqa has not been graded yet.",)
    moodle = filled(MOODLE, monday, {})
    assert table(moodle.text) == table(MOODLE) and moodle.missing == ()
    assert moodle.left == ("All of it is left as it is: gqa, rope have not been graded yet.",)


def test_what_could_not_be_graded_is_no_zero() -> None:
    of_class = results(lost("jane", "softmax"), worth("jane", "gqa", PASSED), worth("s3", "softmax", PASSED))
    book = CANVAS.replace("s2,jane,Section 01,4,,,", "s2,jane,Section 01,4,50,,")
    done = filled(book, of_class, {"Homework 3": ("softmax", "gqa")})
    assert table(done.text)[3] == table(book)[3]
    assert (done.cells, done.missing) == (2, ())
    assert table(filled(MOODLE, of_class, {}).text)[2] == table(MOODLE)[2]


@pytest.mark.parametrize("name", ["Zoë Müller", "Zoe\u0308 Mu\u0308ller", "müller, zoë"])
@pytest.mark.parametrize("listed", ["Zoë Müller", '"Müller, Zoë"', '"Mu\u0308ller, Zoe\u0308"'])
def test_a_full_name_however_it_is_written(name: str, listed: str) -> None:
    book = f'Student,ID,Section,softmax (1)\n{listed},7,one,\n"Zoë, Müller",8,one,\n'
    done = filled(book, results(worth(name, "softmax", PASSED)), {})
    assert [line[3] for line in table(done.text)[1:]] == ["1", ""]


def test_a_grade_that_moodle_has_locked_stays() -> None:
    locked = MOODLE.replace("Submitted,,100.00,Yes,-,old", "Submitted,55,100.00,No,-,old")
    done = filled(locked, results(worth("jane", "softmax", PASSED)), {})
    assert table(done.text) == table(locked)
    assert (done.cells, done.missing) == (0, ())
    assert done.left == ("Moodle lets nobody change the grades of: jane",)


def test_a_gradebook_without_an_assignment_that_fits_is_told() -> None:
    done = filled("Student,ID,Section,Quiz (4711)\njane,7,one,\n", results(worth("jane")), {})
    assert done.cells == 0
    assert done.left == (
        "No assignment in it is called by a topic that was graded (softmax) or stands in the [columns] of "
        "--points.",
    )


def test_decimal_commas_stay() -> None:
    book = (
        "Identifier;Status;Grade;Maximum Grade\nParticipant 12;Submitted;;{}\nParticipant 13;Submitted;;{}\n"
    )
    half = results(worth("Participant_12", "softmax", PASSED, FAILED))
    assert "Participant 12;Submitted;3,5;7,00\n" in filled(book.format("7,00", "7,00"), half, {}).text
    assert "Participant 12;Submitted;3.5;7.00\n" in filled(book.format("7.00", "7.00"), half, {}).text
    assert "Participant 12;Submitted;3.5;7\n" in filled(book.format("7", "7"), half, {}).text
