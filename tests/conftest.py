"""What the tests share, and what they rely on: signals and environment as in a shell of their own.

`--topic gqa` keeps what is asked of one topic, and may be said again. What takes longest is asked of some of
the topics each day, or in one of two ways, and of all of them in both with `--all`. The tests that name a
topic's mistakes run one after the other in one process, so that what they find out about these is found out
once.
"""

import os
import re
import shutil
import signal
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import cache
from pathlib import Path

import pytest
from driving import CATALOG, byheart, copy_project
from hypothesis import settings
from turns import are_walls_changed, is_turn_of, todays

from grader.judge.service.remote import RemoteJudge

OF_MAKE = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")
OPTIONS = ("args", "topic", "chapter", "track", "level", "attempt", "yes", "minutes", "count", "seed", "file")
"""What `make test args=…` hands down, which commands under test would take for theirs."""


OF_A_TOPIC = re.compile('"topic[",]')
"""What stands in a file that asks something of single topics: it has `topic` as a parameter."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--topic", metavar="TOPIC", action="append", default=[], help="only what is asked of this topic"
    )
    parser.addoption("--no-judge", action="store_true", help="nothing that asks a judge, which needs PyTorch")
    parser.addoption("--all", action="store_true", help="everything of every topic, whosever turn it is")


def pytest_configure(config: pytest.Config) -> None:
    for name in (*OF_MAKE, *OPTIONS):
        os.environ.pop(name, None)
    # How long an example takes says how busy the machine is.
    settings.register_profile("without deadlines", deadline=None)
    settings.load_profile("without deadlines")
    # `nohup make test &` hands both down as ignored, to all that tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Of one topic, only what asks something of it is read: the rest would take longer than its tests."""
    is_file = config.getoption("--topic") and collection_path.suffix == ".py"
    return True if is_file and not is_of_a_topic(collection_path) else None


@pytest.hookimpl(tryfirst=True)  # xdist puts tests that carry a mark together, and is asked later
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = config.getoption("--topic")
    takes_turns = not wanted and not config.getoption("--all")
    day = date.today()
    today = todays((topic.id for topic in CATALOG.topics), day) if takes_turns else set()
    has_other_walls = are_walls_changed(day)
    kept, others = [], []
    for item in items:
        topic = topic_of(item)
        if topic is not None and not is_of_a_topic(item.path):
            raise pytest.UsageError(f"{item.path} asks something of a topic, and would be read for none")
        asks = {"judge", "naming_judge"} & set(getattr(item, "fixturenames", ()))
        if topic is not None and "naming_judge" in asks:
            item.add_marker(pytest.mark.xdist_group(topic))
        waits = takes_turns and topic is not None and topic not in today and is_long(item, topic, day)
        waits |= takes_turns and not is_todays_way(item, day, has_other_walls)
        left_out = asks and config.getoption("--no-judge")
        is_other = left_out or waits or (wanted and topic not in wanted)
        (others if is_other else kept).append(item)
    if wanted and not kept:
        raise pytest.UsageError(f"nothing is asked of a topic {' or '.join(wanted)}")
    config.hook.pytest_deselected(items=others)
    items[:] = kept


def is_long(item: pytest.Item, topic: str, day: date) -> bool:
    """Whether what is asked waits for the topic's turn. Of several (`but_one_of`) one does not."""
    marker = item.get_closest_marker("in_turn")
    if marker is None or "but_one_of" not in marker.kwargs:
        return marker is not None
    several = marker.kwargs["but_one_of"][topic]
    return not is_turn_of(several.index(item.callspec.params["path"]), len(several), topic, day)


def is_todays_way(item: pytest.Item, day: date, has_other_walls: bool) -> bool:
    """Whether what is asked in two ways, by this parameter, is asked in this one today. In both where walls
    were changed, unless it is not `about_walls`.
    """
    marker = item.get_closest_marker("one_way_a_day")
    if marker is None or (has_other_walls and marker.kwargs.get("about_walls", True)):
        return True
    others = dict(item.callspec.indices)
    place = others.pop(marker.args[0])
    return is_turn_of(place, 2, f"{item.originalname} {others}", day)


@cache
def is_of_a_topic(path: Path) -> bool:
    """Whether the file asks something of single topics, by what stands in it."""
    return OF_A_TOPIC.search(path.read_text(encoding="utf-8")) is not None


def topic_of(item: pytest.Item) -> str | None:
    """The id of the topic that a test is about, if it is one of those that every topic has."""
    callspec = getattr(item, "callspec", None)
    topic = callspec.params.get("topic") if callspec is not None else None
    return getattr(topic, "id", topic if isinstance(topic, str) else None)


@pytest.fixture(scope="session")
def judge() -> Iterator[RemoteJudge]:
    """A warm judge in a process of its own: torch is loaded once for all tests that grade."""
    with RemoteJudge() as remote:
        yield remote


@pytest.fixture(scope="session")
def naming_judge() -> Iterator[RemoteJudge]:
    """One that names known mistakes, and does no more than that with an answer that is wrong or right."""
    with RemoteJudge(trail=False, again=False, repair_seconds=0.0, naming_seconds=30.0) as remote:
        yield remote


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project whose exercises are blank."""
    root = copy_project(tmp_path_factory.mktemp("original"))
    assert byheart(root, "stubs").returncode == 0
    return root


@pytest.fixture(scope="session")
def is_as_it_was(original: Path) -> Callable[[], bool]:
    """Whether nothing has changed the original's code since."""

    def changes() -> dict[Path, int]:
        files = (path for path in original.rglob("*.*") if path.suffix in (".py", ".toml"))
        return {path: path.stat().st_mtime_ns for path in files}

    before = changes()
    return lambda: changes() == before


@pytest.fixture
def project(original: Path, is_as_it_was: Callable[[], bool], tmp_path: Path) -> Iterator[Path]:
    """A copy of the project whose exercises are blank, to do with as a test likes. Its code is the original's
    own, since thousands of files take a while: a file that a test changes, it puts into the place of the old
    one, after it made the room around it the project's own (`driving.own_room`).
    """
    shutil.copytree(original, tmp_path, ignore=shared_in, copy_function=linked_if_code, dirs_exist_ok=True)
    for room in SHARED:
        (tmp_path / room).symlink_to(original / room)
    yield tmp_path
    assert is_as_it_was(), "this changed the code of all projects"


SHARED = (
    *("solutions", "grader/topics", "grader/authoring", "grader/batch", "grader/commands"),
    *("grader/notebooks", "grader/practice", "grader/show", "grader/web"),
)
"""Rooms that may lie elsewhere. Those in which walls are built go by where their files are."""


def shared_in(folder: str, names: Iterable[str]) -> list[str]:
    """Those that a folder has of these rooms."""
    return [name for name in names if Path(folder, name).as_posix().endswith(SHARED)]


def linked_if_code(source: str, target: str) -> None:
    """The same file in a second place, if it is code, or its copy."""
    is_code = source.endswith((".py", ".pyc")) and Path(source).parts[-3] != "exercises"
    (os.link if is_code else shutil.copy2)(source, target)
