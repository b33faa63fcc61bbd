"""How much is done for a submission."""

from dataclasses import dataclass, replace

from grader.judge.pace import paced


@dataclass(frozen=True)
class Limits:
    """Wall-clock seconds for one check (unless it says otherwise) and for all checks of a submission; whether
    to look for the mistake that a wrong one makes, to try a passing one again, and to tell how far a wrong
    one is right; how long to try changes of one whose mistake is not known, but no longer than `patience`
    after grading began; and how long to try a passing one again for more than one case of each check. Those
    three are seconds of an ordinary machine (see `pace`), and so are those for all checks until one times
    out.
    """

    check_seconds: float = 10.0
    file_seconds: float = 25.0
    diagnose: bool = True
    again: bool = True
    trail: bool = True
    repair_seconds: float = 6.0
    patience: float = 10.0
    further_seconds: float = 0.01

    def among_others(self, crowding: float) -> "Limits":
        """Those where others work on the machine, see `pace.crowding`."""
        check, file = self.check_seconds * crowding, self.file_seconds * crowding
        return replace(self, check_seconds=check, file_seconds=file)

    def latest(self, begun: float, has_hung: bool) -> float:
        """When the checks of a submission end that was begun at `begun` (monotonic). A slow machine takes
        longer for a slow answer; nobody waits longer for one of which a check timed out.
        """
        return begun + (self.file_seconds if has_hung else paced(self.file_seconds))
