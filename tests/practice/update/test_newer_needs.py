"""`update`: what the newer version needs."""

import json
import os
import subprocess
import sys

from practice.update.authors import (
    DONE,
    GQA,
    SOFTMAX,
    edit,
    publish,
)


def test_make_installs_what_the_new_version_needs(author, clone):
    edit(author / "constraints.txt", "typer", "# new\ntyper")
    publish(author)
    python = clone / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(
        f'#!/bin/sh\ncase "$*" in *pip*) echo "$*" >> pip.log; exit 0;; esac\nexec {sys.executable} "$@"\n'
    )
    python.chmod(0o755)
    (clone / ".venv/installed").touch()
    unmade = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        ["make", "update"], cwd=clone, env=unmade, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (DONE, "byheart is up to date. Next: make list\n")
    assert done.stderr.startswith("Setting up .venv (once; everything that happens goes to .venv.log) ...\n")
    assert "install -e .[dev] -c constraints.txt" in (clone / "pip.log").read_text()


def test_the_journal_keeps_its_form(tmp_path):
    """Another version may have to read it."""
    from grader.practice.update.journal import Journal, read_journal, write_journal

    journal = Journal("1" * 40, "2" * 40, {SOFTMAX: "3" * 64}, {GQA: "blanks"})
    write_journal(tmp_path, journal)
    assert json.loads((tmp_path / ".practice/update.json").read_text()) == {
        "old": "1" * 40,
        "new": "2" * 40,
        "answers": {SOFTMAX: "3" * 64},
        "blank": {GQA: "blanks"},
        "stage": "at work",
    }
    assert read_journal(tmp_path) == journal
