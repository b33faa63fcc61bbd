"""Kernels behind built-ins, overridden for the whole process: whatever spelling reaches one (function,
method, module, `torch.ops`, vmap, TorchScript, another thread, C) is refused.

They are registered on torch's own dispatch library, of which no object is left that Python could find: those
of `torch.library` can be found and told to take everything back.
"""

import ctypes
import gc
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from types import FrameType, ModuleType
from typing import Any

Refuse = Callable[[str], BaseException]

_KEYS = (
    "CompositeImplicitAutograd",
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
    "CPU",
    "SparseCPU",
    "SparseCsrCPU",
    "NestedTensorCPU",
    "MkldnnCPU",
    "QuantizedCPU",
    # Under vmap and grad some are taken to pieces in C.
    "FuncTorchBatchedDecomposition",
    "FuncTorchBatched",
    "FuncTorchVmapMode",
    "FuncTorchDynamicLayerFrontMode",
)
_FOREIGN_KEYS = ("CompositeImplicitAutograd", "CompositeExplicitAutograd", "CPU", "MkldnnCPU", "QuantizedCPU")
_FOREIGN = (
    *("_native", "_quantized", "inductor", "mkl", "mkldnn", "mkldnn_prepacked", "onednn", "quantization"),
    *("quantized", "sparse", "static_runtime", "symm_mem"),
)
"""Namespaces of operators that fuse or quantize what others compute. No answer needs them."""
_OPENING = ("from_file",)
"""Operators that open files past Python."""
_ENGINES = (
    *("_te", "_nativert", "_jit_to_static_module", "_fuse_to_static_module", "StaticModule"),
    *("_jit_pass_optimize_for_inference", "_jit_pass_convert_frozen_ops_to_mkldnn", "_jit_set_llga_enabled"),
    *("_jit_pass_fuse_tensorexprs", "_jit_set_te_must_use_llvm_cpu", "_jit_interpret_graph"),
    *("_jit_differentiate", "_load_jit_module_from_bytes", "_load_jit_module_from_file"),
    *("_load_mobile_module_from_bytes", "_load_mobile_module_from_file", "_load_for_lite_interpreter"),
    *("_load_for_lite_interpreter_from_buffer", "_test_only_populate_upgraders"),
    *("_jit_pass_custom_pattern_based_rewrite", "_jit_pass_custom_pattern_based_rewrite_graph"),
)
"""What compiles and runs graphs with kernels of its own, differentiates or changes them, or reads them from
bytes.
"""
_COMPILING = ("_jit_script_compile", "_jit_script_compile_overload")
_LOOKING_UP = ("_jit_get_operation", "_get_operation_overload", "_jit_resolve_packet")
_OF_ENGINES = re.compile(r"prim::.*(mkldnn|onednn|tensorexpr).*", re.IGNORECASE)
"""TorchScript's own operators that such graphs are made of."""
_OF_ENGINES_IN_GRAPHS = re.compile(r"\bprim::\w*(mkldnn|onednn|tensorexpr)", re.IGNORECASE)


def override(operators: Iterable[str], refuse: Refuse, keys: tuple[str, ...] = _KEYS) -> None:
    """Refuse all overloads of these aten operators from now on."""
    known = overloads()
    wanted = [(f"aten::{name}", operator) for operator in operators for name in known.get(operator, ())]
    _register("aten", wanted, lambda name: refusing(name.strip("_"), refuse), keys)


def seal(refuse: Refuse) -> None:
    """Refuse, once for all workers, what computes past the operators that topics know. To be called before
    workers are forked: it takes a while.
    """
    import torch

    by_space: dict[str, list[tuple[str, str]]] = {"aten": [(f"aten::{name}", name) for name in _OPENING]}
    for full_name in torch._C._dispatch_get_all_op_names():
        space, _, name = full_name.partition("::")
        if space in _FOREIGN:
            by_space.setdefault(space, []).append((full_name, f"torch.ops.{space}.{name.partition('.')[0]}"))
    for space, wanted in by_space.items():
        _register(space, wanted, lambda name: refusing(name, refuse), _FOREIGN_KEYS)
    for name in _ENGINES:
        engine = getattr(torch._C, name, None)
        if isinstance(engine, ModuleType):  # `sys.modules` has it too
            for part, value in list(vars(engine).items()):
                if not part.startswith("__") and _makes_or_runs(value):
                    setattr(engine, part, refusing(f"torch._C.{name}.{part}", refuse))
        elif engine is not None:
            setattr(torch._C, name, refusing(f"torch._C.{name}", refuse))
    refuse_of_torchscript(_OF_ENGINES, refuse)
    refuse_in_scripts(_OF_ENGINES_IN_GRAPHS, "a kernel of TorchScript's own", refuse)
    _keep_operators(refuse)
    for name in _OPENING:  # a storage does it without an operator
        put(torch._C.StorageBase, name, staticmethod(refusing(f"UntypedStorage.{name}", refuse)))


