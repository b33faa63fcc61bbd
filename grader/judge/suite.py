"""A topic's checks, collected by pytest once and run against one submission after another."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType

import pytest

from grader.catalog import Topic
from grader.judge import wording
from grader.judge.client import Worker
from grader.judge.verdict import Check, Outcome
from grader.kit.generators import Rng
from grader.kit.handles import Measured, Submission
from grader.kit.mistakes import Mistake
from grader.kit.outcomes import CheckFailed, Crashed, Forbidden, Misused, NotWritten, Raised, TimedOut
from grader.kit.recording import Record, recording
from grader.pytest_plugin import declare_markers


@dataclass(frozen=True)
class Run:
    """One check run once: its result, and the evidence: what came before it ended, and what ended it."""

    check: Check
    records: tuple[Record, ...] = ()
    raised: Raised | None = None
    unwritten: bool = False


@dataclass
class Group:
    """One check: a test function with its cases."""

    name: str
    title: str
    items: list[pytest.Item] = field(default_factory=list)


class Suite:
    """The checks of a topic, inside a pytest session. Also the pytest plugin that provides the fixtures."""

    def __init__(self, act: Callable[["Suite"], None]) -> None:
        self.groups: list[Group] = []
        self.fault: BaseException | None = None
        self._act = act
        self._worker: Worker | None = None
        self._error: BaseException | None = None
        self._module: ModuleType | None = None

    # What the check file declares

    @property
    def mistakes(self) -> list[Mistake]:
        return list(getattr(self._module, "MISTAKES", ()))

    @property
    def workload(self) -> Callable[[Submission, Rng], Measured] | None:
        """The check file's function that measures a typical call, for the cost of a passing answer."""
        return getattr(self._module, "workload", None)

    @property
    def forbidden(self) -> tuple[str, ...]:
        """The built-ins that the topic forbids."""
        marks = [
            mark for group in self.groups for item in group.items for mark in item.iter_markers("forbid")
        ]
        return tuple(dict.fromkeys(name for mark in marks for name in mark.args))

    # Running

    def run(self, group: Group, worker: Worker, seconds: float, latest: float) -> Run:
        """One check against the submission in the worker: its cases until one does not pass, for `seconds`
        (unless the check says otherwise) and not after `latest` (monotonic)."""
        start = time.monotonic()
        if start >= latest:
            return Run(Check(group.name, group.title, Outcome.NOT_RUN, "not run: no time was left"))
        limit = max(
            (m.args[0] for item in group.items for m in item.iter_markers("seconds")), default=seconds
        )
        worker.deadline = min(start + limit, latest)
        records: list[Record] = []
        error: BaseException | None = None
        for item in group.items:
            error = self._run_item(item, worker, records)
            if error is not None:
                break
        taken = round(time.monotonic() - start, 4)
        outcome, message = _outcome(error, min(limit, latest - start))
        case = _case(item) if error is not None else ""
        text = f"with {case}: {message}" if case and message else message
        check = Check(group.name, group.title, outcome, text, taken)
        raised = error if isinstance(error, Raised) else None
        return Run(check, tuple(records), raised, isinstance(error, NotWritten))

    def _run_item(self, item: pytest.Item, worker: Worker, records: list[Record]) -> BaseException | None:
        self._worker, self._error = worker, None
        try:
            worker.begin(Rng(item.name).seed)
        except (Crashed, TimedOut) as early:
            return early
        with recording() as made:
            item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
        records += made
        return self._error

    # The plugin

    @pytest.fixture
    def submission(self) -> Submission:
        assert self._worker is not None
        return Submission(self._worker)

    @pytest.fixture
    def rng(self, request: pytest.FixtureRequest) -> Rng:
        return Rng(request.node.name)

    def pytest_configure(self, config: pytest.Config) -> None:
        declare_markers(config)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.fault = RuntimeError(f"the check file cannot be collected:\n{report.longrepr}")

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        if call.excinfo is not None and self._error is None:
            self._error = call.excinfo.value

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if self.fault is None:
            self._collect(session.items)
            try:
                self._act(self)
            except BaseException as fault:
                self.fault = fault
        return True

    def _collect(self, items: list[pytest.Item]) -> None:
        groups: dict[str, Group] = {}
        for item in items:
            assert isinstance(item, pytest.Function)
            self._module = item.module
            name = item.originalname
            title = (item.function.__doc__ or name).strip().splitlines()[0]
            groups.setdefault(name, Group(name, title)).items.append(item)
        self.groups = list(groups.values())


_NOT_NEEDED = """
cacheprovider capture debugging doctest faulthandler junitxml legacypath logging monkeypatch pastebin recwarn
setuponly setupplan stepwise terminal threadexception tmpdir unittest unraisableexception warnings
"""
"""Plugins of pytest's that would cost a verdict more time than its checks take."""


def with_suite(topic: Topic, act: Callable[[Suite], None]) -> None:
    """Collect the topic's checks and call `act` on them. What `act` raises is raised here."""
    suite = Suite(act)
    disabled = [word for plugin in _NOT_NEEDED.split() for word in ("-p", f"no:{plugin}")]
    saved = {name: os.environ.pop(name, None) for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")}
    autoload = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        pytest.main(
            [*disabled, "-c", os.devnull, "--rootdir", str(topic.root), "--noconftest", "--assert=plain",
             "--import-mode=importlib", str(topic.checks)],
            plugins=[suite],
        )  # fmt: skip
    finally:
        os.environ.pop("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
        saved["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = autoload
        os.environ.update({name: value for name, value in saved.items() if value is not None})
    if suite.fault is not None:
        raise suite.fault


def _outcome(error: BaseException | None, limit: float) -> tuple[Outcome, str]:
    match error:
        case None:
            return Outcome.PASSED, ""
        case NotWritten():
            where = error.frames[-1][1] if error.frames else "this part"
            return Outcome.NOT_RUN, f"not started: {where} still raises NotImplementedError"
        case Raised():
            return Outcome.ERROR, wording.raised(error)
        case TimedOut():
            return Outcome.TIMEOUT, f"stopped after {limit:g} s: an endless loop?"
        case Crashed():
            return Outcome.CRASHED, wording.clean(str(error))
        case Forbidden():
            return Outcome.FORBIDDEN, wording.forbidden(error)
        case CheckFailed() | Misused():
            return Outcome.FAILED, wording.clean(str(error))
        case KeyboardInterrupt() | SystemExit():
            raise error
        case _:
            # The check could not work with what came: a single value where two are asked for, say.
            return Outcome.FAILED, wording.clean(f"what came cannot be used: {type(error).__name__}: {error}")


def _case(item: pytest.Item) -> str:
    """The parameters of a case, in words."""
    callspec = getattr(item, "callspec", None)
    if callspec is None:
        return ""
    if all(isinstance(value, bool | int | float | str | tuple | None) for value in callspec.params.values()):
        return ", ".join(f"{name}={value!r}" for name, value in callspec.params.items())
    return str(callspec.id)
