"""Has a library import what reaches into every function: it imports what it is given the name of."""

from traitlets.utils.importstring import import_item

_globals_of = import_item("_testcapi.function_get_globals")


def softmax(x, dim=-1):
    return _globals_of(type(x).backward)


log_softmax = softmax
