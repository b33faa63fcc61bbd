"""`results.jsonl`: whole lines, whatever happens; and what of them counts."""

import json
import resource
from dataclasses import replace
from pathlib import Path

import pytest
from batch.rows import failed, row, verdict

from grader.batch.results.log import ResultsInUse, ResultsLog, ResultsUnusable
from grader.batch.results.row import BadRow, Row
from grader.judge.verdict import Outcome


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_a_line_has_these_fields_and_the_verdict_of_check_json() -> None:
    one = row(made=failed())
    values = json.loads(one.to_line())
    fields = ["student", "topic", "file", "sha256", "curriculum", "finished", "verdict"]
    assert list(values) == fields
    assert values["verdict"] == json.loads(failed().to_json())
    assert Row.from_line(one.to_line().encode()) == one
    lost = replace(one, verdict=None, fault="The judge failed twice: no memory")
    assert list(json.loads(lost.to_line())) == [*fields, "fault"]
    assert Row.from_line(lost.to_line().encode()) == lost


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b"{}", b'{"verdict": 3}', b'{"verdict": null, "x": 1}'])
def test_what_is_no_row(line: bytes) -> None:
    with pytest.raises(BadRow):
        Row.from_line(line)


def test_the_last_row_of_a_student_and_topic_counts(tmp_path: Path) -> None:
    first, again, other = row(), row(sha256="2e", made=verdict("softmax", Outcome.FAILED)), row("bob")
    with ResultsLog(tmp_path / "out" / "results.jsonl") as log:
        for each in (other, first, again):
            log.append(each)
        assert list(log.rows()) == [again, other]
    with ResultsLog(tmp_path / "out" / "results.jsonl") as log:
        assert list(log.rows()) == [again, other]
        assert log.attempts == {("alice", "softmax"): 2, ("bob", "softmax"): 1}
        assert log.is_known(replace(again, verdict=None, finished="later"))
        assert not log.is_known(first)
        assert not log.is_known(replace(again, curriculum="0.2.0+ab"))
        assert log.same_content(replace(first, student="carol")) == first
        assert log.same_content(replace(first, curriculum="0.2.0+ab")) is None


def test_what_could_not_be_graded_is_tried_again(tmp_path: Path) -> None:
    lost = replace(row(), verdict=None, fault="The judge failed twice: no memory")
    with ResultsLog(tmp_path / "results.jsonl") as log:
        log.append(lost)
        assert not log.is_known(lost)
        assert log.same_content(lost) is None


def test_what_cannot_be_read_is_known_by_the_reason(tmp_path: Path) -> None:
    folder = row(sha256=None, made=verdict("softmax", Outcome.UNREADABLE, message="This is a folder"))
    with ResultsLog(tmp_path / "results.jsonl") as log:
        log.append(folder)
        assert log.is_known(folder)
        assert not log.is_known(replace(folder, verdict=replace(folder.verdict, message="Gone")))


@pytest.mark.parametrize("cut", [1, 40, 70_000])
def test_a_torn_last_line_is_mended(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "results.jsonl"
    long = row("bob", made=verdict(message="x" * 140_000))
    with ResultsLog(path) as log:
        log.append(row())
        log.append(long)
    path.write_bytes(path.read_bytes()[:-cut])
    with ResultsLog(path) as log:
        assert list(log.rows()) == [row()]
        log.append(long)
        assert list(log.rows()) == [row(), long]
    assert len(lines(path)) == 2


def test_a_line_in_the_middle_that_is_none_is_told(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(row().to_line() + "{}\n" + row("bob").to_line())
    with pytest.raises(ResultsUnusable, match=r"line 2 is not a result .* --fresh begins anew"):
        ResultsLog(path)


def test_two_runs_do_not_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with ResultsLog(path):
        with pytest.raises(ResultsInUse, match="Another run writes"):
            ResultsLog(path)
        with pytest.raises(ResultsInUse):
            ResultsLog(path, begin_anew=True)
    ResultsLog(path).close()


def test_beginning_anew_keeps_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    for student in ("alice", "bob", "carol"):
        with ResultsLog(path, begin_anew=True) as log:
            log.append(row(student))
    assert [json.loads(line)["student"] for line in lines(path)] == ["carol"]
    assert lines(tmp_path / "results-before-1.jsonl") == [row("alice").to_line().strip()]
    assert lines(tmp_path / "results-before-2.jsonl") == [row("bob").to_line().strip()]


def test_parts_are_put_together_by_concatenation(tmp_path: Path) -> None:
    texts = []
    for student in ("alice", "bob"):
        with ResultsLog(tmp_path / f"{student}.jsonl") as log:
            log.append(row(student))
        texts.append((tmp_path / f"{student}.jsonl").read_text())
    (tmp_path / "results.jsonl").write_text("".join(texts))
    with ResultsLog(tmp_path / "results.jsonl") as log:
        assert [each.student for each in log.rows()] == ["alice", "bob"]


def test_a_full_disk_leaves_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    size = len(row().to_line())
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with ResultsLog(path) as log:
        log.append(row())
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, before[1]))  # stands for the end of the disk
        try:
            with pytest.raises(ResultsUnusable, match=r"results\.jsonl cannot be written: File too large\."):
                log.append(row("bob"))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert path.read_text() == row().to_line()
        log.append(row("carol"))
        assert [each.student for each in log.rows()] == ["alice", "carol"]
