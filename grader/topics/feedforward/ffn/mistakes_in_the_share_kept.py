"""Known wrong versions of `ffn` that keep the share that is to be dropped."""

from grader.kit import Mistake

_RESULT = "        return self.dropout(output)"

MISTAKES = [
    Mistake(
        "dropout-keeps-that-share-in-training",
        find=_RESULT,
        replace="""\
        share = self.dropout.p
        if not self.training or share == 0:
            return output
        return output * output.new_full(output.shape, share).bernoulli() / (1 - share)""",
        says="In training you keep an entry with the probability dropout, and drop it with 1 - dropout. "
        "dropout is the probability of dropping one: with 0.5 alone both are the same.",
    ),
    Mistake(
        "dropout-keeps-that-share-and-divides-by-it",
        find=_RESULT,
        replace="""\
        share = self.dropout.p
        if not self.training or share == 0:
            return output
        return output * output.new_full(output.shape, share).bernoulli() / share""",
        says="In training you take dropout for the probability of keeping an entry, and divide by it. It is "
        "the probability of dropping one, and those kept are divided by 1 - dropout.",
    ),
    Mistake(
        "dropped-in-float64",
        find="        return self.dropout(output)",
        replace="""\
        if not self.training:
            return output
        return self.dropout(output.double())""",
        says="In training your result is float64 for an x in float32. A mask from NumPy, for example, is "
        "float64, and a product has the larger dtype of the two. Bring the mask to the dtype of x.",
    ),
]
