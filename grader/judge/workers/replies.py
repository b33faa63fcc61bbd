"""What a worker may reply, request by request: every field with its type, and nothing else.

A submission shares its process with what writes the replies, so it can write them itself. What does not fit
here is no reply; what fits can still be wrong, but the judge can work with it. Texts are cut, not refused.
"""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from grader.worker.answering.failures import MAX_FRAMES
from grader.worker.answering.refusals import END
from grader.worker.unpacking import MAX_NAME

Shape = Callable[[Any], Any]
"""Gives the value, with its texts cut, or raises Unfit."""

MAX_NUMBER = 2**63
MAX_LINE = 400
MAX_TEXT = 4000
MAX_LISTED = 100
"""Names that a message lists."""


class Unfit(ValueError):
    """What came is not what belongs here; the message says what is wrong with it."""


def checked(request: dict[str, Any], reply: Any) -> dict[str, Any]:
    """The reply to the request. Raises Unfit where it is none."""
    has_raised = type(reply) is dict and "raised" in reply
    fields: dict[str, Any] = (_RAISED if has_raised else _shape_of(request))(reply)
    if "names" in fields:
        _check_call(request, fields)
    return fields


def called_back(message: Any, callbacks: int) -> tuple[int, list[Any]]:
    """Which of so many callbacks is called, and with what."""
    number, args = _row(_number, _listed(_anything))(message)
    if number >= callbacks:
        raise Unfit("it calls a function that is not there")
    return number, args


def refusal(report: bytes) -> dict[str, Any]:
    """What a worker has refused to a submission (see `grader.worker.answering.refusals`): `what`, the `text`
    to say and the `position` ([line, its text]) if it is known.
    """
    parts = report.decode().split(END)
    if len(parts) < 5 or not (parts[2].isdecimal() or parts[2:4] == ["", ""]) or len(parts[2]) > 9:
        raise Unfit("this is no report of a refusal")
    what, text, number, quoted = parts[:4]
    return {"what": what, "text": text, "position": [int(number), quoted] if number else None}


def _shape_of(request: dict[str, Any]) -> Shape:
    if request.get("measure"):
        return _MEASURED_CALL if request["do"] == "call" else _MEASURED_RUN
    return _GRADIENTS if "upstream" in request else _REPLIES[request.get("do")]


def _check_call(request: dict[str, Any], reply: dict[str, Any]) -> None:
    """The fields that have to fit the arguments."""
    arguments = [*request["args"], *request["kwargs"].values()]
    if len(reply["names"]) != len(arguments):
        raise Unfit("the call has another number of arguments")
    if not all(number < len(arguments) for number in reply["changed"]):
        raise Unfit("an argument is changed that is not there")
    if "upstream" in request:
        fixed = request["constants"]
        free = [value for name, value in request["kwargs"].items() if name not in fixed]
        leaves = [v for v in [*request["args"], *free] if isinstance(v, Tensor) and v.is_floating_point()]
        if len(reply["inputs"]) != len(leaves):
            raise Unfit("there are not as many gradients as inputs")


def _anything(value: Any) -> Any:
    return value


def _number(value: Any) -> int:
    if type(value) is not int or not 0 <= value < MAX_NUMBER:
        raise Unfit("expected a number")
    return value


