"""The judge as a whole: the same verdict however it is started, and nothing of the judge in the worker."""

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from driving import CATALOG, PROJECT, TESTS

from grader.judge.service.remote import JudgeFault, RemoteJudge
from grader.judge.verdict import Check, Cost, Diagnosis, Outcome, Verdict

TOPICS = CATALOG.topics
HARMLESS = TESTS / "harmless"
GOLDEN = TESTS / "golden" / "softmax"
MAX_CALLS = 83
"""Of three tenths of a second each, which the time for a whole file, 25 s, has room for."""
ABOVE = {
    **{"activations": 89, "bpe": 89, "conv2d": 99, "decoder_layer": 105, "embedding": 103, "group_norm": 91},
    **{"gradient_descent": 87, "grpo_loss": 85, "heap_top_k": 124, "linear": 94, "min_p": 96, "mla": 101},
    "weight_init": 10_074,  # most of them small weights, drawn for their distribution
}
"""Topics that call more often than that, and how often: to be brought down, and not to grow."""
MANY_CALLS = {"autograd", "transformer", "speculative_decoding", "paged_kv_cache", "continuous_batching"}
"""Topics that are graded by training, by how often what is drawn, or by many small operations on one object:
hundreds of calls are what their time is for."""


def facts(verdict: Verdict) -> Verdict:
    """The verdict without what differs from run to run."""
    checks = tuple(dataclasses.replace(check, seconds=0.0) for check in verdict.checks)
    seed = None if verdict.seed is None else 0
    return dataclasses.replace(verdict, checks=checks, seconds=0.0, seed=seed)


