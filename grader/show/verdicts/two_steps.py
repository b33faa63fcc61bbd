"""A verdict on standard output, as soon as there is something to show of it."""

from collections.abc import Callable

from grader.curriculum.catalog import Catalog
from grader.judge.listener import Listener
from grader.judge.verdict import Verdict
from grader.show.terminal.console import show, width
from grader.show.terminal.meanwhile import Meanwhile
from grader.show.verdicts.next_step import next_step
from grader.show.verdicts.verdict import SEARCHING, brief_text, checks_text, verdict_text


class ShownVerdict(Listener):
    """Prints one verdict: the checks while the mistake is still looked for, and then all of it in their
    place.
    """

    def __init__(
        self,
        catalog: Catalog,
        meanwhile: Meanwhile,
        hints_taken: Callable[[str], int],
        verbose: bool = False,
    ) -> None:
        """`hints_taken` says how many of a topic were; `verbose`: print all of it, however long."""
        self._catalog = catalog
        self._meanwhile = meanwhile
        self._hints_taken = hints_taken
        self._verbose = verbose

    def checked(self, verdict: Verdict) -> None:
        """Show what was found so far."""
        self._meanwhile.show(checks_text(verdict, self._catalog, width(), self._verbose), SEARCHING)

    def complete(self, verdict: Verdict) -> None:
        """Print the verdict."""
        self._meanwhile.erase()
        hints = 0 if verdict.passed else self._hints_taken(verdict.topic)
        step = next_step(verdict, self._catalog[verdict.topic], hints)
        show(verdict_text(verdict, self._catalog, width(), step, verbose=self._verbose))


class ShownOfMany(ShownVerdict):
    """Prints one of many: those that pass get a line."""

    def checked(self, verdict: Verdict) -> None:
        """The next one is waited for as well: nothing is shown before its time."""

    def complete(self, verdict: Verdict) -> None:
        """Print the verdict, and count for the next one."""
        self._meanwhile.erase()
        if verdict.passed:
            show(brief_text(verdict, self._catalog))
        else:
            print()
            super().complete(verdict)
            print()
        self._meanwhile.begin()
