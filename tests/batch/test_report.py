"""The pages: all that is needed is in them, and nothing that a student wrote does anything there."""

import csv
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from batch.rows import EVIL, failed, results, row, verdict
from driving import CATALOG

from grader.batch.formats.gradebooks import UnknownGradebook
from grader.batch.output.files import Output, fill_gradebook
from grader.batch.report.mistakes import class_mistakes
from grader.batch.report.names import file_names, numbers
from grader.batch.scores.points import Points
from grader.batch.scores.scoring import Scored, scored
from grader.judge.verdict import Check, Outcome, Suspicion

PASSED, FAILED = Outcome.PASSED, Outcome.FAILED


def worth(student: str, made=None, attempts: int = 1) -> Scored:
    return scored(row(student, made=made), Points(), (), attempts)


def suspicious() -> Scored:
    looks = (Suspicion(3, "ctypes reaches any memory of the process"),)
    return worth("zoe", replace(verdict("gqa", PASSED), suspicions=looks))


RESULTS = [
    worth("alice", failed(), attempts=3),
    worth("alice", verdict("softmax", PASSED, PASSED)),
    worth("bob", failed()),
    worth("carol", replace(verdict(checks=()), outcome=Outcome.UNREADABLE, message="This is a folder.")),
    suspicious(),
]


