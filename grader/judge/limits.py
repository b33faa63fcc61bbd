"""How much is done for a submission."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Wall-clock seconds for one check (unless it says otherwise) and for all checks of a submission; whether
    to look for the mistake that a wrong one makes, whether to try a passing one again (and for how long more
    than one case of each check), and whether to tell how far a wrong one is right.
    """

    check_seconds: float = 10.0
    file_seconds: float = 25.0
    diagnose: bool = True
    again: bool = True
    trail: bool = True
    further_seconds: float = 0.01
