"""The worker's own modules, taken from where a submission would find them by name.

What it has replaced in them, it could use to say anything of itself.
"""

import importlib
import sys
from functools import cache
from types import ModuleType
from typing import Any

_PACKAGES = ("grader", "msgpack")
_OF_TORCH = (
    *("grader.worker.measuring.meter", "grader.worker.measuring.threads", "grader.worker.measuring.kernels"),
    "grader.worker.tracing.operations",
)
"""Modules that are loaded where torch is, and only there."""

_kept: list[ModuleType] = []
"""What was put away; nothing but this list holds some of it."""


@cache
def part(name: str) -> Any:
    """One of the modules that need torch. Imported once: later there is nothing to import it from."""
    return importlib.import_module(name)


def load_parts() -> None:
    """Import them, if torch is there. Before they cannot be found any more."""
    if "torch" in sys.modules:
        for name in _OF_TORCH:
            part(name)


def put_away() -> None:
    """Take our modules out of `sys.modules`, and each out of its package. The main program is one of them."""
    main = sys.modules["__main__"]
    _kept.append(main)
    for name in [name for name, module in sys.modules.items() if module is main]:  # `__mp_main__` as well
        sys.modules[name] = ModuleType(name)
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in _PACKAGES:
            _kept.append(sys.modules.pop(name))
            package, _, own = name.rpartition(".")
            if package and vars(parent := _kept_by_name(package)).get(own) is module:
                delattr(parent, own)


def _kept_by_name(name: str) -> ModuleType:
    return sys.modules.get(name) or next(module for module in _kept if module.__name__ == name)
