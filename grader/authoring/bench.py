"""How long grading takes, beside what it cannot be faster than. Timings are noisy: all are medians of one
run.

Targets: a cold `check` at most 0.85 times `python -c "import torch"`, a warm verdict at most 1/15 of it,
`list` at most 0.15 s more than `python -c pass`, no growth over fifty warm verdicts, and at most 5 s of tests
for each further topic.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from xml.etree import ElementTree

import psutil

from grader.authoring.batch_bench import files_per_minute
from grader.curriculum.catalog import Topic, load_catalog
from grader.curriculum.pack import PROJECT
from grader.judge.service.remote import RemoteJudge

COLD_PAIRS, LIST_PAIRS, WARM_RUNS, GROWTH_RUNS, REQUESTS = 9, 9, 5, 50, 500
BATCH = ("softmax", "layer_norm", "swiglu", "rope", "sdpa", "gqa", "cross_entropy", "top_p")
"""Topics of the batch, ten files each."""
TESTED = ("softmax", "sdpa", "top_p", "rope")
"""Topics of middling size, whose tests are timed."""


@dataclass(frozen=True)
class Growth:
    """What fifty verdicts added to the judge's processes."""

    mebibytes: float
    descriptors: int
    processes: int


@dataclass(frozen=True)
class Naming:
    """Seconds from the checks to the name of a mistake, one for each topic: the first time on a machine, and
    with remembered evidence; the slowest, and the bytes that are remembered then.
    """

    first: float
    remembered: float
    remembered_slowest: float
    cache_bytes: int


@dataclass(frozen=True)
class Bench:
    """Seconds, and ratios to `python -c "import torch"`. `warm` is by topic, the slowest first."""

    import_torch: float
    cold: float
    cold_ratio: float
    list_extra: float
    warm: dict[str, float]
    warm_ratio: float
    warm_total: float
    request: float
    growth: Growth
    naming: Naming
    files_per_minute: dict[str, float]  # of a batch, by who grades
    tests: float  # seconds that a further topic's tests take on two cores, the mean of TESTED but the first


def run(as_json: bool) -> None:
    """Measure, and print a table or one JSON object."""
    bench = _measure(load_catalog().topics)
    print(json.dumps(asdict(bench)) if as_json else _table(bench))


def _measure(topics: tuple[Topic, ...]) -> Bench:
    softmax = next(topic for topic in topics if topic.id == "softmax")
    check = ["-m", "grader", "check", softmax.id, "--file", str(softmax.solution), "--json"]
    _command(check)  # caches of bytecode and of the file system
    cold = [(_command(["-c", "import torch"]), _command(check)) for _ in range(COLD_PAIRS)]
    listed = [(_command(["-c", "pass"]), _command(["-m", "grader", "list"])) for _ in range(LIST_PAIRS)]
    import_torch = statistics.median(base for base, _ in cold)
    with RemoteJudge() as judge:
        warm = {topic.id: _warm(judge, topic) for topic in topics}
        growth = _growth(judge, softmax)
    naming = _naming(topics)
    slowest_first = dict(sorted(warm.items(), key=lambda entry: -entry[1]))
    return Bench(
        import_torch=import_torch,
        cold=statistics.median(own for _, own in cold),
        cold_ratio=statistics.median(own / base for base, own in cold),
        list_extra=statistics.median(own - base for base, own in listed),
        warm=slowest_first,
        warm_ratio=warm[softmax.id] / import_torch,
        warm_total=sum(warm.values()),
        request=_request(softmax),
        growth=growth,
        naming=naming,
        files_per_minute=files_per_minute(load_catalog(), [topic for topic in topics if topic.id in BATCH]),
        tests=(_tests(*TESTED) - _tests(TESTED[0])) / (len(TESTED) - 1),
    )


def _command(arguments: list[str]) -> float:
    return _seconds(
        lambda: subprocess.run(
            [sys.executable, *arguments], cwd=PROJECT, check=True, stdout=subprocess.DEVNULL, timeout=60
        )
    )


def _seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _warm(judge: RemoteJudge, topic: Topic) -> float:
    judge.grade(topic.id, topic.solution)
    return statistics.median(
        _seconds(lambda: judge.grade(topic.id, topic.solution)) for _ in range(WARM_RUNS)
    )


def _growth(judge: RemoteJudge, topic: Topic) -> Growth:
    before = _size(judge)
    for _ in range(GROWTH_RUNS):
        judge.grade(topic.id, topic.solution)
    after = _size(judge)
    memory, descriptors, processes = (new - old for old, new in zip(before, after, strict=True))
    return Growth(round(memory, 2), int(descriptors), int(processes))


