"""How much is done for a submission."""

from dataclasses import dataclass, replace

from grader.judge.pace import paced


@dataclass(frozen=True)
class Limits:
    """How long is worked for a submission, and what for. Some are seconds of an ordinary machine (`pace`)."""

    check_seconds: float = 10.0
    """Wall-clock seconds for one check, unless it says otherwise."""
    file_seconds: float = 25.0
    """For all checks of a submission: see `latest`."""
    diagnose: bool = True
    """Whether to look for the mistake that a wrong one makes."""
    again: bool = True
    """Whether to try a passing one again."""
    trail: bool = True
    """Whether to tell how far a wrong one is right."""
    repair_seconds: float = 6.0
    """How long to try changes of one whose mistake is not known, on an ordinary machine."""
    patience: float = 10.0
    """How long after grading began that ends at the latest, on an ordinary machine."""
    naming_seconds: float = 15.0
    """How long to make known mistakes and compare, however slow the machine: somebody waits."""
    further_seconds: float = 0.01
    """How long to try a passing one again for more than one case of each check, on an ordinary machine."""

    def among_others(self, crowding: float) -> "Limits":
        """Those where others work on the machine, see `pace.crowding`."""
        check, file = self.check_seconds * crowding, self.file_seconds * crowding
        return replace(self, check_seconds=check, file_seconds=file)

    def latest(self, begun: float, has_hung: bool) -> float:
        """When the checks of a submission end that was begun at `begun` (monotonic). A slow machine takes
        longer for a slow answer; nobody waits longer for one of which a check timed out.
        """
        return begun + (self.file_seconds if has_hung else paced(self.file_seconds))
