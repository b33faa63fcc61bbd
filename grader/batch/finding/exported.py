"""Gradescope's "Download submissions": folders `submission_1234`, and a file that says whose they are."""

from pathlib import Path
from typing import Any

METADATA = "submission_metadata.yml"


def students_of(folder: Path) -> dict[str, str]:
    """The students by the names of the folders; empty where there is no such file, or not that content.

    A group's work is its first member's: names alone would not tell it from another group's.
    """
    path = folder / METADATA
    if not path.is_file():
        return {}
    import yaml

    try:
        # All as text: Ruby wrote it, with types of its own, and the number 012 is not 10.
        content = yaml.load(path.read_text(encoding="utf-8"), getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return {}
    if not isinstance(content, dict):
        return {}
    named = {str(name): _name(about) for name, about in content.items()}
    return {name: student for name, student in named.items() if student}


def _name(about: Any) -> str:
    """An address is one person's; a name need not be."""
    submitters = about.get(":submitters") if isinstance(about, dict) else None
    first = submitters[0] if isinstance(submitters, list) and submitters else None
    if not isinstance(first, dict):
        return ""
    return str(first.get(":email") or first.get(":sid") or first.get(":name") or "")
