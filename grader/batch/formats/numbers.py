"""Numbers and texts as formats take them."""

import re

_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def plain(points: float) -> int | float:
    """Whole numbers as such."""
    return int(points) if points == int(points) else points


def points_text(points: float) -> str:
    """Points as people read them: to the hundredth."""
    return str(plain(round(points, 2)))


def encodable(text: str) -> str:
    """What XML 1.0 and UTF-8 can hold of a text."""
    return _NO_XML.sub("\ufffd", text)


def shortened(text: str, most: int) -> str:
    """The beginning of a text that is too long."""
    return text if len(text) <= most else f"{text[: most - 2]} …"
