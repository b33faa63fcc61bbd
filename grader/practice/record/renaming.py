"""Progress under the former names of topics: it goes on under their names of today."""

import json
import re
import sqlite3
from collections.abc import Mapping
from typing import Any

from grader.curriculum.catalog import Catalog
from grader.curriculum.topic import topic_in
from grader.practice.record.database import Database

_IS_CARD = "(card = :former OR substr(card, 1, length(:former) + 1) = :former || '/')"
"""Of the topic, or of one of its questions."""


def former_names(catalog: Catalog) -> dict[str, str]:
    """All former names of topics, each with the name of today."""
    return {former: topic.id for topic in catalog.topics for former in topic.formerly}


def rename_topics(database: Database, catalog: Catalog) -> dict[str, str]:
    """Bring what is kept under former names to the topics of today, and give these names, former to new."""
    names = former_names(catalog)
    found = database.read(
        lambda connection: {name: names[name] for name in names if _knows(connection, name)}
    )
    if found:
        database.write(lambda connection: _rename(connection, found))
    return found


def renamed_row(row: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """A row of a table under the names of today."""
    renamed = dict(row)
    if "topic" in row:
        renamed["topic"] = _renamed(row["topic"], names)
    if "card" in row:
        topic, *question = row["card"].split("/", 1)
        renamed["card"] = "/".join([names.get(topic, topic), *question])
    if "topics" in row:
        renamed |= {
            column: json.dumps(_renamed(json.loads(row[column]), names)) for column in ("topics", "details")
        }
    return renamed


def _names_it(column: str) -> str:
    """The condition that it names the topic, or one of its parts."""
    return f"({column} = :former OR substr({column}, 1, length(:former) + 1) = :former || '.')"


def _knows(connection: sqlite3.Connection, name: str) -> bool:
    query = f"""
        SELECT EXISTS (SELECT 1 FROM attempts WHERE {_names_it("topic")})
            OR EXISTS (SELECT 1 FROM helps WHERE topic = :former)
            OR EXISTS (SELECT 1 FROM suspensions WHERE topic = :former)
            OR EXISTS (SELECT 1 FROM reviews WHERE {_IS_CARD})
            OR EXISTS (
                SELECT 1 FROM sessions, json_each(sessions.topics) WHERE {_names_it("json_each.value")}
            )
        """
    (knows,) = connection.execute(query, {"former": name}).fetchone()
    return bool(knows)


def _rename(connection: sqlite3.Connection, names: Mapping[str, str]) -> None:
    for former, name in names.items():
        both = {"former": former, "name": name}
        connection.execute(
            "UPDATE attempts SET topic = :name || substr(topic, length(:former) + 1) "
            f"WHERE {_names_it('topic')}",
            both,
        )
        connection.execute("UPDATE helps SET topic = :name WHERE topic = :former", both)
        connection.execute("UPDATE suspensions SET topic = :name WHERE topic = :former", both)
        for table in ("reviews", "undos"):
            connection.execute(
                f"UPDATE {table} SET card = :name || substr(card, length(:former) + 1) WHERE {_IS_CARD}", both
            )
    for row in connection.execute("SELECT id, topics, details FROM sessions").fetchall():
        written = [json.dumps(_renamed(json.loads(row[column]), names)) for column in ("topics", "details")]
        if written != [row["topics"], row["details"]]:
            connection.execute(
                "UPDATE sessions SET topics = ?, details = ? WHERE id = ?", (*written, row["id"])
            )


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """A JSON value in which every former name, also before a part and in keys, is the new one."""
    match value:
        case str():
            topic = topic_in(value)
            return names[topic] + value.removeprefix(topic) if _is_name(value) and topic in names else value
        case list():
            return [_renamed(each, names) for each in value]
        case dict():
            return {_renamed(key, names): _renamed(each, names) for key, each in value.items()}
    return value


def _is_name(text: str) -> bool:
    """Whether it may be that of a topic or a part, and is no sentence."""
    return re.fullmatch(r"\w+(\.\w+)?", text) is not None
