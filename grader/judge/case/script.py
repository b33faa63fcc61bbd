"""A case as a script: the calls of a check, with inputs and expected values written out as numbers."""

import ast
import keyword
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor, dtype

from grader.curriculum.catalog import Topic
from grader.curriculum.parsing import parsed
from grader.judge.trail.rerun import Call, Rerun
from grader.worker import wire

HEAD = '''\
"""{topic}: the smallest case found in which {file} is wrong.

It runs your file in its own process: breakpoint() works, here and there.
"""

import importlib.util
{numbers}
{library}

spec = importlib.util.spec_from_file_location({topic!r}, {path!r})
answer = importlib.util.module_from_spec(spec)
spec.loader.exec_module(answer)
'''

LOAD = '''

def load(module, values):
    """Give the module these weights."""
    for dtype in {value.dtype for value in values.values() if value.is_floating_point()}:
        module.to(dtype)
    own = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    with torch.no_grad():
        for name, value in values.items():
            own[name].copy_(value)
'''


class NotScripted(ValueError):
    """The case has something that cannot be written out: a function of the check, say."""


def case_script(topic: Topic, path: Path, right: Rerun, own: Rerun, last: int) -> str:
    """The script that makes the calls up to the one at `last`, and prints what it gets and gives beside what
    is expected. Raises NotScripted."""
    writer = _Writer()
    for place in range(last + 1):
        writer.write(own.calls[place], right.calls[place], place == last)
    library = "import numpy as np" if topic.framework == "numpy" else "import torch"
    definitions = "".join(f"\n\n{each.strip()}\n" for each in writer.definitions)
    body = "\n".join([f"{definitions}\n" * bool(definitions), *writer.lines, ""])
    used = [name for name in ("inf", "nan") if re.search(rf"\b{name}\b", body)]
    numbers = f"from math import {', '.join(used)}\n" if used else ""
    return (
        HEAD.format(
            topic=topic.id, file=path.name, path=str(path.absolute()), library=library, numbers=numbers
        )
        + body
    )


