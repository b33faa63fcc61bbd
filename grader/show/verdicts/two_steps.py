"""A verdict on standard output, as soon as there is something to show of it."""

from grader.curriculum.catalog import Catalog
from grader.judge.listener import Listener
from grader.judge.verdict import Verdict
from grader.show.terminal.console import erase_line, show, show_meanwhile, width
from grader.show.verdicts.verdict import SEARCHING, checks_text, conclusion_text


class ShownVerdict(Listener):
    """Prints one verdict: the checks while the mistake is still looked for, the rest when it is complete."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._has_checks = False

    def checked(self, verdict: Verdict) -> None:
        """Print the first part."""
        self._show_checks(verdict)
        show_meanwhile(SEARCHING)

    def complete(self, verdict: Verdict) -> None:
        """Print what is not printed yet."""
        if self._has_checks:
            erase_line()
        else:
            self._show_checks(verdict)
        show(conclusion_text(verdict, self._catalog, width()))

    def _show_checks(self, verdict: Verdict) -> None:
        show(checks_text(verdict, self._catalog, width()))
        print(flush=True)
        self._has_checks = True
