"""One line of `results.jsonl`: whose answer to what came out how."""

import json
from dataclasses import dataclass
from typing import Any

from grader.judge.verdict import Verdict


class BadRow(ValueError):
    """A line is no row."""


@dataclass(frozen=True)
class Row:
    """One submission with its verdict, or with the `fault` of ours for which there is none.

    `sha256`: of the file's content; None where it could not be read. `curriculum`: what it was graded by.
    `finished`: when, as `grader.practice.record.clock` writes moments.
    """

    student: str
    topic: str
    file: str
    sha256: str | None
    curriculum: str
    finished: str
    verdict: Verdict | None
    fault: str | None = None

    @property
    def content(self) -> tuple[str | None, str, str]:
        """What decides about the verdict: the same again need not be graded again."""
        return self.sha256, self.topic, self.curriculum

    @property
    def owner(self) -> tuple[str, str]:
        """What the row is about; a later row about the same takes its place."""
        return self.student, self.topic

    def to_line(self) -> str:
        """One JSON object and the end of the line."""
        values = {
            "student": self.student,
            "topic": self.topic,
            "file": self.file,
            "sha256": self.sha256,
            "curriculum": self.curriculum,
            "finished": self.finished,
            "verdict": None if self.verdict is None else json.loads(self.verdict.to_json()),
        }
        return json.dumps(values if self.fault is None else {**values, "fault": self.fault}) + "\n"

    @classmethod
    def from_line(cls, line: bytes) -> "Row":
        """The row that `to_line` wrote. Raises `BadRow`."""
        try:
            values: dict[str, Any] = json.loads(line)
            verdict = values.pop("verdict")
            kept = None if verdict is None else Verdict.from_json(json.dumps(verdict))
            return cls(**values, verdict=kept)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadRow(f"{type(error).__name__}: {error}") from None
