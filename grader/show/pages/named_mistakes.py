"""The mistakes that were named on the way as text."""

import textwrap

from rich.text import Text

from grader.practice.record.named_mistakes import Mistakes


def mistakes_text(mistakes: Mistakes, indent: str, width: int) -> Text:
    """Each with what there is to say of it, wrapped."""
    return Text("\n").join(
        Text(
            textwrap.fill(
                " ".join(mistake.message.split()),
                width,
                initial_indent=f"{indent}- ",
                subsequent_indent=f"{indent}  ",
                break_on_hyphens=False,
            )
        )
        for mistake in mistakes
    )
