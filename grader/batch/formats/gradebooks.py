"""Gradebooks filled in: the CSV that a teacher exported, with the cells that are known now.

Canvas ("Export Entire Gradebook", lib/gradebook_exporter.rb of instructure/canvas-lms): columns Student (or
LastName and FirstName), ID, SIS User ID, SIS Login ID, Section, then assignments (`softmax (4711)`); below
the head there are rows that are no student's, one of them with "Points Possible". A cell with EX is excused,
one with N/A is not asked of this student: both stay.
Moodle ("Download grading worksheet", mod/assign/feedback/offline of moodle/moodle): Identifier
(`Participant 12`), Full name, Email address, Grade, Maximum Grade, Grade can be changed, Feedback comments.

Everything else stays as it is: columns, order, delimiter, line ends, byte order mark. Points are scaled to
what the gradebook says is the most. A topic that a student did not hand in counts as none of its points; an
assignment with a topic that was not graded yet is left alone, as is the cell of a student of whose topics one
could not be graded.
"""

import csv
import io
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from grader.batch.formats.numbers import plain, points_text
from grader.batch.formats.whose_row import Person, folded, matched
from grader.batch.scores.results import OfStudent, Results

_ASSIGNMENT = re.compile(r"(.*?)\s*\(\d+\)\s*")
_COMMA, _POINT = re.compile(r"\d+,\d+"), re.compile(r"\d+\.\d+")
MOODLE = ("Identifier", "Grade", "Maximum Grade")
CANVAS = ("Student", "ID", "Section")
CANVAS_TWO_NAMES = ("LastName", "FirstName", "ID", "Section")
_LEFT_ALONE = ("EX", "N/A")


class UnknownGradebook(ValueError):
    """It is none that we know; the message says what is missing."""


@dataclass(frozen=True)
class Filled:
    """The text of the gradebook as it is now; how many cells were filled; for whom there was no row; and what
    was left alone and why, in sentences.
    """

    text: str
    cells: int
    missing: tuple[str, ...]
    left: tuple[str, ...] = ()


def filled(text: str, results: Results, columns: Mapping[str, Sequence[str]]) -> Filled:
    """A gradebook with the points of these results. `columns`: which topics an assignment is made of, where
    it is not called by a topic's id. Raises `UnknownGradebook`.
    """
    mark, body = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    head = body.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    rows = list(csv.reader(io.StringIO(body, newline=""), delimiter=delimiter))
    names = [name.strip() for name in rows[0]] if rows else []
    width = max(map(len, rows), default=0)
    for row in rows[1:]:
        row.extend([""] * (width - len(row)) if row else [])
    people = [row for row in rows[1:] if row]
    has_commas = _has_decimal_commas(people)
    graded = {own.student: own for own in results.by_student() if own.rows}
    if {name.casefold() for name in MOODLE} <= {name.casefold() for name in names}:
        done = _fill_moodle(people, names, graded, results)
    elif set(CANVAS) <= set(names) or set(CANVAS_TWO_NAMES) <= set(names):
        done = _fill_canvas(people, names, graded, results, columns)
    else:
        raise UnknownGradebook(
            f"It has neither the columns of Canvas ({', '.join(CANVAS)}) nor of Moodle ({', '.join(MOODLE)})."
        )
    if has_commas:
        for row, number in done.cells:
            row[number] = row[number].replace(".", ",")
    out = io.StringIO()
    ends = "\r\n" if "\r\n" in body else "\n"
    csv.writer(out, delimiter=delimiter, lineterminator=ends).writerows(rows)
    missing = tuple(sorted(graded.keys() - done.students))
    return Filled(mark + out.getvalue(), len(done.cells), missing, tuple(done.left))


@dataclass
class _Done:
    """What came of it: cells with a grade, by row and column; students with a row; and sentences about what
    was left alone.
    """

    cells: list[tuple[list[str], int]]
    students: set[str]
    left: list[str]


