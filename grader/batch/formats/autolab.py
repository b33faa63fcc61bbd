"""Autolab's autoresult, the last line of standard output, after "Writing Autograders" in docs/lab.md of
autolab/Autolab: a problem of the lab is a topic, called by its id.
"""

import json

from grader.batch.formats.numbers import plain
from grader.batch.scores.results import OfStudent


def autolab_line(own: OfStudent) -> str:
    """One student's results, on one line."""
    scores = {each.row.topic: plain(each.points) for each in own.counted}
    return json.dumps({"scores": {**scores, **dict.fromkeys(own.missing, 0)}}) + "\n"