def cold(topic: str, path: Path) -> Verdict:
    command = [sys.executable, "-m", "grader", "check", topic, "--file", str(path), "--json"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return Verdict.from_json(done.stdout)


@pytest.fixture(params=["solved", "mistake", "exception", "missing_name", "prints"])
def submission(request, tmp_path) -> Path:
    path = tmp_path / "answer.py"
    path.write_text((GOLDEN / f"{request.param}.py").read_text())
    return path


def test_cold_and_warm_verdicts_are_the_same(judge, submission):
    warm = judge.grade("softmax", submission)
    assert facts(cold("softmax", submission)) == facts(warm)
    assert facts(judge.grade("softmax", submission)) == facts(warm)


@pytest.mark.parametrize("options", [{"namespaces": False}, {"fork": False}], ids=["plain", "spawned"])
def test_verdicts_do_not_depend_on_how_workers_start(judge, options, tmp_path):
    with RemoteJudge(**options) as other:
        for name in ("solved", "mistake"):
            path = tmp_path / f"{name}.py"
            path.write_text((GOLDEN / f"{name}.py").read_text())
            assert facts(other.grade("softmax", path)) == facts(judge.grade("softmax", path))
        numpy_topic = next(topic for topic in TOPICS if topic.framework == "numpy")
        assert other.grade(numpy_topic.id, numpy_topic.solution).passed


@pytest.mark.parametrize("options", [{}, {"fork": False}], ids=["forked", "spawned"])
def test_what_libraries_take_for_themselves_does_not_count(options):
    """Rules on memory are tried with little of it: what a library loads or keeps on a first call is more."""
    with RemoteJudge(**options) as judge:
        for topic in ("online_softmax", "lora", "gradient_checkpointing"):
            assert judge.grade(topic, CATALOG[topic].solution).passed


def test_the_worker_has_nothing_of_the_judge(judge, tmp_path):
    path = tmp_path / "answer.py"
    path.write_text(
        (GOLDEN / "solved.py").read_text()
        + "\n\nimport sys\n\nfor name in sorted(sys.modules):\n"
        + "    if name.split('.')[0] in ('grader', 'pytest', '_pytest', 'solutions') or name == 'torch':\n"
        + "        print(name)\n"
    )
    assert judge.grade("softmax", path).output == "torch"


def test_a_fault_of_ours_is_told_and_ends_nothing():
    with RemoteJudge() as judge:
        for _ in range(2):
            with pytest.raises(JudgeFault, match="no_topic_of_ours"):
                judge.grade("no_topic_of_ours", GOLDEN / "solved.py")
        assert judge.grade("softmax", GOLDEN / "solved.py").passed


def test_numpy_begins_without_threads():
    """It begins them when it is imported, and they take a processor for a tenth of a second."""
    script = """
import os, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            print(os.environ.get("OPENBLAS_NUM_THREADS"))

sys.meta_path.insert(0, Finder())
from grader.judge.session import Judge
with Judge(["numpy"]):
    pass
"""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_numpy_workers_have_no_torch(judge, tmp_path):
    topic = next(topic for topic in TOPICS if topic.framework == "numpy")
    path = tmp_path / "answer.py"
    path.write_text(
        topic.solution.read_text()
        + "\n\nimport sys\n\nprint([n for n in sys.modules if n.startswith('torch')])\n"
        + "print([c for c in object.__subclasses__() if c.__module__.startswith('torch')])\n"
    )
    verdict = judge.grade(topic.id, path)
    assert verdict.passed
    assert verdict.output == "[]\n[]"


@pytest.fixture(scope="module")
def once():
    """A judge without a second round: that one looks at its time itself."""
    with RemoteJudge(again=False) as judge:
        yield judge


@pytest.mark.in_turn
@pytest.mark.parametrize("topic", [t for t in TOPICS if t.id not in MANY_CALLS], ids=lambda topic: topic.id)
def test_checks_call_an_answer_seldom_enough(once, topic, tmp_path):
    """One that takes three tenths of a second for a call ends within the time for the whole file."""
    path = tmp_path / "answer.py"
    path.write_text(topic.solution.read_text() + COUNTING)
    verdict = once.grade(topic.id, path)
    assert verdict.passed, [check for check in verdict.checks if check.outcome is not Outcome.PASSED]
    assert int(verdict.output.splitlines()[-1]) <= ABOVE.get(topic.id, MAX_CALLS)


# Counts the calls into the answer: of its functions, and of its classes' methods but for their making. What
# they call themselves is none, nor is one before another one's backward pass, which only comes to quick ones.
COUNTING = """

import functools as _functools
import io as _io
import sys as _sys

_calls = _inside = 0


def _counted(function):
    @_functools.wraps(function)
    def count(*args, **kwargs):
        global _calls, _inside
        if not _inside and not isinstance(_sys.stdout, _io.StringIO):
            _calls += 1
            print(_calls)
        _inside += 1
        try:
            return function(*args, **kwargs)
        finally:
            _inside -= 1

    return count


for _name, _value in list(globals().items()):
    if getattr(_value, "__module__", None) != __name__ or _name.startswith("_"):
        continue
    if isinstance(_value, type):
        for _method, _function in list(vars(_value).items()):
            if callable(_function) and not _method.startswith("_"):
                setattr(_value, _method, _counted(_function))
    elif callable(_value):
        globals()[_name] = _counted(_value)
"""


@pytest.mark.parametrize(
    "body", ["return x * 0.5", "return x.abs() / x.abs().sum(dim, keepdim=True)", "return x - x.mean()"]
)
def test_diagnosis_does_not_guess(judge, tmp_path, body):
    path = tmp_path / "answer.py"
    path.write_text(f"def softmax(x, dim=-1):\n    {body}\n\n\nlog_softmax = softmax\n")
    verdict = judge.grade("softmax", path)
    assert verdict.outcome is Outcome.FAILED
    assert verdict.diagnosis is None


def test_interrupting_leaves_nothing_behind(tmp_path):
    path = tmp_path / "answer.py"
    path.write_text("print('started', flush=True)\nwhile True:\n    pass\n")
    command = [sys.executable, "-m", "grader", "check", "softmax", "--file", str(path)]
    process = subprocess.Popen(
        command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    family = wait_for_worker(process.pid)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert (out, err) == ("", "interrupted\n")
    assert psutil.wait_procs(family, timeout=5)[1] == []


def test_a_judge_that_nobody_listens_to_ends_quietly():
    command = [sys.executable, "-m", "grader.judge.service.server"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=PROJECT, text=True, **pipes) as server:
        server.stdout.close()
        answer = str(PROJECT / "tests/golden/softmax/nan.py")  # a mistake is looked for
        server.stdin.write(json.dumps({"topic": "softmax", "file": answer}) + "\n")
        server.stdin.flush()
        assert (server.wait(timeout=60), server.stderr.read()) == (0, "")


def test_a_killed_judge_leaves_nothing_behind(tmp_path):
    path = tmp_path / "answer.py"
    path.write_text("while True:\n    pass\n")
    command = [sys.executable, "-m", "grader", "check", "softmax", "--file", str(path)]
    process = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    family = wait_for_worker(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert psutil.wait_procs(family, timeout=5)[1] == []


def wait_for_worker(pid: int) -> list[psutil.Process]:
    """The processes below the judge, once a worker is busy: the one that workers are forked from, this worker
    and the next, and the processes around these two.
    """
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with contextlib.suppress(psutil.NoSuchProcess):  # some only help others to start
            family = psutil.Process(pid).children(recursive=True)
            workers = [process for process in family if not process.children()]
            if len(family) == 5 and max(worker.cpu_times().user for worker in workers) > 0.3:
                return family
        time.sleep(0.05)
    raise AssertionError("no worker was started")


def test_verdict_survives_json():
    verdict = Verdict(
        "gqa",
        "answer.py",
        Outcome.FAILED,
        (
            Check("test_a", "is right", Outcome.FAILED, "with n=1: off", 0.25),
            Check("test_b", "stays", Outcome.PASSED),
        ),
        Diagnosis("tiled", "You tile."),
        "a message",
        Cost(1, 2, 3, 4),
        "printed\n",
        seconds=1.5,
    )
    assert Verdict.from_json(verdict.to_json()) == verdict
    plain = Verdict("gqa", "answer.py", Outcome.PASSED)
    assert Verdict.from_json(plain.to_json()) == plain and plain.passed
