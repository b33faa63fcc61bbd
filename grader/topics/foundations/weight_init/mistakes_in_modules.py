"""Known wrong versions of `weight_init`: what `init_bert_` does with which module."""

from grader.kit import Mistake

_BERT = "        module.weight.normal_(0.0, std)"
_PADDING = """\
    if isinstance(module, nn.Embedding) and module.padding_idx is not None:
        module.weight[module.padding_idx].zero_()
"""
_NORM = """\
    if isinstance(module, nn.LayerNorm) and module.weight is not None:
        module.weight.fill_(1.0)
"""
_BIAS = """\
    if isinstance(module, nn.Linear | nn.LayerNorm) and module.bias is not None:
        module.bias.zero_()
"""

MISTAKES = [
    Mistake(
        "linear-left-out",
        find="    if isinstance(module, nn.Linear | nn.Embedding):",
        replace="    if isinstance(module, nn.Embedding):",
        says="init_bert_ does not draw the weight of a linear layer. Linear and embedding get the same "
        "normal distribution.",
    ),
    Mistake(
        "embedding-left-out",
        find="    if isinstance(module, nn.Linear | nn.Embedding):",
        replace="    if isinstance(module, nn.Linear):",
        says="init_bert_ does not draw the weight of an embedding. Linear and embedding get the same normal "
        "distribution.",
    ),
    Mistake(
        "layer-norm-left-out",
        find=_NORM + _BIAS,
        replace="""\
    if isinstance(module, nn.Linear) and module.bias is not None:
        module.bias.zero_()
""",
        says="init_bert_ leaves a layer norm as it is. Its weight becomes 1 and its bias 0, whatever they "
        "held.",
    ),
    Mistake(
        "layer-norm-drawn",
        find=_NORM,
        replace=_NORM.replace("fill_(1.0)", "normal_(0.0, std)"),
        says="You draw the weight of a layer norm. It is a factor on each feature: 1 at the start, so that "
        "normalized values pass as they are.",
    ),
    Mistake(
        "layer-norm-of-zeros",
        find=_NORM,
        replace=_NORM.replace("fill_(1.0)", "zero_()"),
        says="You set the weight of a layer norm to 0, so nothing comes through. It is a factor: 1 at the "
        "start.",
    ),
    *(
        Mistake(
            f"layer-norm-weight-taken-for-granted{id}",
            find=_NORM,
            replace=_NORM.replace(" and module.weight is not None", "").replace(".fill_(1.0)", written),
            says="You write to a layer norm's weight without asking whether it has one: with "
            "elementwise_affine=False it is None.",
        )
        for id, written in (("", ".fill_(1.0)"), ("-data", ".data.fill_(1.0)"))
    ),
    Mistake(
        "bias-left-out",
        find="    if isinstance(module, nn.Linear | nn.LayerNorm) and",
        replace="    if isinstance(module, nn.LayerNorm) and",
        says="init_bert_ leaves the bias of a linear layer as it is. It becomes 0.",
    ),
    Mistake(
        "layer-norm-bias-left-out",
        find="    if isinstance(module, nn.Linear | nn.LayerNorm) and",
        replace="    if isinstance(module, nn.Linear) and",
        says="init_bert_ leaves the bias of a layer norm as it is. It becomes 0.",
    ),
    Mistake(
        "bias-drawn",
        find=_BIAS,
        replace="""\
    if isinstance(module, nn.Linear) and module.bias is not None:
        module.bias.normal_(0.0, std)
    if isinstance(module, nn.LayerNorm) and module.bias is not None:
        module.bias.zero_()
""",
        says="You draw the bias of a linear layer like its weight. A bias starts at 0: the weights are "
        "different enough.",
    ),
    *(
        Mistake(
            f"bias-taken-for-granted{id}",
            find=_BIAS,
            replace=_BIAS.replace(" and module.bias is not None", "").replace(".zero_()", written),
            says="You write to a bias without asking whether there is one: with bias=False it is None. "
            "(hasattr does not help, the attribute is there.)",
        )
        for id, written in (("", ".zero_()"), ("-data", ".data.zero_()"), ("-fill", ".fill_(0.0)"))
    ),
    Mistake(
        "linear-bias-taken-for-granted",
        find=_BIAS,
        replace="""\
    if isinstance(module, nn.Linear):
        module.bias.zero_()
    if isinstance(module, nn.LayerNorm) and module.bias is not None:
        module.bias.zero_()
""",
        says="You write to a linear layer's bias without asking whether there is one: with bias=False it is "
        "None. (hasattr does not help, the attribute is there.)",
    ),
    *(
        Mistake(
            f"layer-norm-bias-taken-for-granted{id}",
            find=_BIAS,
            replace=f"""\
    if isinstance(module, nn.Linear) and module.bias is not None:
        module.bias.zero_()
    if isinstance(module, nn.LayerNorm) and module.weight is not None:
        module.bias{written}
""",
            says="You write to a layer norm's bias without asking whether there is one: with bias=False it "
            "is None, though there is a weight (elementwise_affine is True). Ask for each of the two.",
        )
        for id, written in (("", ".zero_()"), ("-data", ".data.zero_()"), ("-fill", ".fill_(0.0)"))
    ),
    Mistake(
        "padding-kept",
        find=_PADDING,
        replace="",
        says="You leave random numbers in the embedding's row padding_idx. It stands for no token and gets "
        "no gradient, so it keeps what it has at the start: make it 0, after the draw.",
    ),
    Mistake(
        "padding-zero-forgotten",
        find="    if isinstance(module, nn.Embedding) and module.padding_idx is not None:",
        replace="    if isinstance(module, nn.Embedding) and module.padding_idx:",
        says="You ask whether padding_idx is true. 0 is not, and is the usual row for padding: ask whether "
        "it is None.",
    ),
    Mistake(
        "row-zero-for-padding",
        find=_PADDING,
        replace="    if isinstance(module, nn.Embedding):\n        module.weight[0].zero_()\n",
        says="You make row 0 of every embedding 0. The row is padding_idx, and where that is None there is "
        "none.",
    ),
    Mistake(
        "padding-taken-for-granted",
        find=_PADDING,
        replace=_PADDING.replace(" and module.padding_idx is not None", ""),
        says="You index with padding_idx without asking whether it is None: weight[None] is a view of the "
        "whole weight with one more dimension, so that all of it becomes 0.",
    ),
    Mistake(
        "column-of-the-padding",
        find="        module.weight[module.padding_idx].zero_()",
        replace="        module.weight[:, module.padding_idx].zero_()",
        says="You make the column padding_idx 0. An embedding's weight is (num_embeddings, embedding_dim): "
        "a token is a row.",
    ),
    Mistake(
        "exact-types-only",
        find="    if isinstance(module, nn.Linear | nn.Embedding):",
        replace="    if type(module) in (nn.Linear, nn.Embedding):",
        also=(
            ("    if isinstance(module, nn.Embedding) and", "    if type(module) is nn.Embedding and"),
            ("    if isinstance(module, nn.LayerNorm) and", "    if type(module) is nn.LayerNorm and"),
            (
                "    if isinstance(module, nn.Linear | nn.LayerNorm) and",
                "    if type(module) in (nn.Linear, nn.LayerNorm) and",
            ),
        ),
        says="You compare types, so subclasses are left out, as the output projection of "
        "nn.MultiheadAttention is one of nn.Linear. Ask with isinstance.",
    ),
    Mistake(
        "parameters-replaced",
        find=_BERT,
        replace="        module.weight = nn.Parameter(torch.randn_like(module.weight) * std)",
        says="You put new parameters into the module. Whoever holds the old ones, as an optimizer or a tied "
        "layer does, goes on with those. Write into the ones that are there.",
    ),
    Mistake(
        "embedding-parameter-replaced",
        find=_BERT,
        replace="""\
        drawn = torch.randn_like(module.weight) * std
        if isinstance(module, nn.Embedding):
            module.weight = nn.Parameter(drawn, module.weight.requires_grad)
        else:
            module.weight.copy_(drawn)""",
        says="You put a new parameter into an embedding. Whoever holds the old one, as an optimizer or a "
        "tied output layer does, goes on with that. Write into the one that is there: normal_, copy_.",
    ),
    Mistake(
        "all-parameters-replaced",
        find=_BERT,
        replace="        module.weight = nn.Parameter(torch.randn_like(module.weight) * std)",
        also=(
            ("module.weight.fill_(1.0)", "module.weight = nn.Parameter(torch.ones_like(module.weight))"),
            ("module.bias.zero_()", "module.bias = nn.Parameter(torch.zeros_like(module.bias))"),
        ),
        says="You put new parameters into the module. Whoever holds the old ones, as an optimizer or a tied "
        "layer does, goes on with those. Write into the ones that are there.",
    ),
    Mistake(
        "bert-new-tensor",
        find=_BERT,
        replace="        module.weight.data = torch.randn(module.weight.shape) * std",
        says="You give the parameter a new tensor in init_bert_ (weight.data = ...), on the default device "
        "and with the default dtype. Write into the one that is there: normal_, copy_.",
    ),
    Mistake(
        "embedding-of-deviation-one",
        find=_BERT,
        replace="        module.weight.normal_(0.0, 1.0 if isinstance(module, nn.Embedding) else std)",
        says="You draw an embedding with a standard deviation of 1, as nn.Embedding starts by itself. In "
        "BERT it is std, as for linear layers.",
    ),
    Mistake(
        "bert-seeded",
        find=_BERT,
        replace=f"        torch.manual_seed(0)\n{_BERT}",
        says="Every call of init_bert_ draws the same numbers, because it seeds the generator (the global "
        "one, or one of its own): layers of one size start alike, and behind a seed of the global one so "
        "does all that is random. Draw without seeding.",
    ),
    Mistake(
        "bert-one-row-for-all",
        find=_BERT,
        replace="        module.weight.copy_(torch.empty_like(module.weight[0]).normal_(0.0, std))",
        says="You draw one row in init_bert_ and give it to all outputs (or tokens), which then are the same "
        "and get nothing that tells them apart. Draw a number for each element.",
    ),
    Mistake(
        "bert-on-the-default-device",
        find=_BERT,
        replace="        module.weight.copy_(torch.randn(module.weight.shape) * std)",
        says="You draw on the default device in init_bert_, wherever the module is. Draw into the weight "
        "itself, or like it: torch.randn_like.",
    ),
    Mistake(
        "layer-norm-without-a-bias-left-out",
        find=_NORM,
        replace=_NORM.replace("module.weight is not None", "module.bias is not None"),
        says="A layer norm without a bias (bias=False) is left as it is. It has a weight all the same, which "
        "becomes 1: ask for each of the two.",
    ),
    Mistake(
        "linear-without-a-bias-left-out",
        find=_BERT,
        replace="        if isinstance(module, nn.Embedding) or module.bias is not None:\n    " + _BERT,
        says="A linear layer without a bias (bias=False) is left as it is. It has a weight all the same: ask "
        "for the bias only where you write to it.",
    ),
]
