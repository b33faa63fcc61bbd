"""Who waits for a verdict."""

from grader.judge.verdict import Verdict


class Listener:
    """Hears of a verdict before it is complete, and may do without the rest. This one does neither."""

    def checked(self, verdict: Verdict) -> None:
        """All checks have been run. This is the verdict but for the mistake, which is looked for now."""

    def passed_once(self, verdict: Verdict) -> None:
        """All checks have been run and passed. This is the verdict if they do so on other inputs too, which
        is tried now."""

    def is_in_a_hurry(self) -> bool:
        """Whether the mistake is not worth looking for any longer. Asked again and again."""
        return False
