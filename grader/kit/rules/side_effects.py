"""What a call of the submission does to others, beside what it gives."""

from typing import Any

from grader.kit.recording import fail, record

OVERWRITTEN = (
    "it writes to what an earlier call gave: whoever has that goes on with other numbers than they had. "
    "Usual causes are a result that is kept and filled anew (in the module, or beside the function), or one "
    "that is a view of what is kept. Give a new tensor each time."
)
_LEFT = {
    "modes": "it leaves a mode of torch on (a TorchFunctionMode, say), which changes what torch is asked "
    "after it, for whoever called it: enter it in a with statement",
    "gradients": "it changes whether gradients are computed after it, for whoever called it: use "
    "torch.no_grad() or torch.set_grad_enabled(…) in a with statement, or as a decorator",
    "seed": "it sets torch's seed, for the whole program: whatever is drawn after it, dropout's masks in "
    "each step of a training say, is the same every time",
}
"""By what it has left otherwise than it was."""


def fail_by_side_effects(reply: dict[str, Any]) -> None:
    """Fail where the reply to a call tells of one."""
    if reply["overwritten"]:
        record(["overwritten"], [])
        fail(OVERWRITTEN)
    if reply["left"]:
        record(reply["left"], [])
        fail(_LEFT[reply["left"][0]])
