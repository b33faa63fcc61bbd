"""Python source as a tree, read by one thread at a time."""

import ast
import threading

_one_at_a_time = threading.RLock()


def parsed(source: str) -> ast.Module:
    """`ast.parse`, which two threads at once, as the page has them, can make fail with a `SystemError`.

    Before Python 3.11.8 and 3.12.2 the depths of both trees are one count (python/cpython, issue 106905).
    """
    with _one_at_a_time:
        return ast.parse(source)
