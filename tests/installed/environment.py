"""byheart installed from its wheel: in an environment and a home of its own, the checkout out of sight."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

from driving import PROJECT

HIDING = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
"""Runs a command in which the checkout is an empty folder, where the system lets one do so."""


@dataclass(frozen=True)
class Installed:
    """An environment with byheart in it, and a home."""

    folder: Path
    home: Path

    @property
    def package(self) -> Path:
        """The folder of the installed program."""
        return next(self.folder.glob("lib/python*/site-packages/grader"))

    def run(
        self, *arguments: str | Path, cwd: Path | None = None, **environment: str
    ) -> "subprocess.CompletedProcess[str]":
        """Run one of its programs: `byheart`, or `python`."""
        command = [str(self.folder / "bin" / arguments[0]), *map(str, arguments[1:])]
        if hides():
            hidden = f'mount -t tmpfs none "{PROJECT}" && exec "$0" "$@"'
            command = [*HIDING, hidden, *command]
        return subprocess.run(
            command,
            cwd=cwd or self.home,
            env={"HOME": str(self.home), "PATH": "/usr/bin:/bin", "TERM": "dumb", **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )


def hides() -> bool:
    """Whether the checkout can be put out of sight here."""
    tried = subprocess.run([*HIDING, f'mount -t tmpfs none "{PROJECT}"'], capture_output=True)
    return tried.returncode == 0


def installed(folder: Path) -> Installed:
    """Build the wheel from what git knows of the checkout, and install it in a new environment.

    What it needs is taken from this environment, as links where that is possible: PyTorch alone has 1 GB.
    """
    wheels = folder / "wheels"
    _pip("wheel", "--no-build-isolation", "--wheel-dir", wheels, _sources(folder / "source"))
    environment = folder / "environment"
    venv.create(environment)
    target = next(environment.glob("lib/python*/site-packages"))
    for path in map(Path, dict.fromkeys((sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))):
        for entry in path.iterdir():
            if not entry.name.startswith(("__editable__", "_editable", "byheart-", "pip", "__pycache__")):
                _copy(entry, target / entry.name)
    _copy(Path(sys.prefix, "share"), environment / "share")  # templates of pages
    (wheel,) = wheels.glob("byheart-*.whl")
    _pip("--python", environment / "bin" / "python", "install", "--no-index", wheel)
    shutil.rmtree(folder / "source")
    home = folder / "home"
    home.mkdir()
    return Installed(environment, home)


def _sources(folder: Path) -> Path:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if name.split("/")[0] not in ("tests", "docs", "exercises") and (PROJECT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / name, folder / name)
    return folder


def _pip(*arguments: str | Path) -> None:
    command = [sys.executable, "-m", "pip", *map(str, arguments), "--no-deps", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, copy_function=_link, dirs_exist_ok=True, symlinks=True)
    else:
        _link(source, target)


def _link(source: str | Path, target: str | Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # another file system
        shutil.copy2(source, target)
