"""Results in the forms of others, each as its document has it."""

import csv
import io
import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from batch.rows import EVIL, failed, own, row, verdict

from grader.batch.formats.autolab import autolab_line
from grader.batch.formats.classroom50 import classroom50_json
from grader.batch.formats.csv_text import csv_text, safe
from grader.batch.formats.gradescope import gradescope_json
from grader.batch.formats.junit import junit_xml
from grader.batch.formats.prairielearn import MOST_BYTES, prairielearn_json
from grader.batch.formats.table import results_csv
from grader.batch.formats.telling import summary_text
from grader.batch.report.submission import submission_html
from grader.batch.scores.points import Points, TopicPoints
from grader.batch.scores.scoring import Scored, scored
from grader.judge.verdict import Check, Diagnosis, Outcome

PASSED, FAILED = Outcome.PASSED, Outcome.FAILED


def worth(made=None, student: str = "alice", **options) -> Scored:
    return scored(replace(row(student, made=made), **options), Points(), verdict().checks)


def unreadable(topic: str = "softmax") -> Scored:
    made = replace(verdict(topic, checks=()), outcome=Outcome.UNREADABLE, message="This is a folder.")
    return worth(made)


RESULTS = [worth(failed()), worth(verdict("softmax", PASSED, PASSED))]
LOST = worth(verdict=None, fault="The judge failed twice: no memory")


def test_csv_has_a_line_for_each() -> None:
    lines = list(csv.DictReader(io.StringIO(results_csv([*RESULTS, LOST]))))
    assert [line["outcome"] for line in lines] == ["failed", "passed", "not graded"]
    first = lines[0]
    assert (first["student"], first["topic"], first["points"], first["of"]) == ("alice", "sdpa", "2", "3")
    assert (first["checks_passed"], first["checks"], first["mistakes"]) == ("2", "3", "no-scale")
    assert (first["suspicions"], first["attempts"], first["seconds"]) == ("1", "1", "0.5")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1+cmd", "@SUM(1)", "\t=1", "\r=1"])
def test_no_cell_is_a_formula(text: str) -> None:
    assert safe(text) == f"'{text}"
    (line,) = csv.reader(io.StringIO(csv_text([[text, -1, None]]), newline=""))
    assert line == [f"'{text}", "-1", ""]
    assert safe("a=1") == "a=1" and safe(-1) == -1


def test_a_name_cannot_end_a_line_or_a_cell() -> None:
    evil = worth(student='a","b\n=cmd')
    (line,) = csv.DictReader(io.StringIO(results_csv([evil]), newline=""))
    assert line["student"] == 'a","b\n=cmd'


# JUnit


