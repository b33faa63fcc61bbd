"""Gradescope's `results.json`, after "Autograder Specifications: Output Format" of its documentation
(gradescope-autograders.readthedocs.io/en/latest/specs).
"""

import json

from grader.batch.formats.numbers import plain, shortened
from grader.batch.formats.telling import check_text, missing_text, summary_text
from grader.batch.scores.results import OfStudent

MOST = 20_000
"""Characters of one text."""


def gradescope_json(own: OfStudent) -> str:
    """One student's results. What the grader itself prints is hidden: it is for the teacher."""
    told = [f"{each.row.topic}: {summary_text(each)}" for each in own.rows]
    told += [f"{topic}: {missing_text(topic)}" for topic in own.missing]
    tests = [
        {
            "name": f"{each.row.topic}: {part.check.title}",
            "number": f"{number}.{count}",
            "score": plain(part.points),
            "max_score": plain(part.of),
            "status": "passed" if part.check.outcome == "passed" else "failed",
            "output": shortened(check_text(part.check.message, part.check.output), MOST),
            "visibility": "visible",
        }
        for number, each in enumerate(own.rows, start=1)
        for count, part in enumerate(each.parts, start=1)
    ]
    tests += [
        {
            "name": topic,
            "number": str(number),
            "score": 0,
            "max_score": plain(of),
            "status": "failed",
            "output": missing_text(topic),
            "visibility": "visible",
        }
        for number, (topic, of) in enumerate(own.missing.items(), start=len(own.rows) + 1)
    ]
    seconds = sum(each.row.verdict.seconds for each in own.rows if each.row.verdict)
    found = {
        "score": plain(own.points),
        "execution_time": round(seconds, 2),
        "output": shortened("\n\n".join(told), MOST),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {"finished": [each.row.finished for each in own.rows]},
    }
    return json.dumps(found, indent=1) + "\n"
