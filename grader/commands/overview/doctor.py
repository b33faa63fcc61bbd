"""The command about the machine: which walls it gives, and what byheart runs on."""

import json

from grader.commands.usage import AsJson


def doctor(as_json: AsJson = False) -> None:
    """Show what isolation this machine gives, and what byheart runs on."""
    from grader.judge.doctor import examine

    found = examine()
    if as_json:
        print(json.dumps(found))
        return
    from grader.show.pages.doctor import examination_text
    from grader.show.terminal.console import show

    show(examination_text(found))