def _tensor(value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        raise Unfit("expected a tensor")
    return value


def _one_of(*values: Any) -> Shape:
    def shape(value: Any) -> Any:
        if type(value) is not type(values[0]) or value not in values:
            raise Unfit(f"expected {values[0]!r}")
        return value

    return shape


def _text(most: int) -> Shape:
    def shape(value: Any) -> str:
        if type(value) is not str:
            raise Unfit("expected a text")
        return value[:most]

    return shape


def _listed(item: Shape, least: int = 0, most: int | None = None) -> Shape:
    """A list, of which no more than the first `most` are kept."""

    def shape(value: Any) -> list[Any]:
        if type(value) is not list or len(value) < least:
            raise Unfit("expected a list")
        return [item(each) for each in value[:most]]

    return shape


def _row(*items: Shape) -> Shape:
    """A list of exactly these."""

    def shape(value: Any) -> list[Any]:
        if type(value) is not list or len(value) != len(items):
            raise Unfit(f"expected a list of {len(items)}")
        return [item(each) for item, each in zip(items, value, strict=True)]

    return shape


def _mapped(key: Shape, item: Shape) -> Shape:
    def shape(value: Any) -> dict[Any, Any]:
        if type(value) is not dict:
            raise Unfit("expected a dict")
        return {key(name): item(each) for name, each in value.items()}

    return shape


def _fields(**shapes: Shape) -> Shape:
    """A dict of exactly these."""

    def shape(value: Any) -> dict[str, Any]:
        if type(value) is not dict or value.keys() != shapes.keys():
            raise Unfit(f"the fields are not {', '.join(shapes) or 'none'}")
        return {name: each(value[name]) for name, each in shapes.items()}

    return shape


def _either(*shapes: Shape) -> Shape:
    """The first that fits."""

    def shape(value: Any) -> Any:
        for each in shapes[:-1]:
            try:
                return each(value)
            except Unfit:
                continue
        return shapes[-1](value)

    return shape


_FLAG = _one_of(False, True)
_NAME, _LINE, _WORDS = _text(MAX_NAME), _text(MAX_LINE), _text(MAX_TEXT)
_NONE = _fields()
_RAISED = _fields(
    raised=_fields(
        types=_listed(_NAME, least=1, most=MAX_LISTED),
        message=_WORDS,
        frames=_listed(_row(_number, _NAME, _LINE), most=MAX_FRAMES),
        unwritten=_FLAG,
        memory=_FLAG,
    )
)
_PROBLEM = _either(
    _fields(kind=_one_of("missing"), name=_NAME, defined=_listed(_NAME, most=MAX_LISTED)),
    _fields(kind=_one_of("not_callable"), name=_NAME, type=_NAME),
    _fields(kind=_one_of("signature"), name=_NAME, problem=_WORDS),
)
_LOADED = _either(
    _fields(syntax=_fields(line=_number, column=_number, message=_LINE, text=_LINE)),
    _fields(empty=_FLAG),
    _fields(problems=_listed(_PROBLEM, most=MAX_LISTED)),
)
_COST = _either(
    _fields(
        matmul_flops=_number,
        largest_tensor=_number,
        operations=_listed(_row(_NAME, _listed(_listed(_number)), _number, _NAME, _number)),
    ),
    _fields(peak_bytes=_number),
)
_VALUE: dict[str, Shape] = {"value": _anything}
_CALL: dict[str, Shape] = {
    **_VALUE,
    "changed": _listed(_number),
    "names": _listed(_NAME),
    "overwritten": _one_of(True, False),
    "left": _listed(_one_of("modes", "gradients", "seed"), most=3),
}
_MEASURED_CALL, _MEASURED_RUN = _fields(**_CALL, cost=_COST), _fields(**_VALUE, cost=_COST)
_GRADIENTS = _fields(**_CALL, inputs=_listed(_tensor), parameters=_mapped(_NAME, _tensor))
_SHAPES = _fields(value=_mapped(_NAME, _listed(_number)))
_REPLIES = {
    None: _NONE,  # the setup
    "load": _LOADED,
    "call": _fields(**_CALL),
    "run": _fields(**_VALUE),
    "attribute": _fields(**_VALUE),
    "assign": _NONE,
    "parameters": _fields(value=_mapped(_NAME, _tensor)),
    "storages": _fields(value=_mapped(_number, _number)),
    "shapes": _SHAPES,
    "load_parameters": _SHAPES,
    "mode": _NONE,
    "trace": _fields(**_VALUE),  # read with care by `grader.judge.trail.noted.notes`
}
"""By what the request asks to do."""
