"""Small functions of a check that run in the worker: they are sent as text."""

import inspect
import textwrap
from collections.abc import Callable
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=1000)  # finding it means reading the file up to its end, and it is sent again and again
def text_of(scenario: Callable[..., Any]) -> str:
    """The source of a function, as if it stood alone."""
    return textwrap.dedent(inspect.getsource(scenario))
