"""A judge in a process of its own: `python -m grader.judge.server`, one JSON request a line in, one verdict a
line out.

For programs that grade again and again and must not load torch themselves. See `grader.judge.remote`.
"""

import json
import os
import sys
import traceback
from pathlib import Path

from grader.catalog import load_catalog
from grader.judge.session import Judge


def main() -> None:
    """Serve until standard input ends. A fault of ours is answered with its traceback as `{"fault": …}`."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever prints here by accident must not get between the replies
    options = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    catalog = load_catalog()
    with Judge(("numpy", "torch"), **options) as judge:
        for line in sys.stdin:
            request = json.loads(line)
            try:
                reply = judge.grade(catalog[request["topic"]], Path(request["file"])).to_json()
            except Exception:
                reply = json.dumps({"fault": traceback.format_exc()})
            print(reply, file=replies, flush=True)
    replies.flush()
    os._exit(0)  # the interpreter's own end, after torch, takes 0.3 s


if __name__ == "__main__":
    main()
