"""A judge in a process of its own: `python -m grader.judge.service.server`.

One JSON request a line in, one verdict a line out. A request to rehearse a topic's mistakes is answered with
what came of each, in a line.

For programs that grade again and again and must not load torch themselves. See `grader.judge.service.remote`.

A verdict may be preceded by `{"checked": …}`, itself as text without its mistake, which is then looked for.
That search ends as soon as an empty line comes in.
"""

import contextlib
import json
import os
import select
import sys
import traceback
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from grader.curriculum.catalog import load_catalog
from grader.judge.listener import Listener
from grader.judge.session import Judge
from grader.judge.verdict import Verdict


class Client(Listener):
    """The program at the other end of standard input and output."""

    def __init__(self, replies: TextIO) -> None:
        self._lines = open(0, "rb", buffering=0, closefd=False)  # noqa: SIM115  # for as long as this lives
        self._requests: deque[bytes] = deque()  # that came before they were asked for
        self._replies = replies
        self._is_in_a_hurry = False

    def requests(self) -> Iterator[dict[str, Any]]:
        """Each when it is asked for; an empty line between them is about one that is answered."""
        while line := self._requests.popleft() if self._requests else self._lines.readline():
            if line.strip():
                request = json.loads(line)
                self._is_in_a_hurry = not request.get("explained", True)
                yield request

    def reply(self, line: str) -> None:
        """Send one line."""
        print(line, file=self._replies, flush=True)

    def checked(self, verdict: Verdict) -> None:
        """Send the verdict as far as it is."""
        self.reply(json.dumps({"checked": verdict.to_json()}))

    def passed_once(self, verdict: Verdict) -> None:
        """Send what passed so far."""
        self.reply(json.dumps({"passed_once": verdict.to_json()}))

    def is_in_a_hurry(self) -> bool:
        """Whether an empty line came in since the request."""
        while not self._is_in_a_hurry and select.select([self._lines], [], [], 0)[0]:
            line = self._lines.readline()
            if not line:
                break
            if line.strip():
                self._requests.append(line)
            else:
                self._is_in_a_hurry = True
        return self._is_in_a_hurry


def main() -> None:
    """Serve until standard input ends, or nobody reads any more. A fault of ours is answered with its
    traceback as `{"fault": …}`.
    """
    client = Client(os.fdopen(os.dup(1), "w"))
    os.dup2(2, 1)  # whatever prints here by accident must not get between the replies
    options = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    catalog = load_catalog()
    with Judge(("numpy", "torch"), **options) as judge, contextlib.suppress(BrokenPipeError):  # nobody reads
        for request in client.requests():
            graded = None
            try:
                topic = catalog[request["topic"]]
                if "file" in request:
                    reply = judge.grade(topic, Path(request["file"]), client, request["seed"]).to_json()
                    graded = topic
                else:
                    reply = json.dumps({"rehearsed": [asdict(each) for each in judge.rehearse(topic)]})
            except Exception:
                reply = json.dumps({"fault": traceback.format_exc()})
            client.reply(reply)
            if graded is not None:
                judge.make_ready(graded)
    os._exit(0)  # the interpreter's own end, after torch, takes 0.3 s


if __name__ == "__main__":
    main()