def _naming(topics: tuple[Topic, ...]) -> Naming:
    """Each topic's first mistake, named without anything remembered and then again."""
    from grader.judge.checks.reading import read_checks

    kept = os.environ.get("XDG_CACHE_HOME")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        answers = []
        for topic in topics:
            path = Path(folder, f"{topic.id}.py")
            mistake = read_checks(topic).mistakes[0]
            path.write_text(mistake.applied(topic.solution.read_text(encoding="utf-8")), encoding="utf-8")
            answers.append((topic.id, path))
        with RemoteJudge(trail=False) as judge:
            first = [_until_named(judge, *answer) for answer in answers]
            again = [_until_named(judge, *answer) for answer in answers]
        size = sum(path.stat().st_size for path in Path(folder).rglob("*.evidence"))
    if kept is None:
        del os.environ["XDG_CACHE_HOME"]
    else:
        os.environ["XDG_CACHE_HOME"] = kept
    return Naming(statistics.median(first), statistics.median(again), max(again), size)


def _until_named(judge: RemoteJudge, topic: str, path: Path) -> float:
    shown: list[float] = []
    judge.grade(topic, path, lambda verdict: shown.append(time.perf_counter()))
    return time.perf_counter() - shown[0]


def _tests(*topics: str) -> float:
    """Seconds for everything that is asked of topics, their notebooks included, by two processes."""
    with tempfile.NamedTemporaryFile(suffix=".xml") as report:
        chosen = [argument for topic in topics for argument in ("--topic", topic)]
        arguments = [*chosen, "tests", f"--junitxml={report.name}"]
        command = [sys.executable, "-m", "pytest", "-q", *arguments]
        subprocess.run(command, cwd=PROJECT, check=True, stdout=subprocess.DEVNULL, timeout=600)
        cases = ElementTree.parse(report.name).iter("testcase")
        return sum(float(case.attrib["time"]) for case in cases) / 2


def _size(judge: RemoteJudge) -> tuple[float, int, int]:
    server = psutil.Process(judge.pid)
    family = [server, *server.children(recursive=True)]
    memory = sum(process.memory_info().rss for process in family) / 2**20
    return memory, sum(process.num_fds() for process in family), len(family)


def _request(topic: Topic) -> float:
    """Seconds for one call of the answer over the pipe."""
    from grader.judge.session import hidden_folders
    from grader.judge.workers.launch import ForkLauncher

    import torch  # isort: skip

    launcher = ForkLauncher(hidden_folders())
    from grader.judge.workers.client import Program, Worker
    from grader.judge.workers.starting import Setup, Starter
    from grader.kit import Submission

    program = Program(topic.solution.read_text(encoding="utf-8"), str(topic.solution), topic.id)
    starter = Starter(launcher)
    with Worker(starter, Setup(), program) as worker:
        submission, x = Submission(worker), torch.ones(3, 5)
        submission.softmax(x)
        seconds = statistics.median(_seconds(lambda: submission.softmax(x)) for _ in range(REQUESTS))
    starter.close()
    return seconds


def _table(bench: Bench) -> str:
    rows = [
        ("import torch", f"{bench.import_torch:.2f} s", ""),
        (
            "cold check softmax",
            f"{bench.cold:.2f} s",
            f"{bench.cold_ratio:.2f} of import torch, at most 0.85",
        ),
        ("list", f"{bench.list_extra:.3f} s", "more than python -c pass, at most 0.15"),
        (
            "warm softmax",
            f"{bench.warm['softmax']:.3f} s",
            f"1/{1 / bench.warm_ratio:.1f} of import torch, 1/15",
        ),
        ("one request", f"{bench.request * 1e6:.0f} µs", ""),
        (f"{GROWTH_RUNS} verdicts", f"{bench.growth.mebibytes:+.1f} MiB", ""),
        ("", f"{bench.growth.descriptors:+d}", "descriptors"),
        ("", f"{bench.growth.processes:+d}", "processes"),
        ("a mistake's name", f"{bench.naming.first:.3f} s", "after the checks, the first time"),
        (
            "",
            f"{bench.naming.remembered:.3f} s",
            f"remembered; the slowest {bench.naming.remembered_slowest:.3f} s, at most 1/10 of import torch",
        ),
        ("", f"{bench.naming.cache_bytes / 2**20:.1f} MiB", "remembered"),
        *(
            (f"batch, {who}", f"{files:.0f}", "files a minute")
            for who, files in bench.files_per_minute.items()
        ),
        ("a further topic's tests", f"{bench.tests:.1f} s", "on two cores, at most 5"),
        ("all solutions, warm", f"{bench.warm_total:.2f} s", ""),
        *((f"  {topic}", f"{seconds:.3f} s", "") for topic, seconds in bench.warm.items()),
    ]
    return "\n".join(f"{name:<24}{value:>10}  {note}".rstrip() for name, value, note in rows)
