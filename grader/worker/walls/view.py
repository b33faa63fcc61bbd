"""What a worker may see of the file system: a list of what is there, not of what is taken away."""

import importlib.util
import os
import site
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import grader

SYSTEM = (
    *("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/share", "/nix/store"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime"),
    *("/etc/os-release", "/etc/mime.types", "/etc/fonts", "/System/Library", "/usr/lib/dyld"),
)
"""Libraries, time zones, fonts: what a program finds on any machine."""
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/urandom", "/dev/random")
TORCH = ("torch", "functorch", "torchgen")


@dataclass(frozen=True)
class View:
    """Real paths: what may be read, and what may not although it lies in there."""

    readable: tuple[str, ...]
    hidden: tuple[str, ...]
    """The grader's own: checks, solutions."""
    torch: tuple[str, ...]
    """Torch, where it may not be used."""
    own: tuple[str, ...]
    """The worker's modules: readable, whatever is hidden around them."""
    named: tuple[str, ...]
    """The same as readable, by the names by which they are asked for: some are links."""


@cache
def view_of(hidden: tuple[str, ...], without_torch: bool) -> View:
    """What a worker of this interpreter may see, but for the `hidden` folders."""
    package = os.path.dirname(os.path.abspath(grader.__file__))
    own = [os.path.join(package, "__init__.py"), os.path.join(package, "worker")]
    named = [path for path in (*SYSTEM, *_interpreter()) if os.path.exists(path)]
    return View(
        readable=tuple(_outermost(map(os.path.realpath, named))),
        hidden=tuple(_with_real(hidden)),
        torch=tuple(_with_real(_torch_folders())) if without_torch else (),
        own=tuple(map(os.path.realpath, own)),
        named=tuple([*named, *own]),
    )


def _interpreter() -> Iterator[str]:
    """The folders of the standard library and of the installed packages."""
    for prefix in {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}:
        for name in ("lib", "lib64", "pyvenv.cfg"):
            yield os.path.join(prefix, name)
    for name in ("stdlib", "platstdlib", "purelib", "platlib"):
        yield sysconfig.get_path(name)
    yield from site.getsitepackages()
    if site.ENABLE_USER_SITE:
        yield site.getusersitepackages()


def _torch_folders() -> Iterator[str]:
    for name in TORCH:
        spec = importlib.util.find_spec(name)
        yield from (spec.submodule_search_locations or []) if spec is not None else []


def _with_real(paths: Iterable[str]) -> list[str]:
    """As they are spelled, and where they lead: links to them cannot be followed inside the walls."""
    return sorted({form for path in paths for form in (os.path.abspath(path), os.path.realpath(path))})


def _outermost(paths: Iterable[str]) -> Iterator[str]:
    """The paths without those that lie in another one."""
    kept = ""
    for path in sorted(set(paths), key=lambda path: path.split(os.sep)):
        if not kept or not (path + os.sep).startswith(kept + os.sep):
            kept = path
            yield path
