"""JUnit XML: what CI systems show. No one specification exists; these are the attributes that Jenkins's JUnit
plugin (jenkins-junit.xsd), GitLab, Azure and pytest's own reports have in common.

A submission is a suite, a check a case: `classname` is the student, `name` the check with its topic.
"""

from collections.abc import Iterable
from xml.etree import ElementTree

from grader.batch.formats.numbers import encodable
from grader.batch.scores.scoring import Scored
from grader.judge.verdict import Check, Outcome

_FAILURES = frozenset((Outcome.FAILED, Outcome.FORBIDDEN))
_SKIPPED = frozenset((Outcome.NOT_RUN, Outcome.NOT_STARTED))


def junit_xml(results: Iterable[Scored]) -> str:
    """The whole file."""
    suites = [_suite(each) for each in results]
    root = ElementTree.Element("testsuites", {"name": "byheart", **_sums(suites)})
    root.extend(suites)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _suite(each: Scored) -> ElementTree.Element:
    row, verdict = each.row, each.row.verdict
    cases = [_case(row.student, row.topic, part.check) for part in each.parts if verdict and verdict.checks]
    if not any(len(case) and case[0].tag != "skipped" for case in cases) and not (verdict and verdict.passed):
        whole = "The judge failed." if verdict is None else str(verdict.message or verdict.outcome)
        outcome = Outcome.ERROR if verdict is None else verdict.outcome
        cases.insert(0, _case(row.student, row.topic, Check("submission", "", outcome, row.fault or whole)))
    tags = [case[0].tag for case in cases if len(case)]
    suite = ElementTree.Element(
        "testsuite",
        name=encodable(f"{row.student} {row.topic}"),
        tests=str(len(cases)),
        failures=str(tags.count("failure")),
        errors=str(tags.count("error")),
        skipped=str(tags.count("skipped")),
        time=f"{verdict.seconds if verdict else 0:.3f}",
        timestamp=row.finished[:19],
    )
    suite.extend(cases)
    return suite


def _case(student: str, topic: str, check: Check) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase",
        classname=encodable(student),
        name=f"{topic}.{check.name}",
        time=f"{check.seconds:.3f}",
    )
    if check.outcome is not Outcome.PASSED:
        tag = "failure" if check.outcome in _FAILURES else "skipped" if check.outcome in _SKIPPED else "error"
        first = encodable(check.message).partition("\n")[0]
        child = ElementTree.SubElement(case, tag, message=first)
        if tag != "skipped":
            child.set("type", str(check.outcome))
            child.text = encodable("\n".join(filter(None, (check.title, check.message))))
    return case


def _sums(suites: list[ElementTree.Element]) -> dict[str, str]:
    names = ("tests", "failures", "errors", "skipped")
    sums = {name: str(sum(int(suite.attrib[name]) for suite in suites)) for name in names}
    return {**sums, "time": f"{sum(float(suite.attrib['time']) for suite in suites):.3f}"}