def test_junit_has_the_attributes_that_readers_take() -> None:
    root = ElementTree.fromstring(junit_xml([*RESULTS, unreadable(), LOST]))
    assert root.tag == "testsuites"
    assert {name: root.attrib[name] for name in ("tests", "failures", "errors", "skipped")} == {
        **{"tests": "7", "failures": "1", "errors": "2", "skipped": "0"},
    }
    suite = root[0]
    assert suite.tag == "testsuite"
    assert set(suite.attrib) == {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
    assert [case.attrib["name"] for case in suite] == ["sdpa.test_1", "sdpa.test_2", "sdpa.test_3"]
    assert {case.attrib["classname"] for case in suite} == {"alice"}
    (failure,) = suite[1]
    assert (failure.tag, failure.attrib) == ("failure", {"message": "not 2", "type": "failed"})
    assert failure.text == "holds 2\nnot 2"
    assert root[2][0][0].attrib == {"message": "This is a folder.", "type": "unreadable"}
    assert root[3][0][0].attrib["message"] == "The judge failed twice: no memory"


def test_junit_holds_whatever_a_student_prints() -> None:
    check = Check("test_1", "holds", FAILED, f"\x00\x1b[2J\ud800 ]]> {EVIL}")
    root = ElementTree.fromstring(
        junit_xml([worth(verdict("softmax", FAILED, checks=(check,)), EVIL + "\x07")])
    )
    assert "\x1b" not in str(root[0][0][0].text) and EVIL in str(root[0][0][0].text)
    assert root[0][0].attrib["classname"] == EVIL + "\ufffd"


def test_what_is_not_written_is_skipped_but_told() -> None:
    made = verdict("softmax", Outcome.NOT_RUN, Outcome.NOT_RUN, message="Nothing is written yet.")
    root = ElementTree.fromstring(junit_xml([worth(replace(made, outcome=Outcome.NOT_STARTED))]))
    assert root.attrib["skipped"] == "3" and root.attrib["failures"] == "0"


# Platforms


def test_gradescope() -> None:
    found = json.loads(gradescope_json(own(*RESULTS)))
    known = {"score", "execution_time", "output", "output_format", "test_output_format", "test_name_format"}
    known |= {"visibility", "stdout_visibility", "extra_data", "tests", "leaderboard"}
    of_tests = {"score", "max_score", "status", "name", "name_format", "number", "output", "output_format"}
    of_tests |= {"tags", "visibility", "extra_data"}
    assert set(found) <= known
    assert found["score"] == 4 and found["stdout_visibility"] == "hidden" and found["execution_time"] == 1
    assert all(set(test) <= of_tests for test in found["tests"])
    assert found["tests"][1] == {
        **{"name": "sdpa: holds 2", "number": "1.2", "score": 0, "max_score": 1, "status": "failed"},
        **{"output": "not 2", "visibility": "visible"},
    }
    assert [test["number"] for test in found["tests"]] == ["1.1", "1.2", "1.3", "2.1", "2.2"]
    assert sum(test["score"] for test in found["tests"]) == found["score"]
    assert "You do not scale." in found["output"]


def test_prairielearn() -> None:
    found = json.loads(prairielearn_json(own(*RESULTS)))
    assert found["gradable"] is True and found["score"] == 4 / 5
    assert all(set(test) == {"name", "points", "max_points", "message", "output"} for test in found["tests"])
    assert found["tests"][1]["points"] == 0 and found["tests"][1]["max_points"] == 1


def test_prairielearn_takes_no_attempt_for_what_is_no_answer() -> None:
    found = json.loads(prairielearn_json(own(unreadable())))
    assert found == {"gradable": False, "format_errors": ["softmax: This is a folder."]}
    assert json.loads(prairielearn_json(own()))["gradable"] is False
    assert json.loads(prairielearn_json(own(unreadable("gqa"), *RESULTS)))["gradable"] is True
    untouched = replace(verdict(message="Nothing is written yet."), outcome=Outcome.NOT_STARTED)
    assert json.loads(prairielearn_json(own(worth(untouched))))["gradable"] is False


def test_prairielearn_is_never_over_its_limit() -> None:
    checks = tuple(Check(f"test_{number}", "holds", FAILED, "\0" * 90_000) for number in range(40))
    text = prairielearn_json(own(worth(verdict("softmax", FAILED, checks=checks))))
    assert len(text.encode()) <= MOST_BYTES
    assert len(json.loads(text)["tests"]) == 40


def test_classroom50() -> None:
    environment = {
        **{"CLASSROOM": "cs-principles", "ASSIGNMENT": "hello", "SUBMISSION_TAG": "submit/2026-06-01T14"},
        **{"COMMIT_URL": "https://example.org/commit", "RELEASE_URL": "https://example.org/release"},
    }
    found = json.loads(classroom50_json(own(*RESULTS), environment))
    assert found["schema"] == "classroom50/result/v1"
    for field in ("classroom", "assignment", "submission", "commit", "release", "review", "datetime"):
        assert isinstance(found[field], str) and found[field]
    assert found["review"] == environment["COMMIT_URL"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found["datetime"])
    assert (found["score"], found["max-score"]) == (4, 5)
    assert type(found["score"]) is int
    for test in found["tests"]:
        assert {"test-name", "passed", "score", "max-score"} <= set(test)
        assert type(test["score"]) is int and type(test["passed"]) is bool
    assert found["score"] == sum(test["score"] for test in found["tests"])
    names = [test["test-name"] for test in found["tests"]]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("points", "scores"), [(1, (1, 1)), (2.5, (3, 2)), (20, (20, 13))])
