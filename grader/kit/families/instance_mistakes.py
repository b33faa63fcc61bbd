"""Mistakes of modules that keep something in the wrong place (what belongs to an instance stands where all
share it), or for too long: by the next call it is out of date.
"""

from grader.kit.mistakes import Mistake

WEIGHTS_KEPT = (
    "You keep something that is made from the weights (a sum or a product of them, joined matrices, an "
    "input's projections, for example), at least in evaluation or where gradients are off. An optimizer's "
    "step and a loaded checkpoint change weights in place, and what was kept is out of date. Compute it in "
    "every call."
)
IMPORT_TORCH = (("import torch.nn.functional as F\n", "import torch\nimport torch.nn.functional as F\n"),)


def kept_on_the_class(
    line: str, what: str, *, kept: str | None = None, also: tuple[tuple[str, str], ...] = ()
) -> Mistake:
    """`line`: the one of the constructor that keeps something on self; `what`: words for that. `kept` is for
    its place where it is not the same line with another target, and `also` are more edits.
    """
    return Mistake(
        "kept-on-the-class",
        find=line,
        replace=line.replace("self.", "type(self).", 1) if kept is None else kept,
        also=also,
        says=f"Your instances share {what}: it is stored on the class (or in a global variable), so the one "
        "made last decides for all. A model holds many of them, made with different arguments: store it on "
        "self.",
    )


def weights_kept(call: str, *, also: tuple[tuple[str, str], ...] = ()) -> Mistake:
    """`call`: the one of a linear layer, "self.k_proj(context)". `also` is `IMPORT_TORCH` where the solution
    does not import it.
    """
    layer, x = call.removesuffix(")").split("(")
    own = f"[one.detach().clone() for one in {layer}.parameters()]"
    linear = f"nn.functional.linear({x}, *self.__dict__.setdefault('kept', {own}))"
    return Mistake(
        "made-from-weights-and-kept",
        find=call,
        replace=f"({call} if torch.is_grad_enabled() else {linear})",
        also=also,
        says=WEIGHTS_KEPT,
    )


def mask_kept(mask: str, made: str) -> Mistake:
    """`mask`: the argument; `made`: what the solution takes of it, an expression that stands there once."""
    which = f"({mask}.shape, {mask}.dtype)"
    return Mistake(
        "mask-of-a-shape-kept",
        find=made,
        replace=f"self.__dict__.setdefault('masks', {{}}).setdefault({which}, ({made}).clone())",
        says="You keep a mask, converted or turned into something else, and take it again for every later "
        "one of the same shape, or for the same tensor when its values have changed. Use that of the call.",
    )
