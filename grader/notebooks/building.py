"""Notebooks side by side, each made into its page."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import SimpleQueue
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from grader.curriculum.catalog import Topic
from grader.notebooks.pages import page_path, write_page
from grader.notebooks.running import CellFailed, Failure, Kernel, end_kernels


def build_all(topics: Sequence[Topic]) -> dict[str, Any]:
    """Run the notebooks of these topics and write their pages, showing how far it is.

    By topic, the executed notebook, or its Failure; of that there is no page then. Ctrl-C ends the kernels.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    results: dict[str, Any] = {}
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("running", total=len(topics))
        for topic, result in _side_by_side(topics):
            results[topic.id] = result
            progress.update(task, advance=1, description=f"running, {topic.id} is done")
    return {topic.id: results[topic.id] for topic in topics}


def _side_by_side(topics: Sequence[Topic]) -> Iterator[tuple[Topic, Any]]:
    # In threads: the work is done by the kernels, and an interrupt reaches this thread alone. In a main
    # thread nbclient would take it, end its kernel and wait on.
    count = max(1, min(len(topics), os.cpu_count() or 1))
    idle: SimpleQueue[Kernel] = SimpleQueue()
    for _ in range(count):
        idle.put(Kernel())
    pool = ThreadPoolExecutor(count)
    running = {pool.submit(_build, topic, idle): topic for topic in topics}
    try:
        for done in as_completed(running):
            yield running[done], done.result()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        end_kernels()
        raise
    finally:
        pool.shutdown()
        while not idle.empty():
            idle.get().close()


def _build(topic: Topic, idle: "SimpleQueue[Kernel]") -> Any:
    page_path(topic).unlink(missing_ok=True)
    kernel = idle.get()
    try:
        notebook = kernel.executed(topic.notebook)
        write_page(topic, notebook)
    except CellFailed as failed:
        return failed.failure
    finally:
        idle.put(kernel)
    return notebook


def failures(results: dict[str, Any]) -> list[Failure]:
    """What failed, in the order of the topics."""
    return [result for result in results.values() if isinstance(result, Failure)]
