"""Points in time: UTC wherever they are stored, local where they are shown. Durations are never taken from
them but from `time.monotonic`, which no change of the clock touches.
"""

from datetime import UTC, datetime

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
"""Before all that was ever recorded."""

_FORMAT = "%Y-%m-%dT%H:%M:%S.%fZ"


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)


def written(moment: datetime) -> str:
    """The moment as text; the order of such texts is that of the moments."""
    return moment.astimezone(UTC).strftime(_FORMAT)


def read(text: str) -> datetime:
    """The moment that `written` wrote. Raises ValueError."""
    return datetime.fromisoformat(text).astimezone(UTC)
