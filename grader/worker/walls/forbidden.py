"""Built-ins that a topic forbids do not exist in its worker.

No oracle runs here, so the kernels behind a built-in can be overridden for the whole process: whatever
spelling reaches them (function, method, module, `torch.ops`, vmap, TorchScript, another thread) is refused.
What is only Python (a composite whose parts are allowed, a copy written in Python) is replaced by name.
"""

import ctypes
import importlib
import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec
from types import FunctionType, ModuleType
from typing import Any


@dataclass(frozen=True)
class Builtin:
    """What `pytest.mark.forbid(name)` takes away: aten operators (all overloads), Python functions, and all
    functions and methods of whole modules (which can still be imported).
    """

    operators: str
    functions: tuple[str, ...] = ()
    modules: str = ""


BUILTINS = {
    "softmax": Builtin(
        """
        softmax _softmax log_softmax _log_softmax special_softmax special_log_softmax _safe_softmax
        _masked_softmax _sparse_softmax _sparse_log_softmax _nested_tensor_softmax_with_shape
        """
    ),
    "logsumexp": Builtin(
        "logsumexp special_logsumexp logaddexp logaddexp2 logcumsumexp _logcumsumexp",
        ("numpy.logaddexp", "numpy.logaddexp2"),
    ),
    "scaled_dot_product_attention": Builtin(
        """
        scaled_dot_product_attention _scaled_dot_product_attention_math
        _scaled_dot_product_attention_math_for_mps _scaled_dot_product_cudnn_attention
        _scaled_dot_product_efficient_attention _scaled_dot_product_flash_attention
        _scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_fused_attention_overrideable
        _flash_attention_forward _flash_attention_forward_no_dropout_inplace _efficient_attention_forward
        _cudnn_attention_forward _triton_scaled_dot_attention
        """,
        ("torch.nn.attention.flex_attention.flex_attention",),
    ),
    "multi_head_attention": Builtin(
        "_native_multi_head_attention _triton_multi_head_attention _transformer_encoder_layer_fwd",
        ("torch.nn.functional.multi_head_attention_forward",),
    ),
    "activations": Builtin(
        """
        sigmoid sigmoid_ special_expit tanh tanh_ relu relu_ relu6 relu6_ leaky_relu leaky_relu_ elu elu_
        celu celu_ selu selu_ silu silu_ gelu gelu_ mish mish_ glu hardsigmoid hardsigmoid_ hardswish
        hardswish_ hardtanh hardtanh_ threshold threshold_ hardshrink softshrink softplus log_sigmoid
        log_sigmoid_forward prelu _prelu_kernel rrelu rrelu_ rrelu_with_noise rrelu_with_noise_
        rrelu_with_noise_functional _foreach_sigmoid _foreach_sigmoid_ _foreach_tanh _foreach_tanh_
        """,
        (
            "torch.nn.functional.softsign",
            "torch.nn.functional.tanhshrink",
            "numpy.tanh",
            "math.tanh",
            "cmath.tanh",
        ),
    ),
    "dropout": Builtin(
        """
        dropout dropout_ native_dropout _fused_dropout alpha_dropout alpha_dropout_ feature_dropout
        feature_dropout_ feature_alpha_dropout feature_alpha_dropout_
        """
    ),
    "cross_entropy": Builtin(
        """
        cross_entropy_loss nll_loss nll_loss_nd nll_loss_forward nll_loss2d nll_loss2d_forward
        """,
        (
            "torch.nn.functional.cross_entropy",
            "torch.nn.functional.nll_loss",
            "torch.nn.functional.linear_cross_entropy",
            "torch.nn.modules.linear_cross_entropy._linear_cross_entropy_batch_chunked_accumulator",
        ),
    ),
    "binary_cross_entropy": Builtin(
        """
        binary_cross_entropy binary_cross_entropy_with_logits soft_margin_loss log_sigmoid
        log_sigmoid_forward softplus
        """,
        ("torch.nn.functional.multilabel_soft_margin_loss",),
    ),
    "normalization": Builtin(
        """
        layer_norm native_layer_norm group_norm native_group_norm instance_norm rms_norm _fused_rms_norm
        batch_norm native_batch_norm _native_batch_norm_legit _native_batch_norm_legit_functional
        _native_batch_norm_legit_no_training _batch_norm_impl_index _batch_norm_no_update
        _batch_norm_with_update _batch_norm_with_update_functional cudnn_batch_norm miopen_batch_norm
        quantized_batch_norm batch_norm_update_stats batch_norm_stats batch_norm_elemt
        batch_norm_gather_stats batch_norm_gather_stats_with_counts
        """
    ),
    "optimizers": Builtin(
        """
        _fused_adam _fused_adam_ _fused_adamw _fused_adamw_ _fused_adagrad _fused_adagrad_ _fused_sgd
        _fused_sgd_
        """,
        modules="""
        torch.optim.optimizer torch.optim._functional torch.optim._adafactor torch.optim._muon
        torch.optim.adadelta torch.optim.adagrad torch.optim.adam torch.optim.adamax torch.optim.adamw
        torch.optim.asgd torch.optim.lbfgs torch.optim.nadam torch.optim.radam torch.optim.rmsprop
        torch.optim.rprop torch.optim.sgd torch.optim.sparse_adam
        """,
    ),
}
"""By the words that check files use in `pytest.mark.forbid`."""

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
)

