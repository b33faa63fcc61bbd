"""Gradescope's `results.json`, after "Autograder Specifications: Output Format" of its documentation
(gradescope-autograders.readthedocs.io/en/latest/specs).
"""

import json
from collections.abc import Sequence

from grader.batch.formats.numbers import plain, shortened
from grader.batch.formats.telling import check_text, summary_text
from grader.batch.scores.scoring import Scored

MOST = 20_000
"""Characters of one text."""


def gradescope_json(results: Sequence[Scored]) -> str:
    """One student's results. What the grader itself prints is hidden: it is for the teacher."""
    output = "\n\n".join(f"{each.row.topic}: {summary_text(each)}" for each in results)
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
        for number, each in enumerate(results, start=1)
        for count, part in enumerate(each.parts, start=1)
    ]
    seconds = sum(each.row.verdict.seconds for each in results if each.row.verdict)
    found = {
        "score": plain(round(sum(each.points for each in results), 4)),
        "execution_time": round(seconds, 2),
        "output": shortened(output, MOST),
        "output_format": "text",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {"finished": [each.row.finished for each in results]},
    }
    return json.dumps(found, indent=1) + "\n"
