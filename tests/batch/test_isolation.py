"""`--isolate`: what a judge inside sees, and what is said where it cannot be."""

import subprocess
import sys
from pathlib import Path

import pytest
from driving import CATALOG, PROJECT

from grader.batch.isolation import bubblewrap, choosing
from grader.batch.isolation.choosing import CannotIsolate, isolation, suffices, walls_in
from grader.batch.running.source_judge import SourceJudge
from grader.judge.service.remote import RemoteJudge
from grader.worker.walls.wall import Wall

LOOK = """
import os, socket, sys
seen = [path for path in sys.argv[1:] if os.path.lexists(path)]
try:
    socket.create_connection(("127.0.0.1", int(os.environ.get("PORT", 1))), 1)
    seen.append("network")
except OSError as error:
    seen.append(type(error).__name__)
print(seen, sorted(set(os.environ) & {"SECRET", "SSH_AUTH_SOCK"}), len(os.listdir("/proc")) > 0)
"""


@pytest.fixture(scope="module")
def needs_bubblewrap() -> None:
    if not (bubblewrap.is_installed() and suffices(walls_in(bubblewrap.around(CATALOG)))):
        pytest.skip("needs bubblewrap")


@pytest.mark.usefixtures("needs_bubblewrap")
def test_inside_there_is_the_curriculum_and_one_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "1")
    own, other = tmp_path / "own", tmp_path / "other"
    for folder in (own, other):
        folder.mkdir()
        (folder / "softmax.py").touch()
    seen = [own / "softmax.py", CATALOG["softmax"].solution, Path(sys.executable)]
    hidden = [
        other / "softmax.py",
        Path.home() / ".bashrc",
        Path("/etc/passwd"),
        PROJECT / "tests",
        PROJECT / ".git",
    ]
    command = [*bubblewrap.around(CATALOG, own), sys.executable, "-c", LOOK, *map(str, seen + hidden)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout == f"{[*map(str, seen), 'ConnectionRefusedError']} [] True\n", done.stderr


@pytest.mark.usefixtures("needs_bubblewrap")
def test_verdicts_are_the_same_inside() -> None:
    judge = SourceJudge(lambda folder: RemoteJudge(around=bubblewrap.around(CATALOG, folder)))
    try:
        source = CATALOG["softmax"].solution.read_bytes()
        assert judge.grade("softmax", source).passed
        wrong = judge.grade("softmax", source.replace(b"dim=dim", b"dim=-1"))
        assert wrong.diagnosis is not None
    finally:
        judge.close()


def test_the_flags() -> None:
    command = bubblewrap.around(CATALOG)
    for flag in ("--unshare-all", "--die-with-parent", "--new-session", "--clearenv"):
        assert flag in command
    assert not {"--disable-userns", "--share-net", "--bind", "--dev-bind"} & set(command)
    shown = {command[at + 1] for at, word in enumerate(command) if word.startswith("--ro-bind")}
    assert not {"/", str(Path.home()), str(PROJECT), "/tmp", "/proc", "/etc", "/home"} & shown


def test_what_is_enough() -> None:
    assert suffices(Wall.PATHS | Wall.CALLS) and suffices(Wall.FILES | Wall.NETWORK)
    assert not suffices(Wall.PATHS | Wall.FILES) and not suffices(Wall.NETWORK | Wall.PROCESSES)
    assert walls_in(["false"]) == walls_in(["/nowhere/bwrap"]) == Wall(0)


def test_where_nothing_stands_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "walls_in", lambda command: Wall.PROCESSES)
    with pytest.raises(CannotIsolate, match="apt install bubblewrap"):
        isolation(CATALOG)


def test_walls_of_its_own_are_enough_where_there_is_no_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "is_installed", lambda: False)
    monkeypatch.setattr(choosing, "walls_in", lambda command: Wall.PATHS | Wall.CALLS)
    stands = isolation(CATALOG)
    assert stands.around(Path("folder")) == [] and "walls of its own" in stands.told