def _fill_moodle(
    rows: list[list[str]], names: list[str], graded: Mapping[str, OfStudent], results: Results
) -> _Done:
    at = {name.casefold(): number for number, name in enumerate(names)}  # "Maximum grade" in some versions

    def person(row: list[str]) -> Person:
        mail = row[at["email address"]] if "email address" in at else ""
        number = re.sub(r"\D", "", row[at["identifier"]])
        full = row[at["full name"]] if "full name" in at else ""
        return Person(number, full, folded(mail, mail.partition("@")[0]))

    done, locked = _Done([], set(), []), []
    if results.ungraded:
        done.left.append(_not_graded("All of it", results.ungraded))
    for row, student in matched(rows, person, graded):
        own = graded[student]
        done.students.add(student)
        if "grade can be changed" in at and row[at["grade can be changed"]].strip().casefold() == "no":
            locked.append(student)
        elif not results.ungraded and not own.is_lost:
            row[at["grade"]] = _grade(own, results.most, _number(row[at["maximum grade"]]))
            if "feedback comments" in at:
                row[at["feedback comments"]] = _comments(own)
            done.cells.append((row, at["grade"]))
    if locked:
        done.left.append(f"Moodle lets nobody change the grades of: {', '.join(sorted(locked))}")
    return done


def _comments(own: OfStudent) -> str:
    """What stands beside the grade."""
    told = [f"{each.row.topic}: {points_text(each.points)} of {points_text(each.of)}" for each in own.counted]
    told += [f"{topic}: not handed in, 0 of {points_text(most)}" for topic, most in own.missing.items()]
    return ", ".join(told)


def _fill_canvas(
    rows: list[list[str]],
    names: list[str],
    graded: Mapping[str, OfStudent],
    results: Results,
    columns: Mapping[str, Sequence[str]],
) -> _Done:
    at = {name: number for number, name in enumerate(names)}
    possible = next((row for row in rows[:3] if row[0].strip() == "Points Possible"), None)
    done, made_of = _Done([], set(), []), {}
    for number, name in enumerate(names):
        topics = _topics(name, columns, results.most)
        if waiting := results.ungraded.intersection(topics):
            done.left.append(_not_graded(name, waiting))
        elif topics:
            made_of[number] = topics
    if not made_of and not done.left:
        done.left.append(
            f"No assignment in it is called by a topic that was graded ({', '.join(results.most)}) or stands "
            "in the [columns] of --points."
        )

    def person(row: list[str]) -> Person:
        logins = [row[at[name]] for name in ("SIS User ID", "SIS Login ID") if name in at]
        short = [login.partition("@")[0] for login in logins]
        called = ", ".join(row[at[name]] for name in ("Student", "LastName", "FirstName") if name in at)
        return Person(row[at["ID"]].strip(), called, folded(*logins, *short))

    for row, student in matched(rows, person, graded):
        done.students.add(student)
        own = {each.row.topic: each for each in graded[student].rows}
        for number, topics in made_of.items():
            handed_in = [own[topic] for topic in topics if topic in own]
            asked = row[number].strip().upper() not in _LEFT_ALONE
            if asked and handed_in and not any(each.is_lost for each in handed_in):
                most = None if possible is None else _number(possible[number])
                row[number] = _grade(graded[student], topics, most)
                done.cells.append((row, number))
    return done


def _topics(name: str, columns: Mapping[str, Sequence[str]], known: Collection[str]) -> tuple[str, ...]:
    """Of an assignment; empty for any other column."""
    match = _ASSIGNMENT.fullmatch(name)
    called = (match[1] if match else name).casefold()
    own = {column.casefold(): tuple(topics) for column, topics in columns.items()}
    return own.get(called, (called,) if called in known else ())


def _not_graded(what: str, topics: Collection[str]) -> str:
    are = "has" if len(topics) == 1 else "have"
    return f"{what} is left as it is: {', '.join(sorted(topics))} {are} not been graded yet."


def _grade(own: OfStudent, topics: Collection[str], most: float | None) -> str:
    """A student's points in some topics, as a share of `most`."""
    of = sum(own.most.get(topic, 0.0) for topic in topics)
    points = sum(each.points for each in own.rows if each.row.topic in topics)
    if most is not None:
        points = most * points / of if of else 0.0
    return str(plain(round(points, 2)))


def _has_decimal_commas(rows: list[list[str]]) -> bool:
    """Whether its numbers are written as 10,5."""
    cells = [cell for row in rows for cell in row]
    return any(map(_COMMA.fullmatch, cells)) and not any(map(_POINT.fullmatch, cells))


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None
