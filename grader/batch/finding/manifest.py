"""A list of submissions, written by hand or by a program: CSV with the columns student, topic, file."""

import csv
from collections.abc import Iterator
from pathlib import Path

from grader.batch.finding.folders import Wanted
from grader.batch.finding.submission import Submission, Unrecognised, handed_in

COLUMNS = ("student", "topic", "file")


class BadManifest(ValueError):
    """It cannot be read as one; the message says where and why."""


def in_manifest(path: Path, wanted: Wanted) -> Iterator[Submission | Unrecognised]:
    """What it lists; files are named from its own folder on. Raises `BadManifest`."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as text:
            delimiter = max(",;\t", key=text.readline().count)
            text.seek(0)
            reader = csv.DictReader(text, strict=True, delimiter=delimiter)
            rows, heads = list(reader), reader.fieldnames or ()
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadManifest(f"{path} cannot be read: {error}") from None
    if lacking := [column for column in COLUMNS if column not in heads]:
        raise BadManifest(f"{path} has no column {lacking[0]}: student, topic and file are all needed")
    for number, row in enumerate(rows, start=2):
        student, topic, name = ((row.get(column) or "").strip() for column in COLUMNS)
        if not (student and topic and name) or "\0" in name:
            raise BadManifest(f"{path}, row {number}: student, topic and file are all needed")
        file = path.parent / name
        if topic not in wanted.topics:
            yield Unrecognised(file, f"there is no topic {topic}")
        else:
            home = path.parent if file.absolute().is_relative_to(path.parent.absolute()) else file.parent
            yield handed_in(student, wanted.topics[topic], file, home)