class Elements(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def written(tmp_path: Path, rows: list[Scored], *, numbered: bool = False, **most: float) -> str:
    Output(tmp_path, CATALOG, numbered).write(results(*rows, **most), ["gradescope", "autolab"])
    return (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_report_needs_nothing_else_and_runs_nothing_else(tmp_path: Path) -> None:
    page = Elements(written(tmp_path, RESULTS))
    assert {tag for tag, _ in page.found} & {"link", "img", "iframe", "object", "embed"} == set()
    (policy,) = [each["content"] for each in page.of("meta") if "http-equiv" in each]
    assert policy is not None and policy.startswith(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"
    )
    assert len(page.of("script")) == 1 and page.of("script")[0] == {}
    for attributes in page.of("a"):
        assert str(attributes["href"]).startswith(("#r", "feedback/"))
    ids = [attributes["id"] for _, attributes in page.found if "id" in attributes]
    assert len(set(ids)) == len(ids)
    anchors = {
        str(attributes["href"])[1:] for attributes in page.of("a") if str(attributes["href"])[0] == "#"
    }
    assert anchors <= set(ids)


def test_the_table_has_students_and_topics_that_somebody_wrote_in(tmp_path: Path) -> None:
    untouched = replace(verdict("rope"), outcome=Outcome.NOT_STARTED, message="Nothing is written yet.")
    text = written(tmp_path, [*RESULTS, worth("zoe", untouched)])
    head = text[text.index("<thead>") : text.index("</thead>")]
    assert [topic for topic in ("softmax", "sdpa", "gqa", "rope") if f">{topic}<" in head] == [
        "softmax",
        "sdpa",
        "gqa",
    ]
    assert text.count('<th scope="row"') == 4
    assert 'title="2 of 3, 3 attempts">FAIL 2</a>' in text
    assert ">alice</a></th>" in text and '<td data-value="4.0">4 of 6</td>' in text


def test_passes_that_look_unusual_come_first(tmp_path: Path) -> None:
    text = written(tmp_path, RESULTS)
    first = text[text.index("<h2>To be looked at</h2>") : text.index("<h2>Students</h2>")]
    assert "zoe, gqa" in first and "line 3: ctypes" in first and "bob" not in first


def test_mistakes_of_the_class_by_how_many_made_each(tmp_path: Path) -> None:
    two = replace(
        failed(),
        diagnosis=replace(failed().diagnosis, mistake="a + no-scale", message="A.\n\nYou do not scale."),
    )
    found = class_mistakes([*RESULTS, worth("dave", two)])
    assert [(each.mistake, each.message, each.students) for each in found] == [
        ("no-scale", "You do not scale.", ("alice", "bob", "dave")),
        ("a", "A.", ("dave",)),
    ]
    assert "<td>2</td><td>sdpa</td><td>You do not scale." in written(tmp_path, RESULTS)


@pytest.mark.parametrize("numbered", [False, True])
def test_what_students_write_is_text(tmp_path: Path, numbered: bool) -> None:
    checks = (Check("test_1", "holds", FAILED, EVIL, output=f"{EVIL}\x1b[2J\ud800"),)
    made = verdict("softmax", FAILED, checks=checks, suspicions=(Suspicion(1, EVIL),), message=None)
    text = written(tmp_path, [worth(EVIL + "../../x\ud800", made)], numbered=numbered)
    (own,) = (tmp_path / "feedback").iterdir()
    for page in (text, own.read_text(encoding="utf-8")):
        elements = Elements(page)
        assert len(elements.of("script")) == (page == text)
        assert EVIL in elements.text
        assert "\x1b" not in page
    assert own.name == ("student-001.html" if numbered else "cmd-script-alert-1-script-x.html")
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == [
        "autolab",
        "feedback",
        "gradescope",
    ]


def test_a_students_page_has_nothing_of_the_others(tmp_path: Path) -> None:
    written(tmp_path, RESULTS)
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (tmp_path / "feedback").iterdir()}
    assert set(pages) == {"alice", "bob", "carol", "zoe"}
    for name, page in pages.items():
        assert name in page
        assert not any(other in page for other in pages.keys() - {name})
    assert "You do not scale." in pages["alice"] and "4 of 6 points." in pages["alice"]
    assert "This is a folder." in pages["carol"]


def test_numbers_instead_of_names(tmp_path: Path) -> None:
    text = written(tmp_path, RESULTS, numbered=True)
    assert not any(name in text for name in ("alice", "bob", "carol", "zoe"))
    with (tmp_path / "students.csv").open(newline="") as file:
        named = {line["student"]: line["number"] for line in csv.DictReader(file)}
    assert set(named) == {"alice", "bob", "carol", "zoe"}
    written(tmp_path, [*RESULTS, worth("=dave")], numbered=True)
    written(tmp_path, [*RESULTS, worth("=dave")], numbered=True)
    with (tmp_path / "students.csv").open(newline="") as file:
        again = {line["student"]: line["number"] for line in csv.DictReader(file)}
    assert again == {**named, "'=dave": "student 005"}
    assert len(list((tmp_path / "feedback").iterdir())) == 5
    assert {path.stem[:8] for path in (tmp_path / "gradescope").iterdir()} == {"student-"}
    written(tmp_path, RESULTS)
    assert {path.stem for path in (tmp_path / "feedback").iterdir()} == {"alice", "bob", "carol", "zoe"}


def test_names_of_files_are_no_paths_and_never_alike() -> None:
    names = [
        "李雷",
        "韩梅梅",
        "Zoë Müller",
        "../../etc/passwd",
        "Ann",
        "ann",
        "Änn",
        "…",
        "",
        "con/../x",
        "a" * 300,
    ]
    files = file_names(names)
    assert len({each.casefold() for each in files.values()}) == len(set(names))
    assert all(each and all(sign.isalnum() or sign == "-" for sign in each) for each in files.values())
    assert max(map(len, files.values())) < 60
    assert [files[name] for name in names[:3]] == ["李雷", "韩梅梅", "Zoe-Muller"]


def test_numbers_stay() -> None:
    first = numbers(["b", "a"], {})
    assert sorted(first.values()) == ["student 001", "student 002"]
    assert numbers(["c", "a"], first) == {**first, "c": "student 003"}


def test_a_gradebook_is_filled_in_place_and_kept_as_it_was(tmp_path: Path) -> None:
    book = tmp_path / "book.csv"
    before = "Student,ID,Section,softmax (1)\nalice,4,one,\n"
    for kept in ("before-book.csv", "before-2-book.csv"):
        book.write_text(before)
        done = fill_gradebook(book, results(*RESULTS), {}, tmp_path / "kept")
        assert (done.cells, done.missing) == (1, ("bob", "carol", "zoe"))
        assert book.read_text() == "Student,ID,Section,softmax (1)\nalice,4,one,2\n"
        assert (tmp_path / "kept" / kept).read_text() == before
    book.write_bytes(b"\xff\xfe")
    with pytest.raises(UnknownGradebook, match="It is not UTF-8"):
        fill_gradebook(book, results(*RESULTS), {}, tmp_path / "kept")
    assert book.read_bytes() == b"\xff\xfe"


def test_what_was_not_handed_in_counts_for_everybody(tmp_path: Path) -> None:
    text = written(tmp_path, RESULTS, rope=4.0)
    assert '<td data-value="4.0">4 of 10</td>' in text and '<td data-value="1.0">1 of 10</td>' in text
    assert ">rope<" in text and 'title="not handed in, 0 of 4">–</td>' in text
    own = (tmp_path / "feedback" / "zoe.html").read_text(encoding="utf-8")
    assert "1 of 10 points." in own and "No rope.py was recognised in what was handed in. 0 of 4" in own


def test_what_was_not_recognised_is_told_but_for_names(tmp_path: Path) -> None:
    files = [("in/bob_notes.txt", "no Python file")]
    Output(tmp_path, CATALOG, unrecognised=files).write(results(worth("李雷")))
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "1 not recognised, so not graded" in text and "<li>in/bob_notes.txt: no Python file</li>" in text
    assert 'href="feedback/%E6%9D%8E%E9%9B%B7.html"' in text
    Output(tmp_path, CATALOG, True, files).write(results(*RESULTS))
    assert "bob" not in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_what_cannot_be_read_is_something_wrong_that_was_handed_in(tmp_path: Path) -> None:
    text = written(tmp_path, RESULTS)
    assert 'data-kind="partly" data-value="0.0000"><a href="#r4" title="">UNREADABLE 0</a>' in text


def test_a_fault_of_ours_is_no_zero(tmp_path: Path) -> None:
    lost = scored(replace(row("dave"), verdict=None, fault="no memory"), Points(), verdict().checks)
    Output(tmp_path, CATALOG).write(results(lost, *RESULTS), ["gradescope", "prairielearn", "autolab"])
    assert not (tmp_path / "autolab" / "dave.txt").exists() and (tmp_path / "autolab" / "bob.txt").exists()
    assert not (tmp_path / "gradescope" / "dave.json").exists()
    assert (tmp_path / "prairielearn" / "dave.json").exists()
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'title="no points yet">fault</a>' in text


def test_what_helps_comes_first(tmp_path: Path) -> None:
    written(tmp_path, RESULTS)
    page = (tmp_path / "feedback" / "bob.html").read_text(encoding="utf-8")
    assert (
        page.index("You do not scale.") < page.index("2 of 3 checks pass. Not these:") < page.index("not 2")
    )


def test_checks_that_never_ran_are_not_listed(tmp_path: Path) -> None:
    made = verdict("softmax", Outcome.NOT_RUN, Outcome.NOT_RUN, message="It cannot be imported.")
    written(tmp_path, [worth("bob", replace(made, outcome=Outcome.ERROR))])
    page = (tmp_path / "feedback" / "bob.html").read_text(encoding="utf-8")
    assert "It cannot be imported." in page and "holds 1" not in page
    none = worth("bob", verdict("softmax", FAILED, FAILED))
    written(tmp_path, [none])
    assert "No check passes:" in (tmp_path / "feedback" / "bob.html").read_text(encoding="utf-8")