class _Writer:
    """Writes calls, one after the other; knows what is called how."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.definitions: list[str] = []
        self._objects: dict[int, str] = {}
        self._used: set[str] = {"answer", "yours", "expected", "spec", "load"}

    def write(self, call: Call, right: Call, is_last: bool) -> None:
        """One call; the last one with what it gives and should give."""
        what = self._expression(call)
        if what is None:
            return
        if not is_last:
            self._keep(call, what)
            return
        self.lines += [f"yours = {what}", f"expected = {self._literal(right.value)}", ""]
        self.lines += ['print("yours:", yours, sep="\\n")', 'print("expected:", expected, sep="\\n")']

    def _keep(self, call: Call, what: str) -> None:
        if isinstance(call.value, wire.Ref):
            name = self._free(call.value.type_name.lower())
            self._objects[call.value.number] = name
            self.lines.append(f"{name} = {what}")
        elif call.request["do"] in ("call", "run", "load_parameters", "mode", "assign"):
            self.lines.append(what)

    def _expression(self, call: Call) -> str | None:
        request = call.request
        do = request["do"]
        if do == "call":
            return f"{self._target(request['target'])}({self._arguments(call)})"
        if do == "run":
            if request["text"] not in self.definitions:
                self.definitions.append(request["text"])
            return f"{request['name']}(answer, {self._arguments(call)})"
        of = self._literal(request["of"])
        if do == "load_parameters":
            if LOAD not in self.definitions:
                self.definitions.append(LOAD)
            values = self._named("weights", request["values"])
            return f"load({of}, {values})"
        if do == "mode":
            if "training" in request:
                return f"{of}.train({request['training']})"
            return f"{of}.to({self._literal(request['dtype'])})"
        if do == "assign":
            writes = [f"{of}.{name}[...] = {self._literal(v)}" for name, v in request["values"].items()]
            return "\n".join(writes)
        if do == "attribute":
            return f"{of}.{request['name']}"
        if do == "parameters":
            return f"dict({of}.named_{'buffers' if request.get('buffers') else 'parameters'}())"
        return None

    def _target(self, target: Sequence[Any]) -> str:
        if target[0] == "name":
            return f"answer.{target[1]}"
        own = self._literal(target[0])
        return f"{own}.{target[1]}" if len(target) > 1 else own

    def _arguments(self, call: Call) -> str:
        args, kwargs = call.request["args"], call.request["kwargs"]
        own = _parameters_of(call.request["text"]) if call.request["do"] == "run" else call.names
        names = [*own, *[f"input_{place + 1}" for place in range(len(own), len(args))]]
        written = [self._named(name, value) for name, value in zip(names, args, strict=False)]
        keywords = (
            own[len(args) :] if call.request["do"] == "call" and len(own) > len(args) else tuple(kwargs)
        )
        written += [
            f"{name}={self._named(name, value)}"
            for name, value in zip(keywords, kwargs.values(), strict=False)
        ]
        return ", ".join(written)

    def _named(self, name: str, value: Any) -> str:
        """A plain value as it is; an array (or weights) gets a name, and is printed."""
        literal = self._literal(value)
        if not isinstance(value, Tensor | np.ndarray | dict):
            return literal
        name = self._free(name)
        self.lines += [f"{name} = {literal}"]
        if not isinstance(value, dict):
            self.lines += [f'print("{name}:", {name}, sep="\\n")']
        return name

    def _free(self, name: str) -> str:
        name = "".join(letter if letter.isalnum() else "_" for letter in name.strip("_"))
        if not name.isidentifier() or keyword.iskeyword(name):
            name = f"input_{name}"
        number, found = 1, name
        while found in self._used:
            number += 1
            found = f"{name}_{number}"
        self._used.add(found)
        return found

    def _literal(self, value: Any) -> str:
        if isinstance(value, Tensor):
            kind = "" if not value.dtype.is_floating_point else f", dtype={value.dtype}"
            return f"torch.tensor({_rows(value.tolist())}{kind})"
        if isinstance(value, np.ndarray):
            return f"np.array({_rows(value.tolist())})"
        if isinstance(value, wire.Ref):
            if value.number not in self._objects:
                raise NotScripted("an object that no call has made")
            return self._objects[value.number]
        if isinstance(value, wire.Seeded):
            made = "torch.Generator().manual_seed" if value.kind == "torch" else "np.random.default_rng"
            return f"{made}({value.seed})"
        if isinstance(value, list | tuple):
            items = ", ".join(self._literal(item) for item in value)
            comma = "," if len(value) == 1 else ""
            return f"[{items}]" if isinstance(value, list) else f"({items}{comma})"
        if isinstance(value, dict):
            items = "".join(f"    {key!r}: {self._literal(item)},\n" for key, item in value.items())
            return f"{{\n{items}}}"
        if value is None or isinstance(value, bool | int | float | str):
            return repr(value)
        if isinstance(value, np.generic):
            return repr(value.item())
        if isinstance(value, dtype):
            return str(value)
        raise NotScripted(f"a {type(value).__name__}")


def _parameters_of(scenario: str) -> tuple[str, ...]:
    """What a small function of the check calls its arguments after the answer."""
    function = next(node for node in parsed(scenario).body if isinstance(node, ast.FunctionDef))
    return tuple(argument.arg for argument in function.args.args[1:])


def _rows(value: Any) -> str:
    """Nested lists; six digits are enough to compare by eye, and whole numbers stay whole."""
    if isinstance(value, list):
        return f"[{', '.join(_rows(item) for item in value)}]"
    return repr(value) if isinstance(value, bool | int) else _number(value)


def _number(value: float) -> str:
    text = repr(value)
    return text if len(text) <= 8 or text in ("inf", "-inf", "nan") else f"{value:.6g}"
