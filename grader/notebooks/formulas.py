"""LaTeX in Markdown as MathML, which browsers draw by themselves: pages need no script from elsewhere."""

import re

from latex2mathml.converter import convert

_PARTS = re.compile(
    r"```.*?```"  # code is no formula
    r"|`[^`\n]*`"
    r"|\$\$(?P<block>.+?)\$\$"
    r"|\$(?P<inline>[^\s$](?:[^$\n]*[^\s$\\])?)\$(?!\d)",
    re.DOTALL,
)


class Formulas:
    """The formulas of a notebook: `taken_out` of its Markdown before that becomes HTML, `put_in` afterwards.

    In between a word stands for each, in which Markdown finds nothing to interpret.
    """

    def __init__(self) -> None:
        self._drawn: list[str] = []

    def taken_out(self, markdown: str) -> str:
        """The Markdown with words for its formulas. ValueError names one that cannot be drawn."""
        return _PARTS.sub(self._word, markdown)

    def put_in(self, page: str) -> str:
        """The page with the formulas for their words."""
        for number, drawn in enumerate(self._drawn):
            page = page.replace(_NAME.format(number), drawn)
        return page

    def _word(self, part: re.Match[str]) -> str:
        if part["block"] is None and part["inline"] is None:
            return part[0]
        display = "inline" if part["block"] is None else "block"
        self._drawn.append(mathml(part["inline"] or part["block"], display))
        return _NAME.format(len(self._drawn) - 1)


_NAME = "FORMULA{:04}HERE"


def mathml(latex: str, display: str = "inline") -> str:
    """A formula as MathML. ValueError when there is something in it that MathML has no element for."""
    try:
        drawn = convert(latex.strip(), display=display)
    except Exception as error:
        raise ValueError(f"the formula ${latex}$, which is no LaTeX: {error}") from error
    if unknown := re.search(r"\\[a-zA-Z]+", drawn):
        raise ValueError(f"the formula ${latex}$: pages cannot draw {unknown[0]}")
    return drawn