def _keep_operators(refuse: Refuse) -> None:
    """Refuse kernels that an answer registers for torch's own operators: the worker compares by these."""
    import torch

    make: Any = torch._C._dispatch_library
    spaces = {name.partition("::")[0] for name in torch._C._dispatch_get_all_op_names()}
    folder = f"{os.path.dirname(torch.__file__)}/"
    handing_on = (f"{folder}library.py", f"{folder}_library/")
    ours, frame_of = (folder, __file__), sys._getframe

    def is_ours() -> bool:
        frame: FrameType | None = frame_of(2)
        while frame is not None and frame.f_code.co_filename.startswith(handing_on):
            frame = frame.f_back
        return frame is not None and frame.f_code.co_filename.startswith(ours)

    def make_library(kind: str, space: str, *args: Any) -> Any:
        if str.__str__(space) in spaces and not is_ours():
            raise refuse(f"torch.library for {space}")
        return make(kind, space, *args)

    setattr(torch._C, make.__name__, make_library)


def refuse_of_torchscript(names: re.Pattern[str], refuse: Refuse) -> None:
    """Refuse operators that TorchScript has beside the dispatcher, which never hears of them: where they are
    looked up, by `torch.ops`, by a packet of an answer's own, and by a script that names them.
    """
    import torch

    def others(look_up: Callable[..., Any]) -> Callable[..., Any]:
        def look_up_others(name: str, *args: Any) -> Any:
            if names.fullmatch(name):
                raise refuse(f"torch.ops.{name.replace('::', '.')}")
            return look_up(name, *args)

        return look_up_others

    for name in _LOOKING_UP:
        setattr(torch._C, name, others(getattr(torch._C, name)))


def refuse_in_scripts(names: re.Pattern[str], told: str, refuse: Refuse) -> None:
    """Refuse functions in TorchScript whose graph, as it is compiled, has an operator of these names."""
    import torch

    def looking(compile_script: Callable[..., Any]) -> Callable[..., Any]:
        def compile_and_look(*args: Any, **kwargs: Any) -> Any:
            function = compile_script(*args, **kwargs)
            if names.search(str(function.graph)):
                raise refuse(told)
            return function

        return compile_and_look

    for name in _COMPILING:
        setattr(torch._C, name, looking(getattr(torch._C, name)))


def put(kind: type, name: str, value: Any) -> None:
    """Change an attribute of a class in C that Python keeps as it is."""
    space: Any = vars(kind)
    gc.get_referents(space)[0][name] = value
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


def _makes_or_runs(value: object) -> bool:
    """Whether it is a function, or a class of what runs: the others are parts of an expression."""
    return not isinstance(value, type) or hasattr(value, "call") or hasattr(value, "run")


def _register(
    space: str,
    wanted: Iterable[tuple[str, str]],
    refusing_for: Callable[[str], Callable[..., Any]],
    keys: tuple[str, ...] = _KEYS,
) -> None:
    import torch

    library = torch._C._dispatch_library("IMPL", space, "", __file__, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns that kernels are overridden: that is the purpose
        for full_name, name in wanted:
            refused = refusing_for(name)
            for key in keys:
                if torch._C._dispatch_has_kernel_for_dispatch_key(full_name, key):
                    library.impl(full_name.partition("::")[2], key, refused)
    # Overrides last as long as their library lives: for ever, whoever drops or collects what.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))


@cache
def overloads() -> dict[str, list[str]]:
    """The overloads of every aten operator, by its name. Takes a while."""
    import torch

    found: dict[str, list[str]] = {}
    for full_name in torch._C._dispatch_get_all_op_names():
        namespace, _, overload = full_name.partition("::")
        if namespace == "aten":
            found.setdefault(overload.partition(".")[0], []).append(overload)
    return found


def refusing(name: str, refuse: Refuse) -> Callable[..., Any]:
    """A function that refuses `name`, whatever it is called with."""

    def refused(*args: Any, **kwargs: Any) -> Any:
        raise refuse(name)

    return refused
