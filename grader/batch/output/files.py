"""Which file holds what, and writing them: each at once, so that nobody sees half of one."""

import csv
import os
import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.batch.alike.finding import find_alike
from grader.batch.formats.autolab import autolab_line
from grader.batch.formats.classroom50 import classroom50_json
from grader.batch.formats.csv_text import csv_text, safe
from grader.batch.formats.gradebooks import Filled, UnknownGradebook, filled
from grader.batch.formats.gradescope import gradescope_json
from grader.batch.formats.junit import junit_xml
from grader.batch.formats.numbers import encodable
from grader.batch.formats.prairielearn import prairielearn_json
from grader.batch.formats.table import results_csv
from grader.batch.report.alike_page import alike_page
from grader.batch.report.class_page import Class, class_page
from grader.batch.report.feedback import feedback_page
from grader.batch.report.names import file_names, numbers
from grader.batch.scores.results import Results
from grader.curriculum.catalog import Catalog
from grader.curriculum.exercises.files import replace_content, replace_text

PLATFORMS = {
    "gradescope": (".json", gradescope_json),
    "prairielearn": (".json", prairielearn_json),
    "classroom50": (".json", lambda own: classroom50_json(own, os.environ)),
    "autolab": (".txt", autolab_line),
}
"""Forms of one student's results: the ending of a file, and what makes its text."""
TELLS_FAULTS = ("prairielearn",)
"""Those that can say that something could not be graded. In the others it would be a 0: there is no file."""
NUMBERS = "students.csv"
"""Which number is whose."""


@dataclass(frozen=True)
class Output:
    """An output folder. `numbered`: students have numbers instead of names on pages and in the names of
    files. `unrecognised`: files that were not graded, and why (on no page with numbers: names are in theirs).
    """

    folder: Path
    catalog: Catalog
    numbered: bool = False
    unrecognised: Sequence[tuple[str, str]] = ()

    def write(self, results: Results, platforms: Collection[str] = (), alike: bool = False) -> list[Path]:
        """Everything but gradebooks; gives the files to look at. `alike`: whether to look for look-alikes,
        too.
        """
        every = list(results.by_student())
        students = {each.student: encodable(each.student) for each in every}
        names = self._numbers(students) if self.numbered else students
        files = file_names(names[student] for student in students)
        own = {student: files[names[student]] for student in students}
        topics = [topic.id for topic in self.catalog.topics if topic.id in results.most]
        pages = {student: f"feedback/{name}.html" for student, name in own.items()}
        titles = {topic.id: topic.title for topic in self.catalog.topics}
        report = class_page(Class(every, names, topics, pages, () if self.numbered else self.unrecognised))
        self._text("report.html", report)
        self._text("results.csv", results_csv(results.rows))
        self._text("junit.xml", junit_xml(results.rows))
        for each in every:
            self._text(pages[each.student], feedback_page(names[each.student], each, titles))
        self._forget("feedback", ".html", own.values())
        for platform, (ending, text) in PLATFORMS.items():
            told = [each for each in every if platform in TELLS_FAULTS or not each.is_lost]
            told = told if platform in platforms else []
            for each in told:
                self._text(f"{platform}/{own[each.student]}{ending}", text(each))
            self._forget(platform, ending, [own[each.student] for each in told])
        if alike:
            self._text("look-alikes.html", alike_page(find_alike(results.rows, self.catalog), names))
        made = ("report.html", "results.csv", *(("look-alikes.html",) if alike else ()))
        return [self.folder / name for name in made]

    def _text(self, name: str, text: str) -> None:
        replace_text(self.folder / name, text)

    def _forget(self, folder: str, ending: str, kept: Iterable[str]) -> None:
        """Files of students who are called otherwise now (a number and a name side by side tell it all), and
        of results that are older than these.
        """
        wanted = {f"{name}{ending}" for name in kept}
        for path in (self.folder / folder).glob(f"*{ending}"):
            if path.name not in wanted:
                path.unlink(missing_ok=True)

    def _numbers(self, students: Mapping[str, str]) -> dict[str, str]:
        path = self.folder / NUMBERS
        before: dict[str, str] = {}
        if path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                before = {_unsafe(line[1]): line[0] for line in list(csv.reader(file))[1:] if len(line) == 2}
        names = numbers(students.values(), before)
        lines = sorted((number, name) for name, number in names.items())
        replace_text(path, csv_text([("number", "student"), *lines]))
        return {student: names[name] for student, name in students.items()}


def _unsafe(cell: str) -> str:
    """What `csv_text` made safe, as it was."""
    return cell[1:] if cell[:1] == "'" and safe(cell[1:]) == cell else cell


def fill_gradebook(path: Path, results: Results, columns: Mapping[str, Sequence[str]], kept: Path) -> Filled:
    """Fill a gradebook in place, and say what came of it. What it was before is kept in the folder `kept`.
    Raises `UnknownGradebook`.
    """
    try:
        text = path.read_bytes().decode("utf-8")
        done = filled(text, results, columns)
        kept.mkdir(parents=True, exist_ok=True)
        copy, number = kept / f"before-{path.name}", 2
        while copy.exists():
            copy, number = kept / f"before-{number}-{path.name}", number + 1
        shutil.copyfile(path, copy)
        replace_content(path, done.text.encode("utf-8"))
    except UnicodeDecodeError:
        raise UnknownGradebook(
            "It is not UTF-8. Take it as it was exported; Excel saves it so as “CSV UTF-8”."
        ) from None
    except (OSError, csv.Error) as error:
        raise UnknownGradebook(f"It cannot be read or written: {error}") from None
    return done
