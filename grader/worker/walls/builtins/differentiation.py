"""Derivatives below all names in Python: the engine that runs a graph backwards, the nodes of that graph,
which can be called, forward mode, and TorchScript, which has a `grad` of its own.

Nothing that computes without derivatives changes: tensors may require gradients, be printed and compiled.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

from grader.worker.walls.builtins.kernels import (
    Refuse,
    overloads,
    override,
    put,
    refuse_in_scripts,
    refuse_of_torchscript,
    refusing,
)

_MOVING = re.compile(
    r"(diagonal|gather|index_select|masked_scatter|masked_select|select|slice|to_dense|trace|unfold)_backward"
    r"|(reflection|replication)_pad\dd_backward|cummaxmin_backward|value_selecting_reduction_backward"
)
"""Kernels of derivatives that only put values back where they were: the worker's own gradients need them."""
_FORWARD_KEYS = ("Autograd", "ADInplaceOrView")
"""Where forward mode makes its pairs: kernels further down are not asked."""
_IN_GRAPHS = re.compile(r"\baten::(grad|backward|_backward|_make_dual)\(")
_OF_TORCHSCRIPT = re.compile("aten::(grad|backward|dist_backward)")
_GRAPHS = (
    *("_jit_script_class_compile", "_create_function_from_graph", "parse_ir", "import_ir_module"),
    *("import_ir_module_from_buffer", "_import_ir_module_from_package"),
)
_GRAPHS_OF = {
    "CompilationUnit": ("__init__", "define", "create_function"),
    "ConcreteModuleType": ("_create_methods_and_properties",),
    "ScriptModule": ("_create_methods", "_define"),
    "Graph": ("create",),
}
"""What else makes graphs, that nobody could look through."""

_run_backward: list[Callable[..., Any]] = []
"""The engine's method, from before it was refused: for the worker's own gradients."""


def derivatives() -> set[str]:
    """The operators that compute derivatives of others. Some give those of more than their name says: that of
    a weight's norm is RMS norm's, that of CTC's loss cross entropy's.
    """
    return {name for name in overloads() if "backward" in name and not _MOVING.fullmatch(name)}


def backward(scalar: Any) -> None:
    """`scalar.backward()`, also where that is forbidden to the answer."""
    if not _run_backward:
        scalar.backward()
        return
    _run_backward[0]((scalar,), (scalar.detach().new_ones(()),), False, False, (), True, accumulate_grad=True)


def backward_from(pairs: Iterable[tuple[Any, Any]]) -> None:
    """A backward pass from several outputs, each with its gradient."""
    # A scalar to start from has the same gradients, and spares torch an import of 0.3 s.
    backward(sum((output * gradient.to(output.dtype)).sum() for output, gradient in pairs))


def refuse_differentiation(refuse: Refuse) -> None:
    """Refuse from now on what gives derivatives, by whatever way it is reached."""
    import torch

    engine: Any = vars(torch.autograd.Variable)["_execution_engine"]
    _run_backward[:] = [engine.run_backward]
    put(type(engine), "run_backward", refusing("backward", refuse))
    base: Any = torch.Tensor.__base__
    node_of = base.grad_fn.__get__

    def grad_fn(tensor: Any) -> Any:
        node = node_of(tensor)
        return None if node is None else _stand_in(node, refuse)

    for name in ("grad_fn", "_grad_fn"):
        put(base, name, property(grad_fn))
    put(torch._C._FunctionBase, "next_functions", property(refusing("next_functions", refuse)))
    override(["_make_dual"], refuse, _FORWARD_KEYS)
    refuse_of_torchscript(_OF_TORCHSCRIPT, refuse)
    _refuse_in_graphs(refuse)


def _stand_in(node: Any, refuse: Refuse) -> Any:
    """What goes by a node's name, for who prints a tensor, and takes hooks as it does; and nothing else."""

    def missing(_: Any, name: str) -> Any:
        raise AttributeError(name) if name.startswith("__") else refuse(f"grad_fn.{name}")

    methods = {
        "name": lambda _: node.name(),
        "_register_hook_dict": lambda _, tensor: node._register_hook_dict(tensor),
        "__call__": refusing("grad_fn", refuse),
        "__getattr__": missing,
    }
    return type(type(node).__name__, (), methods)()


def _refuse_in_graphs(refuse: Refuse) -> None:
    """TorchScript's operators `grad` and `backward` call the engine in C."""
    import torch

    refuse_in_scripts(_IN_GRAPHS, "torch.autograd in TorchScript", refuse)
    for name in _GRAPHS:
        if hasattr(torch._C, name):
            setattr(torch._C, name, refusing(f"torch._C.{name}", refuse))
    for kind, methods in _GRAPHS_OF.items():
        for name in methods:
            if hasattr(getattr(torch._C, kind), name):
                setattr(getattr(torch._C, kind), name, refusing(f"torch._C.{kind}.{name}", refuse))
