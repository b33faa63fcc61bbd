"""Reading the catalog's TOML files key by key; every complaint names the file and the key."""

import re
from pathlib import Path
from typing import Any

from grader.curriculum import toml


class CatalogError(ValueError):
    """The catalog breaks its own rules; the message names the file and the key."""


def is_id(text: str) -> bool:
    """Whether this may name a topic or a chapter and its files: lower-case words joined by underscores."""
    return re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", text) is not None


class Table:
    """A TOML table whose keys are taken one by one. What is never taken is unknown."""

    def __init__(self, file: Path, values: dict[str, Any], place: str = "") -> None:
        """`place` is the name of the table within the file, such as `questions[2]`."""
        self._file = file
        self._values = dict(values)
        self._place = place

    def text(self, key: str, default: str | None = None) -> str:
        """A string with something in it."""
        value = self._take(key, str, "a string", default)
        if not value.strip():
            raise self.error(key, "must not be empty")
        return str(value)

    def id(self, key: str) -> str:
        """The name of a topic or a chapter."""
        return self._checked_id(key, self.text(key))

    def ids(self, key: str, optional: bool = False) -> tuple[str, ...]:
        """A list of names of topics; an optional one that is missing is empty."""
        return tuple(self._checked_id(key, text) for text in self.texts(key, optional))

    def choice(self, key: str, among: tuple[str, ...], default: str) -> str:
        """One of a few strings."""
        value = self.text(key, default)
        if value not in among:
            raise self.error(key, f"must be one of {', '.join(among)}, not {value!r}")
        return value

    def number(self, key: str, smallest: int, largest: int | None = None) -> int:
        """A whole number from `smallest` to `largest`; None means that there is no largest."""
        value = self._take(key, int, "a whole number")
        if value < smallest or (largest is not None and value > largest):
            bounds = f"at least {smallest}" if largest is None else f"from {smallest} to {largest}"
            raise self.error(key, f"must be {bounds}, not {value}")
        return int(value)

    def texts(self, key: str, optional: bool = False) -> tuple[str, ...]:
        """A list of strings, each with something in it; an optional one that is missing is empty."""
        values = self._take(key, list, "a list of strings", [] if optional else None)
        for value in values:
            if type(value) is not str or not value.strip():
                raise self.error(key, f"must hold strings with something in them, not {value!r}")
        return tuple(values)

    def tables(self, key: str, at_least: int) -> tuple["Table", ...]:
        """A list of tables; one that need not have any may be missing."""
        values = self._take(key, list, f"a list of tables ([[{key}]])", None if at_least else [])
        if len(values) < at_least:
            raise self.error(key, f"needs at least {at_least}, found {len(values)}")
        for value in values:
            if type(value) is not dict:
                raise self.error(key, f"must hold tables ([[{key}]]), not {value!r}")
        return tuple(Table(self._file, value, f"{key}[{i}]") for i, value in enumerate(values, start=1))

    def __contains__(self, key: str) -> bool:
        """Whether the key is there, and not taken yet."""
        return key in self._values

    def finish(self) -> None:
        """Refuse the keys that nobody took."""
        for key in self._values:
            raise self.error(key, "unknown key")

    def error(self, key: str, complaint: str) -> CatalogError:
        """The complaint, with file and key in front."""
        place = f"{self._place}.{key}" if self._place else key
        return CatalogError(f"{self._file}: {place}: {complaint}")

    def _checked_id(self, key: str, text: str) -> str:
        if not is_id(text):
            raise self.error(key, f"{text!r} is not an id: lower-case words joined by underscores")
        return text

    def _take(self, key: str, kind: type, kind_name: str, default: object = None) -> Any:
        value = self._values.pop(key, default)
        if value is None:
            raise self.error(key, "missing")
        if type(value) is not kind:  # not isinstance: `true` is no number
            raise self.error(key, f"must be {kind_name}, not {value!r}")
        return value


def read_table(root: Path, file: Path) -> Table:
    """The table of a TOML file, which messages name relative to `root`."""
    name = file.relative_to(root)
    try:
        return Table(name, toml.loads(file.read_text(encoding="utf-8")))
    except OSError as error:
        raise CatalogError(f"{name}: cannot be read: {error.strerror}") from error
    except ValueError as error:  # neither TOML nor UTF-8
        raise CatalogError(f"{name}: is not valid TOML: {error}") from error
