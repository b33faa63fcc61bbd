"""Gradebooks filled in: the CSV that a teacher exported, with the cells that are known now.

Canvas ("Export Entire Gradebook", lib/gradebook_exporter.rb of instructure/canvas-lms): columns Student (or
LastName and FirstName), ID, SIS User ID, SIS Login ID, Section, then assignments (`softmax (4711)`); below
the head there are rows that are no student's, one of them with "Points Possible". A cell with EX is excused,
one with N/A is not asked of this student: both stay.
Moodle ("Download grading worksheet", mod/assign/feedback/offline of moodle/moodle): Identifier
(`Participant 12`), Full name, Email address, Grade, Maximum Grade, Feedback comments.

Everything else stays as it is: columns, order, delimiter, line ends, byte order mark. Points are scaled to
what the gradebook says is the most. A topic that a student did not hand in counts as none of its points.
"""

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.batch.formats.numbers import plain, points_text
from grader.batch.scores.scoring import Scored

_NUMBER = re.compile(r"(?P<name>.*)_(?P<number>\d+)", re.DOTALL)
_ASSIGNMENT = re.compile(r"(.*?)\s*\(\d+\)\s*")
MOODLE = ("Identifier", "Grade", "Maximum Grade")
CANVAS = ("Student", "ID", "Section")
CANVAS_TWO_NAMES = ("LastName", "FirstName", "ID", "Section")
_LEFT_ALONE = ("EX", "N/A")


class UnknownGradebook(ValueError):
    """It is none that we know; the message says what is missing."""


@dataclass(frozen=True)
class Filled:
    """The text of the gradebook as it is now; how many cells were filled, and for whom there was no row."""

    text: str
    cells: int
    missing: tuple[str, ...]


def filled(text: str, results: Iterable[Scored], columns: Mapping[str, Sequence[str]]) -> Filled:
    """A gradebook with the points of these results. `columns`: which topics an assignment is made of, where
    it is not called by a topic's id. Raises `UnknownGradebook`.
    """
    mark, body = ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)
    head = body.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    rows = list(csv.reader(io.StringIO(body, newline=""), delimiter=delimiter))
    names = [name.strip() for name in rows[0]] if rows else []
    graded = _Graded.of(results)
    if {name.casefold() for name in MOODLE} <= {name.casefold() for name in names}:
        cells, matched = _fill_moodle(rows[1:], names, graded)
    elif set(CANVAS) <= set(names) or set(CANVAS_TWO_NAMES) <= set(names):
        cells, matched = _fill_canvas(rows[1:], names, graded, columns)
    else:
        raise UnknownGradebook(
            f"It has neither the columns of Canvas ({', '.join(CANVAS)}) nor of Moodle ({', '.join(MOODLE)})."
        )
    out = io.StringIO()
    ends = "\r\n" if "\r\n" in body else "\n"
    csv.writer(out, delimiter=delimiter, lineterminator=ends).writerows(rows)
    return Filled(mark + out.getvalue(), cells, tuple(sorted(graded.students.keys() - matched)))


@dataclass(frozen=True)
class _Graded:
    """Results by student and topic, and the most that there is for each topic."""

    students: dict[str, dict[str, Scored]]
    most: dict[str, float]

    @classmethod
    def of(cls, results: Iterable[Scored]) -> "_Graded":
        students: dict[str, dict[str, Scored]] = {}
        most: dict[str, float] = {}
        for each in results:
            students.setdefault(each.row.student, {})[each.row.topic] = each
            most[each.row.topic] = max(each.of, most.get(each.row.topic, 0.0))
        return cls(students, most)

    def grade(self, student: str, topics: Iterable[str], most: float | None) -> str:
        """The points of a student in some topics, as a share of `most`."""
        own, of = self.students[student], sum(self.most.get(topic, 0.0) for topic in topics)
        points = sum(own[topic].points for topic in topics if topic in own)
        if most is not None:
            points = most * points / of if of else 0.0
        return str(plain(round(points, 2)))


@dataclass(frozen=True)
class _Person:
    """What a row says of whom it is about."""

    number: str
    name: str
    logins: frozenset[str]


