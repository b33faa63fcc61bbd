"""The list of topics as text."""

from collections.abc import Collection

from rich.text import Text

from grader.catalog import Catalog, Topic

DIFFICULTIES = {1: "easy", 2: "medium", 3: "hard"}


def catalog_text(catalog: Catalog, started: Collection[Topic]) -> Text:
    """All topics by chapter, with what each takes and whether it is started, and the one to go on with."""
    ids = max(len(topic.id) for topic in catalog.topics)
    titles = max(len(topic.title) for topic in catalog.topics)
    text = Text()
    for chapter in catalog.chapters:
        text.append(f"{chapter.title}\n", style="bold")
        for topic in chapter.topics:
            is_started = topic in started
            effort = f"{DIFFICULTIES[topic.difficulty]:<6}  {topic.minutes:>3} min"
            text.append(f"  {topic.id:<{ids}}", style="cyan").append(f"  {topic.title:<{titles}}  {effort}  ")
            text.append("started\n" if is_started else "new\n", style="yellow" if is_started else "dim")
        text.append("\n")
    new = next((topic for topic in catalog.topics if topic not in started), None)
    if new is None:
        return text.append("Next: make check")
    return text.append(f"Next: open {new.exercise.relative_to(new.root)}, then: make check topic={new.id}")
