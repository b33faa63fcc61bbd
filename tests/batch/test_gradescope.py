"""The autograder that is uploaded to Gradescope, run as it is run there."""

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from driving import PROJECT, byheart

from grader import VERSION
from grader.batch.output.gradescope_zip import Autograder

SOLUTION = (PROJECT / "solutions" / "foundations" / "softmax.py").read_text(encoding="utf-8")


def test_the_archive(tmp_path: Path) -> None:
    done = byheart(tmp_path, "gradescope", "softmax", "gqa", "--out", "a.zip")
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        assert set(archive.namelist()) == {"setup.sh", "run_autograder"}
        modes = {each.filename: each.external_attr >> 16 & 0o777 for each in archive.infolist()}
        assert modes["setup.sh"] == modes["run_autograder"] == 0o755
        assert f"byheart=={VERSION}" in archive.read("setup.sh").decode()
        assert "bubblewrap" in archive.read("setup.sh").decode()
        run = archive.read("run_autograder").decode()
        assert "--topic softmax --topic gqa --isolate" in run
        for name in ("setup.sh", "run_autograder"):
            checked = subprocess.run(["bash", "-n"], input=archive.read(name), capture_output=True)
            assert checked.returncode == 0, checked.stderr
    assert byheart(tmp_path, "gradescope", "softmx").returncode == 2


def test_points_and_a_wheel_go_along(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text("[topics.softmax]\npoints = 10\n")
    (tmp_path / "byheart-9-py3-none-any.whl").write_bytes(b"wheel")
    made = Autograder(["softmax"], False, tmp_path / "p.toml", tmp_path / "byheart-9-py3-none-any.whl")
    with zipfile.ZipFile(io.BytesIO(made.archive())) as archive:
        assert archive.read("points.toml").startswith(b"[topics.softmax]")
        assert archive.read("byheart-9-py3-none-any.whl") == b"wheel"
        assert "./byheart-9-py3-none-any.whl" in archive.read("setup.sh").decode()
        run = archive.read("run_autograder").decode()
        assert "--points source/points.toml" in run and "--isolate" not in run


@pytest.fixture
def autograder(tmp_path: Path) -> Path:
    """/autograder as Gradescope lays it out, its image made."""
    (tmp_path / "source").mkdir()
    with zipfile.ZipFile(io.BytesIO(Autograder(["softmax"], isolate=False).archive())) as archive:
        archive.extractall(tmp_path / "source")
    (tmp_path / "submission").mkdir()
    (tmp_path / "venv" / "bin").mkdir(parents=True)
    program = tmp_path / "venv" / "bin" / "byheart"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{PROJECT}" exec {sys.executable} -m grader "$@"\n')
    program.chmod(0o755)
    return tmp_path


def ran(autograder: Path) -> dict:
    done = subprocess.run(
        ["bash", autograder / "source" / "run_autograder"],
        env={**os.environ, "AUTOGRADER": str(autograder)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads((autograder / "results" / "results.json").read_text())


def test_a_submission_beside_other_files(autograder: Path) -> None:
    (autograder / "submission" / "softmax.py").write_text(SOLUTION)
    (autograder / "submission" / "notes.py").write_text("1")
    found = ran(autograder)
    assert found["score"] == len(found["tests"]) > 5
    assert {test["status"] for test in found["tests"]} == {"passed"}


@pytest.mark.parametrize("names", [[], ["answer.txt"], ["a/softmax.py", "b/softmax.py"], [".git/softmax.py"]])
def test_a_submission_without_the_file(autograder: Path, names: list[str]) -> None:
    for name in names:
        path = autograder / "submission" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(SOLUTION)
    found = ran(autograder)
    assert found["score"] == 0
    assert found["output"] == "softmax: No softmax.py was recognised in what was handed in."
    (test,) = found["tests"]
    assert (test["status"], test["score"]) == ("failed", 0) and test["max_score"] > 5
