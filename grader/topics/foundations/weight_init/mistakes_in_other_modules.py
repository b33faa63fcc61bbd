"""Known wrong versions of `weight_init`: what `init_bert_` does with modules that it is to leave."""

from grader.kit import Mistake

_FIRST = "    if isinstance(module, nn.Linear | nn.Embedding):\n"
_DRAWN = "weight.normal_(0.0, std)"
_ONES = "weight.fill_(1.0)"
_LEFT = "Only linear layers, embeddings and layer norms are started: other modules are left as they are."


def also_started(id_: str, kinds: str, *does: str, says: str) -> Mistake:
    """With lines for modules of other kinds before those of the right ones."""
    lines = "".join(f"        {line}\n" for line in does)
    return Mistake(id_, find=_FIRST, replace=f"    if {kinds}:\n{lines}{_FIRST}", says=f"{says} {_LEFT}")


_WEIGHT = "getattr(module, 'weight', None) is not None"
_BIAS = "getattr(module, 'bias', None) is not None"
_ZEROS = f"if {_BIAS}: module.bias.zero_()"
_NORMS = {
    "batch-norm": ("nn.BatchNorm1d | nn.BatchNorm2d", "a batch norm"),
    "batch-norm-2d": ("nn.BatchNorm2d", "a BatchNorm2d"),
    "batch-norm-1d": ("nn.BatchNorm1d", "a BatchNorm1d"),
    "group-norm": ("nn.GroupNorm", "a group norm"),
    "batch-and-group-norm": ("nn.BatchNorm1d | nn.BatchNorm2d | nn.GroupNorm", "batch norms and group norms"),
    "batch-norm-2d-and-group-norm": ("nn.BatchNorm2d | nn.GroupNorm", "BatchNorm2d and group norms"),
    "rms-norm": ("nn.RMSNorm", "an RMSNorm"),
}
_CONVOLUTIONS = {
    "convolutions": ("nn.Conv1d | nn.Conv2d", "convolutions"),
    "conv2d": ("nn.Conv2d", "a Conv2d"),
    "conv1d": ("nn.Conv1d", "a Conv1d"),
}

MISTAKES = [
    *(
        also_started(
            f"{id}-like-layer-norm",
            f"isinstance(module, {kinds})",
            f"module.{_ONES}",
            _ZEROS,
            says=f"You start {words} like a layer norm, with ones and zeros.",
        )
        for id, (kinds, words) in _NORMS.items()
    ),
    also_started(
        "rms-norm-with-a-bias",
        "isinstance(module, nn.RMSNorm)",
        f"module.{_ONES}",
        "if module.bias is not None: module.bias.zero_()",
        says="You treat an RMSNorm like a layer norm, and ask for its bias, which it has not.",
    ),
    *(
        also_started(
            f"{id}-like-linear{end}",
            f"isinstance(module, {kinds})",
            *lines,
            says=f"You draw the weight of {words}{what}.",
        )
        for id, (kinds, words) in _CONVOLUTIONS.items()
        for end, lines, what in [
            ("", [f"module.{_DRAWN}", _ZEROS], ", and make the bias 0, as for a linear layer"),
            ("-but-for-the-bias", [f"module.{_DRAWN}"], " like that of a linear layer"),
        ]
    ),
    also_started(
        "every-module-with-a-weight",
        f"{_WEIGHT} and not isinstance(module, nn.LayerNorm)",
        f"module.{_DRAWN}",
        says="You draw the weight of every module that has one, convolutions and norms among them.",
    ),
    also_started(
        "every-module-with-a-weight-or-bias",
        "not isinstance(module, nn.LayerNorm)",
        f"if {_WEIGHT}: module.{_DRAWN}",
        _ZEROS,
        says="You draw the weight of every module that has one, and make every bias 0, those of convolutions "
        "and norms among them.",
    ),
    *(
        also_started(
            f"every-{id}{end}",
            condition,
            f"if {_WEIGHT} and module.weight.dim() {has}: module.{_DRAWN}",
            *lines,
            says=f"You draw weights of other modules, too ({words}, for example){what}.",
        )
        for id, has, words in [
            ("matrix", "> 1", "all of two and more dimensions, so those of convolutions"),
            ("weight-of-two-dimensions", "== 2", "all of two dimensions, so that of an EmbeddingBag"),
        ]
        for end, condition, lines, what in [
            ("", _WEIGHT, [], ""),
            ("-and-every-bias", "True", [_ZEROS], ", and make every bias 0"),
        ]
    ),
    also_started(
        "every-weight-by-its-dimensions",
        _WEIGHT,
        f"module.{_DRAWN} if module.weight.dim() > 1 else module.{_ONES}",
        _ZEROS,
        says="You start every module: weights of two and more dimensions are drawn, others become ones, and "
        "every bias 0.",
    ),
    also_started(
        "every-bias",
        _BIAS,
        "module.bias.zero_()",
        says="You set the bias of every module to 0.",
    ),
]