_PYTHON_COPIES = (
    "torch._decomp",
    "torch._refs",
    "torch._refs.nn.functional",
    "torch._refs.special",
    "torch._decomp.decompositions",
)
"""Modules with a second implementation of many operators, written in Python from other operators."""

Refuse = Callable[[str], BaseException]


def forbid(names: Iterable[str], refuse: Refuse) -> None:
    """Take the built-ins away. `refuse(name)` gives the exception to raise where one of them is used."""
    chosen = [BUILTINS[name] for name in names]
    if not chosen:
        return
    operators = {operator for builtin in chosen for operator in builtin.operators.split()}
    _override_kernels(operators, refuse)
    by_module: dict[str, set[str]] = {}
    for path in (path for builtin in chosen for path in builtin.functions):
        module, _, function = path.rpartition(".")
        by_module.setdefault(module, set()).add(function)
    for module in _PYTHON_COPIES:
        by_module.setdefault(module, set()).update(operators)
    whole = {module for builtin in chosen for module in builtin.modules.split()}
    _replace_functions(by_module, whole, refuse)


def _override_kernels(operators: set[str], refuse: Refuse) -> None:
    import torch

    library = torch.library.Library("aten", "IMPL")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns that kernels are overridden: that is the purpose
        for operator in operators & overloads().keys():
            for overload in overloads()[operator]:
                for key in _KEYS:
                    if torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{overload}", key):
                        library.impl(overload, _refusing(operator.strip("_"), refuse), key)
    # Overrides last as long as their library lives: for ever, whoever drops or collects what.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))


@cache
def overloads() -> dict[str, list[str]]:
    """The overloads of every aten operator, by its name. Takes a while: see `prepare`."""
    import torch

    found: dict[str, list[str]] = {}
    for full_name in torch._C._dispatch_get_all_op_names():
        namespace, _, overload = full_name.partition("::")
        if namespace == "aten":
            found.setdefault(overload.partition(".")[0], []).append(overload)
    return found


def _tables() -> list[dict[Any, Any]]:
    """The tables in which torch keeps Python copies of its operators, by overload."""
    return list(vars(sys.modules.get("torch._decomp", object)).get("global_decomposition_table", {}).values())


@cache
def _registered(size: int) -> dict[str, list[tuple[int, Any]]]:
    """By operator: the numbers of the tables that have it, and its overloads there. `size` is that of all of
    them: they grow when modules are imported. This also takes a while.
    """
    found: dict[str, list[tuple[int, Any]]] = {}
    for number, table in enumerate(_tables()):
        for overload in table:
            operator = getattr(getattr(overload, "overloadpacket", None), "__name__", "")
            found.setdefault(operator, []).append((number, overload))
    return found


def prepare() -> None:
    """Do what takes a while and is the same for every worker, before they are forked."""
    overloads()
    _registered(sum(map(len, _tables())))


def _refusing(name: str, refuse: Refuse) -> Callable[..., Any]:
    def refused(*args: Any, **kwargs: Any) -> Any:
        raise refuse(name)

    return refused


def _replace_functions(by_module: dict[str, set[str]], whole: set[str], refuse: Refuse) -> None:
    finder = _Replacer(by_module, whole, refuse)
    for name in by_module.keys() | whole:
        if name in sys.modules:
            finder.replace(sys.modules[name])
    sys.meta_path.insert(0, finder)


class _Replacer:
    """Replaces functions in modules, in those not yet imported as soon as they are; in `whole` modules all
    functions, and the methods of all classes: the classes stay, so that an import or `isinstance` is no use
    of them.
    """

    def __init__(self, by_module: dict[str, set[str]], whole: set[str], refuse: Refuse) -> None:
        self._by_module = by_module
        self._whole = whole
        self._refuse = refuse
        self._busy: set[str] = set()

    def replace(self, module: ModuleType) -> None:
        for name in self._by_module.get(module.__name__, set()) & vars(module).keys():
            setattr(module, name, _refusing(name.strip("_"), self._refuse))
        if module.__name__ in self._whole:
            self._replace_all(module)
        if module.__name__ in _PYTHON_COPIES:
            self._replace_registered(self._by_module[module.__name__])

    def _replace_registered(self, operators: set[str]) -> None:
        """The Python copies are also kept in tables by operator."""
        tables = _tables()
        places = _registered(sum(map(len, tables)))
        for operator in operators & places.keys():
            for table, overload in places[operator]:
                tables[table][overload] = _refusing(operator.strip("_"), self._refuse)

    def _replace_all(self, module: ModuleType) -> None:
        package = module.__name__.rpartition(".")[0]
        for name, value in list(vars(module).items()):
            if not str(getattr(value, "__module__", "")).startswith(package):
                continue  # what it has imported from elsewhere
            if isinstance(value, FunctionType):
                setattr(module, name, _refusing(name.strip("_"), self._refuse))
            elif isinstance(value, type):
                for method, function in list(vars(value).items()):
                    if isinstance(function, FunctionType | staticmethod | classmethod):
                        setattr(value, method, _refusing(value.__qualname__, self._refuse))

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name not in self._by_module.keys() | self._whole or name in self._busy:
            return None
        self._busy.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._busy.remove(name)  # a module may be imported anew
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_replace(module: ModuleType) -> None:
            execute(module)
            self.replace(module)

        spec.loader.exec_module = execute_and_replace  # type: ignore[method-assign]
        return spec
