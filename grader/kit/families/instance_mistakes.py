"""Mistakes of modules that keep something in the wrong place (what belongs to an instance stands where all
share it), or for too long: by the next call it is out of date; and of backward passes of one's own that give
the right gradients to whoever asks once and alone.
"""

from grader.kit.mistakes import Mistake

WEIGHTS_KEPT = (
    "You keep something that is made from the weights (a sum or a product of them, joined matrices, an "
    "input's projections, for example), at least in evaluation or where gradients are off. An optimizer's "
    "step and a loaded checkpoint change weights in place, and what was kept is out of date. Compute it in "
    "every call."
)
IMPORT_TORCH = (("import torch.nn.functional as F\n", "import torch\nimport torch.nn.functional as F\n"),)
_RIGHT_ONCE = {
    "gradient-written-to-in-backward": (
        "        kept = grad.clone()\n        grad.mul_(2)\n        return kept\n",
        "writes to the gradient that it gets (grad *= …, say), which is used elsewhere too: in x + f(x) it "
        "is the gradient of both. contiguous() makes no copy of what is contiguous. Make a new tensor, as "
        "grad * … does",
    ),
    "kept-for-backward-and-changed": (
        "        ctx.times = getattr(ctx, 'times', 0) + 1\n        return grad * ctx.times\n",
        "changes what the call kept for it (in place, say), so that a second pass through the same graph, "
        "with retain_graph=True, comes to other gradients, or changes the first ones. Leave it as it is, and "
        "make a new tensor",
    ),
}


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


def weights_kept_in_evaluation(*calls: str) -> Mistake:
    """`calls`: those of linear layers, "self.k_proj(context)", of a solution that imports torch. What is kept
    lasts until the mode or the place of the parameters is set anew.
    """
    first, *others = [
        (call, call.replace("(", ", ").replace("self.", "self._kept_of(self.", 1)) for call in calls
    ]
    return Mistake(
        "made-from-weights-and-kept-in-evaluation",
        find=first[0],
        replace=first[1],
        also=(
            *others,
            ("        super().__init__()\n", "        super().__init__()\n        self._kept = {}\n"),
            (
                "    def forward(\n",
                """\
    def train(self, mode=True):
        self._kept = {}
        return super().train(mode)

    def _apply(self, *args, **kwargs):
        self._kept = {}
        return super()._apply(*args, **kwargs)

    def _kept_of(self, layer, x):
        if self.training or torch.is_grad_enabled():
            return layer(x)
        kept = self._kept.setdefault(layer, [one.detach().clone() for one in layer.parameters()])
        return nn.functional.linear(x, *kept)

    def forward(
""",
            ),
        ),
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


def mask_of_the_tensor_kept(mask: str, made: str) -> Mistake:
    """`mask` and `made` as of `mask_kept`."""
    return Mistake(
        "mask-of-the-same-tensor-kept",
        find=made,
        replace=f"(self.__dict__['made'] if self.__dict__.get('of') is {mask} else "
        f"self.__dict__.update(of={mask}, made={made}) or self.__dict__['made'])",
        says="You keep what you make of a mask for as long as the mask is the same tensor. Its values may "
        "have changed in place in the meantime. Make it anew in every call.",
    )


def right_once(result: str, *, name: str = "", imports: str = "from torch import Tensor\n") -> list[Mistake]:
    """`result`: an expression of the solution that is what is returned, with return before it or without;
    `imports`: a line of it, after torch is imported. `name`: whose result it is, where there are several.
    """
    returns, value = ("return ", result[7:]) if result.startswith("return ") else ("", result)
    return [
        Mistake(
            f"{kind}-of-{name}" if name else kind,
            find=result,
            replace=f"{returns}_ByHand.apply({value})",
            also=(
                (
                    imports,
                    f"""{imports}

class _ByHand(torch.autograd.Function):
    @staticmethod
    def forward(ctx, result):
        return result.view_as(result)

    @staticmethod
    def backward(ctx, grad):
{body}
""",
                ),
            ),
            says=f"Your backward pass{f' of {name}' if name else ''} {says}.",
        )
        for kind, (body, says) in _RIGHT_ONCE.items()
    ]
