"""Autolab's autoresult, the last line of standard output, after "Writing Autograders" in docs/lab.md of
autolab/Autolab: a problem of the lab is a topic, called by its id.
"""

import json
from collections.abc import Sequence

from grader.batch.formats.numbers import plain
from grader.batch.scores.scoring import Scored


def autolab_line(results: Sequence[Scored]) -> str:
    """One student's results, on one line."""
    return json.dumps({"scores": {each.row.topic: plain(each.points) for each in results}}) + "\n"