def test_classroom50_has_whole_numbers_that_add_up(points: float, scores: tuple[int, int]) -> None:
    rule = Points({"sdpa": TopicPoints(points)})
    all_right = verdict("sdpa", PASSED, PASSED, PASSED)
    for made, score in ((all_right, scores[0]), (failed(), scores[1])):
        found = json.loads(classroom50_json(own(scored(row(made=made), rule, ())), {}))
        assert (found["score"], found["max-score"]) == (score, scores[0])
        (test,) = found["tests"]
        assert test["passed"] is (made is all_right) and len(test["checks"]) == 3
        assert type(test["score"]) is int


def test_autolabs_last_line() -> None:
    line = autolab_line(own(*RESULTS))
    assert line.count("\n") == 1 and line.endswith("\n")
    assert json.loads(line) == {"scores": {"sdpa": 2, "softmax": 2}}


def test_what_was_not_handed_in_counts_with_none_of_its_points() -> None:
    part = own(*RESULTS, gqa=15)
    found = json.loads(prairielearn_json(part))
    assert found["score"] == 4 / 20 and "gqa: No gqa.py was recognised" in found["message"]
    assert found["tests"][-1]["name"] == "gqa" and found["tests"][-1]["max_points"] == 15
    found = json.loads(classroom50_json(part, {}))
    assert (found["score"], found["max-score"]) == (4, 20)
    found = json.loads(gradescope_json(part))
    assert found["score"] == 4 and sum(test["max_score"] for test in found["tests"]) == 20
    assert found["tests"][-1]["output"] == "No gqa.py was recognised in what was handed in."
    assert json.loads(autolab_line(part)) == {"scores": {"sdpa": 2, "softmax": 2, "gqa": 0}}


def test_who_handed_in_nothing_is_told_what_was_missed() -> None:
    nothing = own(softmax=10)
    assert json.loads(prairielearn_json(nothing)) == {
        "gradable": False,
        "format_errors": ["softmax: No softmax.py was recognised in what was handed in."],
    }
    found = json.loads(gradescope_json(nothing))
    assert found["score"] == 0 and "No softmax.py" in found["output"]


def test_a_fault_of_ours_is_no_zero() -> None:
    assert json.loads(prairielearn_json(own(LOST, *RESULTS)))["gradable"] is False
    (line,) = csv.DictReader(io.StringIO(results_csv([LOST])))
    assert (line["points"], line["of"]) == ("", "1")


def test_it_says_where_a_mistake_is_to_be_seen() -> None:
    diagnosis = Diagnosis("no-scale", "You do not scale.", look=7, reach="before")
    made = worth(replace(failed(), diagnosis=diagnosis))
    assert "You do not scale.\n\nLook at line 7 and what leads to it.\n\n" in summary_text(made)
    assert "<p>Look at line 7 and what leads to it.</p>" in submission_html(made)


def test_why_checks_that_pass_are_worth_nothing() -> None:
    forbidden = worth(verdict("softmax", PASSED, Outcome.FORBIDDEN))
    told = summary_text(forbidden)
    assert told == (
        "1 of 2 checks pass.\n\n"
        "It is worth no points: it used what this topic forbids, or what no answer may use."
    )
    all_or_nothing = scored(row(made=failed()), Points({"sdpa": TopicPoints(7, all_or_nothing=True)}), ())
    assert summary_text(all_or_nothing).endswith(
        "2 of 3 checks pass.\n\nThere are points only if all checks pass."
    )
    assert summary_text(worth(verdict("softmax", FAILED, FAILED))) == "0 of 2 checks pass."
    assert "worth" not in summary_text(worth(failed()))
