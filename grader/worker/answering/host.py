"""What the worker does when asked: load the submission, call it, report what came as plain values."""

import signal
import sys
import traceback
import tracemalloc
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from grader.worker import wire
from grader.worker.answering import loading
from grader.worker.answering.earlier import Earlier
from grader.worker.answering.failures import Source, describe
from grader.worker.answering.global_state import keep_modes, left_changed, modes_on, put_back_switches
from grader.worker.answering.gradients import called, is_module, parameters_of, with_gradients
from grader.worker.answering.inputs import argument_names, copied, is_same
from grader.worker.answering.libraries import Libraries, Scenarios
from grader.worker.answering.own_names import OwnNames
from grader.worker.answering.refusals import refuser
from grader.worker.measuring.live_tensors import tensors_of
from grader.worker.torch_import import bring_what_is_named, keep_torch, kept_torch
from grader.worker.tracing.trace import Trace
from grader.worker.unpacking import decode
from grader.worker.walls.own_modules import part

Reply = dict[str, Any]


class Host:
    """The submission and the objects that it made, in one process.

    `call_back(number, args)` asks the judge to run one of its callbacks; `reports` is the
    descriptor over which it is told what was refused to the submission: catching the exception does not undo
    the use. `refuse(what, text)` gives that exception.
    """

    def __init__(self, call_back: Callable[[int, tuple[Any, ...]], Any], reports: int | None = None) -> None:
        self.refuse = refuser(reports, lambda frame: self.source.position(frame))
        self.source = Source("", "")
        self._module = ModuleType("empty")
        self._names = OwnNames(self._module, {})
        self._objects: dict[int, Any] = {}
        self._count = 0
        self._libraries: Libraries  # from the load on
        self._scenarios: Scenarios  # likewise
        self._earlier = Earlier()
        self._trace = Trace("")
        self._call_back = call_back

    def answer(self, data: bytes) -> bytes:
        """The reply to one request, both as bytes. Whatever the submission raises is part of the reply."""
        request = decode(data, self._resolve)
        if request["fresh"]:
            self._objects.clear()  # those of the check before
            self._names.forget()
            self._earlier = Earlier()
            self._trace = Trace(self.source.path)
        put_back_switches(request["seed"])
        signal.setitimer(signal.ITIMER_REAL, request.get("seconds", 0.0))  # `serve` tells where it is then
        try:
            do = getattr(self, "do_" + request["do"])
            reply = self._trace.run(do, request) if request.get("trace") else do(request)
            if request.get("careful"):
                self._libraries.refuse_replaced(self.refuse)
            data = wire.encode(reply, self._keep)
        except BaseException as error:
            # What the frames hold may be all the memory there is. (`error.__traceback__` may be a property of
            # the submission's own class.)
            traceback.clear_frames(sys.exc_info()[2])
            data = wire.encode({"raised": describe(error, self.source)}, self._keep)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        return data

    # Requests

    def do_load(self, request: Reply) -> Reply:
        """Run the text of a submission; later calls go to it."""
        self.source = Source(request["path"], request["text"])
        loading.remember(request["path"], request["text"])
        tree, fault = loading.parse(self.source, request["text"])
        if tree is None:
            return {"syntax": fault}
        if loading.is_empty(tree):
            return {"empty": True}
        bring_what_is_named(request["text"])
        keep_torch()
        keep_modes()
        self._libraries = Libraries()
        self._scenarios = Scenarios(partial(self._libraries.refuse_replaced, self.refuse))
        self._module = loading.run(tree, request["name"], request["path"])
        self._names = OwnNames(self._module, request["required"])
        if modes_on():
            raise self.refuse("mode", "It leaves a mode of torch on, which changes what torch is asked.")
        return {"problems": loading.problems(self._module, request["required"], tree)}

    def do_call(self, request: Reply) -> Reply:
        """Call a name of the submission, an object, or a method of an object."""
        function = self._names.in_order(request["target"], self._target(request["target"]))
        own_names = self._names.of(request["target"], function)
        args = request["args"]
        kwargs = {own_names.get(name, name): value for name, value in request["kwargs"].items()}
        inputs = [*args, *kwargs.values()]
        names = [*argument_names(function, len(args)), *kwargs]
        before = [copied(value) for value in inputs]
        self._earlier.look()
        modes = modes_on()
        if "upstream" in request:
            constants = [own_names.get(name, name) for name in request["constants"]]
            fixed = {name: kwargs.pop(name) for name in constants}
            disturb = not request.get("trace")
            call = partial(function, **fixed)
            mode = {name: request.get(name, False) for name in ("frozen", "evaluating")}
            trained, seed = request.get("trained"), request["seed"]
            reply = with_gradients(call, args, kwargs, request["upstream"], trained, disturb, seed, **mode)
        elif request.get("measure"):
            reply = self._measured(request, lambda: function(*args, **kwargs))
        else:
            reply = called(request, function, args, kwargs)
        self._names.remember(request["target"], reply["value"])
        changed = [
            i for i, (old, new) in enumerate(zip(before, inputs, strict=True)) if not is_same(old, new)
        ]
        overwritten = self._earlier.is_overwritten()
        # Of an object that is no module the state may be what it gives: a cache, a row of them.
        is_pure = request["target"][0] == "name" or is_module(function)
        self._earlier = Earlier(reply["value"] if is_pure else None)
        facts = {"changed": changed, "names": names, "overwritten": overwritten}
        return {"left": left_changed(request["seed"], modes), **reply, **facts}

    def do_run(self, request: Reply) -> Reply:
        """Run a small function of the check (its code) on the submission, or on the target: values in and
        out.
        """
        self._earlier = Earlier()  # the scenario may count what is alive
        function = self._scenarios.function(request["code"], request["name"])
        first: Any = self._names.answer()
        if "target" in request:
            first = self._names.adapted(request["target"], self._target(request["target"]))
        args, kwargs = (first, *request["args"]), request["kwargs"]
        if request.get("measure"):
            return self._measured(request, lambda: function(*args, **kwargs))
        return {"value": function(*args, **kwargs)}

    def do_attribute(self, request: Reply) -> Reply:
        """The value of an object's attribute."""
        return {"value": getattr(request["of"], request["name"])}

    def do_assign(self, request: Reply) -> Reply:
        """Write values into arrays that are attributes of an object, in place: aliases of them follow."""
        for name, value in request["values"].items():
            array = getattr(request["of"], name)
            if not isinstance(array, np.ndarray) or array.shape != value.shape:
                found = getattr(array, "shape", type(array).__name__)
                raise TypeError(f"{name} should be an array of shape {value.shape}, it is {found}")
            array[...] = value
        return {}

    def do_parameters(self, request: Reply) -> Reply:
        """A module's parameters (or its buffers) by name."""
        module = _module(request["of"])
        named = module.named_buffers() if request.get("buffers") else parameters_of(module).items()
        return {"value": {name: value.detach().clone() for name, value in named}}

    def do_shapes(self, request: Reply) -> Reply:
        """The shapes of a module's parameters, by name."""
        named = parameters_of(_module(request["of"]))
        return {"value": {name: list(value.shape) for name, value in named.items()}}

    def do_storages(self, request: Reply) -> Reply:
        """The bytes of every storage behind the tensors that an object holds, by its address."""
        storages = [tensor.untyped_storage() for tensor in tensors_of(request["of"])]
        return {"value": {storage.data_ptr(): storage.nbytes() for storage in storages}}

    def do_load_parameters(self, request: Reply) -> Reply:
        """Give a module weights by name, in the dtype of these weights, if it has all of them in these
        shapes. The value is what it has: the shapes of its parameters and buffers, by name.
        """
        torch = kept_torch()

        module = _module(request["of"])
        values: dict[str, Any] = request["values"]
        own = _weights(module)
        shapes = {name: list(tensor.shape) for name, tensor in own.items()}
        if any(shapes.get(name) != list(value.shape) for name, value in values.items()):
            return {"value": shapes}
        for dtype in {value.dtype for value in values.values() if value.is_floating_point()}:
            if any(tensor.is_floating_point() and tensor.dtype != dtype for tensor in own.values()):
                module.to(dtype)
                own = _weights(module)
        with torch.no_grad():
            for name, value in values.items():
                own[name].copy_(value)
        return {"value": shapes}

    def do_mode(self, request: Reply) -> Reply:
        """Switch a module to training or evaluation, or to a dtype."""
        module = _module(request["of"])
        if "training" in request:
            module.train(request["training"])
        if "dtype" in request:
            module.to(request["dtype"])
        return {}

    def do_trace(self, request: Reply) -> Reply:
        """What was noted in the requests of this check that asked for it with `trace`."""
        return {"value": self._trace.notes.report()}

    # Parts

    def _target(self, target: list[Any]) -> Any:
        """["name", n] is a name of the file, [object] an object, [object, method] its method."""
        if target[0] == "name":
            return getattr(self._module, target[1])
        return getattr(target[0], target[1]) if len(target) > 1 else target[0]

    def _measured(self, request: Reply, run: Callable[[], Any]) -> Reply:
        """The value of `run()` with its cost: the kit's counters, and the peak of what Python and NumPy
        allocated.
        """
        if kept_torch() is not None:
            refuse = self.refuse if request["measure"] == "in tensors" else None
            given = tensors_of([request["args"], request["kwargs"]]) if refuse else []
            meter = part("grader.worker.measuring.meter").Meter(refuse, given)
            with meter.calls, meter:
                value = run()
            return {"value": value, "cost": meter.report()}
        tracemalloc.start()
        try:
            value = run()
            return {"value": value, "cost": {"peak_bytes": tracemalloc.get_traced_memory()[1]}}
        finally:
            tracemalloc.stop()

    def _keep(self, value: Any) -> wire.Ref:
        self._count += 1
        self._objects[self._count] = value
        return wire.Ref(self._count, _type_name(value))

    def _resolve(self, item: wire.Ref | wire.Callback) -> Any:
        if isinstance(item, wire.Ref):
            return self._objects[item.number]
        return lambda *args: self._ask_judge(item.number, args)

    def _ask_judge(self, number: int, args: tuple[Any, ...]) -> Any:
        if kept_torch() is None:
            return self._call_back(number, args)
        with part("grader.worker.measuring.meter").paused():
            return self._call_back(number, args)


def _module(value: Any) -> Any:
    torch = kept_torch()
    if not isinstance(value, torch.nn.Module):
        raise TypeError(f"a {_type_name(value)} is not an nn.Module")
    return value


def _weights(module: Any) -> dict[str, Any]:
    """Its parameters and buffers by name."""
    return {**parameters_of(module), **dict(module.named_buffers())}


def _type_name(value: Any) -> str:
    kind = type(value)
    torch = kept_torch()
    if torch is not None and kind is torch.Tensor:
        return f"Tensor ({value.dtype}, {value.layout}, {value.device})".replace("torch.", "")
    if torch is not None and issubclass(kind, torch.Tensor):
        return f"{kind.__name__} (a subclass of Tensor)"
    if kind is np.ndarray:
        return f"NumPy array ({value.dtype})"
    return kind.__name__
