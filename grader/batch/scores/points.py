"""How many points there are for what: a small TOML file, or a point a check.

all_or_nothing = false             # for all topics that say nothing else

[topics.softmax]
points = 10                        # shared out among its checks; without it, the sum of their weights
all_or_nothing = true
checks = { test_large_logits_do_not_overflow = 3 }  # a weight; 1 where none is given

[columns]                          # of a gradebook: which topics make them up
"Homework 3" = ["softmax", "gqa"]
"""

import math
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.batch.scores.check_names import check_names
from grader.curriculum.catalog import Catalog


class BadPoints(ValueError):
    """The file is not as it should be; the message says where."""


@dataclass(frozen=True)
class TopicPoints:
    """Of one topic. `points`: None for the sum of the weights."""

    points: float | None = None
    all_or_nothing: bool = False
    weights: dict[str, float] = field(default_factory=dict)

    def weight(self, check: str) -> float:
        """That of a check."""
        return self.weights.get(check, 1.0)

    def most(self, checks: Iterable[str]) -> float:
        """The points that there are for the topic with these checks."""
        return sum(map(self.weight, checks)) if self.points is None else self.points


@dataclass(frozen=True)
class Points:
    """Of all topics; and the columns of gradebooks that several topics make up."""

    topics: dict[str, TopicPoints] = field(default_factory=dict)
    others: TopicPoints = TopicPoints()
    columns: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, topic: str) -> TopicPoints:
        """Those of one topic."""
        return self.topics.get(topic, self.others)

    @property
    def named(self) -> frozenset[str]:
        """Topics that the file says something of."""
        return frozenset(self.topics).union(*self.columns.values())


def read_points(path: Path, catalog: Catalog) -> Points:
    """The points of a file. Raises `BadPoints`."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadPoints(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise BadPoints(f"{path} cannot be read: {error}") from None
    known = {topic.id for topic in catalog.topics}
    general = _flag(values, path, "", False)
    topics = {}
    for topic, table in _table(values, "topics", path).items():
        place = f"topics.{topic}"
        if topic not in known:
            raise BadPoints(f"{path}: {place}: there is no topic {topic}")
        if not isinstance(table, dict):
            raise BadPoints(f"{path}: {place}: must be a table")
        weights = {
            check: _number(weight, path, f"{place}.checks.{check}")
            for check, weight in _table(table, "checks", path).items()
        }
        if unknown := [check for check in weights if check not in check_names(catalog[topic].checks)]:
            known_checks = ", ".join(check_names(catalog[topic].checks))
            raise BadPoints(f"{path}: {place}.checks.{unknown[0]}: there is no such check. {known_checks}")
        points = _number(table.pop("points"), path, f"{place}.points") if "points" in table else None
        topics[topic] = TopicPoints(points, _flag(table, path, place, general), weights)
        _finish(table, path, place)
    columns = {}
    for column, names in _table(values, "columns", path).items():
        if not isinstance(names, list) or not names:
            raise BadPoints(f"{path}: columns.{column}: must be a list of topics")
        if others := [name for name in names if not isinstance(name, str) or name not in known]:
            raise BadPoints(f"{path}: columns.{column}: there is no topic {others[0]}")
        columns[column] = tuple(names)
    _finish(values, path, "")
    return Points(topics, TopicPoints(all_or_nothing=general), columns)


def _table(values: dict[str, Any], key: str, path: Path) -> dict[str, Any]:
    table = values.pop(key, {})
    if not isinstance(table, dict):
        raise BadPoints(f"{path}: {key}: must be a table")
    return table


def _flag(values: dict[str, Any], path: Path, place: str, default: bool) -> bool:
    value = values.pop("all_or_nothing", default)
    if not isinstance(value, bool):
        raise BadPoints(f"{path}: {place or 'the file'}: all_or_nothing must be true or false")
    return value


def _number(value: object, path: Path, place: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise BadPoints(f"{path}: {place}: must be a number, 0 or more, not {value!r}")
    return float(value)


def _finish(values: dict[str, Any], path: Path, place: str) -> None:
    for key in values:
        raise BadPoints(f"{path}: {f'{place}.' if place else ''}{key}: unknown key")
