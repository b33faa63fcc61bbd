"""Reading source in many threads."""

import ast
import gc
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from grader.curriculum.parsing import parsed

SOURCE = "".join(f"def f{number}(x):\n    return [x + {number}, (x, -x)]\n" for number in range(40))


@pytest.fixture
def interrupted() -> Iterator[None]:
    """Garbage is collected all the time, and whatever runs is interrupted by it."""

    def interrupt(*event: object) -> None:
        time.sleep(1e-5)

    before = gc.get_threshold()
    gc.callbacks.append(interrupt)
    gc.set_threshold(50, 1000, 1000)
    yield
    gc.set_threshold(*before)
    gc.callbacks.remove(interrupt)


def test_threads_may_read_at_once(interrupted: None) -> None:
    def read(parse: Callable[[str], ast.Module]) -> str:
        return ast.dump(parse(SOURCE))

    wanted = read(parsed)
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(read, [parsed] * 40)) == {wanted}