def _fill_moodle(rows: list[list[str]], names: list[str], graded: _Graded) -> tuple[int, set[str]]:
    at = {name.casefold(): number for number, name in enumerate(names)}  # "Maximum grade" in some versions

    def person(row: list[str]) -> _Person:
        mail = _cell(row, at.get("email address"))
        number = re.sub(r"\D", "", row[at["identifier"]])
        return _Person(number, _cell(row, at.get("full name")), _folded(mail, mail.partition("@")[0]))

    matched = set()
    for row, student in _matched(rows, person, graded.students):
        row[at["grade"]] = graded.grade(student, graded.most, _number(row[at["maximum grade"]]))
        if "feedback comments" in at:
            each = graded.students[student].values()
            told = (f"{one.row.topic}: {points_text(one.points)} of {points_text(one.of)}" for one in each)
            row[at["feedback comments"]] = ", ".join(told)
        matched.add(student)
    return len(matched), matched


def _fill_canvas(
    rows: list[list[str]], names: list[str], graded: _Graded, columns: Mapping[str, Sequence[str]]
) -> tuple[int, set[str]]:
    at = {name: number for number, name in enumerate(names)}
    possible = next((row for row in rows[:3] if row and row[0].strip() == "Points Possible"), [])
    made_of = {
        number: topics for number, name in enumerate(names) if (topics := _topics(name, columns, graded))
    }

    def person(row: list[str]) -> _Person:
        logins = [_cell(row, at.get(name)) for name in ("SIS User ID", "SIS Login ID")]
        short = [login.partition("@")[0] for login in logins]
        called = ", ".join(
            _cell(row, at[name]) for name in ("Student", "LastName", "FirstName") if name in at
        )
        return _Person(row[at["ID"]].strip(), called, _folded(*logins, *short))

    cells, matched = 0, set()
    for row, student in _matched(rows, person, graded.students):
        matched.add(student)
        for number, topics in made_of.items():
            asked = _cell(row, number).strip().upper() not in _LEFT_ALONE
            if asked and any(topic in graded.students[student] for topic in topics):
                row[number] = graded.grade(student, topics, _number(_cell(possible, number)))
                cells += 1
    return cells, matched


def _topics(name: str, columns: Mapping[str, Sequence[str]], graded: _Graded) -> tuple[str, ...]:
    """Of an assignment; empty for any other column."""
    match = _ASSIGNMENT.fullmatch(name)
    called = (match[1] if match else name).casefold()
    own = {column.casefold(): tuple(topics) for column, topics in columns.items()}
    return own.get(called, (called,) if called in graded.most else ())


def _matched(
    rows: Iterable[list[str]], person: Callable[[list[str]], _Person], students: Collection[str]
) -> Iterator[tuple[list[str], str]]:
    """Rows that are about one student, each of whom has one such row: who could be two is nobody."""
    whole = [row for row in rows if row]
    width = max(map(len, whole), default=0)
    of_student: dict[str, list[list[str]]] = {}
    for row in whole:
        row.extend([""] * (width - len(row)))
        about = person(row)
        same = [student for student in students if _is(student, about)]
        if len(same) == 1:
            of_student.setdefault(same[0], []).append(row)
    yield from ((found[0], student) for student, found in of_student.items() if len(found) == 1)


def _is(student: str, person: _Person) -> bool:
    """Whether they are the same: by the platform's number and the name, where a platform made the file's
    name (Moodle puts a group's before it: `Group A-Bob Smith`), else by login or name.
    """
    match = _NUMBER.fullmatch(student)
    if match and match["number"] == person.number:
        parts = match["name"].split("-")
        named = {_squashed("-".join(parts[at:])) for at in range(len(parts))} - {""}
        return bool(named & {_squashed(person.name), "participant"})
    folded = student.strip().casefold()
    return folded in person.logins or folded == person.name.strip().casefold()


def _squashed(name: str) -> str:
    """As Canvas writes names into those of files, whatever letters they are of."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKC", name).casefold())


def _folded(*texts: str) -> frozenset[str]:
    return frozenset(text.strip().casefold() for text in texts if text.strip())


def _cell(row: Sequence[str], number: int | None) -> str:
    return row[number] if number is not None and number < len(row) else ""


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None
