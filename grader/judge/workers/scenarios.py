"""Requests as they are sent: what a check runs in a worker is compiled by the judge, once for all workers."""

import marshal
from functools import lru_cache
from typing import Any


def as_sent(request: dict[str, Any]) -> dict[str, Any]:
    """The request, in which the text of a scenario has become its code."""
    if request["do"] != "run":
        return request
    other = {name: value for name, value in request.items() if name != "text"}
    return {**other, "code": _code(request["text"])}


@lru_cache(maxsize=1000)  # as many as there are texts of scenarios, see `grader.kit.handles`
def _code(text: str) -> bytes:
    return marshal.dumps(compile(text, "<scenario>", "exec", dont_inherit=True))
