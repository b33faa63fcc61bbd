"""Known wrong versions of `weight_init`: how it writes, and what becomes of the parameter."""

from grader.kit import Mistake

_FUNCTIONS = {
    "xavier": ("xavier_uniform_", "    return weight.uniform_(-limit, limit)"),
    "kaiming": ("kaiming_normal_", "    return weight.normal_(0.0, std)"),
    "bert": ("init_bert_", "        module.weight.normal_(0.0, std)"),
}
"""By a short name: each function, and the line that draws."""
_OF_WEIGHTS = {name: _FUNCTIONS[name] for name in ("xavier", "kaiming")}
_NEW = {
    "xavier": "(2 * torch.rand(weight.shape) - 1) * limit",
    "kaiming": "torch.randn(weight.shape) * std",
}

MISTAKES = [
    *(
        Mistake(
            f"{name}-recorded",
            find=f"@torch.no_grad()\ndef {function}(",
            replace=f"def {function}(",
            says=f"You write to a parameter in {function} while PyTorch records a graph, which it refuses "
            "for a leaf that requires a gradient. Put it under torch.no_grad().",
        )
        for name, (function, _) in _FUNCTIONS.items()
    ),
    *(
        Mistake(
            f"{name}-not-in-place",
            find=line,
            replace=line.replace("weight.", "torch.empty_like(weight).", 1),
            says=f"{function} leaves the weight as it was: you give new values to the name, or return them, "
            "and whoever holds the tensor sees nothing of that. Write into it: uniform_, normal_, copy_.",
        )
        for name, (function, line) in _OF_WEIGHTS.items()
    ),
    *(
        Mistake(
            f"{name}-memory-replaced",
            find=line,
            replace=line.replace("return weight.", "weight.data = torch.empty_like(weight)."),
            says=f"You give the weight new memory in {function} (weight.data = ...). Where it is a part of a "
            "larger one, as the rows of a packed projection are, that keeps its old values. Write into the "
            "memory that is there: uniform_, normal_, copy_.",
        )
        for name, (function, line) in _OF_WEIGHTS.items()
    ),
    *(
        Mistake(
            f"{name}-added-to-zero-times-the-old",
            find=line,
            replace=line.replace("weight.", f"weight.mul_(0.0).add_(torch.empty_like({weight}).", 1) + ")",
            says=f"NaN that the weight held before is still there after {function}: you multiply by 0 and "
            "add, for example, and 0 * NaN is NaN. What it held does not matter: write over it, with "
            "uniform_, normal_ or copy_.",
        )
        for name, (function, line) in _FUNCTIONS.items()
        for weight in ["module.weight" if name == "bert" else "weight"]
    ),
    *(
        Mistake(
            f"{name}-seeded",
            find=line,
            replace=f"    torch.manual_seed(0)\n{line}",
            says=f"Every call of {function} draws the same numbers, because it seeds the generator (the "
            "global one, or one of its own): layers of one size start alike, and behind a seed of the global "
            "one so does all that is random. Draw without seeding.",
        )
        for name, (function, line) in _OF_WEIGHTS.items()
    ),
    *(
        Mistake(
            f"{name}-one-row-for-all",
            find=line,
            replace=line.replace("weight.", "weight.copy_(torch.empty_like(weight[0]).", 1) + ")",
            says=f"You draw one row in {function} and give it to all outputs, which then compute the same "
            "and get the same gradients: they stay copies of one. Draw a number for each element.",
        )
        for name, (function, line) in _OF_WEIGHTS.items()
    ),
    *(
        Mistake(
            f"{name}-zeros",
            find=line,
            replace="    return weight.zero_()",
            says=f"{function} gives zeros. All units are alike then, and get the same gradients: nothing "
            "tells them apart. Draw the weights.",
        )
        for name, (function, line) in _OF_WEIGHTS.items()
    ),
    *(
        Mistake(
            f"{name}-no-gradient-afterwards",
            find=f"@torch.no_grad()\ndef {function}(",
            replace=f"def {function}(",
            also=((line, f"    weight.requires_grad = False\n{line}"),),
            says=f"You switch the gradient off on the parameter in {function} to be allowed to write to it: "
            "it is not trained any more, and a view of it refuses. Under torch.no_grad() it can be written "
            "to.",
        )
        for name, (function, line) in _OF_WEIGHTS.items()
    ),
    *(
        Mistake(
            f"{name}-new-tensor",
            find=line,
            replace=f"    weight.data = {drawn}",
            says=f"You give the weight a new tensor in {function} (weight.data = ...), on the default device "
            "and with the default dtype. And where the weight is a part of a larger one, that keeps its old "
            "values. Write into the weight that is there: uniform_, normal_, copy_.",
        )
        for name, (function, line) in _OF_WEIGHTS.items()
        for drawn in [_NEW[name]]
    ),
    *(
        Mistake(
            f"{name}-grad-mode-left-off",
            find=f"@torch.no_grad()\ndef {function}(",
            replace=f"def {function}(",
            also=((line, f"    torch.set_grad_enabled(False)\n{line}"),),
            says=f"You switch gradients off in {function} (torch.set_grad_enabled(False)), and they stay off "
            "in the whole program. with torch.no_grad(): switches them on again at its end.",
        )
        for name, (function, line) in _OF_WEIGHTS.items()
    ),
    *(
        Mistake(
            f"{name}-on-the-default-device",
            find=line,
            replace=line.replace("weight.", "weight.copy_(torch.empty(weight.shape).", 1) + ")",
            says=f"In {function} you draw on the default device, wherever the weight is. Draw into the "
            "weight itself, or like it: torch.randn_like, device=weight.device.",
        )
        for name, (function, line) in _OF_WEIGHTS.items()
    ),
    *(
        Mistake(
            f"{name}-into-a-flat-copy",
            find=line,
            replace=line.replace("weight.", "weight.reshape(-1)."),
            says=f"You fill weight.reshape(-1) in {function} (or flatten(), contiguous()): a copy where the "
            "weight is not contiguous, so it stays as it was. Write into the weight itself, which may have "
            "any layout: uniform_, normal_, copy_.",
        )
        for name, (function, line) in _FUNCTIONS.items()
    ),
    *(
        Mistake(
            f"{name}-through-a-flat-view",
            find=line,
            replace=line.replace("weight.", "weight.view(-1)."),
            says=f"You fill weight.view(-1) in {function}, which raises where the weight is not contiguous. "
            "Write into the weight itself, which may have any layout: uniform_, normal_, copy_.",
        )
        for name, (function, line) in _FUNCTIONS.items()
    ),
]
