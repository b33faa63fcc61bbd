"""Importing torch without what only exporting, compiling and the meta device need: a quarter of its time.

`import torch` loads `torch.export` and the meta kernels in Python, and with both torch's second
implementations of its operators. Here they come when somebody asks for them.
"""

import importlib
import sys
from enum import Flag, auto
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_META = "torch._meta_registrations"
_IMPORTED = ("torch.export", _META)
"""What `torch` itself imports and never looks at."""
_BROUGHT_ALONG = ("torch._decomp", "torch._prims", "torch._refs", "torch._custom_ops")
_RELYING = ("torch.export", "torch._dynamo", "torch._inductor", "torch._functorch.aot_autograd")
"""Modules that rely on the meta kernels."""
_WORDS = ("meta", "fake", "Fake", "symbolic", "make_fx")
"""One of these is in every text that relies on them without these modules: `device="meta"`, say."""


class _Later(ModuleType):
    """Stands for a module in torch until something in it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # `inspect` asks every module for its file
            raise AttributeError(name)
        importlib.import_module(_META)
        return getattr(importlib.import_module(self.__name__), name)


class _Asked:
    """Brings the meta kernels before a module that relies on them is imported."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name in _RELYING and self in sys.meta_path:
            sys.meta_path.remove(self)
            importlib.import_module(_META)
        return None


def import_torch() -> Any:
    """The module torch, loaded now unless it is."""
    if "torch" in sys.modules:
        return sys.modules["torch"]
    sys.modules.update({name: _Later(name) for name in _IMPORTED})
    try:
        torch = importlib.import_module("torch")
    finally:
        for name in _IMPORTED:
            sys.modules.pop(name, None)
    for name in _BROUGHT_ALONG:
        setattr(torch, name.rpartition(".")[2], _Later(name))
    # In passing, torch._prims gives generators of random numbers what they cannot be made without.
    torch._C._set_generator_metaclass(importlib.import_module("torch._opaque_base").OpaqueBaseMeta)
    sys.meta_path.insert(0, _Asked())
    return torch


_kept: dict[str, Any] = {}


def keep_torch() -> None:
    """Let `kept_torch` give what is loaded now, or nothing, whatever an answer puts in its place."""
    _kept["torch"] = sys.modules.get("torch")


def kept_torch() -> Any:
    """The module torch; None where it is not loaded."""
    return _kept.get("torch", sys.modules.get("torch"))


class Part(Flag):
    """What of torch comes when somebody asks for it, and takes a while."""

    META = auto()
    """The kernels of the meta device."""
    SHAPES = auto()
    """Shapes with symbols, and sympy: asked for by a backward pass that begins with gradients, and by masks
    in `nn.MultiheadAttention`.
    """
    DYNAMO = auto()
    """The compiler: asked for, to be told to keep out, by the first checkpoint and the first optimizer. It is
    large, so no worker is made with it.
    """


_MODULES = {
    Part.META: _META,
    Part.SHAPES: "torch.fx.experimental.symbolic_shapes",
    Part.DYNAMO: "torch._dynamo",
}


def missing(parts: Part) -> Part:
    """Those of the parts that are not loaded; none where there is no torch."""
    if "torch" not in sys.modules:
        return Part(0)
    return Part(sum(part.value for part in parts if _MODULES[part] not in sys.modules))


def bring(parts: Part) -> None:
    """Load the parts."""
    for part in parts:
        importlib.import_module(_MODULES[part])


def bring_what_is_named(text: str) -> None:
    """Load what the text may use of torch without importing it."""
    if missing(Part.META) and any(word in text for word in _WORDS):
        bring(Part.META)
