"""What a worker does while it waits: one request of each common kind, to a function of ours.

Its memory is shared with the zygote until it is written to, and copying it page by page takes longer than the
requests themselves. After this most of that is done, and nothing of it is left to be seen.
"""

import sys
from typing import Any

from grader.worker import wire
from grader.worker.answering.host import Host
from grader.worker.unpacking import decode

_NAME = "dry_run"
_TEXT = "def total(x, dim=-1):\n    return (x * x).sum(dim)\n"


def run_dry() -> None:
    """Load, call, differentiate and measure. Workers without torch are too small to need it."""
    torch = sys.modules.get("torch")
    if torch is None:
        return
    host = Host(lambda number, args: None)
    x, upstream = torch.ones(2, 3, dtype=torch.float64), torch.ones(2, dtype=torch.float64)
    call = {"do": "call", "target": ["name", "total"], "args": [x], "kwargs": {"dim": -1}}
    required = {"total": {"": [["x", True], ["dim", False]]}}
    requests: list[dict[str, Any]] = [
        {"do": "load", "text": _TEXT, "path": f"<{_NAME}>", "name": _NAME, "required": required},
        call,
        {**call, "constants": ["dim"], "upstream": [upstream]},
        {**call, "measure": True},
    ]
    for request in requests:
        reply = decode(host.answer(wire.encode({**request, "seed": 0, "fresh": True})))
        if "raised" in reply:
            raise RuntimeError(f"the dry run fails: {reply['raised']['message']}")
    del sys.modules[_NAME]
    set(sys.modules)  # every name of a module is looked at before the submission is loaded
