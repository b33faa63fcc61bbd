"""What a worker of the cluster does: grades contents with a warm judge that stays with it."""

import base64
import json
import threading
from collections.abc import Sequence

from grader.batch.results.curriculum import curriculum_of
from grader.curriculum.catalog import Catalog, UnknownTopic, load_catalog
from grader.judge.service import warm
from grader.judge.service.remote import JudgeFault

_one_at_a_time = threading.Lock()
"""A worker may have several threads, and has one judge."""
_catalogs: list[Catalog] = []
"""The one of this process, or none yet."""

Content = tuple[str, str, str]
"""Topic, curriculum and base64 of the file's content: plain texts travel whatever version is where."""


def grade_contents(contents: Sequence[Content]) -> list[str]:
    """For each content a verdict as JSON, or `{"fault": …}`."""
    with _one_at_a_time:
        return [_graded(*content) for content in contents]


def _graded(topic_id: str, curriculum: str, data: str) -> str:
    if not _catalogs:
        _catalogs.append(load_catalog())
    try:
        topic = _catalogs[0][topic_id]
        if curriculum_of(topic) != curriculum:
            return json.dumps(
                {"fault": f"this worker has another version of {topic_id}: {curriculum_of(topic)}"}
            )
        return warm.grade_data(topic, base64.b64decode(data)).to_json()
    except (JudgeFault, OSError, UnknownTopic) as fault:
        return json.dumps({"fault": str(fault)})
