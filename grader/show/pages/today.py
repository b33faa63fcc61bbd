"""A day's session as text: what it holds, and what came of it."""

from collections.abc import Sequence
from datetime import datetime

from rich.text import Text

from grader.practice.command_line import typed
from grader.practice.plan.agenda import Agenda, Item
from grader.practice.plan.interview import Aim
from grader.practice.plan.standing import State
from grader.practice.plan.steps import Plan
from grader.practice.record.reviews import Review
from grader.practice.schedule import Rating
from grader.show.moments import day_text
from grader.show.pages.topic_list import track_line


def agenda_text(agenda: Agenda, plan: Plan, minutes: int) -> Text:
    """What to do, one thing after the other, and what an interview asks for."""
    text = Text(f"Today, {_count(minutes, 'minute')}", style="bold")
    if plan.followed is not None:
        text.append(f"\n{track_line(plan.followed)}", style="not bold")
    for number, item in enumerate(agenda.items, 1):
        text.append(f"\n  {number}  {item_text(item):<26}", style="cyan")
        text.append(f" {item.minutes:>3.0f} min", style="default")
        text.append(f"  {item.step.reason}" if item.step else "", style="dim")
    if not agenda.items:
        text.append(f"\n  {plan.next.reason}.", style="not bold")
    if agenda.left:
        text.append(f"\n  {_count(agenda.left, 'review')} more would be due.", style="not bold")
    if plan.aim is not None:
        text.append("\n\n").append_text(aim_text(plan.aim))
    return text


def item_text(item: Item) -> str:
    """What there is to do, in a few words."""
    if item.step is None:
        return f"quiz  {_count(item.questions, 'question')}"
    if item.step.topic is None:
        return f"go on with your {item.step.unfinished}"
    name = {State.DUE: "review", State.NEW: "new"}.get(item.step.state or State.NEW, "go on")
    return f"{name:<6}  {item.step.topic.id}"


def aim_text(aim: Aim) -> Text:
    """What has to be done until an interview, and what has to be left out."""
    text = Text(f"Interview on {aim.day:%A}, {aim.day.day} {aim.day:%B %Y}", style="bold")
    text.append(f", in {_count(aim.days, 'day')}\n", style="not bold")
    known, learn = len(aim.known), len(aim.to_learn)
    text.append(f"  {known} of {known + learn} topics to know then are known; ", style="not bold")
    text.append(f"{_count(aim.a_day, 'topic')} a day, reviews among them, bring the rest.", style="not bold")
    if aim.left_out:
        names = ", ".join(topic.id for topic in aim.left_out)
        text.append(
            f"\n  There is no time for {_count(len(aim.left_out), 'topic')}: {names}.", style="not bold"
        )
    return text


def summary_text(reviews: Sequence[Review], minutes: float, waiting: int, now: datetime) -> Text:
    """What came of a session of so many minutes; so many steps wait still."""
    text = Text("Today", style="bold").append(f"  {_count(round(minutes), 'minute')}", style="not bold")
    for review in reviews:
        if "/" not in review.name:
            text.append(
                f"\n  {review.name} is rated {review.rating.name.lower()}, next review: "
                f"{day_text(review.card.due, now)}",
                style="not bold",
            )
    questions = [review for review in reviews if "/" in review.name]
    if questions:
        known = sum(review.rating is not Rating.AGAIN for review in questions)
        text.append(f"\n  {_count(len(questions), 'question')} answered, {known} known", style="not bold")
    if not reviews:
        text.append("\n  Nothing was rated.", style="not bold")
    left = f"{_count(waiting, 'thing')} left to do" if waiting else "That is all for today"
    return text.append(f"\n  {left}. Next: {typed('next')}", style="not bold")


def _count(count: int, name: str) -> str:
    return f"{count} {name}{'s' * (count != 1)}"
