"""Statistics in words, the same in the terminal and on the page."""

from grader.practice.command_line import typed
from grader.practice.plan.statistics import RECENT_DAYS, WEEKS, Retention, Statistics
from grader.practice.plan.weak_spots import WeakSpot

PASSES = "Topics passed per week"
PASSES_MEANING = "each counts once a day"
DUE = "Reviews that come due"
DUE_MEANING = "what is overdue counts for today"
HARDEST = "Hardest topics"
HARDEST_MEANING = "wrong answers + known mistakes in them + reviews forgotten"
TIMES = "Against the clock"
TIMES_MEANING = "passes in drills and mock interviews"


def facts(statistics: Statistics) -> dict[str, str]:
    """What can be told without a chart: name and sentence."""
    return {
        "Streak": _streak(statistics),
        "Remembered": _remembered(statistics),
        "On the clock": _clock(statistics),
    }


def passes_text(statistics: Statistics) -> str:
    """The passes in words."""
    passes = [week.passes for week in statistics.weeks]
    return f"{passes[-1]} this week, {sum(passes)} in {WEEKS} weeks"


def due_text(statistics: Statistics) -> str:
    """What comes due in words, topics and questions apart: they take a different time."""
    today, week = statistics.forecast[0], statistics.forecast[:7]
    topics = f"{today.topics} today, {sum(day.topics for day in week)} within 7 days"
    questions = f"{today.questions} today, {sum(day.questions for day in week)} within 7 days"
    return f"topics: {topics}; questions ({typed('quiz')}): {questions}"


def stumbles_text(spot: WeakSpot) -> str:
    """What the number of stumbles is made of."""
    parts = {"wrong": spot.wrong, "named": spot.named, "forgotten": spot.forgotten}
    return ", ".join(f"{count} {name}" for name, count in parts.items() if count)


def _streak(statistics: Statistics) -> str:
    days = statistics.days
    row = f"{statistics.streak} day{'s' * (statistics.streak != 1)} in a row"
    return f"{row} (longest: {statistics.longest_streak}); practised on {days} day{'s' * (days != 1)}"


def _remembered(statistics: Statistics) -> str:
    if not statistics.retention.reviews:
        return "nothing to tell yet: it counts from a topic's second review on"
    overall, recent = statistics.retention, statistics.recent_retention
    lately = f"{_share(recent)} in the last {RECENT_DAYS} days" if recent.reviews else "none lately"
    return f"{_share(overall)} of all reviews after a topic's first; {lately}"


def _share(retention: Retention) -> str:
    percent = 100 * retention.remembered / retention.reviews
    return f"{percent:.0f} % ({retention.remembered} of {retention.reviews})"


def _clock(statistics: Statistics) -> str:
    drills, mocks = statistics.drills, statistics.mocks
    minutes = int(statistics.clock_seconds // 60)
    time = f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
    return f"{drills} drill{'s' * (drills != 1)} and {mocks} mock interview{'s' * (mocks != 1)}: {time}"
