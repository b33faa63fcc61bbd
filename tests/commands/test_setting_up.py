"""How make sets up .venv: when, with what, and what it says meanwhile. Stand-ins play Python, pip and uv."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from importlib.metadata import distributions, metadata
from pathlib import Path

import pexpect
import pytest
from driving import PROJECT
from packaging.specifiers import SpecifierSet
from recorded_make import (
    COMPILE,
    PIP,
    SETTING_UP,
    calls,
    environment,
    make,
    make_stale,
    recorded_project,
    write_program,
)

from grader.commands.upkeep.setting_up import Progress

BEGINNING = "Setting up .venv (once; everything that happens goes to .venv.log) ...\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return recorded_project(tmp_path)


def test_no_python_at_all(project, tmp_path):
    make_stale(project)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "make").symlink_to(shutil.which("make") or "make")
    run = make(project, "list", PATH=str(tools), PYTHON="")
    assert run.returncode == 2
    assert run.stderr.splitlines()[0] == (
        "byheart needs Python 3.11 or newer. Install it, or say where it is: "
        "make list PYTHON=/path/to/python3"
    )


def test_a_python_that_is_too_old(project):
    make_stale(project)
    old = project / "old python"
    old.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    old.chmod(0o755)
    assert "needs Python 3.11 or newer" in make(project, "list", f"PYTHON={old}").stderr


@pytest.mark.parametrize("changed", ["pyproject.toml", "constraints.txt"])
def test_a_change_of_what_is_needed_installs_once(project, changed):
    os.utime(project / ".venv" / "installed", (time.time() - 60,) * 2)
    (project / changed).touch()
    run = make(project, "list")
    assert run.stderr.startswith(BEGINNING)
    assert calls(project)[-3:] == [PIP, COMPILE, ["list"]]
    assert make(project, "list").stderr == ""


def test_a_failed_installation_says_what_to_do_and_is_repeated(project):
    make_stale(project)
    run = make(project, "list", PIP_STATUS="1")
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.splitlines()[-1] == (
        "Setting up failed: check the network and the space on disk, then run make again. "
        "What went wrong is at the end of .venv.log"
    )
    assert "Downloading torch-2.13.0.whl" in (project / ".venv.log").read_text(encoding="utf-8")
    assert ["list"] not in calls(project)
    assert not (project / ".venv" / "installed").exists()
    assert make(project, "list").returncode == 0


def test_an_interrupted_installation_is_repeated(project):
    make_stale(project)
    running = subprocess.Popen(
        ["make", "list"],
        cwd=project,
        env=environment(PIP_TAKES="30"),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not (project / "calls").exists() or PIP not in calls(project):
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=20)
    assert "Interrupted; the next make sets up again.\n" in said
    assert not (project / ".venv" / "installed").exists()
    assert make(project, "list").stderr.startswith("Setting up")
    assert (project / ".venv" / "installed").exists()


def test_two_terminals_install_once(project):
    make_stale(project)
    command = ["make", "list"]
    running = [
        subprocess.Popen(
            command, cwd=project, env=environment(PIP_TAKES="0.5"), stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=60)[1] for process in running]
    assert sorted(text.startswith(BEGINNING) for text in said) == [False, True]
    assert "Another make is setting up .venv: waiting for it ...\n" in said
    assert calls(project).count(PIP) == 1


# What installs, and what is said of the download

BIG, DECIDED = "2.7 GB to download", "pip's configuration on this machine decides"
UV = """\
#!/bin/sh
printf '%s\n' "$*" >>uv-calls
[ "$*" = "pip install --help" ] && { echo "$UV_KNOWS"; exit; }
echo "Resolved 92 packages in 1.2s"
exit "${UV_STATUS:-0}"
"""


def with_uv(project: Path) -> str:
    """A PATH on which there is a uv that writes down how it is called."""
    write_program(project / "bin/uv", UV)
    return f"{project / 'bin'}:{without_uv()}"


def without_uv() -> str:
    folders = os.environ["PATH"].split(":")
    return ":".join(folder for folder in folders if not Path(folder, "uv").exists())


def test_uv_installs_the_fitting_build(project):
    make_stale(project)
    run = make(project, "list", PATH=with_uv(project), UV_KNOWS="--torch-backend <TORCH_BACKEND>")
    assert run.returncode == 0 and BIG not in run.stderr
    assert (project / "uv-calls").read_text(encoding="utf-8").splitlines()[-1] == (
        "pip install --python .venv/bin/python --torch-backend=auto -e .[dev] -c constraints.txt"
    )
    assert PIP not in calls(project) and calls(project)[-1] == ["list"]
    assert "Resolved 92 packages" in (project / ".venv.log").read_text(encoding="utf-8")


def test_a_failure_of_uv_is_told(project):
    make_stale(project)
    variables = {"PATH": with_uv(project), "UV_KNOWS": "--torch-backend", "UV_STATUS": "2"}
    run = make(project, "list", **variables)
    assert run.returncode == 1 and "Setting up failed" in run.stderr


@pytest.mark.parametrize(
    "says",
    [
        "global.index-url='https://example.org'",
        "install.find-links='/wheels'",
        ":env:.extra-index-url='https://example.org'",
        "global.no-index='1'",
    ],
)
def test_a_pip_that_is_configured_installs_although_there_is_uv(project, says):
    make_stale(project)
    run = make(project, "list", PATH=with_uv(project), UV_KNOWS="--torch-backend", PIP_SAYS=says)
    assert calls(project)[-3:] == [PIP, COMPILE, ["list"]]
    assert (DECIDED in run.stderr) is (sys.platform == "linux") and BIG not in run.stderr


def test_other_settings_of_pip_do_not_count(project):
    make_stale(project)
    make(project, "list", PATH=with_uv(project), UV_KNOWS="--torch-backend", PIP_SAYS="global.timeout='9'")
    assert PIP not in calls(project)


def test_an_old_uv_is_not_asked_to(project):
    make_stale(project)
    assert make(project, "list", PATH=with_uv(project), UV_KNOWS="--index").returncode == 0
    assert calls(project)[-3:] == [PIP, COMPILE, ["list"]]


@pytest.mark.skipif(sys.platform != "linux", reason="the usual build is small elsewhere")
def test_a_large_download_is_told_before_it_begins(project):
    make_stale(project)
    run = make(project, "list", PATH=without_uv())
    told, _, later = run.stderr.partition("The usual one comes now.")
    assert BIG in told and "PIP_EXTRA_INDEX_URL=INDEX make list" in told
    assert later == "\n  downloading torch-2.13.0.whl (526.6 MB)\n"
    assert max(map(len, run.stderr.splitlines())) <= 80


def test_what_is_pinned_works_with_the_oldest_python():
    """Debian 12 has Python 3.11.2, and some packages ask for a later 3.11."""
    pins = re.findall(r"^([\w.-]+)==", (PROJECT / "constraints.txt").read_text(encoding="utf-8"), flags=re.M)
    here = {distribution.metadata["Name"].lower().replace("_", "-") for distribution in distributions()}
    pins = [name for name in pins if name.lower().replace("_", "-") in here]  # the extras may not be
    assert len(pins) > 50
    asked = {name: metadata(name).get("Requires-Python") or "" for name in pins}  # some do not say
    assert {name: said for name, said in asked.items() if not SpecifierSet(said).contains("3.11.0")} == {}


def test_no_host_is_named():
    for path in ("Makefile", SETTING_UP, "pyproject.toml", "constraints.txt", "README.md"):
        text = (PROJECT / path).read_text(encoding="utf-8")
        assert not re.search("pytorch.org/whl|pypi|astral", text)


# Progress


def taken(*lines: str) -> Progress:
    progress = Progress()
    for line in lines:
        progress.take(line + "\n")
    return progress


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        ([], "starting"),
        (["Collecting torch==2.13.0 (from byheart==0.1.0)"], "collecting torch==2.13.0"),
        (
            ["  Downloading https://example.org/a/torch-2.whl (526.6 MB)"],
            "downloading torch-2.whl (526.6 MB)",
        ),
        (
            ["  Downloading a.whl (9 kB)", "Progress 1048576 of 3145728"],
            "downloading a.whl (9 kB), 1 of 3 MB",
        ),
        (["  Downloading a.whl", "Progress 9 of 9", "Collecting b"], "collecting b"),
        (["Installing collected packages: a, b, c"], "installing 3 packages"),
        (["Downloading torch (170.0MiB)"], "downloading torch (170.0MiB)"),
        (["  Downloading a.whl", "something else"], "downloading a.whl"),
    ],
)
def test_progress_tells_what_is_being_done(lines, shown):
    assert re.fullmatch(rf"  [|/\\-] 0:00  {re.escape(shown)}", taken(*lines).line)


def test_what_only_tells_how_far_it_is_stays_out_of_the_log():
    progress = Progress()
    assert progress.take("Progress 5 of 9\n") and not progress.take("Collecting a\n")


def test_progress_moves_at_a_terminal(project):
    make_stale(project)
    variables = environment(PIP_TAKES="2.5")
    terminal = pexpect.spawn("make", ["list"], cwd=project, env=variables, encoding="utf-8", timeout=30)
    terminal.expect_exact(".venv.log")
    for second in (1, 2):
        terminal.expect(rf"\r  . 0:0{second}  downloading torch-2.13.0.whl \(526.6 MB\)")
    terminal.expect(pexpect.EOF)
    assert terminal.before.endswith("\r\x1b[K")
