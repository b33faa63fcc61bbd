"""Check files under plain pytest: `pytest grader/topics/attention/gqa [--submission FILE] [--pdb]`.

The judge calls the functions of the same files itself (`grader.judge.checks`); this is for looking closely.
With `--pdb` the answer runs in this process, so that the debugger can step into it; then nothing is forbidden
or limited. Imports stand in the fixtures: pytest loads this module for the project's own tests too, which can
do without torch.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.curriculum.catalog import Topic, load_catalog

if TYPE_CHECKING:
    from grader.judge.workers.client import Session
    from grader.kit.generators import Rng
    from grader.kit.handles import Submission


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("byheart").addoption(
        "--submission", metavar="FILE", help="the answer to grade (the exercise)"
    )
    parser.getgroup("byheart").addoption(
        "--seed", type=int, metavar="N", help="draw the inputs of the second round with this seed"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "forbid(*names): built-ins that do not exist for the submission")
    config.addinivalue_line("markers", "seconds(n): time limit of a check, instead of the usual one")


@pytest.fixture(scope="module")
def topic(request: pytest.FixtureRequest) -> Topic:
    """The topic whose check file this is."""
    return load_catalog().find(request.path.stem.removeprefix("test_"))


@pytest.fixture(scope="module")
def session(request: pytest.FixtureRequest, topic: Topic) -> Iterator["Session"]:
    """The answer, loaded in a worker or (with `--pdb`) in this process."""
    from grader.judge.contract import required
    from grader.judge.session import hidden_folders
    from grader.judge.source import read_source
    from grader.judge.workers.client import Program, Worker
    from grader.judge.workers.inprocess import InProcess
    from grader.judge.workers.launch import SpawnLauncher
    from grader.judge.workers.starting import Setup, Starter

    path = Path(request.config.getoption("--submission") or topic.exercise).resolve()
    program = Program(read_source(path), str(path), topic.id, required(topic.solution.read_text("utf-8")))
    if request.config.getoption("usepdb"):
        yield InProcess(program)
        return
    marks = [mark for item in request.session.items for mark in item.iter_markers("forbid")]
    forbidden = tuple(name for mark in marks for name in mark.args)
    without_torch = topic.framework == "numpy"
    starter = Starter(SpawnLauncher(hidden_folders(), without_torch))
    with Worker(starter, Setup(forbidden, without_torch), program) as worker:
        yield worker


@pytest.fixture
def submission(session: "Session", rng: "Rng") -> "Submission":
    """The answer under grading: see `grader.kit`."""
    from grader.judge.limits import Limits
    from grader.kit import Submission

    session.deadline = time.monotonic() + Limits().check_seconds
    session.begin(rng.seed)
    return Submission(session)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> "Rng":
    """Random inputs, the same in every run (with one seed)."""
    from grader.judge.checks.reading import case_seed, drawn_anew
    from grader.kit.generators import Rng

    callspec = getattr(request.node, "callspec", None)
    case = case_seed(request.node.originalname, callspec.indices if callspec else {})
    seed = request.config.getoption("--seed")
    return Rng(case if seed is None else drawn_anew(case, seed))
