"""Look-alikes: the same but for names, comments, layout and order; rare in this class."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from textwrap import indent

from batch.rows import EVIL, row, verdict
from driving import CATALOG

from grader.batch.alike.finding import find_alike
from grader.batch.alike.fingerprints import every_print, fingerprinted
from grader.batch.alike.pairs import pairs
from grader.batch.report.alike_page import alike_page
from grader.batch.running.work import content_of
from grader.batch.scores.points import Points
from grader.batch.scores.scoring import Scored, scored
from grader.judge.verdict import Outcome

SOLUTION = CATALOG["softmax"].solution.read_text(encoding="utf-8")
ODD = '''
def helper(values, keep):
    """Mine."""
    total = [entry * 3 - 1 for entry in values if entry not in keep]
    while len(total) > 17 and keep:
        total.pop(keep.index(len(total) % 5))  # why not
    return {"sum": sum(total), "rest": total[::-2]}


def second(numbers):
    best, worst = max(numbers), min(numbers, key=abs)
    return (best - worst) / (len(numbers) ** 2 + 0.125) if best > worst else None
'''
COPIED = """
def zweite(z):
    a, b = max(z), min(z, key=abs)   # other names, other order
    return (a - b) / (len(z)**2 + 0.125) if a > b else None

def hilfe(w,
          k):
    t = [e * 3 - 1 for e in w if e not in k]
    while len(t) > 17 and k:
        t.pop(k.index(len(t) % 5))
    return {"sum": sum(t), "rest": t[::-2]}
"""
OTHER = """
def third(table):
    rows = sorted(table.items(), key=lambda item: item[1])
    for name, count in rows[:4]:
        print(f"{name}: {count / sum(table.values()):.2%}")
    return dict(rows)
"""


def of_class(tmp_path: Path, **texts: str) -> list[Scored]:
    found = []
    for student, text in texts.items():
        path = tmp_path / f"{student}.py"
        path.write_text(text, encoding="utf-8")
        one = replace(row(student, content_of(path)[1]), file=str(path))
        found.append(scored(one, Points(), ()))
    return found


def test_names_comments_layout_and_order_do_not_count() -> None:
    own, copied = fingerprinted(ODD), fingerprinted(COPIED)
    (pair,) = pairs({"a": own, "b": copied})
    assert pair.share > 0.7
    assert {4, 5, 6, 7, 11, 12} <= pair.lines[0] | {8}
    assert pairs({"a": own, "b": fingerprinted(OTHER)}) == []


def test_the_same_definitions_in_another_order_are_the_same() -> None:
    head, first, second = "import torch\n", *(f"def {part}" for part in ODD.split("\ndef ")[1:])
    one = fingerprinted("\n\n\n".join([head, first, second]))
    (pair,) = pairs({"a": one, "b": fingerprinted("\n\n".join([head, second, first]))})
    assert pair.share == 1
    of_second = len("\n\n\n".join([head, first]).split("\n")) + 2
    assert {of_second + 1, of_second + 2, of_second + 3} <= pair.lines[0]
    methods = [indent(part, "    ") for part in (first, second)]
    classes = ["class Both:\n" + "\n".join(some) for some in (methods, methods[::-1])]
    (pair,) = pairs(dict(zip("ab", map(fingerprinted, classes), strict=True)))
    assert pair.share == 1


def test_what_is_told_is_the_same_in_every_run() -> None:
    """Python hashes texts differently in each process."""
    source = (
        "from grader.batch.alike.fingerprints import fingerprinted; print(sorted(fingerprinted({!r}).lines))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", source.format(ODD)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2")
    ]
    assert len(runs[0]) > 100
    assert runs[0] == runs[1]


def test_the_reference_and_the_stub_are_nobodys(tmp_path: Path) -> None:
    results = of_class(tmp_path, a=SOLUTION, b=SOLUTION + "\n# b\n", c=SOLUTION + ODD, d=SOLUTION + COPIED)
    (found,) = find_alike(results, CATALOG)
    assert [pair.students for pair in found.pairs] == [("c", "d")]
    assert fingerprinted(SOLUTION, every_print([SOLUTION])).lines == {}


def test_what_many_have_says_nothing() -> None:
    answers = {f"s{number:02}": fingerprinted(ODD) for number in range(12)}
    answers |= {"x": fingerprinted(OTHER), "y": fingerprinted(OTHER)}
    assert [pair.students for pair in pairs(answers)] == [("x", "y")]
    few = {name: answers[name] for name in ("s00", "s01", "s02", "x", "y")}
    found = pairs(few)
    assert {pair.students: pair.only > 0 for pair in found}["x", "y"]
    assert not any(pair.only for pair in found if pair.students != ("x", "y"))


def test_files_that_are_gone_changed_or_no_answer_are_left_out(tmp_path: Path) -> None:
    results = of_class(tmp_path, a=ODD, b=COPIED, c=ODD, d=ODD)
    (tmp_path / "b.py").unlink()
    (tmp_path / "c.py").write_text(OTHER)
    untouched = replace(verdict(), outcome=Outcome.NOT_STARTED)
    results[3] = replace(results[3], row=replace(results[3].row, verdict=untouched))
    assert list(find_alike(results, CATALOG)) == []


def test_the_page_shows_both_and_says_that_it_proves_nothing(tmp_path: Path) -> None:
    results = of_class(tmp_path, a=ODD + f"# {EVIL}\n", b=COPIED)
    text = alike_page(find_alike(results, CATALOG), {"a": EVIL, "b": "student 002"})
    assert "This proves nothing." in text
    assert "<script" not in text and "&lt;script&gt;" in text
    assert "student 002" in text and "<mark>" in text and "with nobody else" in text
    assert "No two answers" in alike_page([], {})
