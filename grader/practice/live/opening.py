"""An exercise opened in the learner's editor in the middle of something else."""

from pathlib import Path

from grader.practice.live.editor import NoEditor, chosen_editor
from grader.practice.live.events import Events


def opened(path: Path, events: Events) -> str | None:
    """Open the file; an editor in the terminal has it until it ends. Gives a sentence where that failed."""
    try:
        editor = chosen_editor()
        if not editor.needs_terminal:
            editor.open(path)
            return None
        with events.handed_over():
            editor.open(path)
    except NoEditor as problem:
        return str(problem)
    return None
