"""Known wrong versions of `bert_embeddings` whose norm is not nn.LayerNorm's, or not of the sum."""

from grader.kit import Mistake

MISTAKES = [
    *(
        Mistake(
            f"norm-{name}",
            find="        return self.dropout(self.norm(summed))",
            replace=f"""\
        centred, eps = summed - summed.mean(dim=-1, keepdim=True), self.norm.eps
        normalized = centred / ({deviation})
        return self.dropout(self.norm.weight * normalized + self.norm.bias)""",
            says=says,
        )
        for name, deviation, says in (
            (
                "by-the-unbiased-variance",
                "torch.sqrt(summed.var(dim=-1, keepdim=True) + eps)",
                "You normalize by the unbiased variance, divided by n - 1, which torch.var takes by default. "
                "Layer norm takes the biased one, divided by n: correction=0, or nn.LayerNorm.",
            ),
            (
                "with-eps-outside-the-root",
                "summed.var(dim=-1, keepdim=True, correction=0).sqrt() + eps",
                "You add eps to the standard deviation. Layer norm adds it to the variance, inside the root: "
                "sqrt(variance + eps), as nn.LayerNorm does.",
            ),
            (
                "by-the-unbiased-deviation-plus-eps",
                "summed.std(dim=-1, keepdim=True) + eps",
                "You divide by the unbiased standard deviation (torch.std divides by n - 1 by default) plus "
                "eps. Layer norm takes the biased variance and adds eps to it: sqrt(variance + eps), as "
                "nn.LayerNorm does.",
            ),
        )
    ),
    Mistake(
        "norm-of-each-of-the-three",
        find="        return self.dropout(self.norm(summed))",
        replace="""\
        places = self.position_embeddings(positions).expand_as(words)
        types = self.token_type_embeddings(token_type_ids)
        return self.dropout(self.norm(words) + self.norm(places) + self.norm(types))""",
        says="You normalize each of the three vectors by itself and add them up then. They are added first, "
        "and the sum is normalized: how large a vector is says how much it counts in it.",
    ),
    Mistake(
        "norm-before-the-types",
        find="        return self.dropout(self.norm(summed))",
        replace="""\
        types = self.token_type_embeddings(token_type_ids)
        return self.dropout(self.norm(words + self.position_embeddings(positions)) + types)""",
        says="You normalize the sum of words and positions, and add the types then. The sum of all three is "
        "normalized.",
    ),
    Mistake(
        "norm-before-the-positions",
        find="        return self.dropout(self.norm(summed))",
        replace="""\
        places = self.position_embeddings(positions)
        return self.dropout(self.norm(words + self.token_type_embeddings(token_type_ids)) + places)""",
        says="You normalize the sum of words and types, and add the positions then. The sum of all three is "
        "normalized.",
    ),
]
