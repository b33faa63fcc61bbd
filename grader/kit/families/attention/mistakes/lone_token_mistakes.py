"""Mistakes that several attention topics share: a shorter way for sequences of a single token."""

from grader.kit.mistakes import Mistake

_WHY = (
    "A lone token attends to itself with weight 1, which spares the softmax and not the projections. It may "
    "go the way of all others."
)


def given_back(line: str, right: str) -> Mistake:
    """`line`: begins the first one that projects x; `right`: the right result of a single token, in words."""
    return Mistake(
        "single-token-given-back",
        find=f"        {line}",
        replace=f"        if x.shape[1] == 1:\n            return x.clone()\n        {line}",
        says=f"A sequence of a single token comes back as it is. It should be {right}. {_WHY}",
    )


def partly_projected(line: str, merged: str = "context") -> tuple[Mistake, ...]:
    """Where an output projection follows. `line`: begins the first one that projects x; `merged`: the name of
    what o_proj gets.
    """
    projected = f"return self.o_proj({merged})"
    return (
        given_back(line, "o_proj of the token's value"),
        Mistake(
            "single-token-without-output-projection",
            find=projected,
            replace=f"return {merged} if x.shape[1] == 1 else self.o_proj({merged})",
            says="From a sequence of a single token you return its value, without the output projection: it "
            f"should be o_proj of the value. {_WHY}",
        ),
        Mistake(
            "single-token-without-value-projection",
            find=projected,
            replace=f"return self.o_proj(x if x.shape[1] == 1 else {merged})",
            says="From a sequence of a single token you return o_proj(x): the token itself is taken for its "
            f"value, which is a projection of it. {_WHY}",
        ),
    )
