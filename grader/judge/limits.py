"""How long a submission may take."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Wall-clock seconds for one check (unless it says otherwise) and for all checks of a submission."""

    check_seconds: float = 10.0
    file_seconds: float = 25.0
