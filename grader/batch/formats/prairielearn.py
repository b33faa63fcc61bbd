"""PrairieLearn's `results.json`, after "Grading results" in docs/externalGrading.md of PrairieLearn: a score
from 0 to 1, `gradable: false` for what is no answer yet (no attempt is lost then), and at most 1 MB.
"""

import json
from collections.abc import Sequence

from grader.batch.formats.numbers import plain, shortened
from grader.batch.formats.telling import check_text, summary_text
from grader.batch.scores.scoring import Scored

MOST_BYTES = 1_000_000


def prairielearn_json(results: Sequence[Scored]) -> str:
    """One student's results; texts are as long as all of it may be."""
    most = 20_000
    while len(text := _json(results, most)) > MOST_BYTES and most > 20:
        most //= 2
    return text


def _json(results: Sequence[Scored], most: int) -> str:
    message = "\n\n".join(shortened(f"{each.row.topic}: {summary_text(each)}", most) for each in results)
    if not any(each.is_answer for each in results):
        errors = [shortened(f"{each.row.topic}: {summary_text(each)}", most) for each in results]
        return json.dumps({"gradable": False, "format_errors": errors or ["Nothing was handed in."]}) + "\n"
    of = sum(each.of for each in results)
    tests = [
        {
            "name": f"{each.row.topic}: {part.check.title}",
            "points": plain(part.points),
            "max_points": plain(part.of),
            "message": shortened(check_text(part.check.message, ""), most),
            "output": shortened(check_text("", part.check.output), most),
        }
        for each in results
        for part in each.parts
    ]
    score = sum(each.points for each in results) / of if of else 0.0
    found = {"gradable": True, "score": min(1.0, score), "message": message, "tests": tests}
    return json.dumps(found) + "\n"
