"""Times and durations as people say them."""

from datetime import datetime


def day_text(moment: datetime, now: datetime) -> str:
    """A day from now on, in local time: today, tomorrow, in 3 days, or (further off) its date, with the year
    if that is another one.
    """
    day, today = moment.astimezone().date(), now.astimezone().date()
    days = (day - today).days
    if days <= 0:
        return "today"
    if days == 1:
        return "tomorrow"
    if days < 15:
        return f"in {days} days"
    return (f"{day:%d %b}" if day.year == today.year else f"{day:%d %b %Y}").lstrip("0")


def time_text(moment: datetime) -> str:
    """A moment in local time, to the minute."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def minutes_text(seconds: float) -> str:
    """A duration as on a stopwatch: minutes and seconds."""
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02d}"
