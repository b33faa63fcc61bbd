"""One slip of the hand."""

from typing import NamedTuple

from grader.judge.slips.source_text import Edit


class Slip(NamedTuple):
    """A name for it, the words for what is there, a piece of advice, and the change."""

    id: str
    what: str
    advice: str
    edits: list[Edit]


ONE = "That is one step or element too many, or too few."
EQUAL = "Where both are equal it makes no difference: try it with sizes that all differ."
COPIED = "Was a name left as it was in a copied line?"
FORMULA = "Go through the formula there once more."
STEP = "Go through the steps there once more."
