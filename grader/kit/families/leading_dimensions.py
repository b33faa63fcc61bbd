"""Mistakes of those who make one list of vectors out of the leading dimensions of x, and put these back."""

from grader.kit.generators import Rng
from grader.kit.mistakes import Mistake
from grader.kit.rounds import is_second_round

_RIGHT = (
    "There may be any number of leading dimensions: shape the result back to x.shape[:-1] and its own last "
    "size, or flatten nothing, since the product acts on the last dimension alone."
)


def of_many_dimensions(rng: Rng, shape: tuple[int, ...]) -> tuple[int, ...]:
    """This shape; in the second round one of 6 or 7 dimensions instead: of size 1 and 2, and its last one."""
    if not is_second_round():
        return shape
    last = shape[-1:]
    return (*rng.integers(1, 3, int(rng.integers(6, 8, 1)) - len(last)).tolist(), *last)


def put_back_for_two(returned: str, indent: str = " " * 8) -> list[Mistake]:
    """`returned`: what the solution gives for x. Right for up to two leading dimensions."""
    return [
        Mistake(
            id_,
            find=f"return {returned}",
            replace=f"result = {returned}\n{indent}return result if x.dim() < 4 else result.reshape({shape})",
            says=f"{what} {_RIGHT}",
        )
        for id_, shape, what in (
            (
                "two-leading-dimensions-put-back",
                "x.shape[0], x.shape[1], -1",
                "Of three leading dimensions or more you put back the first two, and the rest is in the last "
                "dimension of your result.",
            ),
            (
                "all-but-the-first-flattened",
                "x.shape[0], -1, result.shape[-1]",
                "Of three leading dimensions or more you keep the first alone, and make one of the others.",
            ),
            (
                "two-leading-dimensions-alone-put-back",
                "x.shape[0], x.shape[1], result.shape[-1]",
                "You raise where there are three leading dimensions or more: you put back two of them, for "
                "example, in which there is no room for all vectors.",
            ),
        )
    ]


def shaped_for_batches(returned: str, indent: str = " " * 8) -> list[Mistake]:
    """`returned`: what the solution gives for x. Right for some batches of (batch, tokens, features)."""
    return [
        Mistake(
            id_,
            find=f"return {returned}",
            replace=f"result = {returned}\n{indent}return {shaped}",
            says=f"{what} The result has the leading dimensions of x, whatever these are.",
        )
        for id_, shaped, what in (
            (
                "always-three-dimensions",
                "result.reshape(x.shape[0], -1, result.shape[-1])",
                "Your result always has three dimensions, (batch, tokens, features), also where x has fewer "
                "or more.",
            ),
            (
                "batch-of-one-squeezed",
                "result.squeeze(0) if x.dim() > 1 else result",
                "Where the first dimension of x has size 1, your result lacks it: you add one to a single "
                "vector and squeeze it away at the end, for example, also where x has it itself.",
            ),
        )
    ]


def columns_in_another_order(line: str) -> Mistake:
    """`line`: the one of the solution that goes on with x."""
    indent = line[: len(line) - len(line.lstrip())]
    return Mistake(
        "columns-in-another-order",
        find=line,
        replace=f"{indent}columns = x.transpose(0, -1).reshape(x.shape[-1], *x.shape[:-1])\n"
        f"{indent}x = columns.movedim(0, -1)\n{line}",
        says="With two leading dimensions or more the results stand in each other's places: you make columns "
        "of x by exchanging its first and last dimension, for example, and put their results back in the "
        "order of x.shape[:-1]. x.movedim(-1, 0) keeps that order; or multiply along the last dimension as "
        "it is.",
    )
