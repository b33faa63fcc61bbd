"""PrairieLearn's `results.json`, after "Grading results" in docs/externalGrading.md of PrairieLearn: a score
from 0 to 1, `gradable: false` for what is no answer yet or could not be graded by a fault of ours (no attempt
is lost then), and at most 1 MB.
"""

import json

from grader.batch.formats.numbers import plain, shortened
from grader.batch.formats.telling import check_text, missing_text, summary_text
from grader.batch.scores.results import OfStudent

MOST_BYTES = 1_000_000


def prairielearn_json(own: OfStudent) -> str:
    """One student's results; texts are as long as all of it may be."""
    most = 20_000
    while len(text := _json(own, most)) > MOST_BYTES and most > 20:
        most //= 2
    return text


def _json(own: OfStudent, most: int) -> str:
    told = [shortened(f"{each.row.topic}: {summary_text(each)}", most) for each in own.rows]
    told += [f"{topic}: {missing_text(topic)}" for topic in own.missing]
    if own.is_lost or not any(each.is_answer for each in own.rows):
        return json.dumps({"gradable": False, "format_errors": told or ["Nothing was handed in."]}) + "\n"
    tests = [
        {
            "name": f"{each.row.topic}: {part.check.title}",
            "points": plain(part.points),
            "max_points": plain(part.of),
            "message": shortened(check_text(part.check.message, ""), most),
            "output": shortened(check_text("", part.check.output), most),
        }
        for each in own.rows
        for part in each.parts
    ]
    tests += [
        {"name": topic, "points": 0, "max_points": plain(of), "message": missing_text(topic), "output": ""}
        for topic, of in own.missing.items()
    ]
    score = own.points / own.of if own.of else 0.0
    found = {"gradable": True, "score": min(1.0, score), "message": "\n\n".join(told), "tests": tests}
    return json.dumps(found) + "\n"
