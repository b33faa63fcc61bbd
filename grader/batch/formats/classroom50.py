"""Classroom 50's `result.json`, after "The result.json contract" in wiki/Advanced-Autograding.md of
foundation50/classroom50: schema `classroom50/result/v1`, whole numbers, and what its runner says in the
environment of the submission's place (`owner`, `assignment_type` and the two moments it stamps itself).
"""

import json
import math
from collections.abc import Mapping

from grader.batch.formats.telling import missing_text
from grader.batch.scores.results import OfStudent
from grader.batch.scores.scoring import Scored

PLACES = {
    "classroom": "CLASSROOM",
    "assignment": "ASSIGNMENT",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
    "review": "REVIEW_URL",
}
"""Fields, and the variables that hold them."""


def classroom50_json(own: OfStudent, environment: Mapping[str, str]) -> str:
    """One student's results. `review` is the commit where there is none, as the document's examples do."""
    places = {field: environment.get(name, "") for field, name in PLACES.items()}
    places["review"] = places["review"] or places["commit"]
    tests = [test for each in own.rows for test in _tests(each)]
    tests += [_missing(topic, most) for topic, most in own.missing.items()]
    finished = max((each.row.finished for each in own.rows), default="1970-01-01T00:00:00")
    moment = f"{finished[:19]}Z"
    found = {
        "schema": "classroom50/result/v1",
        **places,
        "datetime": moment,
        "graded_at": moment,
        "score": sum(int(str(test["score"])) for test in tests),
        "max-score": sum(int(str(test["max-score"])) for test in tests),
        "tests": tests,
    }
    return json.dumps(found, indent=2) + "\n"


def _missing(topic: str, most: float) -> dict[str, object]:
    """The test of a topic that was not handed in."""
    about = {"passed": False, "score": 0, "max-score": math.ceil(most)}
    return {"test-name": topic, **about, "title": missing_text(topic)}


def _tests(each: Scored) -> list[dict[str, object]]:
    """A test for each check; where these are not worth whole points, one for all: rounded each on its own,
    ten checks of 0.3 points would be worth nothing.
    """
    topic, verdict = each.row.topic, each.row.verdict
    if all(part.of == int(part.of) for part in each.parts):
        return [
            {
                "test-name": f"{topic}: {part.check.name}",
                "passed": part.check.outcome == "passed",
                "score": int(part.points),
                "max-score": int(part.of),
                "title": part.check.title,
            }
            for part in each.parts
        ]
    most = math.ceil(each.of)
    return [
        {
            "test-name": topic,
            "passed": verdict is not None and verdict.passed,
            "score": round(most * each.share),
            "max-score": most,
            "checks": {part.check.name: part.check.outcome == "passed" for part in each.parts},
        }
    ]
