"""What workers are forked from is gathered in large pages, where the system has such, and nothing is lost."""

import mmap
import platform
import re
import time
from pathlib import Path

import psutil
import pytest
from driving import TESTS

from grader.judge.service.remote import RemoteJudge
from grader.worker.process import pages
from grader.worker.process.zygote import MANY

RIGHT = TESTS / "golden" / "softmax" / "solved.py"
_KERNEL = tuple(map(int, re.findall(r"\d+", platform.release())[:2]))
can_gather = pytest.mark.skipif(
    not pages.SIZE.exists() or _KERNEL < (6, 1), reason="this system gathers nothing in large pages"
)


def large_bytes(pid: int | str = "self") -> int:
    """Bytes of a process that are in large pages."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("AnonHugePages:"))


@can_gather
def test_memory_is_gathered_and_stays_as_it_is():
    wanted = 8 * int(pages.SIZE.read_text())
    with mmap.mmap(-1, wanted + mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        text = b"a line of some bytes, again and again\n"
        memory[:] = (text * (len(memory) // len(text) + 1))[: len(memory)]
        before, whole = large_bytes(), memory[:]
        begun = time.monotonic()
        assert sum(pages.gather()) >= 1
        is_slow = time.monotonic() - begun > pages.LONGEST  # then some may be left
        assert is_slow or large_bytes() >= before + wanted * 3 // 4  # its ends are in no whole page
        assert memory[:] == whole


@can_gather
def test_it_takes_a_bounded_time(monkeypatch):
    monkeypatch.setattr(pages, "LONGEST", 0.0)
    assert list(pages.gather()) == []


def test_without_large_pages_there_is_nothing_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(pages, "SIZE", tmp_path / "missing")
    assert list(pages.gather()) == []


@can_gather
def test_who_has_made_many_workers_is_gathered():
    with RemoteJudge() as judge:
        for _ in range(MANY - 1):  # and one for the solution
            assert judge.grade("softmax", RIGHT).passed
        zygotes = psutil.Process(judge.pid).children()
        deadline = time.monotonic() + 30
        while not any(large_bytes(zygote.pid) for zygote in zygotes):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert judge.grade("softmax", RIGHT).passed


@can_gather
def test_who_has_made_few_is_not():
    with RemoteJudge() as judge:
        assert judge.grade("softmax", RIGHT).passed
        time.sleep(0.2)
        assert [large_bytes(zygote.pid) for zygote in psutil.Process(judge.pid).children()] == [0, 0]
